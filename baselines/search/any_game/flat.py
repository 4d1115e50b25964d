"""``monte-carlo`` for games that have none of their own: flat Monte Carlo on the contract alone."""

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER
from cardenvs.baselines.search.any_game.action_values import evaluate_actions
from cardenvs.baselines.search.base import Decisions, Search, WeighingSearch, WorldSearch
from cardenvs.baselines.search.playing_out import new_scratch, reward_kernel, search_kernel
from cardenvs.baselines.search.tree.deciders import AUTO, compiled_decider
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.streams import fork
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.policy.explanation import Scores
from cardenvs.policy.registry import make
from cardenvs.policy.replay import draw


class FlatMonteCarlo(WorldSearch, WeighingSearch):
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
        super().__init__(game, worlds, seconds)
        self._kind = self.game.reward_kind(self.game.rewards[0] if goal is None else goal)
        # Kernels are looked up when they are needed, as a policy can be copied and pickled.
        self._playout = playout
        decider = compiled_decider(self.game, playout, DEFAULT_CALLER)
        if decider is not None:  # known before anything is compiled, so that the guess of how long that takes counts it
            search_kernel(self.game.kernels, decider.style, decider.pick, reward_kernel(self.game.kernels))
        self._player: Policy | None = make(self.game, playout) if decider is None else None

    def searches(self, rows: Ints, decisions: Decisions) -> Iterable[tuple[Ints, Search]]:
        spec, batch, sums = self.game, decisions[:3], decisions.sums
        decider = compiled_decider(spec, self._playout, DEFAULT_CALLER)
        if decider is None:
            return [(rows, lambda some, worlds: self._search_by_policy(some, worlds, *batch, sums))]
        search = search_kernel(spec.kernels, decider.style, decider.pick, reward_kernel(spec.kernels))
        rules = decider.agent, decider.calling, self._kind, spec.max_decisions or spec.max_steps
        views, scratch = spec.new_games(1), new_scratch(spec)
        return [(rows, lambda some, worlds: search(some, worlds, *rules, *batch, views, *scratch, sums))]

    def _search_by_policy(
        self, rows: Ints, worlds: int, observations: Bytes, masks: Bytes, streams: Streams, sums: Scores
    ) -> None:
        """Adds the rewards of all actions in ``worlds`` worlds of some rows to ``sums``, where a policy plays them out."""
        spec = self.game
        assert self._player is not None
        for row in rows.tolist():
            dealt, actions = draw(spec, observations, row, streams, worlds), np.flatnonzero(masks[row])
            drawn = fork(streams, row, worlds * len(actions))
            sums[row, actions] += evaluate_actions(spec, dealt, actions, self._player, None, drawn, self._kind).sum(0)
