"""Matches over many deals: how they are played, their results, and the command ``cardenvs match``."""

from cardenvs.baselines.match.play import Observer, match_deals, match_result, play_deals, play_match, policy_streams
from cardenvs.baselines.match.protocols import PUBLISHED_GAMES
from cardenvs.baselines.match.recording import Recorder
from cardenvs.baselines.match.results import DealResults, Forfeited, MatchResult, Summary, summarise
from cardenvs.baselines.match.side import Side

__all__ = [
    "PUBLISHED_GAMES",
    "DealResults",
    "Forfeited",
    "MatchResult",
    "Observer",
    "Recorder",
    "Side",
    "Summary",
    "match_deals",
    "match_result",
    "play_deals",
    "play_match",
    "policy_streams",
    "summarise",
]
