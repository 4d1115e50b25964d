"""The settings of a training run, each with its name in Stable-Baselines3 where it has one there. Needs no torch."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cardenvs import policy
from cardenvs.checks import check_int, check_number, did_you_mean, is_int
from cardenvs.contract.registry import named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import check_reward
from cardenvs.policy.replay import can_replay
from cardenvs.train.models.entries import error_line
from cardenvs.train.models.shapes import ACTIVATIONS, MOST_LAYERS, MOST_WIDTH

if TYPE_CHECKING:
    from cardenvs.train.models.checkpoint import Checkpoint

SCHEDULES = ("linear", "constant")
"""Values of ``lr_schedule``."""
CRITICS = ("full", "seat")
"""Values of ``critic``."""
NETWORKS = ("plain", "columns")
"""Values of ``network``."""
OTHERS_SEATS = ("any", "opponents")
"""Values of ``others_seats``."""

DEVICES = ("auto", "cpu", "cuda")
"""Values of ``device``."""
PRECISIONS = ("auto", "float32", "bfloat16")
"""Values of ``precision``."""

ALIKE: Mapping[str, Any] = MappingProxyType({"threads": 1, "device": "cpu", "precision": "float32"})
"""Settings of a study's trainings where it gives no others: they come out alike on all machines of one kind."""

EVAL_OPPONENTS: Mapping[str, str] = MappingProxyType(
    {"euchre": "coop-high-low", "whist": "coop-high-low", "five-o": "reflex3"}
)
"""The opponent of ``eval_opponent="auto"``, by game: fast policies, not passed at once; in others it is ``"random"``."""

MAY_CHANGE = ("steps", "minutes", "threads", "device", "precision", "checkpoint_minutes")
"""Fields that may differ when a run is resumed: for how long and how the run goes on, not what it learns."""


@dataclass(frozen=True)
class Config:
    """The settings of a training run: MaskablePPO by self-play, every seat with one shared network.

    The defaults were chosen for what two minutes on two cores bring in Euchre with full bidding. A *move* is one step of
    one game; a *decision* is a move at which there was a choice.

    Attributes:
        game: the game's name.
        options: rule options; what is not given has its default.
        reward: kind of reward, one of those that the game has; None takes the game's first.
        team_share: 1 pays both partners their side's reward, 0 each its own part, 0 to 1 a mixture.
        canonical_suits: let the network see suits under canonical names (`cardenvs.train.inference.symmetry`).
        recall: let the network see the order of play, too (`cardenvs.contract.spec.GameSpec.recalling`).
        encoding: let the network see the first entries alone, which the game calls so (`GameSpec.encodings`), such as
            ``"canonical"`` in Hanabi; None: all.
        symmetry: what the rules treat alike, by the name that the game gives it (`GameSpec.symmetries`), such as
            ``"colours"`` in Hanabi: each seat of each episode is shown it under names of its own, as other-play wants it
            (`cardenvs.train.learning.other_play`); None: all see the game's names.
        critic: ``"full"``: the critic sees the whole deal while the actor sees its seat only; ``"seat"``: both see the seat
            only.
        imitate: a policy, by name, whose decisions the network first learns by behaviour cloning
            (`cardenvs.train.learning.behaviour_cloning`); None: begin with random weights.
        imitate_decisions: how many decisions of that policy are played for behaviour cloning.
        imitate_epochs: how often each of these decisions is learned from.
        others: policies, by name, that hold seats in some of the games, as opponents and as partners
            (`cardenvs.train.learning.league`).
        others_share: share of the games in which a policy of ``others`` plays, 0 to 1.
        others_seats: which seats another player holds in these games: ``"any"``, one side or one seat; ``"opponents"``, all
            seats but those of one side, which are the learner's. In a game of one side all seats but one stand for a side.
        past_share: share of the games in which an earlier self plays, 0 to 1.
        past_every: iterations between two earlier selves that are kept; the latest 8 stay.
        trick_weight: what a trick more than the other side's adds to a deal's reward at the start; it falls linearly and
            is 0 from the middle of the run on. In a described game of one side: what is added whenever the first number
            that its ``perfect`` counts rises by 1 and the game goes on.
        start: a trained policy, ``learned`` or a file, whose weights the network begins with
            (`cardenvs.train.inference.starts`); None: begin with random weights.
        lookahead_steps: how many moves at the start are learned from by looking ahead
            (`cardenvs.train.learning.lookahead`) instead of by MaskablePPO; ``trick_weight`` must be 0 in such a run.
        playout_steps: how many moves at the end of the run are learned from by playing every action out
            (`cardenvs.train.learning.playouts`) instead of by MaskablePPO, with the learning rate at its start again;
            such a run has no ``trick_weight``, its length is given in ``steps``, and its network is ``"plain"``.
        off_belief: level of off-belief learning (`cardenvs.train.learning.off_belief`), for games of one side; 0: none. At
            level 1 others' past acts say no more than they show; at a level above, what the policy ``below`` would have
            meant by them. All moves of such a run are learned from by playing every action out, in cards that are drawn for
            the seat to act; its network is ``"plain"``, its critic ``"seat"``, and ``ent_coef``, above 0, its temperature.
        below: the policy, by name or file, of the level below, without which no run of a level above 1 begins; else None.
        steps: moves to train on, in whole iterations of ``games * rollout`` (SB3's ``total_timesteps``); None: no limit but
            the time.
        minutes: wall time to train for, over all sessions of the run, compiling and the measurements before and after
            learning left out; None: no limit but the steps. A linear learning rate then follows the clock, so that no two
            runs are quite alike.
        games: games played side by side (SB3's ``n_envs``).
        rollout: moves in each game for an iteration (SB3's ``n_steps``).
        batch_size: decisions in a minibatch, about (SB3's ``batch_size``).
        epochs: how often an iteration's decisions are learned from (SB3's ``n_epochs``).
        lr: Adam's learning rate at the start (SB3's ``learning_rate``).
        lr_schedule: ``"linear"``, the learning rate falls to 0 over the run (SB3's ``LinearSchedule``), or ``"constant"``.
        ent_coef: weight of the entropy bonus in the loss, at the start (SB3's ``ent_coef``).
        ent_coef_end: weight of the entropy bonus at the end, to which it falls or rises linearly over the run; None: as at
            the start.
        vf_coef: weight of the critic's loss (SB3's ``vf_coef``).
        gamma: discount from one decision of a seat to its next, 0 to 1 (SB3's ``gamma``).
        gae_lambda: lambda of the generalised advantage estimates, 0 to 1 (SB3's ``gae_lambda``).
        clip: how far the probability ratio may go from 1 before it is clipped, above 0 (SB3's ``clip_range``).
        max_grad_norm: longest gradient; a longer one is shortened to this (SB3's ``max_grad_norm``).
        net: widths of the hidden layers, for the actor and for the critic (SB3's ``net_arch``).
        network: ``"plain"``: a multilayer perceptron; ``"columns"``, for Five-O: one whose weights the columns share
            (`cardenvs.train.inference.columns`), with two hidden layers and a critic that sees the seat only.
        activation: ``"relu"`` or ``"tanh"``, the hidden layers' activation function (SB3's ``activation_fn``).
        seed: seed of everything random in the run (SB3's ``seed``).
        threads: threads that play and learn; None: as many as there are cores, at most 4. Another number gives other
            weights, for sums are rounded in another order: a run is repeated exactly with the same number only.
        device: what learns (SB3's ``device``): ``"cuda"``, a GPU; ``"cpu"``, the processor; ``"auto"``, a GPU if torch has
            one. Games are played on the processor either way, in compiled networks. Checkpoints move between devices.
        precision: what layers multiply in PPO and behaviour cloning: ``"float32"``; ``"bfloat16"``, more than twice as fast
            where the device knows it, on the processor behind the first layer; ``"auto"``, bfloat16 where the device knows
            it and else float32. Weights are float32 either way, and what is played is computed in float32.
        eval_opponent: the policy, by name, that the learning curve is measured against; ``"auto"``: ``coop-high-low`` in
            Euchre and Whist, ``reflex3`` in Five-O, ``random`` in other games (`EVAL_OPPONENTS`).
        eval_deals: deals of a measurement, each played twice with the sides exchanged.
        eval_every: iterations between two measurements; 0: none but the first and the last.
        checkpoint_minutes: minutes between two checkpoints.

    Raises:
        ValueError: a value out of range; names the field and what is allowed.
    """

    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    reward: str | None = None
    team_share: float = 1.0
    canonical_suits: bool = True
    recall: bool = False
    encoding: str | None = None
    symmetry: str | None = None
    critic: str = "full"
    imitate: str | None = None
    imitate_decisions: int = 400_000
    imitate_epochs: int = 4
    others: tuple[str, ...] = ()
    others_share: float = 0.0
    others_seats: str = "any"
    past_share: float = 0.0
    past_every: int = 20
    trick_weight: float = 0.0
    start: str | None = None
    lookahead_steps: int = 0
    playout_steps: int = 0
    off_belief: int = 0
    below: str | None = None
    steps: int | None = 3_000_000
    minutes: float | None = None
    games: int = 512
    rollout: int = 64
    batch_size: int = 2048
    epochs: int = 2
    lr: float = 2e-3
    lr_schedule: str = "linear"
    ent_coef: float = 0.015
    ent_coef_end: float | None = None
    vf_coef: float = 0.5
    gamma: float = 1.0
    gae_lambda: float = 0.9
    clip: float = 0.2
    max_grad_norm: float = 0.5
    net: tuple[int, ...] = (256, 128)
    network: str = "plain"
    activation: str = "relu"
    seed: int = 0
    threads: int | None = None
    device: str = "auto"
    precision: str = "auto"
    eval_opponent: str = "auto"
    eval_deals: int = 1000
    eval_every: int = 10
    checkpoint_minutes: float = 2.0

    def __post_init__(self) -> None:
        check_types({f.name: getattr(self, f.name) for f in fields(self)})
        spec = named_game(self.game)
        codes = spec.option_codes(self.options)
        put = object.__setattr__
        put(self, "game", spec.name)
        put(self, "options", {o.name: o.decode(codes[o.name]) for o in spec.options})
        put(self, "reward", spec.rewards[0] if self.reward is None else self.reward)
        check_reward(spec, self.reward, self.team_share)
        if self.eval_opponent == "auto":
            put(self, "eval_opponent", EVAL_OPPONENTS.get(spec.name, "random"))
        put(self, "net", tuple(self.net))
        put(self, "others", tuple(self.others))
        for name in (
            "games", "rollout", "batch_size", "epochs", "eval_deals", "imitate_decisions", "imitate_epochs", "past_every"
        ):  # fmt: skip
            put(self, name, check_int(name, getattr(self, name), 1))
        for name in ("seed", "eval_every", "lookahead_steps", "playout_steps", "off_belief"):
            put(self, name, check_int(name, getattr(self, name), 0))
        for name in ("steps", "threads"):
            if getattr(self, name) is not None:
                put(self, name, check_int(name, getattr(self, name), 1))
        if self.steps is None and self.minutes is None:
            raise ValueError("steps and minutes cannot both be None: a run needs an end")
        for name in ("lr", "max_grad_norm", "checkpoint_minutes") + (() if self.minutes is None else ("minutes",)):
            self._check_number(name, above=True)
        for name in ("ent_coef", "vf_coef", "trick_weight") + (() if self.ent_coef_end is None else ("ent_coef_end",)):
            self._check_number(name)
        for name in ("gamma", "gae_lambda", "others_share", "past_share"):
            self._check_number(name, high=1)
        self._check_number("clip", high=1, above=True)
        self._choice("lr_schedule", SCHEDULES)
        self._choice("activation", ACTIVATIONS)
        self._choice("critic", CRITICS)
        self._choice("network", NETWORKS)
        self._choice("others_seats", OTHERS_SEATS)
        self._choice("device", DEVICES)
        self._choice("precision", PRECISIONS)
        if self.others_share + self.past_share > 1:
            raise ValueError(
                f"others_share and past_share must be at most 1 together, not {self.others_share!r} and {self.past_share!r}"
            )
        if self.others_share > 0 and not self.others:
            raise ValueError(f"others must name a policy where others_share is {self.others_share!r}")
        for name in ("lookahead_steps", "playout_steps"):
            if getattr(self, name) and self.trick_weight:
                raise ValueError(f"trick_weight must be 0 where {name} is given, not {self.trick_weight!r}")
        if self.playout_steps:
            self._check_playouts()
        for name in ("canonical_suits", "recall"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if self.recall and not spec.recall_parts:
            raise ValueError(f"recall must be False in {spec.name}, which knows no recall")
        self._check_shown(spec)
        self._check_off_belief(spec)
        if not 1 <= len(self.net) <= MOST_LAYERS or not all(1 <= width <= MOST_WIDTH for width in self.net):
            allowed = f"1 to {MOST_LAYERS} ints from 1 to {MOST_WIDTH}"
            raise ValueError(f"net must be widths of hidden layers, {allowed}, not {self.net!r}")
        put(self, "net", tuple(map(int, self.net)))
        if self.network == "columns":
            if spec.column_game is None:
                raise ValueError(f"network 'columns' is for five-o, not for {self.game}")
            if self.critic != "seat" or len(self.net) != 2:
                wrong = f"critic={self.critic!r} and {len(self.net)} layers"
                raise ValueError(f"network 'columns' has critic='seat' and two hidden layers in net, not {wrong}")
            if self.recall:
                raise ValueError("network 'columns' sees no order of play: recall must be False, not True")
        if self.games * self.rollout < 2:
            raise ValueError("games and rollout cannot both be 1: advantages are compared within an iteration")
        self._check_policy("eval_opponent", self.eval_opponent)
        if self.imitate is not None:
            self._check_policy("imitate", self.imitate)
        if self.start is not None:
            if self.imitate is not None:
                raise ValueError(f"start must be None where imitate is given, not {self.start!r}")
            self._check_policy("start", self.start)
        for name in self.others:
            self._check_policy("others", name)

    def _check_shown(self, spec: GameSpec) -> None:
        """Checks ``encoding`` and ``symmetry``, which other ways to learn than PPO and behaviour cloning do not know."""
        seen = spec.with_recall(self.recall)
        seen.shown_size(self.encoding)
        if self.symmetry is not None:
            seen.symmetry(self.symmetry)
        for name in ("encoding", "symmetry"):
            for steps in ("lookahead_steps", "playout_steps"):
                if getattr(self, name) is not None and getattr(self, steps):
                    raise ValueError(f"{steps} must be 0 where {name} is given, not {getattr(self, steps)}")

    def _check_playouts(self) -> None:
        """Checks ``steps`` and ``network`` for play-outs to the ends of deals."""
        if self.steps is None or self.playout_steps + self.lookahead_steps > self.steps:
            wrong = f"{self.lookahead_steps} of lookahead_steps and {self.playout_steps} of playout_steps"
            raise ValueError(f"steps must be at least {wrong}, not {self.steps}")
        if self.network != "plain":
            raise ValueError(f"network must be 'plain' where playout_steps is given, not {self.network!r}")

    def _check_off_belief(self, spec: GameSpec) -> None:
        """Checks ``off_belief`` and ``below``, and the settings that off-belief learning does not know."""
        if self.below is not None and self.off_belief < 2:
            raise ValueError(f"below must be None where off_belief is {self.off_belief}, not {self.below!r}")
        if not self.off_belief:
            return
        if not spec.one_sided:
            raise ValueError(f"off_belief must be 0 in {spec.name}, which has {spec.num_sides} sides")
        if spec.kernels.redeal is None:
            raise ValueError(f"off_belief must be 0 in {spec.name}, where no worlds can be drawn")
        if self.off_belief > 1 and not can_replay(spec):
            raise ValueError(f"off_belief must be 0 or 1 in {spec.name}, where what was done cannot be replayed")
        fixed: dict[str, Any] = {"network": "plain", "critic": "seat", "encoding": None, "symmetry": None}
        fixed |= {"trick_weight": 0, "lookahead_steps": 0, "playout_steps": 0}
        for name, value in fixed.items():
            if getattr(self, name) != value:
                raise ValueError(f"{name} must be {value!r} where off_belief is given, not {getattr(self, name)!r}")
        self._check_number("ent_coef", above=True)
        if self.below is not None:
            self._check_policy("below", self.below)

    def _check_policy(self, field_name: str, name: str) -> None:
        """Checks that a field names a policy of the game or a file, no code to run, as checkpoints keep the settings."""
        if name == "random":  # which plays every game; to list the others, all are loaded
            return
        if any(map(policy.runs_code, re.split("[=+]", name))):
            raise ValueError(
                f"{field_name} must name no program or code to be run, as {name!r}: checkpoints keep the settings"
            )
        known = [each for each in policy.names(self.spec) if not policy.runs_code(each)]
        if policy.path_of(name) is None and name.partition(":")[0] not in known:
            raise ValueError(f"{field_name} must be one of {', '.join(known)} or a file, not {name!r}")

    def _check_number(self, name: str, high: float = math.inf, above: bool = False) -> None:
        """Checks that a field is a number from 0 (or above it) to ``high``; NumPy's numbers become Python's, for JSON."""
        value = check_number(name, getattr(self, name), 0, high, above)
        if not isinstance(getattr(self, name), (int, float)):
            object.__setattr__(self, name, value)

    def _choice(self, name: str, choices: tuple[str, ...]) -> None:
        """Checks that a field is one of some values."""
        if getattr(self, name) not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")

    @property
    def spec(self) -> GameSpec:
        """The spec of the game as the network sees it, with recall if it has it."""
        return named_game(self.game).with_recall(self.recall)

    @property
    def shown(self) -> int:
        """The number of entries of an observation that the network sees."""
        return self.spec.shown_size(self.encoding)

    def entropy_weight(self, remaining: float) -> float:
        """The weight of the entropy bonus.

        Args:
            remaining: share of the run that is left, 1 to 0.
        """
        end = self.ent_coef if self.ent_coef_end is None else self.ent_coef_end
        return end + remaining * (self.ent_coef - end)

    @property
    def iteration(self) -> int:
        """Moves in an iteration."""
        return self.games * self.rollout

    def as_dict(self) -> dict[str, Any]:
        """The fields for JSON; `from_dict` is the inverse."""
        return {**asdict(self), "net": list(self.net), "others": list(self.others)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Config:
        """The settings that `as_dict` wrote down.

        Args:
            values: fields by name; those left out have their defaults.

        Raises:
            ValueError: an unknown field or a wrong value.
        """
        known = {f.name for f in fields(cls)}
        for name in values:
            if name not in known:
                listed, meant = ", ".join(sorted(known)), did_you_mean(name, sorted(known))
                raise ValueError(f"unknown setting {name!r}: the settings are {listed}{meant}")
        return cls(**values)

    def differences(self, other: Config) -> list[str]:
        """The fields, other than those of `MAY_CHANGE`, in which two runs differ, each as ``"epochs: 2, not 3"``.

        Args:
            other: the settings of a run that was begun before, whose values stand first.
        """
        mine, stored = self.as_dict(), other.as_dict()
        return [
            f"{name}: {stored[name]!r}, not {value!r}"
            for name, value in mine.items()
            if name not in MAY_CHANGE and value != stored[name]
        ]


_PLAIN_TYPES = {"str": str, "bool": bool, "Mapping[str, Any]": Mapping}


def check_types(values: Mapping[str, Any]) -> None:
    """Checks the types of settings that are no numbers: texts, choices of True and False, options, lists.

    Args:
        values: fields of `Config` by name; names that are no fields are passed over.

    Raises:
        ValueError: a value of another type; names the field.
    """
    words = {"str": "a text", "bool": "True or False", "Mapping[str, Any]": "values by name", "tuple[str, ...]": "texts"}
    words["tuple[int, ...]"] = "ints"
    for f in fields(Config):
        kind, _, optional = str(f.type).partition(" | ")
        if f.name not in values or kind not in words or (optional and values[f.name] is None):
            continue
        value = values[f.name]
        if kind in _PLAIN_TYPES:
            right = isinstance(value, _PLAIN_TYPES[kind])
        else:
            of_kind = is_int if "int" in kind else lambda item: isinstance(item, str)
            right = isinstance(value, (list, tuple)) and all(map(of_kind, value))
        if not right:
            raise ValueError(f"{f.name} must be {words[kind]}{' or None' if optional else ''}, not {value!r}")


def playing_config(values: Any, game: str) -> Config:
    """The settings of a trained policy, with stand-ins for the policies that they name, which need not be installed here.

    Args:
        values: what `Config.as_dict` wrote down; settings that this version does not know are passed over.
        game: the name of the game that the policy plays.

    Raises:
        ValueError: no settings, those of another game, or a wrong value; says which.
    """
    if not isinstance(values, Mapping):
        raise ValueError("its settings are no values by name")
    for name in ("activation", "canonical_suits"):
        if name not in values:
            raise ValueError(f"its settings lack {name!r}")
    known = {"game": game, **{f.name: values[f.name] for f in fields(Config) if f.name in values}}
    check_types(known)
    if known["game"] != game:
        raise ValueError(f"its settings are those of {known['game'][:80]!r}, not of {game}")
    others = ["random"] * len(known.get("others", ()))
    known |= {"eval_opponent": "random", "imitate": None, "start": None, "others": others, "symmetry": None}
    known |= {"off_belief": 0, "below": None}
    return Config(**known)


def check_same_run(folder: Path, differences: Sequence[str]) -> None:
    """Checks that a run that is to go on has the settings that it was begun with.

    Args:
        folder: the run's folder.
        differences: how the settings differ, as `Config.differences` returns them.

    Raises:
        ValueError: there is a difference; names all.
    """
    if differences:
        raise ValueError(f"the run in {str(folder)!r} has other settings: {'; '.join(differences)}")


def parse_setting(name: str, text: str) -> Any:
    """The value of a field of `Config` written as text: numbers, ``yes``, ``no``, ``none``, lists with commas.

    Args:
        name: the field's name.
        text: the value.

    Raises:
        ValueError: an unknown field, or text that is no value of the field's kind. (`Config` checks its range.)
    """
    kinds = {f.name: str(f.type) for f in fields(Config) if f.name not in ("game", "options")}
    if name not in kinds:
        raise ValueError(
            f"unknown setting {name!r}: the settings are {', '.join(sorted(kinds))}{did_you_mean(name, sorted(kinds))}"
        )
    kind, _, optional = kinds[name].partition(" | ")
    words = [word.strip() for word in text.split(",") if word.strip()]
    try:
        if optional and text.lower() == "none":
            return None
        if kind == "bool":
            return {"yes": True, "true": True, "no": False, "false": False}[text.lower()]
        if kind.startswith("tuple"):
            return tuple(int(word) if "int" in kind else word for word in words)
        return {"int": int, "float": float, "str": str}[kind](text)
    except (KeyError, ValueError):
        wanted = {"bool": "yes or no", "int": "an int", "float": "a number"}.get(kind, "ints with commas between them")
        raise ValueError(f"{name} must be {wanted}{' or none' if optional else ''}, not {text!r}") from None


def stored_config(checkpoint: Checkpoint) -> Config:
    """The settings of the run that a checkpoint belongs to.

    Args:
        checkpoint: from `cardenvs.train.models.checkpoint.read_checkpoint`.

    Raises:
        ValueError: the settings cannot be read.
    """
    try:
        values = checkpoint.record["config"]
        if not isinstance(values, Mapping):
            raise ValueError("they are no values by name")
        return Config.from_dict(values)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the checkpoint {checkpoint.path!r} has settings that cannot be read: {error_line(error)}") from error
