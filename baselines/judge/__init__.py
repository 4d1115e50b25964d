"""Judging policies: the points that every decision of one seat gains or loses; the command ``cardenvs judge``."""

from cardenvs.baselines.judge.play import judge
from cardenvs.baselines.judge.results import Judged, Judgement, KindOfDecision, Mistake
from cardenvs.baselines.judge.settings import WORLDS, JudgeSettings, judge_settings

__all__ = [
    "WORLDS",
    "JudgeSettings",
    "Judged",
    "Judgement",
    "KindOfDecision",
    "Mistake",
    "judge",
    "judge_settings",
]
