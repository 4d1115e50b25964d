"""Cross-play and ad-hoc teamwork: every policy as every other's partner, and policies with unknown partners.

A *partnership* is two policies that hold the two seats of one side, against fixed opponents. All partnerships play the
same duplicate deals, in both orders of their seats, as the pairings of `cardenvs.baselines.tournament` do.

*Cross-play* is the matrix of all partnerships of some policies: the diagonal is self-play, the rest tells whether policies
that play well with themselves play well with each other. Policies trained apart, from other seeds of one recipe, often do
not: their conventions are arbitrary. Source: Hu, Lerer, Peysakhovich and Foerster, "'Other-Play' for zero-shot
coordination", ICML 2020, section 5 (cross-play).

*Ad-hoc teamwork* is to play with partners that one has not met before and cannot agree with. The benchmark puts each policy
with each of a fixed set of partners, `held_out`. Source: Stone, Kaminka, Kraus and Rosenschein, "Ad hoc autonomous agent
teams: collaboration without pre-coordination", AAAI 2010, section 3 (an agent is judged by its mean over partners).

All intervals are over deals, with the policies as they are: how far training recipes differ is seen by several seeds of
each, not by more deals. The commands are ``cardenvs crossplay`` and ``cardenvs adhoc``.
"""

from cardenvs.baselines.crossplay.results import (
    AdHocResult,
    AdHocScore,
    BestPartner,
    Between,
    Cell,
    CrossplayResult,
    Gap,
    adhoc_results,
    crossplay_results,
    play_adhoc,
    play_crossplay,
)
from cardenvs.baselines.crossplay.settings import (
    OPPONENTS,
    AdHocSettings,
    CountedResults,
    CrossSettings,
    adhoc_settings,
    crossplay_settings,
    held_out,
    parse_group,
    seed_groups,
)

__all__ = [
    "OPPONENTS",
    "AdHocResult",
    "AdHocScore",
    "AdHocSettings",
    "BestPartner",
    "Between",
    "Cell",
    "CountedResults",
    "CrossSettings",
    "CrossplayResult",
    "Gap",
    "adhoc_results",
    "adhoc_settings",
    "crossplay_results",
    "crossplay_settings",
    "held_out",
    "parse_group",
    "play_adhoc",
    "play_crossplay",
    "seed_groups",
]
