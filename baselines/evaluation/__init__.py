"""Evaluation of one policy: against several opponents, to a wanted precision, with checks; ``cardenvs evaluate``."""

from cardenvs.baselines.evaluation.play import STANDARD, evaluate, evaluate_against, standard_calls
from cardenvs.baselines.evaluation.results import Evaluated, Evaluation, ForfeitedMatch
from cardenvs.baselines.evaluation.self_check import FEWEST_TO_CHECK, Check, SelfCheck, check_against_itself, judge
from cardenvs.baselines.evaluation.settings import FIELD, has_bidding
from cardenvs.baselines.evaluation.stopping import FEWEST_DIFFERENT, FIRST_LOOK, looks, precise_enough

__all__ = [
    "FEWEST_DIFFERENT",
    "FEWEST_TO_CHECK",
    "FIELD",
    "FIRST_LOOK",
    "STANDARD",
    "Check",
    "Evaluated",
    "Evaluation",
    "ForfeitedMatch",
    "SelfCheck",
    "check_against_itself",
    "evaluate",
    "evaluate_against",
    "has_bidding",
    "judge",
    "looks",
    "precise_enough",
    "standard_calls",
]
