"""Tournaments: every policy against every other over the same duplicate deals, on all cores, resumable; ratings.

All pairings play the same deals, each twice with the sides exchanged. In a game of n sides a pairing has one policy on one
side and the other on all others, each deal is played n times, and two policies are paired both ways. Ratings go by ranks:
by how often a side of the one ends ahead of a side of the other. Results depend neither on the number of workers nor on the
chunks in which deals were played (policies that think by the clock excepted), and are made from the folder's files, so that
a tournament that was interrupted gives what an uninterrupted one does. The command is ``cardenvs tournament``.
"""

from cardenvs.baselines.runs.forfeits import ForfeitedPairing
from cardenvs.baselines.tournament.results import (
    Cycles,
    Pairing,
    SeatResults,
    Standing,
    TournamentResult,
    Triple,
    play_tournament,
    results_of,
)
from cardenvs.baselines.tournament.settings import settings_for

__all__ = [
    "Cycles",
    "ForfeitedPairing",
    "Pairing",
    "SeatResults",
    "Standing",
    "TournamentResult",
    "Triple",
    "play_tournament",
    "results_of",
    "settings_for",
]
