"""The ceiling: results of open cards against policies, and the luck of the deal; the command ``cardenvs ceiling``."""

from cardenvs.baselines.ceiling.all_seeing import ILLEGAL, call_values, choose
from cardenvs.baselines.ceiling.best_response import best_margins
from cardenvs.baselines.ceiling.measure import DEALS, EFFECT, luck_of, measure, measure_team
from cardenvs.baselines.ceiling.play import play_all_seeing
from cardenvs.baselines.ceiling.results import Ceiling, Luck, OpenCards, TeamCeiling, TeamScore
from cardenvs.baselines.search.any_game.open_hands import Reached, most_points

__all__ = [
    "DEALS",
    "EFFECT",
    "ILLEGAL",
    "Ceiling",
    "Luck",
    "OpenCards",
    "Reached",
    "TeamCeiling",
    "TeamScore",
    "best_margins",
    "call_values",
    "choose",
    "luck_of",
    "measure",
    "measure_team",
    "most_points",
    "play_all_seeing",
]
