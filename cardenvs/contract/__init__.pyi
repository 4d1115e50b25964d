from .board import Board
from .cards import Deck
from .defaults import Dealt
from .definition import define_game, seat_names
from .fields import Games, Part
from .kernel_tools import (
    Bytes,
    Ints,
    Streams,
    below,
    drawn,
    helper,
    highest,
    kernel,
    lowest,
    new_stream,
    nth,
    popcount,
    random_member,
    read_bits,
    write_bits,
)
from .kernels import Kernels
from .lines import key_values
from .loops import DEAL_OVER, EPISODE_OVER, RUNNING
from .options import Option, show
from .outcome import ActionWords, Outcome
from .registry import described_names, game_file, game_names, get_game, named_game, register_game
from .sources import BitSet, Coded, Derived, OneHot, OneOf, SideBySide, UpTo
from .spec import GameSpec

__all__ = [
    "DEAL_OVER",
    "EPISODE_OVER",
    "RUNNING",
    "ActionWords",
    "BitSet",
    "Board",
    "Bytes",
    "Coded",
    "Dealt",
    "Deck",
    "Derived",
    "GameSpec",
    "Games",
    "Ints",
    "Kernels",
    "OneHot",
    "OneOf",
    "Option",
    "Outcome",
    "Part",
    "SideBySide",
    "Streams",
    "UpTo",
    "below",
    "define_game",
    "described_names",
    "drawn",
    "game_file",
    "game_names",
    "get_game",
    "helper",
    "highest",
    "kernel",
    "key_values",
    "lowest",
    "named_game",
    "new_stream",
    "nth",
    "popcount",
    "random_member",
    "read_bits",
    "register_game",
    "seat_names",
    "show",
    "write_bits",
]
