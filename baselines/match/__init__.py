"""Matches over many deals: how they are played, their results, and the command ``cardenvs match``."""

from cardenvs.baselines.match.play import (
    Observer,
    Until,
    deals_at_a_time,
    match_deals,
    match_result,
    play_deals,
    play_match,
    policy_streams,
    together,
    warm_up,
)
from cardenvs.baselines.match.protocols import PROTOCOLS, PUBLISHED_GAMES, published_options
from cardenvs.baselines.match.recording import Recorder
from cardenvs.baselines.match.results import DealResults, Forfeited, MatchResult, Summary, summarise
from cardenvs.baselines.match.side import Player, Side
from cardenvs.policy.registry import split_names

__all__ = [
    "PROTOCOLS",
    "PUBLISHED_GAMES",
    "DealResults",
    "Forfeited",
    "MatchResult",
    "Observer",
    "Player",
    "Recorder",
    "Side",
    "Summary",
    "Until",
    "deals_at_a_time",
    "match_deals",
    "match_result",
    "play_deals",
    "play_match",
    "policy_streams",
    "published_options",
    "split_names",
    "summarise",
    "together",
    "warm_up",
]
