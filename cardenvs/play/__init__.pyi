from .advise import Advice, Adviser, Question
from .hints import hint
from .players import HUMAN, PolicyFailed, Snapshot
from .seatview import seat_view
from .table import Table
from .terminal import run_terminal

__all__ = [
    "HUMAN",
    "Advice",
    "Adviser",
    "PolicyFailed",
    "Question",
    "Snapshot",
    "Table",
    "hint",
    "run_terminal",
    "seat_view",
]
