"""Deals of which only a part is known: some hands, and the actions played in everybody's sight.

The rules come from a game's kernels, which play whole deals. So a deal that fits all that is known stands in for the true
one: the unknown cards are given to their hidden holders so that every action so far was legal, and are given out anew when
an action comes that does not fit. What a seat with a known hand observes does not depend on who gets which card. An
action that no deal allows is refused with the reason, and only then.
"""

from __future__ import annotations

from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING


class PartialDeal:
    """A deal of which a part is known.

    Attributes:
        state: a whole deal that fits all that is known, a structured array of shape (1,).
    """

    state: Games

    @property
    def seat(self) -> int:
        """The seat to act, -1 when the deal is over."""
        return int(self.state[0]["to_act"])

    @property
    def over(self) -> bool:
        """Whether the deal is over."""
        return bool(self.state[0]["over"] != RUNNING)
