from .board import Board
from .cards import Deck
from .fields import Games, Part
from .kernels import Kernels
from .lines import key_values
from .options import Option, show
from .outcome import ActionWords, Outcome
from .registry import described_names, game_file, game_names, get_game, named_game, register_game
from .spec import GameSpec

__all__ = [
    "ActionWords",
    "Board",
    "Deck",
    "GameSpec",
    "Games",
    "Kernels",
    "Option",
    "Outcome",
    "Part",
    "described_names",
    "game_file",
    "game_names",
    "get_game",
    "key_values",
    "named_game",
    "register_game",
    "show",
]
