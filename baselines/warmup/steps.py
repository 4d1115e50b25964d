"""Steps of compiling ahead: each uses a part of the package once, in as many processes as are wanted."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cardenvs import policy, worlds
from cardenvs.baselines.engine.executors import Here, Processes, WorkerLost, WorkersLost
from cardenvs.baselines.evaluation.play import evaluate
from cardenvs.baselines.game_statistics import statistics_settings, take_statistics
from cardenvs.baselines.match.play import play_match
from cardenvs.baselines.observers.control import CONTROLS
from cardenvs.baselines.review.reviewer import OTHER_REVIEWER, WORLDS, Reviewer
from cardenvs.compiled import waiting as compiling
from cardenvs.compiled.cache import is_kept
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.record import parse_record
from cardenvs.contract.registry import get_game, short_name
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.aec import CardEnv
from cardenvs.envs.batch import Batch
from cardenvs.envs.seat import SeatEnv
from cardenvs.envs.vector import SeatVectorEnv
from cardenvs.policy.registry import policy_makers


@dataclass(frozen=True)
class Step:
    """One use of a thing, such as a policy, so that its kernels are compiled."""

    game: GameSpec
    name: str  # of the thing, such as "pimc"
    run: Callable[[], object]  # uses it; can be pickled
    stage: int  # a game's stages follow each other: later ones find what earlier ones compiled
    shares: str = ""  # the package of its kernels, which one process at a time compiles


class Done(NamedTuple):
    """Outcome of a step."""

    compiled: compiling.Totals
    kept: bool  # whether later processes can use it


def steps_for(game: str | GameSpec) -> list[Step]:
    """Returns steps that use all that playing, matching and evaluating a game may compile."""
    spec = get_game(game)

    def make_step(name: str, run: Callable[..., object], *more: str, stage: int, shares: str = "") -> Step:
        return Step(spec, name, functools.partial(run, spec, *more), stage, shares)

    steps = [make_step("environments", _use_environments, stage=0)]
    if spec.recall_parts:
        steps.append(make_step("recall", _use_recall, stage=1))
    if spec.kernels.redeal is not None:
        steps.append(make_step("worlds", _use_worlds, stage=1))
    makers = policy_makers(spec)
    for name in policy.default_names(spec):
        maker = makers[name]
        stage = 3 if getattr(maker, "slow", True) else 2  # searches play on with what is not slow
        steps.append(make_step(name, _use_policy, name, stage=stage, shares=maker.__module__.rpartition(".")[0]))
    steps.append(make_step("evaluation", _use_evaluation, stage=4))
    if policy.has(spec, "pipmc"):
        steps.append(make_step("statistics", _use_statistics, stage=4))
    if spec.name in WORLDS or policy.has(spec, OTHER_REVIEWER):
        steps.append(make_step("review", _use_review, stage=4))
    return steps


def warm_up(
    steps: Sequence[Step], report: Callable[[int, Sequence[Step]], None] = lambda done, running: None, *, workers: int = 1
) -> dict[Step, Done]:
    """Compiles all that is not compiled yet in ``workers`` processes, 1 for this one alone; WorkersLost if one is lost.

    Args:
        report: called when a step begins or finishes, with the number of steps finished then and the steps at work.
    """
    waiting = sorted(steps, key=lambda step: step.stage)
    at_work: dict[Future[Done], Step] = {}
    done: dict[Step, Done] = {}
    executor: Executor = Here() if workers == 1 else Processes(workers)
    interrupted = True
    try:
        while waiting or at_work:
            while len(at_work) < workers and (step := _next_step(waiting, [*at_work.values()])) is not None:
                waiting.remove(step)
                report(0, [*at_work.values(), step])
                at_work[executor.submit(_run_step, step.run)] = step
            for future in wait(at_work, return_when=FIRST_COMPLETED).done:
                step = at_work.pop(future)
                try:
                    done[step] = future.result()
                except WorkerLost as lost:
                    what = f"a worker of the warmup, {lost.worker}, {lost.why} at {short_name(step.game)} {step.name}"
                    raise WorkersLost(f"{what}; what is compiled is kept: run it again") from None
                report(1, [*at_work.values()])
        interrupted = False
    finally:
        executor.shutdown(wait=not interrupted, cancel_futures=interrupted)
    return done


def _next_step(waiting: Sequence[Step], at_work: Sequence[Step]) -> Step | None:
    """Returns the first step that can begin: its game's earlier stages are finished, and no other uses its package."""
    left = [*waiting, *at_work]
    for step in waiting:
        ready = not any(other.game.name == step.game.name and other.stage < step.stage for other in left)
        if ready and not any(step.shares and other.shares == step.shares for other in at_work):
            return step
    return None


def _run_step(run: Callable[[], object]) -> Done:
    """Uses a part of the package in this process; returns what was compiled."""
    before = compiling.totals()
    with compiling.untold():
        run()
    after = compiling.totals()
    compiled = compiling.Totals(after.kernels - before.kernels, after.seconds - before.seconds)
    return Done(compiled, is_kept())


def _use_environments(spec: GameSpec) -> None:
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
    imagined = worlds.redeal(spec, spec.observation(spec.deal(0), 0), 2)
    played = worlds.apply(spec, imagined, worlds.masks(spec, imagined).argmax(1))
    worlds.views(spec, played, 0)
    worlds.playouts(spec, played)


def _use_recall(spec: GameSpec) -> None:
    batch = Batch(spec, 2, seed=0, recall=True)
    batch.step(batch.action_masks.argmax(1))
    batch.observe(0, 0)
    batch.spec.decode(batch.observations)


def _use_policy(spec: GameSpec, name: str) -> None:
    """Plays a deal with a policy, twice, and asks it for an explanation."""
    kinds = inspect.signature(policy_makers(spec)[name]).parameters
    efforts = [effort for effort in ("worlds", "rollouts") if effort in kinds]
    few = {effort: 10 for effort in efforts if str(kinds[effort].annotation).startswith("int")}
    player = policy.make(spec, name, **few)
    play_match(spec, player, "random", deals=1)
    env: Any = CardEnv(spec, recall=player.game.recall)
    env.reset(seed=0)
    player.explain(env.last()[0])


def _use_statistics(spec: GameSpec) -> None:
    take_statistics(statistics_settings(spec, games=1), workers=1)


def _use_evaluation(spec: GameSpec) -> None:
    evaluate(spec, "random", ["random"], deals=2)
    with contextlib.suppress(ValueError):  # a game that the papers did not play whole
        play_match(spec, "random", "random", deals=2, protocol="published")
    for name in CONTROLS:
        with contextlib.suppress(ValueError):  # a control of other games
            evaluate(spec, "random", ["random"], deals=2, protocol="published", control=name, self_check=False)


def _use_review(spec: GameSpec) -> None:
    played: list[str] = []
    play_match(spec, "random", "random", deals=1, observer=lambda games, _: played.append(spec.text(games[0])))
    Reviewer(spec, worlds=20).review(parse_record(played[0])[0])
