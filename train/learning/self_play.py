"""Training by self-play: Stable-Baselines3's MaskablePPO, every seat of the game learning with one shared network."""

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import LinearSchedule

from cardenvs import policy
from cardenvs.baselines.reports.columns import Column, Columns, Row
from cardenvs.compiled import waiting as compiling
from cardenvs.contract.registry import full_title, get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.files import sweep
from cardenvs.policy.contract import Policy
from cardenvs.train.config import Config, check_same_run, stored_config
from cardenvs.train.curve import CURVE_FILES, Point, measure_policy, write_curve
from cardenvs.train.inference.learned import TrainedPolicy, make_player
from cardenvs.train.inference.plain_actor import could_hold_part
from cardenvs.train.inference.starts import find_start
from cardenvs.train.learning import session
from cardenvs.train.learning.behaviour_cloning import clone_behaviour, play_demonstrations
from cardenvs.train.learning.buffer import SeatRolloutBuffer
from cardenvs.train.learning.league import PAST_KEPT, League
from cardenvs.train.learning.lookahead import Lookahead
from cardenvs.train.learning.network import ACTIVATIONS, ColumnPolicy, FullCriticPolicy, actor_weights, load_weights
from cardenvs.train.learning.playouts import Playouts
from cardenvs.train.learning.ppo import SelfPlayPPO
from cardenvs.train.learning.vec_env import SelfPlayVecEnv
from cardenvs.train.models.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from cardenvs.train.models.entries import refused_as
from cardenvs.train.models.weights import check_weights


@dataclass(frozen=True)
class TrainingStatus:
    """The status of a run, reported after every iteration."""

    steps: int
    """Moves trained on so far."""
    seconds: float
    """Wall time of the run so far, over all its sessions, without compiling."""
    done: float
    """Share of the run that is done, 0 to 1."""
    decisions_per_s: float
    """Moves trained on per second."""
    entropy: float
    """Mean entropy of the policy's choices in the latest iteration, in nats."""
    point: Point | None
    """The latest measurement against the fixed opponent; None before the first."""


TrainingResult = Columns(
    "TrainingResult",
    Column("game", "the game's name"),
    Column("out", "the run's folder"),
    Column("policy", "path of the trained policy, `policy.zip` in that folder"),
    Column("steps", "moves trained on"),
    Column("seconds", "wall time of learning, over all sessions of the run, as `Training` counts it"),
    Column("compiling_seconds", "time that compiling kernels took in this session"),
    Column("decisions_per_s", "moves trained on per second"),
    Column("threads", "number of threads that played and learned"),
    Column("device", 'the device that learned, `"cpu"` or `"cuda"`'),
    Column("interrupted", "whether a signal ended the run early"),
    Column("curve", "the measurements against the fixed opponent, in their order (`Point`)"),
)
"""The outcome of a training run."""


class Training:
    """A training run in a folder of its own.

    The folder holds ``policy.zip`` (the latest checkpoint), ``curve.csv``, ``tensorboard/`` and, if matplotlib is
    installed, ``curve.png``.

    With ``resume`` the run in the folder goes on as if it had never stopped; ``report`` is called with the status after
    every iteration. Raises ValueError if the folder has a run and ``resume`` is not given; if the run there has other
    settings, is damaged or was made for another layout of the game; if the settings ask for a missing GPU, or to begin with
    weights that do not fit. Raises OSError if there is no run to resume, or the folder cannot be written.
    """

    def __init__(
        self,
        config: Config,
        out: str | Path,
        *,
        resume: bool = False,
        report: Callable[[TrainingStatus], None] | None = None,
    ) -> None:
        self.config = config
        self.out = Path(out)
        self.path = self.out / "policy.zip"
        self.report = report
        self.curve: list[Point] = []
        self.seconds = 0.0  # wall time over all sessions, without compiling and the measurements before and after learning
        self._compiled = compiling.totals().seconds
        self._start_clock()
        self._saved = -math.inf
        checkpoint = read_checkpoint(self.path) if resume else None
        if checkpoint is not None:
            self._check_config(checkpoint)
        elif self.path.exists():
            raise ValueError(f"{str(self.out)!r} already holds a run: go on with resume=True, or give another out=...")
        # An opponent that does not play this game should not be found out only at the first measurement.
        self.opponent = policy.make(config.spec.plain, config.eval_opponent)
        self.teacher = None if config.imitate is None else policy.make(config.spec.plain, config.imitate)
        torch.set_num_threads(config.threads or session.default_threads())
        self.torch_threads = [torch.get_num_threads()]
        self.league = make_league(config)
        self.env = make_environment(config, config.seed, self.league)
        self.model = make_model(config, self.env)
        self.lookahead = Lookahead(config, self.env) if config.lookahead_steps else None
        self.playouts = Playouts(config, self.env) if config.playout_steps or config.off_belief else None
        if checkpoint is not None:
            self._restore_checkpoint(checkpoint)
            for name in (self.path.name, *CURVE_FILES):
                sweep(self.out / name)
        else:
            if config.start is not None:
                load_weights(self.model.policy, find_start(config.start, config).weights, config.start)
            self.save()

    # --- running ---

    @property
    def steps(self) -> int:
        """The number of moves trained on so far."""
        return int(self.model.num_timesteps)

    @property
    def done(self) -> float:
        """Share of the run that is done, 0 to 1."""
        of_steps = 0.0 if self.config.steps is None else self.steps / self.config.steps
        of_time = 0.0 if self.config.minutes is None else self.seconds / (60 * self.config.minutes)
        return min(1.0, max(of_steps, of_time))

    @property
    def _before_playouts(self) -> int:
        """Number of moves before the play-outs at the end of the run; 0 in off-belief learning."""
        return 0 if self.config.off_belief else (self.config.steps or 0) - self.config.playout_steps

    def _phase_done(self) -> float:
        """Returns the share done of the run or, if it ends with play-outs, of its phase: these, or the moves before."""
        before = self._before_playouts
        if self.playouts is None or before == 0:
            return self.done
        assert self.config.steps is not None  # which `Config` makes sure of
        first, last = (before, self.config.steps) if self.steps >= before else (0, before)
        return (self.steps - first) / (last - first)

    def run(self, stop: Callable[[], bool] | None = None) -> Row:
        """Trains until the steps or minutes are done or a stop is asked for, writes a checkpoint, and returns the outcome.
        ``stop`` is asked before every iteration but the first, and signals are then left alone; None: the first SIGINT or
        SIGTERM lets the iteration finish and the checkpoint be written, a second one stops at once. May raise OSError."""
        self._start_clock()
        self._saved = self.seconds
        begun = self.steps
        asked = session.stop_signal() if stop is None else nullcontext(lambda: self.steps > begun and stop())
        with asked as stopped, session.tensorboard_log(self.out / "tensorboard") as logger, session.without_validation():
            self.model.set_logger(logger)
            if not self.curve:
                self._start_learning()
                self._start_clock()
            # However short the time, a run learns something.
            while (self.done < 1.0 or self.steps == 0) and not stopped():
                self._run_iteration(logger)
            # What ends a run is measured; an interruption leaves no trace in the curve.
            if self.done >= 1.0 and self.curve[-1].steps != self.steps:
                self._add_measurement()
            self.save()
        return TrainingResult.of(
            self,
            game=self.config.game,
            out=str(self.out),
            policy=str(self.path),
            seconds=round(self.seconds, 2),
            compiling_seconds=round(compiling.totals().seconds - self._compiled, 2),
            decisions_per_s=round(self._decisions_per_second(), 1),
            threads=torch.get_num_threads(),
            device=self.model.device.type,
            interrupted=self.done < 1.0,
            curve=list(self.curve),
        )

    def _start_learning(self) -> None:
        """Clones the teacher's behaviour and measures, before the first move; a run that is interrupted meanwhile starts
        over, and if that is refused, no checkpoint stays behind that has learned nothing."""
        config = self.config
        try:
            if self.teacher is not None:
                env = make_environment(config, config.seed + 1, teacher=self.teacher)
                with torch.random.fork_rng(devices=[]):
                    shown = play_demonstrations(env, self.teacher, config.imitate_decisions, config.seed)
                clone_behaviour(self.model, shown, config.imitate_epochs)
                self._update_clock()
            self._add_measurement()
        except ValueError:
            if self.steps == 0:
                self.path.unlink()
            raise

    def _run_iteration(self, logger: Logger) -> None:
        """Plays and learns, measures and saves if it is time to, and reports."""
        config = self.config
        self.model.remaining = 1.0 - self._phase_done()
        self.model.ent_coef = config.entropy_weight(self.model.remaining)
        self.env.trick_weight = config.trick_weight * max(0.0, 1.0 - 2.0 * self.done)
        if self.league is not None and config.past_share and self.steps // config.iteration % config.past_every == 0:
            self.league.add_past(make_player(config, actor_weights(self.model.policy), sample=True))
        if self.lookahead is not None and self.steps < config.lookahead_steps:
            entropy = self.lookahead.learn(self.model, config.rollout)
        elif self.playouts is not None and self.steps >= self._before_playouts:
            entropy = self.playouts.learn(self.model, config.rollout)
        else:
            # One iteration of SB3's own loop; with an interval of 2 it leaves the logging to us.
            self.model.learn(config.iteration, log_interval=2, reset_num_timesteps=False)
            entropy = -float(logger.name_to_value.get("train/entropy_loss", math.nan))
            buffer = self.model.rollout_buffer
            assert isinstance(buffer, SeatRolloutBuffer)
            paid, ended = np.abs(buffer.payoffs).max(-1), buffer.payoffs.any(-1)
            if self.env.game.pays_gains(self.env.batch.kind):  # many steps of a deal may pay, and some may take back
                paid, ended = buffer.payoffs.max(-1), buffer.ended
            deals = int(ended.sum())
            logger.record("rollout/deals_paid", deals)
            logger.record("rollout/payoff", float(paid.sum() / max(deals, 1)))
        self._update_clock()
        logger.record("time/decisions_per_s", self._decisions_per_second())
        logger.record("time/seconds", self.seconds)
        logger.record("train/ent_coef", self.model.ent_coef)
        iteration = self.steps // config.iteration
        if config.eval_every and iteration % config.eval_every == 0:
            self._add_measurement()
        if self.curve and self.curve[-1].steps == self.steps:
            logger.record("eval/points", self.curve[-1].mean)
            logger.record("eval/win_rate", self.curve[-1].win_rate)
        logger.dump(self.steps)
        if self.seconds - self._saved >= 60 * config.checkpoint_minutes:
            self.save()
        if self.report is not None:
            point = self.curve[-1] if self.curve else None
            self.report(TrainingStatus(self.steps, self.seconds, self.done, self._decisions_per_second(), entropy, point))

    def _start_clock(self) -> None:
        """Lets ``seconds`` go on from now."""
        self._began = compiling.clock() - self.seconds

    def _update_clock(self) -> None:
        self.seconds = compiling.clock() - self._began

    def _decisions_per_second(self) -> float:
        return self.steps / self.seconds if self.seconds > 0 else 0.0

    def _add_measurement(self) -> None:
        config = self.config
        player = make_player(config, actor_weights(self.model.policy))
        # An opponent may draw from torch's random numbers; the training's must not notice.
        with torch.random.fork_rng(devices=[]):
            beside = config.others_seats == "opponents"
            point = measure_policy(
                player, self.opponent, config.eval_deals, self.steps, self.seconds, beside=beside, **config.options
            )
        self.curve.append(point)

    # --- saving and restoring ---

    def save(self) -> None:
        """Writes the checkpoint and the curve; an OSError leaves an earlier checkpoint as it was."""
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
            "updates": int(model._n_updates),
            "torch_threads": self.torch_threads,
            "generator": model.generator.bit_generator.state,
            "curve": [asdict(point) for point in self.curve],
        }
        write_checkpoint(self.path, model, self.config.spec, record, arrays)
        if self.curve:
            write_curve(self.out, self.curve, f"{full_title(self.config.spec)}, self-play", self.config.eval_opponent)
        self._saved = self.seconds

    def _check_config(self, checkpoint: Checkpoint) -> None:
        """Raises ValueError if the run in the folder has other settings than this one."""
        stored = stored_config(checkpoint, self.config.spec)
        check_same_run(self.out, self.config.differences(stored))
        steps = int(checkpoint.record["steps"])
        if self.config.steps is not None and self.config.steps < min(steps, stored.steps or steps):
            raise ValueError(f"steps cannot be lowered to {self.config.steps}: the run in {str(self.out)!r} has {steps}")

    def _restore_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Restores everything as it was when the checkpoint was written."""
        record, arrays, model = checkpoint.record, checkpoint.read_resume_arrays(), self.model
        kinds = (LookupError, TypeError, RuntimeError, ValueError, AttributeError, ArithmeticError)
        with refused_as(f"the checkpoint {str(self.path)!r} cannot be resumed", kinds):
            model.policy.load_state_dict(checkpoint.read_tensors("policy"))
            optimizer: Any = checkpoint.read_tensors("policy.optimizer")
            for group in optimizer["param_groups"]:
                group["fused"] = True  # which runs that were begun before were not
            model.policy.optimizer.load_state_dict(optimizer)
            for prefix in [] if self.league is None else [f"past_{k}_" for k in range(PAST_KEPT)]:
                weights = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
                check_weights(weights)
                if self.league is not None and weights:
                    self.league.add_past(make_player(self.config, weights, sample=True))
            state = {name.removeprefix("env_"): array for name, array in arrays.items() if name.startswith("env_")}
            model._last_obs = self.env.set_state(state)
            model._last_episode_starts = state["ended"]
            model.num_timesteps = int(record["steps"])
            model._n_updates = int(record["updates"])
            model.generator.bit_generator.state = record["generator"]
            torch.set_rng_state(torch.from_numpy(arrays["torch_rng"]))
            self.seconds = float(record["seconds"])
            self.curve = [Point(**point) for point in record["curve"]]
            self.torch_threads = sorted({*record.get("torch_threads", []), *self.torch_threads})


def make_league(config: Config) -> League | None:
    """Builds the league of the settings; None if the learner holds every seat."""
    if not config.others_share and not config.past_share:
        return None
    same = ("seed", "others", "others_share", "others_seats", "past_share")
    return League(config.spec.plain, config.games, **{name: getattr(config, name) for name in same})


def make_environment(
    config: Config, seed: int, league: League | None = None, teacher: Policy | None = None
) -> SelfPlayVecEnv:
    """Builds the environment of the settings; ``teacher`` is a policy that is asked in it, too."""
    asked = [*(league.others if league is not None else []), *([] if teacher is None else [teacher])]
    same = ("reward", "team_share", "canonical_suits", "recall", "encoding")
    return SelfPlayVecEnv(
        config.spec.plain,
        config.games,
        seed=seed,
        full_state=config.critic == "full",
        other_play=config.symmetry,
        order=config.off_belief > 1 or any(player.game.recall for player in asked),
        skip_forced=True,
        league=league,
        **{name: getattr(config, name) for name in same},
        **config.options,
    )


def make_model(config: Config, env: SelfPlayVecEnv) -> SelfPlayPPO:
    """Builds the model of the settings, with new weights; ValueError if its device does not exist."""
    device, net = session.chosen_device(config.device), list(config.net)
    kind = ColumnPolicy if config.network == "columns" else FullCriticPolicy
    shape: dict[str, Any] = {"net_arch": net}
    if kind is FullCriticPolicy:
        shape = {"net_arch": {"pi": net, "vf": net}, "actor_inputs": config.shown}
        if config.encoding is None:
            shape["could_hold"] = could_hold_part(config.spec)
    same = ("batch_size", "gamma", "gae_lambda", "ent_coef", "vf_coef", "max_grad_norm", "seed")
    model = SelfPlayPPO(
        kind,
        env,
        learning_rate=config.lr if config.lr_schedule == "constant" else LinearSchedule(config.lr, 0.0, 1.0),
        n_steps=config.rollout,
        n_epochs=config.epochs,
        clip_range=config.clip,
        policy_kwargs={**shape, "activation_fn": ACTIVATIONS[config.activation], "optimizer_kwargs": {"fused": True}},
        device=device,
        **{name: getattr(config, name) for name in same},
    )
    model.bfloat16 = session.multiplies_bfloat16(device, config.precision)
    return model


def train(
    config: Config | str | GameSpec,
    out: str | Path,
    *,
    resume: bool = False,
    report: Callable[[TrainingStatus], None] | None = None,
    **settings: Any,
) -> Row:
    """Trains a policy by self-play and returns the outcome; the trained policy is ``policy.zip`` in the folder. ``config``
    may be a game, for its default settings; ``settings`` are fields of `Config` that replace those of ``config``. Other
    arguments and errors as in `Training`."""
    known = config.as_dict() if isinstance(config, Config) else {"game": get_game(config).name}
    return Training(Config.from_dict(known | settings), out, resume=resume, report=report).run()
