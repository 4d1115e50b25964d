"""Search on a blueprint that can be foretold: in replayed worlds in which the blueprint explains the others' actions."""

import numpy as np

from cardenvs.baselines.search.any_game.action_values import evaluate_actions
from cardenvs.baselines.search.blueprint.belief import Belief
from cardenvs.baselines.search.blueprint.rollouts import FEWEST, drop_worse
from cardenvs.baselines.search.tree.deciders import decider_of
from cardenvs.compiled.bits import Bytes, Streams
from cardenvs.compiled.streams import fork
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.policy.replay import can_replay, draw, explained, starts_of


class ReplayedSearch:
    """Finds moves in replayed worlds, in games with recall; ValueError for one that cannot be rewound."""

    def __init__(self, game: GameSpec, player: Policy, rollouts: int, threshold: float, candidates: int) -> None:
        if not can_replay(game):
            raise ValueError(f"search replays what was done, and {game.name} cannot be rewound (the kernel rewind)")
        self._game, self._player, self._rollouts, self._threshold = game, player, rollouts, threshold
        self._candidates, self._kind = candidates, game.reward_kind(game.rewards[0])

    def first_seat(self, observations: Bytes, row: int, streams: Streams) -> int | None:
        """The seat that began, counted from the one to act; None where no world with a past was found."""
        starts, _, counts = starts_of(self._game, draw(self._game, observations, row, streams, 1))
        return int(starts[0]["to_act"]) if counts[0] >= 0 else None

    def belief(self, observations: Bytes) -> Belief:
        """Raises ValueError: there is no table of hands."""
        raise ValueError(f"there is no table of hands on {self._player.name!r}: worlds are drawn for each decision")

    def best_move(self, observations: Bytes, row: int, mask: Bytes, usual: int, streams: Streams) -> int:
        found = explained(
            self._player, self._game, observations, row, streams, self._rollouts // 2, self._candidates, FEWEST
        ).worlds
        decider, best, worlds, made = decider_of(self._player), usual, 0, 0
        alive, sums, products = mask.astype(np.int64), np.zeros(len(mask)), np.zeros((len(mask), len(mask)))
        while alive.sum() > 1:
            actions = np.flatnonzero(alive)
            n = min(max(FEWEST, worlds // 2), len(found) - worlds, (self._rollouts - made) // len(actions))
            if n == 0:
                break
            drawn = fork(streams, row, n)
            scores = evaluate_actions(
                self._game.plain, found[worlds : worlds + n], actions, self._player, decider,
                np.repeat(drawn, len(actions)), self._kind,
            )  # fmt: skip
            sums[actions] += scores.sum(0)
            products[np.ix_(actions, actions)] += scores.T @ scores
            worlds, made = worlds + n, made + scores.size
            best = drop_worse(sums, products, worlds, alive, usual, self._threshold)
        return int(best)
