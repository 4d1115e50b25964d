from .advice import Advice, Move
from .adviser import Adviser
from .questions import Question
from .session import Entry

__all__ = ["Advice", "Adviser", "Entry", "Move", "Question"]
