"""Deals known in part: some hands, and the public actions.

The rules come from a game's kernels, which play whole deals. So a deal that fits all known facts stands for the true
one: its hidden cards make every action so far legal, and are distributed again when an action does not fit. Observations of
a seat with a known hand do not depend on them. An action is refused, with the reason, if and only if no deal allows it.
"""

from __future__ import annotations

from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING


class PartialDeal:
    """A deal known in part.

    ``state`` is a whole deal that fits all known facts, a structured array of shape (1,).
    """

    state: Games

    @property
    def seat_to_act(self) -> int:
        """The seat to act, -1 when the deal is over."""
        return int(self.state[0]["to_act"])

    @property
    def over(self) -> bool:
        return bool(self.state[0]["over"] != RUNNING)
