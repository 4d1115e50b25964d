"""Reviews of finished games, move by move, and the command ``cardenvs review``."""

from cardenvs.baselines.review.reviewer import (
    EXPENSIVE,
    UNITS,
    WORLDS,
    DealReview,
    MoveReview,
    Review,
    Reviewer,
    moves_of,
    open_values,
    result_of,
)

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
