from .app import create_app
from .room import Room, read_room
from .server import serve

__all__ = ["Room", "create_app", "read_room", "serve"]
