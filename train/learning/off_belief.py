"""Off-belief learning: actions are tried in cards that are drawn for the seat to act, not in those of the deal at hand.

In self-play a seat's cards are met as often as the others' acts before make them likely: it learns to read these acts by
what the team happens to do, and nobody who has trained apart knows that. Here what an action is worth is a mean over worlds
that are drawn by beliefs which do not depend on what is learned:

    Q(o, a) = E of w by B(o): what w pays from here on, if the seat does a, and then all play as the network does

At level 1, B(o) has every world that fits what the seat sees, each as likely: others' past acts say what was shown by them,
and no more. At a level above, a world counts by the chance that the others, playing the policy of the level below, would
have acted in it as they did. (A small share of their acts is taken to be anything legal, `DOUBT`.)

The actor's logits, times the temperature `Config.ent_coef`, learn the differences between the Q of a decision's actions, by
squares: a policy gradient hardly moves an action that the network has all but ruled out, here one that was ruled out too
early comes back. Play is by the softmax of the logits, in play-outs, too, so that of two actions alike both are met.

This has one fixed point: at the last decision of a deal Q depends on no policy, at those before on decisions behind them
alone, and B on none of them. So backwards everything is determined, and trainings from any seed come to the same. With the
successors of the deal at hand, drawn as often as the learner's own past makes them, the conventions would be back. A deal
is played to its end in one world, where the published code stops at the seat's next decision and takes the value that is
learned for it. That value is a mean over beliefs once more, which forgets what answers in between, given by the policy that
is learned, tell of the world. Played out, an action is worth what the team then makes of it, as the definition has it: at a
first decision, which no act precedes, Q is the expected score of the team.

Source: H. Hu, A. Lerer, B. Cui, L. Pineda, N. Brown and J. Foerster, "Off-Belief Learning" (ICML 2021). There beliefs are
learned; here worlds come from the game's exact re-deals.
"""

from __future__ import annotations

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

CANDIDATES = 64
"""Number of worlds of which one is drawn at a level above the first."""
DOUBT = 0.02
"""Share of all acts that are taken to be anything legal, rather than those of the policy of the level below."""
MOST_EXPLORED = 0.5
"""Largest share of moves that are drawn among the legal ones: drawn worlds lead to positions to which play seldom does."""


class Believed(NamedTuple):
    """A world for each of n games, drawn for the seat to act."""

    games: Games
    """Structured array of shape (n,), in which the seat to act is seat 0."""
    found: npt.NDArray[np.bool_]
    """bool (n,), False where no world was found that fits in every point."""


def explored(n: int) -> npt.NDArray[np.float64]:
    """Share of moves that are drawn among the legal ones in each of n games: float64 (n,), in most of them small."""
    return MOST_EXPLORED * np.linspace(0, 1, n) ** 2


@functools.cache
def _redeal_loop(kernels: Kernels) -> Callable[..., None]:
    """The loop that draws a world for the seat to act in each of some games, compiled when it is first called."""
    view, redeal = kernels.view, kernels.redealing

    @kernels.loop("off_belief.redeal")
    def run(games: Any, streams: Streams, views: Any, worlds: Any) -> None:
        """Draws ``worlds[i]`` uniformly from those that fit what the seat to act in ``games[i]`` sees."""
        for i in range(len(games)):
            view(games, i, games[i].to_act, views, 0)
            redeal(views, 0, streams, i, worlds, i)

    return run


class OffBelief:
    """The worlds in which actions are tried.

    Args:
        config: the run's settings, with ``off_belief``.
        env: the environment whose games are played, whose batch knows the order of play at a level above the first.

    Raises:
        ValueError: there is no policy of the level below where one is needed, it does not play this game, or it cannot be
            foretold.
        FileNotFoundError: it is no file that there is.
    """

    def __init__(self, config: Config, env: SelfPlayVecEnv) -> None:
        self._env, self._spec = env, config.spec
        self._below = None
        if config.off_belief > 1:
            if config.below is None:
                raise ValueError(f"below must name the policy of the level below where off_belief is {config.off_belief}")
            below = policy.make(config.spec.plain, config.below)
            self._below = replay.beliefs_of(below)
            if self._below is None:
                raise ValueError(f"below must be a policy that can be foretold, not {short(config.below)}")

    def draw(self, streams: Streams) -> Believed:
        """Draws a world for the seat to act in each of the environment's n games.

        Args:
            streams: uint64 (n,), a random stream for each game, advanced in place.
        """
        batch, spec = self._env.batch, self._spec
        worlds, below = spec.new_games(batch.n), self._below
        if below is None:
            _redeal_loop(spec.kernels)(as_records(batch.games), streams, spec.new_games(1), worlds)
        else:
            for row in range(batch.n):
                worlds[row] = below(batch.observations, row, streams, 1, CANDIDATES, DOUBT)[0]
        fits = spec.kernels.fits
        return Believed(worlds, np.array([fits is None or bool(fits(worlds, row)) for row in range(batch.n)]))
