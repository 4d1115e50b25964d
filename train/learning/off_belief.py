"""Off-belief learning: an action's value Q(o, a) is a mean over worlds drawn by beliefs that ignore what is learned.

In self-play a seat learns to read others' acts by what its team happens to do, which strangers cannot know. Here worlds
come from B(o): at level 1 all that fit what the seat sees, equally likely; at a level above weighted by the probability
that the others, playing the policy of the level below, would have acted so (a share of their acts, `DOUBT`, is anything
legal). In each, the seat does a, and all play on as the network does to the end of the deal.

The actor's logits, times the temperature `Config.ent_coef`, learn the differences between the Q of a decision's actions, by
squares: a policy gradient hardly brings an action back that was ruled out too early. Play is by the softmax of the logits.

This has one fixed point: Q depends on later decisions alone, and B on none, so trainings from any seed come to the same.
The published code instead takes the value learned for the seat's next decision, a mean over beliefs that forgets what the
answers in between, by the policy that is learned, tell of the world.

Source: H. Hu, A. Lerer, B. Cui, L. Pineda, N. Brown and J. Foerster, "Off-Belief Learning" (ICML 2021). There beliefs are
learned; here worlds come from the game's exact re-deals.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.checks import short
from cardenvs.compiled.bits import Streams
from cardenvs.compiled.jit import as_records
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernels
from cardenvs.policy import replay
from cardenvs.train.config import Config
from cardenvs.train.learning.vec_env import SelfPlayVecEnv

CANDIDATES = 64  # number of worlds of which one is drawn at a level above the first
DOUBT = 0.02  # share of all acts that are taken to be anything legal, rather than of the policy below
MOST_EXPLORED = 0.5  # largest share of random legal moves: drawn worlds lead to positions to which play seldom does


class DrawnWorlds(NamedTuple):
    """A world for each of n games, drawn for the seat to act."""

    games: Games  # structured array of shape (n,), in which the seat to act is seat 0
    found: npt.NDArray[np.bool_]  # bool (n,), False where no world was found that fits in every point


def exploration_shares(n: int) -> npt.NDArray[np.float64]:
    """Returns the share of random legal moves in each of n games: float64 (n,), in most of them small."""
    return MOST_EXPLORED * np.linspace(0, 1, n) ** 2


@functools.cache
def _redeal_loop(kernels: Kernels) -> Callable[..., None]:
    """Returns the loop that draws a world for the seat to act in each of some games, compiled on its first call."""
    view, redeal = kernels.view, kernels.redealing

    @kernels.loop("off_belief.redeal")
    def redeal_for_actor(games: Any, streams: Streams, views: Any, worlds: Any) -> None:
        """Draws ``worlds[i]`` uniformly from those that fit what the seat to act in ``games[i]`` sees."""
        for i in range(len(games)):
            view(games, i, games[i].to_act, views, 0)
            redeal(views, 0, streams, i, worlds, i)

    return redeal_for_actor


class OffBelief:
    """The worlds in which actions are tried; above level 1 the environment's batch must know the order of play. Raises
    ValueError if the policy of the level below is missing, plays another game or cannot be foretold; FileNotFoundError."""

    def __init__(self, config: Config, env: SelfPlayVecEnv) -> None:
        self._env, self._spec = env, config.spec
        self._below = None
        if config.off_belief > 1:
            if config.below is None:
                raise ValueError(f"below must name the policy of the level below where off_belief is {config.off_belief}")
            self._below = replay.beliefs_of(policy.make(config.spec.plain, config.below))
            if self._below is None:
                raise ValueError(f"below must be a policy that can be foretold, not {short(config.below)}")

    def draw_worlds(self, streams: Streams) -> DrawnWorlds:
        """Draws a world for the seat to act in each of the n games; ``streams``, uint64 (n,), are advanced in place."""
        batch, spec = self._env.batch, self._spec
        worlds, below = spec.new_games(batch.n), self._below
        if below is None:
            _redeal_loop(spec.kernels)(as_records(batch.games), streams, spec.new_games(1), worlds)
        else:
            for row in range(batch.n):
                worlds[row] = below(batch.observations, row, streams, 1, CANDIDATES, DOUBT)[0]
        fits = spec.kernels.fits
        return DrawnWorlds(worlds, np.array([fits is None or bool(fits(worlds, row)) for row in range(batch.n)]))
