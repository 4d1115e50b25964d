"""``monte-carlo`` for games that have none of their own: flat Monte Carlo on the contract alone."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER
from cardenvs.baselines.search.any_game.action_values import evaluate_actions
from cardenvs.baselines.search.base import SearchPolicy, action_set, check_seconds
from cardenvs.baselines.search.tree.deciders import AUTO, compiled_decider
from cardenvs.checks import MOST_DRAWN, check_int
from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, nth
from cardenvs.compiled.streams import fork
from cardenvs.compiled.waiting import clock
from cardenvs.contract import loops
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.policy.explanation import Scores
from cardenvs.policy.registry import make

_CHUNK = 16  # worlds between two looks at the clock
_CALL = 1024  # worlds in one call of a kernel; between calls Python may be interrupted


@functools.cache
def _search_of(kernels: Kernels, style: str, pick: Callable[..., Any]) -> Callable[..., None]:
    """The compiled search of a game, in which `Decider.pick` plays out."""
    redeal, step, pay_so_far, words = kernels.redealing, kernels.step, kernels.pay_so_far, kernels.words

    @kernels.loop(f"flat.{style}")
    def search(
        worlds: int, views: Any, root: Ints, streams: Streams, s: int, games: Any, points: Ints, tricks: Ints,
        rewards: Floats, sums: Scores, row: int, agent: int, calling: int, kind: int, limit: int,
    ) -> None:  # fmt: skip
        """Adds to ``sums[row]`` seat 0's reward after each action of ``root``, int64 (words,), in worlds of ``views[0]``.

        ``games`` (2,), ``points`` (2, sides), ``tricks`` (2, seats) and ``rewards`` (2, seats) are overwritten.
        """
        for _ in range(worlds):
            redeal(views, 0, streams, s, games, 0)
            for word in range(words):
                bits = root[word]
                while bits != 0:
                    bit = bits & -bits
                    bits ^= bit
                    action = 64 * word + nth(bit, 0)
                    games[1] = games[0]
                    step(games, 1, action)
                    length = 1
                    while games[1].over == loops.RUNNING and length < limit:
                        step(games, 1, pick(games, 1, agent, calling, streams, s))
                        length += 1
                    pay_so_far(kind, 1.0, games, 1, points, tricks, rewards)
                    sums[row, action] += rewards[1, 0]

    return search


class FlatMonteCarlo(SearchPolicy):
    """``monte-carlo``: deals the hidden cards, tries every legal action in each deal, plays out, takes the best mean.

    Deals (and chance to come) are drawn uniformly from those consistent with what the seat knows, and all actions are tried
    in the same ones. A score is the mean of what the deal pays the seat's side in all. Of equal scores the
    action with the lowest number is chosen.

    Source: Ginsberg 2001 for the worlds; the play-outs are those of section 2.6 of Mychaskiw 2015.

    Args:
        worlds: how many deals to draw for a decision, at least 1.
        seconds: if given, time for drawing deals instead of their number; the choice then depends on the machine.
        playout: the policy of play-outs, a name; ``"auto"`` and ``"random"`` are compiled.
        goal: what is counted, one of the game's kinds of reward; None for the first of them.
    """

    games: ClassVar[tuple[str, ...] | None] = None
    needs_worlds = True

    def __init__(
        self,
        game: str | GameSpec,
        worlds: int = 30,
        seconds: float | None = None,
        playout: str = AUTO,
        goal: str | None = None,
    ) -> None:
        super().__init__(game)
        self.worlds = check_int("worlds", worlds, 1, MOST_DRAWN)
        self.seconds = check_seconds(seconds)
        self._kind = self.game.reward_kind(self.game.rewards[0] if goal is None else goal)
        # Kernels are looked up when they are needed, as a policy can be copied and pickled.
        self._playout = playout
        decider = compiled_decider(self.game, playout, DEFAULT_CALLER)
        if decider is not None:  # known before anything is compiled, so that the guess of how long that takes counts it
            _search_of(self.game.kernels, decider.style, decider.pick)
        self._player: Policy | None = make(self.game, playout) if decider is None else None
        self._limit = self.game.max_decisions or self.game.max_steps

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        return self._search_rows(observations, action_masks, streams, skip_forced)[:2]

    def weigh(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> tuple[Scores, Ints, None, Ints]:
        """Scores and actions as of `ScoredPolicy.weigh`, with the number of deals behind each score."""
        scores, chosen, drawn = self._search_rows(observations, action_masks, streams, False)
        return scores, chosen, None, np.broadcast_to(drawn, scores.shape)

    def _search_rows(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints, Ints]:
        """The results of `evaluate`, and the number of deals drawn for each row, int64 (n, 1), 1 where it was skipped."""
        sums, drawn = np.zeros(action_masks.shape), np.ones((len(observations), 1), np.int64)
        rows = np.flatnonzero(action_masks.sum(axis=1) > (1 if skip_forced else 0))
        views = self.game.new_games(1)
        for row in rows:
            self.game.kernels.decode(observations, row, views, 0)
            searched = views, action_set(action_masks[row], self.game.mask_words), np.flatnonzero(action_masks[row])
            drawn[row] = 0
            if self.seconds is None:
                for start in range(0, self.worlds, _CALL):
                    self._add_rewards(*searched, min(_CALL, self.worlds - start), streams, row, sums)
                drawn[row] = self.worlds
                continue
            end = clock() + self.seconds
            while drawn[row] == 0 or clock() < end:
                self._add_rewards(*searched, _CHUNK, streams, row, sums)
                drawn[row] += _CHUNK
        scores = np.where(action_masks != 0, sums / drawn, np.nan)
        return scores, np.nanargmax(scores, axis=1), drawn

    def _add_rewards(
        self, views: Any, root: Ints, actions: Ints, worlds: int, streams: Streams, row: int, sums: Scores
    ) -> None:
        """Adds the rewards of all ``actions``, which ``root`` has as a set, in ``worlds`` worlds to ``sums[row]``."""
        spec = self.game
        if self._player is None:
            decider = compiled_decider(spec, self._playout, DEFAULT_CALLER)
            assert decider is not None
            points, tricks = np.zeros((2, spec.num_sides), np.int64), np.zeros((2, spec.seats), np.int64)
            _search_of(spec.kernels, decider.style, decider.pick)(
                worlds, views, root, streams, row, spec.new_games(2), points, tricks, np.zeros((2, spec.seats), np.float32),
                sums, row, decider.agent, decider.calling, self._kind, self._limit - int(views[0]["moves"]),
            )  # fmt: skip
            return
        dealt = spec.new_games(worlds)
        for k in range(worlds):
            spec.kernels.redealing(views, 0, streams, row, dealt, k)
        drawn = np.zeros(worlds * len(actions), np.uint64)
        fork(streams, row, drawn)
        sums[row, actions] += evaluate_actions(spec, dealt, actions, self._player, None, drawn, self._kind).sum(0)
