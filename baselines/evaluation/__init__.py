"""Evaluation of one policy: against several opponents, to a wanted precision, with checks; ``cardenvs evaluate``."""

from cardenvs.baselines.evaluation.play import evaluate, evaluate_against
from cardenvs.baselines.evaluation.results import Evaluated, Evaluation, ForfeitedMatch
from cardenvs.baselines.evaluation.self_check import Check, SelfCheck, check_against_itself
from cardenvs.baselines.evaluation.settings import FIELD
from cardenvs.baselines.evaluation.stopping import precise_enough

__all__ = [
    "FIELD",
    "Check",
    "Evaluated",
    "Evaluation",
    "ForfeitedMatch",
    "SelfCheck",
    "check_against_itself",
    "evaluate",
    "evaluate_against",
    "precise_enough",
]
