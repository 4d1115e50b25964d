"""Training by self-play: Stable-Baselines3's MaskablePPO, every seat of the game learning with one shared network."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
from stable_baselines3.common.type_aliases import GymEnv
from stable_baselines3.common.utils import LinearSchedule

from cardenvs import policy
from cardenvs.files import sweep
from cardenvs.train.checkpoint import Checkpoint, as_arrays, read_checkpoint, write_checkpoint
from cardenvs.train.config import Config
from cardenvs.train.curve import CURVE_FILES, Point, measure, write_curve
from cardenvs.train.inference.actors import ACTOR_PARTS, Weights
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.learning.buffer import SeatRolloutBuffer
from cardenvs.train.learning.imitation import demonstrate, imitate
from cardenvs.train.learning.league import League
from cardenvs.train.learning.lookahead import Lookahead
from cardenvs.train.learning.network import ACTIVATIONS, ColumnPolicy, FullCriticPolicy
from cardenvs.train.learning.vec_env import SelfPlayVecEnv

_MOST_THREADS = 4
"""Torch's threads unless told otherwise: minibatches of a few thousand rows keep no more of them busy."""


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO over a `SelfPlayVecEnv`, with returns and advantages for each seat apart (`SeatRolloutBuffer`).

    Takes what MaskablePPO takes; an environment of another kind is a ValueError.

    Attributes:
        remaining: how much of the run is left, 1 to 0, for schedules; None leaves that to SB3, which counts steps.
        generator: orders the minibatches.
    """

    remaining: float | None = None

    def _setup_model(self) -> None:
        if self.rollout_buffer_class is None:
            self.rollout_buffer_class = SeatRolloutBuffer
        super()._setup_model()
        self.generator = np.random.default_rng(self.seed)
        self._bind()

    def set_env(self, env: GymEnv, force_reset: bool = True) -> None:
        """Takes another environment, of the same kind."""
        super().set_env(env, force_reset)
        self._bind()

    def _bind(self) -> None:
        if self.env is None or not isinstance(self.rollout_buffer, SeatRolloutBuffer):
            return
        env = self.env.unwrapped
        if not isinstance(env, SelfPlayVecEnv):
            raise ValueError(f"SelfPlayPPO learns from a SelfPlayVecEnv, not from a {type(env).__name__}")
        self.rollout_buffer.bind(env, self.generator)

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        if self.remaining is not None:
            self._current_progress_remaining = self.remaining

    def _excluded_save_params(self) -> list[str]:
        # Without these the file needs nothing but SB3 to be loaded.
        ours = ["rollout_buffer_class", "remaining", "generator"]
        return [*super()._excluded_save_params(), *ours, "_last_obs", "_last_episode_starts"]


@dataclass(frozen=True)
class Status:
    """How a run stands, told after every iteration.

    Attributes:
        steps: moves trained on so far.
        seconds: wall time of the run so far.
        done: share of the run that is behind, 0 to 1.
        decisions_per_s: moves trained on in a second, evaluations and checkpoints left out.
        entropy: mean entropy of the policy's choices in the latest iteration, in nats.
        point: the latest measurement.
    """

    steps: int
    seconds: float
    done: float
    decisions_per_s: float
    entropy: float
    point: Point | None


@dataclass(frozen=True)
class Result:
    """What a training run brought.

    Attributes:
        game: name.
        out: the run's folder.
        policy: path of the trained policy.
        steps: moves trained on.
        seconds: wall time, over all sessions of the run.
        decisions_per_s: moves trained on in a second, evaluations and checkpoints left out.
        threads: torch's threads.
        interrupted: whether a signal ended it early.
        curve: the measurements.
    """

    game: str
    out: str
    policy: str
    steps: int
    seconds: float
    decisions_per_s: float
    threads: int
    interrupted: bool
    curve: list[Point]

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return asdict(self)


class Training:
    """A training run in a folder of its own.

    The folder holds ``policy.zip`` (the latest checkpoint), ``curve.csv``, ``curve.png`` and ``tensorboard/``.

    Args:
        config: the settings.
        out: the folder; made if need be.
        resume: go on with the run that is there, as if it had never stopped.
        report: called after every iteration.

    Raises:
        ValueError: the folder has a run and ``resume`` is not given; or the run there has other settings, is damaged, or
            was made for another layout of the game.
        OSError: there is no run to resume; the folder cannot be written.
    """

    def __init__(
        self,
        config: Config,
        out: str | Path,
        *,
        resume: bool = False,
        report: Callable[[Status], None] | None = None,
    ) -> None:
        self.config = config
        self.out = Path(out)
        self.path = self.out / "policy.zip"
        self.report = report
        self.curve: list[Point] = []
        self.seconds = 0.0
        self.learning_seconds = 0.0
        self._began = time.perf_counter()
        self._saved = -math.inf
        checkpoint = read_checkpoint(self.path) if resume else None
        if checkpoint is not None:
            self._check_config(checkpoint)
        elif self.path.exists():
            raise ValueError(f"{str(self.out)!r} already holds a run: go on with it with --resume, or choose another --out")
        # An opponent that does not play this game should not be found out only at the first measurement.
        self.opponent = policy.make(config.game, config.eval_opponent)
        self.teacher = None if config.imitate is None else policy.make(config.game, config.imitate)
        torch.set_num_threads(config.threads or min(_MOST_THREADS, _cores()))
        self.league = _league(config)
        self.env = _environment(config, config.games, config.seed, self.league)
        self.model = _build(config, self.env)
        self.lookahead = Lookahead(config, self.env) if config.lookahead_steps else None
        if checkpoint is not None:
            self._restore(checkpoint)
            for name in (self.path.name, *CURVE_FILES):
                sweep(self.out / name)
        else:
            self.save()

    # --- running ---

    @property
    def steps(self) -> int:
        """Moves trained on so far."""
        return int(self.model.num_timesteps)

    @property
    def done(self) -> float:
        """Share of the run that is behind, 0 to 1."""
        shares = [0.0]
        if self.config.steps is not None:
            shares.append(self.steps / self.config.steps)
        if self.config.minutes is not None:
            shares.append(self.seconds / (60 * self.config.minutes))
        return min(1.0, max(shares))

    def run(self) -> Result:
        """Trains until the steps or minutes are done, or a signal (SIGINT, SIGTERM) asks to stop.

        A signal lets the iteration finish and a checkpoint be written; a second one stops at once, without.

        Raises:
            OSError: the folder cannot be written.
        """
        before = self.seconds
        self._began = time.perf_counter() - before
        self._saved = self.seconds
        with _stop_signal() as stopped, tensorboard_log(self.out / "tensorboard") as logger, unvalidated():
            self.model.set_logger(logger)
            if not self.curve:
                if self.teacher is not None:
                    self._imitate()
                self._measure()
            # However short the time, a run learns something.
            while (self.done < 1.0 or self.steps == 0) and not stopped():
                self._iterate(logger)
            # What ends a run is measured; an interruption leaves no trace in the curve.
            if self.done >= 1.0 and self.curve[-1].steps != self.steps:
                self._measure()
            self.save()
        return Result(
            game=self.config.game,
            out=str(self.out),
            policy=str(self.path),
            steps=self.steps,
            seconds=round(self.seconds, 2),
            decisions_per_s=round(self._rate(), 1),
            threads=torch.get_num_threads(),
            interrupted=self.done < 1.0,
            curve=list(self.curve),
        )

    def _imitate(self) -> None:
        """Learns from the teacher, before anything else; an interrupted run does it anew."""
        config = self.config
        assert self.teacher is not None
        env = _environment(config, config.games, config.seed + 1)
        with torch.random.fork_rng(devices=[]):
            shown = demonstrate(env, self.teacher, config.imitate_decisions, config.seed)
        imitate(self.model, shown, config.imitate_epochs)
        self._clock()

    def _iterate(self, logger: Logger) -> None:
        config = self.config
        self.model.remaining = 1.0 - self.done
        self.env.trick_weight = config.trick_weight * max(0.0, 1.0 - 2.0 * self.done)
        if self.league is not None and config.past_share and self.steps // config.iteration % config.past_every == 0:
            self.league.add_past(self._player(actor(self.model), sample=True))
        began = time.perf_counter()
        if self.lookahead is not None and self.steps < config.lookahead_steps:
            entropy = self.lookahead.learn(self.model, config.rollout)
        else:
            # One iteration of SB3's own loop; with an interval of 2 it leaves the logging to us.
            self.model.learn(config.iteration, log_interval=2, reset_num_timesteps=False)
            entropy = -float(logger.name_to_value.get("train/entropy_loss", math.nan))
            buffer = self.model.rollout_buffer
            assert isinstance(buffer, SeatRolloutBuffer)
            deals = int(buffer.payoffs.any(-1).sum())
            logger.record("rollout/deals_paid", deals)
            logger.record("rollout/payoff", float(np.abs(buffer.payoffs).max(-1).sum() / max(deals, 1)))
        self.learning_seconds += time.perf_counter() - began
        self._clock()
        logger.record("time/decisions_per_s", self._rate())
        logger.record("time/seconds", self.seconds)
        iteration = self.steps // config.iteration
        if config.eval_every and iteration % config.eval_every == 0:
            self._measure()
        if self.curve and self.curve[-1].steps == self.steps:
            logger.record("eval/points", self.curve[-1].mean)
            logger.record("eval/win_rate", self.curve[-1].win_rate)
        logger.dump(self.steps)
        if self.seconds - self._saved >= 60 * config.checkpoint_minutes:
            self.save()
        if self.report is not None:
            point = self.curve[-1] if self.curve else None
            self.report(Status(self.steps, self.seconds, self.done, self._rate(), entropy, point))

    def _clock(self) -> None:
        self.seconds = time.perf_counter() - self._began

    def _rate(self) -> float:
        return self.steps / self.learning_seconds if self.learning_seconds > 0 else 0.0

    def _measure(self) -> None:
        config = self.config
        player = self._player(actor(self.model))
        # An opponent may draw from torch's random numbers; the training's must not notice.
        with torch.random.fork_rng(devices=[]):
            point = measure(player, self.opponent, config.eval_deals, self.steps, self.seconds, **config.options)
        self.curve.append(point)
        self._clock()

    def _player(self, weights: Weights, sample: bool = False) -> TrainedPolicy:
        config = self.config
        return TrainedPolicy(config.game, weights, config.activation, sample, config.canonical_suits, config.options)

    # --- saving and restoring ---

    def save(self) -> None:
        """Writes the checkpoint and the curve.

        Raises:
            OSError: the folder cannot be written; the checkpoint that was there is as it was.
        """
        model = self.model
        arrays = {f"env_{name}": array for name, array in self.env.get_state().items()}
        arrays["torch_rng"] = torch.get_rng_state().numpy()
        for k, earlier in enumerate(self.league.past if self.league is not None else ()):
            assert isinstance(earlier, TrainedPolicy)
            arrays |= {f"past_{k}_{name}": weights for name, weights in earlier.weights().items()}
        record = {
            "config": self.config.as_dict(),
            "steps": self.steps,
            "seconds": self.seconds,
            "learning_seconds": self.learning_seconds,
            "updates": int(model._n_updates),
            "generator": model.generator.bit_generator.state,
            "curve": [asdict(point) for point in self.curve],
        }
        write_checkpoint(self.path, model, self.config.spec, record, arrays)
        if self.curve:
            write_curve(self.out, self.curve, f"{self.config.spec.title}, self-play", self.config.eval_opponent)
        self._saved = self.seconds

    def _check_config(self, checkpoint: Checkpoint) -> None:
        checkpoint.check_game(self.config.spec)
        stored = stored_config(checkpoint)
        differences = self.config.differences(stored)
        if differences:
            raise ValueError(f"the run in {str(self.out)!r} has other settings: {'; '.join(differences)}")
        steps = int(checkpoint.record["steps"])
        if self.config.steps is not None and self.config.steps < min(steps, stored.steps or steps):
            raise ValueError(f"steps cannot be lowered to {self.config.steps}: the run in {str(self.out)!r} has {steps}")

    def _restore(self, checkpoint: Checkpoint) -> None:
        record, arrays, model = checkpoint.record, checkpoint.arrays(), self.model
        try:
            model.policy.load_state_dict(checkpoint.tensors("policy"))
            model.policy.optimizer.load_state_dict(checkpoint.tensors("policy.optimizer"))
            for k in range(self.league.past.maxlen or 0 if self.league is not None else 0):
                prefix = f"past_{k}_"
                weights = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
                if self.league is not None and weights:
                    self.league.add_past(self._player(weights, sample=True))
            state = {name.removeprefix("env_"): array for name, array in arrays.items() if name.startswith("env_")}
            model._last_obs = self.env.set_state(state)
            model._last_episode_starts = state["ended"]
            model.num_timesteps = int(record["steps"])
            model._n_updates = int(record["updates"])
            model.generator.bit_generator.state = record["generator"]
            torch.set_rng_state(torch.from_numpy(arrays["torch_rng"]))
            self.seconds = float(record["seconds"])
            self.learning_seconds = float(record["learning_seconds"])
            self.curve = [Point(**point) for point in record["curve"]]
        except (KeyError, TypeError, RuntimeError) as error:
            raise ValueError(f"the checkpoint {str(self.path)!r} cannot be resumed: {error}") from error


def stored_config(checkpoint: Checkpoint) -> Config:
    """The settings of the run that a checkpoint belongs to.

    Raises:
        ValueError: they cannot be read.
    """
    try:
        return Config.from_dict(checkpoint.record["config"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the checkpoint {checkpoint.path!r} has settings that cannot be read: {error}") from error


def train(
    config: Config | str,
    out: str | Path,
    *,
    resume: bool = False,
    report: Callable[[Status], None] | None = None,
    **settings: Any,
) -> Result:
    """Trains a policy by self-play.

    Args:
        config: the settings; or a game's name, the rest by ``settings``.
        out: the run's folder.
        resume: go on with the run that is there.
        report: called after every iteration.
        settings: fields of `Config`, over those of ``config``.

    Raises:
        ValueError: wrong settings; a folder that already has a run, or one with other settings.
        OSError: the folder cannot be written, or has no run to resume.
    """
    chosen = Config(config, **settings) if isinstance(config, str) else replace(config, **settings)
    return Training(chosen, out, resume=resume, report=report).run()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _league(config: Config) -> League | None:
    if not config.others_share and not config.past_share:
        return None
    return League(
        config.game,
        config.games,
        seed=config.seed,
        others=config.others,
        others_share=config.others_share,
        past_share=config.past_share,
    )


def _environment(config: Config, games: int, seed: int, league: League | None = None) -> SelfPlayVecEnv:
    return SelfPlayVecEnv(
        config.game,
        games,
        seed=seed,
        reward=config.reward,
        team_share=config.team_share,
        canonical_suits=config.canonical_suits,
        full_state=config.critic == "full",
        skip_forced=True,
        league=league,
        **config.options,
    )


def actor(model: MaskablePPO) -> Weights:
    """Copies of the weights of a model's actor, by their names in the policy's state dict."""
    weights = model.policy.state_dict()
    return as_arrays({name: weights[name] for name in weights if name.startswith(ACTOR_PARTS)})


def _build(config: Config, env: SelfPlayVecEnv) -> SelfPlayPPO:
    linear = config.lr_schedule == "linear"
    net, shape = list(config.net), dict[str, Any]()
    if config.network == "columns":
        kind: type[ColumnPolicy | FullCriticPolicy] = ColumnPolicy
        shape["net_arch"] = net
    else:
        kind = FullCriticPolicy
        shape |= {"net_arch": {"pi": net, "vf": net}, "actor_inputs": config.spec.observation_size}
    return SelfPlayPPO(
        kind,
        env,
        learning_rate=LinearSchedule(config.lr, 0.0, 1.0) if linear else config.lr,
        n_steps=config.rollout,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.ent_coef,
        vf_coef=config.vf_coef,
        max_grad_norm=config.max_grad_norm,
        policy_kwargs={**shape, "activation_fn": ACTIVATIONS[config.activation]},
        seed=config.seed,
        device="cpu",
    )


@contextmanager
def _stop_signal() -> Iterator[Callable[[], bool]]:
    """Catches the first SIGINT or SIGTERM; yields a function that says whether one came."""
    came = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield came.is_set
        return

    def catch(number: int, frame: Any) -> None:
        if came.is_set():
            raise KeyboardInterrupt
        came.set()

    before = {number: signal.signal(number, catch) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def tensorboard_log(folder: Path) -> Iterator[Logger]:
    formats: list[KVWriter] = [TensorBoardOutputFormat(str(folder))]
    logger = Logger(str(folder), formats)
    try:
        yield logger
    finally:
        logger.close()


@contextmanager
def unvalidated() -> Iterator[None]:
    """Keeps torch from checking the arguments of every distribution, a tenth of the time of an iteration."""
    before = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.distributions.Distribution.set_default_validate_args(before)
