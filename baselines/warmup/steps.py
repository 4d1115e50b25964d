"""Steps of compiling ahead, game by game: everything is simply used once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs import policy, worlds
from cardenvs.baselines.evaluation import evaluate, has_bidding, standard_calls
from cardenvs.baselines.game_statistics import statistics_settings, take_statistics
from cardenvs.baselines.match.play import play_match
from cardenvs.baselines.observers.control import CONTROLS
from cardenvs.baselines.review.reviewer import OTHER_REVIEWER, WORLDS, Reviewer
from cardenvs.compiled import waiting as compiling
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.record import parse_record
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.aec import CardEnv
from cardenvs.envs.batch import Batch
from cardenvs.envs.seat import SeatEnv
from cardenvs.envs.vector import SeatVectorEnv


@dataclass(frozen=True)
class Step:
    """One use of a thing, such as a policy, so that its kernels are compiled.

    Attributes:
        name: what it is, such as ``"pimc"``.
        run: uses it.
    """

    name: str
    run: Callable[[], object]


def steps_for(game: str | GameSpec) -> list[Step]:
    """Steps that use all that playing, matching and evaluating a game may compile, the shipped policies included."""
    spec = get_game(game)
    steps = [Step("environments", lambda: _use_environments(spec))]
    if spec.kernels.redeal is not None:
        steps.append(Step("worlds", lambda: _use_worlds(spec)))
    if spec.recall_parts:
        steps.append(Step("recall", lambda: _use_recall(spec)))
    named = policy.default_names(spec)
    steps += [Step(name, lambda name=name: _use_policy(spec, name)) for name in named]  # type: ignore[misc]
    steps.append(Step("evaluation", lambda: _evaluate(spec)))
    if policy.has(spec, "pipmc"):
        steps.append(Step("statistics", lambda: take_statistics(statistics_settings(spec, games=1), workers=1)))
    if spec.name in WORLDS or policy.has(spec, OTHER_REVIEWER):
        steps.append(Step("review", lambda: _review(spec)))
    return steps


def warm_up(game: str | GameSpec, done: Callable[[str], None] | None = None) -> dict[str, compiling.Totals]:
    """Compiles ahead what is not compiled yet.

    Args:
        done: called with the name of each step when it is done.

    Returns:
        By the name of each step, what it compiled: none, where all was ready.
    """
    figures = {}
    with compiling.untold():
        for step in steps_for(game):
            before = compiling.totals()
            step.run()
            after = compiling.totals()
            figures[step.name] = compiling.Totals(after.kernels - before.kernels, after.seconds - before.seconds)
            if done is not None:
                done(step.name)
    return figures


def _use_environments(spec: GameSpec) -> None:
    """Plays a little in every environment."""
    for checked in (True, False):
        batch = Batch(spec, 2, seed=0, validate=checked)
        policy.make(spec, "random").act(batch.observations, batch.action_masks, seed_streams(0, 2))
        batch.step(batch.action_masks.argmax(1))
    batch.states()
    batch.observe(0, 0)
    batch.deal(np.arange(1))
    batch.set_games(batch.games.copy())
    spec.decode(spec.observation(spec.deal(0), 0)[None])
    spec.parse(spec.text(spec.deal(0)[0]))
    spec.kernels.random_playouts(spec.new_games(2), 1, True, seed_streams(0, 1), 0)
    views = spec.new_games(1)
    spec.kernels.view(spec.deal(0), 0, 0, views, 0)
    if spec.kernels.redeal is not None:
        spec.kernels.redeal(views, 0, seed_streams(0, 1), 0, spec.new_games(1), 0)
    env: Any = CardEnv(spec)
    env.reset(seed=0)
    while env.agents:
        observation, _, terminated, truncated, _ = env.last()
        env.state()
        env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
    seat: Any = SeatEnv(spec)
    seat.reset(seed=0)
    seat.step(int(seat.action_masks().argmax()))
    vector: Any = SeatVectorEnv(spec, 2)
    _, info = vector.reset(seed=0)
    vector.step(info["action_mask"].argmax(1))


def _use_worlds(spec: GameSpec) -> None:
    """Draws worlds that fit an observation, plays an action in them, and plays them out."""
    imagined = worlds.redeal(spec, spec.observation(spec.deal(0), 0), 2)
    played = worlds.apply(spec, imagined, worlds.masks(spec, imagined).argmax(1))
    worlds.views(spec, played, 0)
    worlds.playouts(spec, played)


def _use_recall(spec: GameSpec) -> None:
    """Plays a little with observations that have the order of play."""
    batch = Batch(spec, 2, seed=0, recall=True)
    batch.step(batch.action_masks.argmax(1))
    batch.observe(0, 0)
    batch.spec.decode(batch.observations)


def _use_policy(spec: GameSpec, name: str) -> None:
    """Plays a deal with a policy, twice, and asks it for an explanation."""
    player = policy.make(spec, name)
    play_match(spec, player, "random", deals=1)
    env: Any = CardEnv(spec, recall=player.game.recall)
    env.reset(seed=0)
    player.explain(env.last()[0])


def _evaluate(spec: GameSpec) -> None:
    """Evaluates the random policy, with all that an evaluation may count."""
    evaluate(spec, "random", ["random"], deals=2)
    with contextlib.suppress(ValueError):  # a game that the papers did not play whole
        play_match(spec, "random", "random", deals=2, protocol="published")
    for name in CONTROLS:
        with contextlib.suppress(ValueError):  # a control of other games
            evaluate(spec, "random", ["random"], deals=2, protocol="published", control=name, self_check=False)
    if has_bidding(spec, "duplicate", {}):
        standard_calls(spec, deals=2)


def _review(spec: GameSpec) -> None:
    """Reviews a deal between random policies."""
    played: list[str] = []

    def keep(games: Any, _: Any) -> None:
        played.append(spec.text(games[0]))

    play_match(spec, "random", "random", deals=1, observer=keep)
    Reviewer(spec, worlds=20).review(parse_record(played[0])[0])
