"""Suites of partners for ad-hoc teamwork: frozen partners, the same deals for everybody, scores as shares of a bound.

A *suite* (`suite.py`) is data that ship: a game, its partners with a checksum each of what they decide,
the deals, and for each partner the *bound*, the best that was found with it: by search on that partner, by the pool's best
agent, by the partner itself. ``cardenvs suite`` measures one (`making.py`), ``cardenvs adhoc --suite`` plays a policy with
it (`scores.py`).

Source: P. Stone, G. A. Kaminka, S. Kraus and J. S. Rosenschein, "Ad hoc autonomous agent teams: collaboration without
pre-coordination", AAAI 2010, section 3 (an agent is judged by its mean over partners). Scores as shares of a bound are the
habit of later benchmarks. They mean as much as the bounds do: a suite tells who reached each of them, in how many deals,
and what else was tried.
"""

from cardenvs.baselines.suites.making import make_suite
from cardenvs.baselines.suites.scores import (
    PartnerScore,
    SuiteResult,
    SuiteScore,
    SuiteSettings,
    play_suite,
    suite_settings,
)
from cardenvs.baselines.suites.suite import Found, Member, Suite, find_suite, shipped_suites

__all__ = [
    "Found",
    "Member",
    "PartnerScore",
    "Suite",
    "SuiteResult",
    "SuiteScore",
    "SuiteSettings",
    "find_suite",
    "make_suite",
    "play_suite",
    "shipped_suites",
    "suite_settings",
]
