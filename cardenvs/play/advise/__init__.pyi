from .advice import Advice, Move
from .adviser import Adviser
from .book import Question
from .session import Entry

__all__ = ["Advice", "Adviser", "Entry", "Move", "Question"]
