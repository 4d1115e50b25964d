"""Tournaments: every policy against every other, ratings, and the command ``cardenvs tournament``."""

from cardenvs.baselines.tournament.play import (
    CHUNKS,
    Cycles,
    Pairing,
    Progress,
    SeatResults,
    Settings,
    Standing,
    Store,
    TournamentResult,
    Triple,
    default_workers,
    files_of,
    play_all,
    play_tournament,
    results_of,
    settings_for,
)

__all__ = [
    "CHUNKS",
    "Cycles",
    "Pairing",
    "Progress",
    "SeatResults",
    "Settings",
    "Standing",
    "Store",
    "TournamentResult",
    "Triple",
    "default_workers",
    "files_of",
    "play_all",
    "play_tournament",
    "results_of",
    "settings_for",
]
