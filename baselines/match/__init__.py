"""Matches of two sides over many deals: how they are played, what they bring, and the command ``cardenvs match``."""

from cardenvs.baselines.match.play import (
    PROTOCOLS,
    Z95,
    DealResults,
    MatchResult,
    Observer,
    Player,
    Side,
    Until,
    interval,
    match_deals,
    play_deals,
    play_match,
    published_options,
    split_names,
)

__all__ = [
    "PROTOCOLS",
    "Z95",
    "DealResults",
    "MatchResult",
    "Observer",
    "Player",
    "Side",
    "Until",
    "interval",
    "match_deals",
    "play_deals",
    "play_match",
    "published_options",
    "split_names",
]
