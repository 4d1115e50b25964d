from .crossplay import AdHocResult, CrossplayResult, adhoc_settings, crossplay_settings, play_adhoc, play_crossplay
from .evaluation import Evaluation, check_against_itself, evaluate, evaluate_against
from .game_statistics import GameStatistics, statistics_settings, take_statistics
from .match import DealResults, MatchResult, Side, play_deals, play_match, summarise
from .observers import BiddingObserver, CooperationObserver
from .reports.statistics import Interval
from .review import Review, Reviewer
from .suites import Suite, SuiteResult, find_suite, play_suite, suite_settings
from .tournament import TournamentResult, play_tournament, settings_for

__all__ = [
    "AdHocResult",
    "BiddingObserver",
    "CooperationObserver",
    "CrossplayResult",
    "DealResults",
    "Evaluation",
    "GameStatistics",
    "Interval",
    "MatchResult",
    "Review",
    "Reviewer",
    "Side",
    "Suite",
    "SuiteResult",
    "TournamentResult",
    "adhoc_settings",
    "check_against_itself",
    "crossplay_settings",
    "evaluate",
    "evaluate_against",
    "find_suite",
    "play_adhoc",
    "play_crossplay",
    "play_deals",
    "play_match",
    "play_suite",
    "play_tournament",
    "settings_for",
    "statistics_settings",
    "suite_settings",
    "summarise",
    "take_statistics",
]
