"""Reviews of finished games, move by move, and the command ``cardenvs review``."""

from cardenvs.baselines.review.replay import moves_of, result_of
from cardenvs.baselines.review.result import EXPENSIVE, DealReview, MoveReview, Review
from cardenvs.baselines.review.reviewer import WORLDS, Reviewer
from cardenvs.baselines.review.texts import UNITS
from cardenvs.baselines.review.truth import open_values

__all__ = [
    "EXPENSIVE",
    "UNITS",
    "WORLDS",
    "DealReview",
    "MoveReview",
    "Review",
    "Reviewer",
    "moves_of",
    "open_values",
    "result_of",
]
