"""Evaluation of one policy: against several opponents, to a wanted precision, with checks; ``cardenvs evaluate``."""

from cardenvs.baselines.evaluation.evaluate import (
    FEWEST_DIFFERENT,
    FEWEST_TO_CHECK,
    FIRST_LOOK,
    STANDARD,
    Check,
    Evaluated,
    Evaluation,
    SelfCheck,
    check_against_itself,
    evaluate_against,
    has_bidding,
    is_slow,
    judge_points,
    looks,
    precise_enough,
    standard_calls,
)

__all__ = [
    "FEWEST_DIFFERENT",
    "FEWEST_TO_CHECK",
    "FIRST_LOOK",
    "STANDARD",
    "Check",
    "Evaluated",
    "Evaluation",
    "SelfCheck",
    "check_against_itself",
    "evaluate_against",
    "has_bidding",
    "is_slow",
    "judge_points",
    "looks",
    "precise_enough",
    "standard_calls",
]
