"""Policies at the seats beside the learner: one policy, one for each seat, or policies drawn for each episode."""

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
"""A policy, by name, by file or as an object, or several, one of which is drawn for each episode."""

LEARNER = -1  # entry of a line-up for the learner's own seat

_NOT_NAMED = -1  # drawn value for a seat without a policy of its own, which gets its side's

_ELSEWHERE = "random"  # the policy of seats that a mapping of opponents does not name


class Lineups:
    """The policies at the other seats of ``n`` games; arguments as of `cardenvs.envs.seat_games.SeatGames`.

    Draws a policy for the learner's partners and one for each other side, independently; a seat that ``opponents`` names
    draws its own. In a game of one side all other seats are partners, and play ``partner``, or else ``opponents``.

    Attributes:
        players: the policies; a name that is given several times makes one policy.
        lineup: int64 (n, seats), the number in ``players`` of the policy at each seat, LEARNER at the learner's.
        memory: the copies of policies that remember.
        drawn: int64 (n, seats + sides), the drawn numbers: of each seat's own policy, -1 for none, then of each side's
            policy, counted from the learner's side.
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
                named[number] = self._pool_numbers(f"opponents[{agent!r}]", opponents[agent])
            if not named:
                raise ValueError(
                    f"opponents must name at least one seat, as {{'player_1': 'random'}} does, not {opponents!r}"
                )
            others = self._pool_numbers("opponents", _ELSEWHERE)
        else:
            others = self._pool_numbers("opponents", opponents, ", a list of them or a dict of them by agent")
        beside = others
        if partner is not None:
            self._check_partner(seat, set(named), partner)
            beside = self._pool_numbers("partner", partner)
        no_pool = [_NOT_NAMED]
        by_side = [beside, *[others] * (spec.num_sides - 1)]
        self._pools = [*(named.get(number, no_pool) for number in range(spec.seats)), *by_side]
        self._texts = np.array([*(player.name for player in self.players), None], object)  # LEARNER's is the last
        self.drawn = np.tile(np.array([pool[0] for pool in self._pools], np.int64), (n, 1))
        self.lineup = np.full((n, spec.seats), LEARNER, np.int64)
        self.memory = SeatMemory(n)
        self._shown: npt.NDArray[np.object_] | None = None

    def _seat_of(self, agent: str, learner: int | str) -> int:
        agents = {f"player_{seat}": seat for seat in range(self.spec.seats)}
        others = [name for name, seat in agents.items() if seat != learner]
        if agent not in others:
            reason = ", which is the learner's seat" if agent in agents else ""
            meant = did_you_mean(agent, others) if agent not in agents else ""
            raise ValueError(f"opponents must name seats among {', '.join(others)}, not {short(agent)}{reason}{meant}")
        return agents[agent]

    def _pool_numbers(self, name: str, value: Any, more: str = " or a list of them") -> list[int]:
        """Makes the policies that an argument names; returns their numbers."""
        if isinstance(value, Sequence) and not isinstance(value, str):
            if not len(value):
                raise ValueError(f"{name} must be a policy or a list of at least one, not {short(value)}")
            return [self._player_number(f"{name}[{k}]", one, "") for k, one in enumerate(value)]
        return [self._player_number(name, value, more)]

    def _player_number(self, name: str, value: Any, more: str) -> int:
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
        """Checks that the learner can have a partner that no opponent replaces."""
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

    def draw_lineups(self, rows: Ints, learner: Ints, games: Games, streams: Streams) -> None:
        """Draws policies for the episodes of the games ``rows``, int64 (k,).

        Args:
            learner: int64 (n,), the learner's seat in each game.
            games: the games as they are dealt, structured (n,).
            streams: uint64 (n,); those of the games are advanced if there is a choice.
        """
        self.memory.games[rows] = self.memory.games.max() + 1 + np.arange(len(rows))
        for column, pool in enumerate(self._pools):
            if len(pool) > 1:
                self.drawn[rows, column] = [pool[below(streams, i, len(pool))] for i in rows.tolist()]
        self.seat_players(rows, learner, games)

    def seat_players(self, rows: Ints, learner: Ints, games: Games) -> None:
        """Builds line-ups from the drawn policies, for the current sides of the games; arguments as for `draw_lineups`."""
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

    def seat_names(self) -> npt.NDArray[np.object_]:
        """Returns the names of the policies at the seats, None at the learner's: a read-only object array (n, seats)."""
        if self._shown is None:
            self._shown = self._texts[self.lineup]
            self._shown.flags.writeable = False
        return self._shown

    def check_drawn(self, drawn: Ints) -> None:
        """Raises ValueError if ``drawn``, int64 (n, seats + sides), has policies that cannot be drawn."""
        if not all(np.isin(drawn[:, column], pool).all() for column, pool in enumerate(self._pools)):
            raise ValueError("state must be what get_state() returned: its 'lineups' have policies that are not drawn here")

    def close(self) -> None:
        """Closes the policies made here from names, and all copies for seats."""
        self.memory.forget()
        for player in self._made:
            player.close()

    def clone(self) -> Lineups:
        """Returns independent line-ups with the same policy objects, which they do not close; the memories start empty."""
        twin = copy.copy(self)
        twin._made, twin.memory = [], SeatMemory(len(self.lineup))
        twin.lineup, twin.drawn = self.lineup.copy(), self.drawn.copy()
        return twin
