"""Policies at the seats beside the learner: one policy, a policy for each seat, or policies drawn for each episode."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.checks import check_mapping, did_you_mean, short
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.streams import below
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy, SeatMemory

Pool = str | Policy | Sequence[str | Policy]
"""A policy, by name, by file or as an object, or several of which one is drawn for each episode."""

LEARNER = -1
"""Entry of a line-up for the learner's own seat."""

_NOT_NAMED = -1
"""Drawn value for a seat that the opponents do not name: it goes by its side."""

_ELSEWHERE = "random"
"""The policy of seats that a mapping of opponents does not name."""


class Lineups:
    """The policies at the other seats of ``n`` games.

    Policies by side, for `draw`: one for the learner's partners, and one for each other side, drawn apart from each other.
    A seat that the opponents name has a policy of its own instead, also drawn apart. In a game of one side all other seats
    are partners: ``partner`` is theirs, and without it ``opponents``.

    Attributes:
        players: the policies; one that is named several times by the same text is made once.
        lineup: int64 (n, seats), the number in ``players`` of the policy at each seat, LEARNER at the learner's.
        memory: the copies of policies that remember.
        drawn: int64 (n, seats + sides), what was drawn for the episode: for each seat the number of its own policy, -1
            where it has none, then for each side, counted from the learner's on, the number of the side's policy.

    Args:
        n: the number of games.
        seat: the learner's seat, or ``"random"``.
        opponents: a policy or a list of them, for all other sides; or a mapping of either from agents' names.
        partner: a policy or a list of them for the learner's partners; None takes what ``opponents`` has for all.

    Raises:
        ValueError: something else, an unknown policy, or a partner without a seat.
    """

    def __init__(
        self, spec: GameSpec, n: int, seat: int | str, opponents: Pool | Mapping[str, Pool], partner: Pool | None
    ) -> None:
        self.spec = spec
        self.players: list[Policy] = []
        self._made: list[Policy] = []
        self._numbers: dict[Any, int] = {}
        named: dict[int, list[int]] = {}
        if isinstance(opponents, Mapping):
            for agent in check_mapping("opponents", opponents):
                number = self._seat_of(agent, seat)
                named[number] = self._pool(f"opponents[{agent!r}]", opponents[agent])
            if not named:
                raise ValueError(
                    f"opponents must name at least one seat, as {{'player_1': 'random'}} does, not {opponents!r}"
                )
            others = self._pool("opponents", _ELSEWHERE)
        else:
            others = self._pool("opponents", opponents, ", a list of them or a dict of them by agent")
        beside = others
        if partner is not None:
            self._check_partner(seat, set(named), partner)
            beside = self._pool("partner", partner)
        no_pool = [_NOT_NAMED]
        by_side = [beside, *[others] * (spec.num_sides - 1)]
        self._pools = [*(named.get(number, no_pool) for number in range(spec.seats)), *by_side]
        self._texts = np.array([*(player.name for player in self.players), None], object)  # LEARNER's is the last
        self.drawn = np.tile(np.array([pool[0] for pool in self._pools], np.int64), (n, 1))
        self.lineup = np.full((n, spec.seats), LEARNER, np.int64)
        self.memory = SeatMemory(n)
        self._shown: npt.NDArray[np.object_] | None = None

    def _seat_of(self, agent: str, learner: int | str) -> int:
        """The seat of an agent that the opponents name."""
        agents = {f"player_{seat}": seat for seat in range(self.spec.seats)}
        others = [name for name, seat in agents.items() if seat != learner]
        if agent not in others:
            reason = ", which is the learner's seat" if agent in agents else ""
            meant = did_you_mean(agent, others) if agent not in agents else ""
            raise ValueError(f"opponents must name seats among {', '.join(others)}, not {short(agent)}{reason}{meant}")
        return agents[agent]

    def _pool(self, name: str, value: Any, more: str = " or a list of them") -> list[int]:
        """The numbers of the policies that an argument names, which are made."""
        if isinstance(value, Sequence) and not isinstance(value, str):
            if not len(value):
                raise ValueError(f"{name} must be a policy or a list of at least one, not {short(value)}")
            return [self._player(f"{name}[{k}]", one, "") for k, one in enumerate(value)]
        return [self._player(name, value, more)]

    def _player(self, name: str, value: Any, more: str) -> int:
        """The number of the policy that an argument names, see `_pool`."""
        if not isinstance(value, (str, Policy)):
            raise ValueError(f"{name} must be a policy or the name of one, such as 'random'{more}, not {short(value)}")
        key = value if isinstance(value, str) else id(value)
        if key not in self._numbers:
            self.players.append(policy.make(self.spec, value))
            if isinstance(value, str):
                self._made.append(self.players[-1])
            self._numbers[key] = len(self.players) - 1
        return self._numbers[key]

    def _check_partner(self, seat: int | str, named: set[int], partner: Any) -> None:
        """Checks that there is a seat for a partner who is asked for."""
        spec = self.spec
        if not spec.team:
            raise ValueError(f"partner must be None in {spec.name}, which has no partners, not {short(partner)}")
        dealt = spec.kernels.side is not None
        learners = range(spec.seats) if seat == "random" else [int(seat)]
        free = {
            other
            for own in learners
            for other in range(spec.seats)
            if other != own and other not in named and (dealt or spec.side_of[other] == spec.side_of[own])
        }
        if not free:
            raise ValueError(f"partner must be None where opponents names the learner's partners, not {short(partner)}")

    def draw(self, rows: Ints, learner: Ints, games: Games, streams: Streams) -> None:
        """Seats policies for new episodes.

        Args:
            rows: int64 (k,), the numbers of the games.
            learner: int64 (n,), the learner's seat in each game.
            games: the games as they are dealt, structured (n,).
            streams: uint64 (n,), random streams, of which those of the games are advanced if there is something to draw.
        """
        self.memory.games[rows] = self.memory.games.max() + 1 + np.arange(len(rows))
        for column, pool in enumerate(self._pools):
            if len(pool) > 1:
                self.drawn[rows, column] = [pool[below(streams, i, len(pool))] for i in rows.tolist()]
        self.seat(rows, learner, games)

    def seat(self, rows: Ints, learner: Ints, games: Games) -> None:
        """Puts the drawn policies into line-ups, for the sides that there are in the games now; arguments as for `draw`."""
        seats, sides = self.spec.seats, self.spec.seat_sides(games[rows])
        count, own = np.arange(len(rows)), learner[rows]
        drawn = self.drawn[rows]
        from_own = (sides - sides[count, own][:, None]) % self.spec.num_sides
        lineup = np.take_along_axis(drawn[:, seats:], from_own, 1)
        lineup = np.where(drawn[:, :seats] != _NOT_NAMED, drawn[:, :seats], lineup)
        lineup[count, own] = LEARNER
        if (lineup != self.lineup[rows]).any():
            self.lineup[rows] = lineup
            self._shown = None

    def names(self) -> npt.NDArray[np.object_]:
        """The names of the policies at the seats, None at the learner's: an object array (n, seats), which is read-only."""
        if self._shown is None:
            self._shown = self._texts[self.lineup]
            self._shown.flags.writeable = False
        return self._shown

    def check_drawn(self, drawn: Ints) -> None:
        """Checks an array of what may have been drawn, int64 (n, seats + sides).

        Raises:
            ValueError: other policies than may be drawn.
        """
        if not all(np.isin(drawn[:, column], pool).all() for column, pool in enumerate(self._pools)):
            raise ValueError("state must be what get_state() returned: its 'lineups' have policies that are not drawn here")

    def close(self) -> None:
        """Closes the policies that were made here from names, and all copies for seats."""
        self.memory.forget()
        for player in self._made:
            player.close()

    def clone(self) -> Lineups:
        """Line-ups of their own that go on as these do; the policies are the same objects, and are not theirs to close.

        Copies of policies that remember are not the same: the twin's know nothing yet.
        """
        twin = copy.copy(self)
        twin._made, twin.memory = [], SeatMemory(len(self.lineup))
        twin.lineup, twin.drawn = self.lineup.copy(), self.drawn.copy()
        return twin
