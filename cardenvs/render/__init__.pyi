from .files import gif, png
from .frames import deal_frames
from .painter import MissingRendererError, Painter
from .renderer import PICTURES, Renderer, check_renderer
from .scene import Scene
from .window import Window

__all__ = [
    "PICTURES",
    "MissingRendererError",
    "Painter",
    "Renderer",
    "Scene",
    "Window",
    "check_renderer",
    "deal_frames",
    "gif",
    "png",
]
