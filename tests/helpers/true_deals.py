"""Many random positions, each seen through an observation: what is decoded of it, and the re-deals of that."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.jit import closure
from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.contract.spec import GameSpec

CHUNK, CHUNK_BYTES = 4096, 1 << 25
"""The most positions that are held in memory at once, and the most memory that the states of these take."""
NO_LIMIT = 1 << 62
MOST_UNFOUND = 0.01
"""The share of positions at which no world may be found that fits, which re-deals say."""


@functools.lru_cache
def _looker(spec: GameSpec) -> Any:
    """The compiled loop of `check_true_deals` for a game, given with recall if it knows that."""
    k = spec.kernels
    deal, legal, step, view, observe, decode, redeal, flaw = (
        k.deal, k.legal, k.step, k.view, k.observe, k.decode, k.redeal, k.flaw
    )  # fmt: skip
    seats, actions, limit = spec.seats, spec.num_actions, spec.max_decisions or NO_LIMIT

    @closure(f"tests.helpers.true_deals:{k.name}.look")
    def look(
        games: Any, streams: Any, true: Any, views: Any, decoded: Any, dealt: Any, again: Any, rows: Any, flaws: Any
    ) -> None:
        """Goes on from ``games[0]`` at random, and writes each position, a seat's view of it, and what becomes of that."""
        choices = np.empty(actions, np.int64)
        for n in range(len(true)):
            if games[0].over == RUNNING and games[0].moves >= limit:
                games[0].over = EPISODE_OVER
            if games[0].over != RUNNING:
                deal(games, 0, streams, 0)
            true[n] = games[0]
            view(games, 0, below(streams, 0, seats), views, n)
            observe(views, n, rows, 0)
            decode(rows, 0, decoded, n)
            redeal(decoded, n, streams, 0, dealt, n)
            view(dealt, n, 0, again, n)
            flaws[n, 0] = flaw(true, n, True)
            flaws[n, 1] = flaw(views, n, False)
            flaws[n, 2] = flaw(dealt, n, True)
            count = 0
            for action in range(actions):
                if legal(games, 0, action >> 6) >> (action & 63) & 1:
                    choices[count] = action
                    count += 1
            step(games, 0, choices[below(streams, 0, count)])

    return look


def nothing_else(true: Games) -> npt.NDArray[np.bool_]:
    """That no state is ruled out by anything but what `Kernels.flaw` says."""
    return np.zeros(len(true), np.bool_)


def check_true_deals(
    spec: GameSpec,
    positions: int,
    seed: int,
    ruled_out: Callable[[Games], npt.NDArray[np.bool_]] = nothing_else,
    **options: Any,
) -> None:
    """Checks random positions: the true deal, the seat's view, and re-deals from the observation alone fit each other.

    The re-deals of a view are drawn from all states that pass `Kernels.flaw` and that the seat sees as that view; that they
    are, and each as often as the others, is tested elsewhere by enumeration. Here the true state must be one of these.
    ``ruled_out``: which of some states could be no re-deals of what their seats see, for something else than a flaw.
    """
    spec = spec if spec.kernels.recall is None else spec.recalling
    look, streams = _looker(spec), seed_streams(seed, 1)
    games, rows = spec.new_games(1, **options), np.zeros((1, spec.observation_size), np.int8)
    spec.kernels.deal(games, 0, streams, 0)
    chunk = max(1, min(positions, CHUNK, CHUNK_BYTES // spec.dtype.itemsize))
    unfound, chunks, fits = 0, -(-positions // chunk), spec.kernels.fits
    for _ in range(chunks):
        true, views, decoded, dealt, again = (spec.new_games(chunk) for _ in range(5))
        flaws = np.zeros((chunk, 3), np.int64)
        look(games, streams, true, views, decoded, dealt, again, rows, flaws)
        found = np.array([fits is None or bool(fits(dealt, k)) for k in range(chunk)])
        flaws[~found, 2] = -1
        unfound += int((~found).sum())
        for what, wrong in (
            ("flaw finds fault with a state, its view or a re-deal", (flaws >= 0).any(1)),
            ("decode does not give the view back", decoded != views),
            ("a re-deal is seen in another way", found & (again != views)),
            ("the true deal is no re-deal", ruled_out(true)),
        ):
            bad = np.flatnonzero(wrong)
            assert not len(bad), f"{what}: a seat of {spec.text(true[bad[0]])}"
    assert unfound <= MOST_UNFOUND * chunks * chunk, f"at {unfound} of {chunks * chunk} positions no world was found"
