"""The settings of a training run, named as in Stable-Baselines3 where it has them. Needs no torch."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
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

SCHEDULES = ("linear", "constant")  # values of `lr_schedule`
CRITICS = ("full", "seat")  # values of `critic`
NETWORKS = ("plain", "columns")  # values of `network`
OTHERS_SEATS = ("any", "opponents")  # values of `others_seats`

DEVICES = ("auto", "cpu", "cuda")  # values of `device`
PRECISIONS = ("auto", "float32", "bfloat16")  # values of `precision`

ALIKE: Mapping[str, Any] = MappingProxyType({"threads": 1, "device": "cpu", "precision": "float32"})
"""Default settings of a study's trainings: the results are the same on all machines of one kind."""

EVAL_OPPONENTS: Mapping[str, str] = MappingProxyType(
    {"euchre": "coop-high-low", "whist": "coop-high-low", "five-o": "reflex3"}
)
"""The opponent of ``eval_opponent="auto"`` by game, fast policies; ``"random"`` in others."""

# Fields that may differ when a run is resumed: for how long and how the run goes on, not what it learns.
MAY_CHANGE = ("steps", "minutes", "threads", "device", "precision", "checkpoint_minutes")

# Ranges of the fields, checked in this order: the least of ints; the most of other numbers, from or (True) above 0.
_INTS = (
    dict.fromkeys(("games", "rollout", "batch_size", "epochs", "eval_deals"), 1)
    | dict.fromkeys(("imitate_decisions", "imitate_epochs", "past_every"), 1)
    | dict.fromkeys(("seed", "eval_every", "lookahead_steps", "playout_steps", "off_belief"), 0)
    | {"steps": 1, "threads": 1}
)
_NUMBERS: Mapping[str, tuple[float, bool]] = (
    dict.fromkeys(("lr", "max_grad_norm", "checkpoint_minutes", "minutes"), (math.inf, True))
    | dict.fromkeys(("ent_coef", "vf_coef", "trick_weight", "ent_coef_end"), (math.inf, False))
    | dict.fromkeys(("gamma", "gae_lambda", "others_share", "past_share"), (1, False))
    | {"clip": (1, True)}
)
_OPTIONAL = ("steps", "threads", "minutes", "ent_coef_end")  # numbers that may be None
_CHOICES = {
    "lr_schedule": SCHEDULES, "activation": ACTIVATIONS, "critic": CRITICS, "network": NETWORKS,
    "others_seats": OTHERS_SEATS, "device": DEVICES, "precision": PRECISIONS,
}  # fmt: skip


@dataclass(frozen=True)
class Config:
    """The settings of a training run: MaskablePPO by self-play, every seat with one shared network.

    The defaults suit two minutes on two cores in Euchre with full bidding. A *move* is one step of one game; a *decision*
    is a move with a choice.

    Attributes:
        game: the game's name.
        options: rule options; others have their defaults.
        reward: kind of reward; None takes the game's first.
        team_share: 1 pays both partners their side's reward, 0 each its own part, 0 to 1 a mixture.
        canonical_suits: the network sees suits under canonical names (`cardenvs.train.inference.symmetry`).
        recall: the network also sees the order of play (`cardenvs.contract.spec.GameSpec.recalling`).
        encoding: the network sees only the first entries, which the game gives this name (`GameSpec.encodings`), such as
            ``"canonical"`` in Hanabi; None: all.
        symmetry: a symmetry of the rules by its name (`GameSpec.symmetries`), such as ``"colours"`` in Hanabi: each seat of
            each episode sees names of its own (other-play, `cardenvs.train.learning.other_play`); None: all see the game's
            names.
        critic: ``"full"``: the critic sees the whole deal, the actor its seat; ``"seat"``: both see the seat only.
        imitate: a policy whose decisions the network learns first, by behaviour cloning
            (`cardenvs.train.learning.behaviour_cloning`); None: random weights.
        imitate_decisions: decisions of that policy to play for behaviour cloning.
        imitate_epochs: passes over these decisions.
        others: policies that hold seats in some games, as opponents and partners (`cardenvs.train.learning.league`).
        others_share: share of the games in which a policy of ``others`` plays, 0 to 1.
        others_seats: seats of the other player in these games: ``"any"``, one side or one seat; ``"opponents"``, all seats
            but those of the learner's side. In a game of one side all seats but one stand for a side.
        past_share: share of the games in which an earlier self plays, 0 to 1.
        past_every: iterations between two earlier selves that are kept; the latest 8 stay.
        trick_weight: reward for each trick more than the other side's at the start; falls linearly to 0 at the middle of
            the run. In a described game of one side: added whenever the first number that its ``perfect`` counts rises by 1
            and the game goes on.
        start: a trained policy, ``learned`` or a file, with the initial weights (`cardenvs.train.inference.starts`); None:
            random weights.
        lookahead_steps: moves at the start that are learned by looking ahead (`cardenvs.train.learning.lookahead`) instead
            of MaskablePPO; needs ``trick_weight`` 0.
        playout_steps: moves at the end that are learned by play-outs of every action (`cardenvs.train.learning.playouts`)
            instead of MaskablePPO, with the learning rate at its start again; needs ``trick_weight`` 0, ``steps`` and a
            ``"plain"`` network.
        off_belief: level of off-belief learning (`cardenvs.train.learning.off_belief`), for games of one side; 0: none. At
            level 1 others' past acts say no more than they show, at a level above what the policy ``below`` would have
            meant. All moves are then learned by play-outs in worlds drawn for the seat to act; needs a ``"plain"`` network,
            critic ``"seat"`` and ``ent_coef`` above 0, which is the temperature.
        below: the policy of the level below, by name or file, required from level 2 on; else None.
        steps: moves to train on, in whole iterations of ``games * rollout`` (SB3's ``total_timesteps``); None: no limit but
            the time.
        minutes: wall time to train for, over all sessions of the run, without compiling and the measurements before and
            after; None: no limit but the steps. A linear learning rate then follows the clock: no two runs are quite the
            same.
        games: games played side by side (SB3's ``n_envs``).
        rollout: moves in each game for an iteration (SB3's ``n_steps``).
        batch_size: approximate decisions in a minibatch (SB3's ``batch_size``).
        epochs: passes over an iteration's decisions (SB3's ``n_epochs``).
        lr: Adam's learning rate at the start (SB3's ``learning_rate``).
        lr_schedule: ``"linear"``, falling to 0 over the run (SB3's ``LinearSchedule``), or ``"constant"``.
        ent_coef: weight of the entropy bonus in the loss, at the start (SB3's ``ent_coef``).
        ent_coef_end: weight of the entropy bonus at the end, reached linearly; None: as at the start.
        vf_coef: weight of the critic's loss (SB3's ``vf_coef``).
        gamma: discount from one decision of a seat to its next, 0 to 1 (SB3's ``gamma``).
        gae_lambda: lambda of the generalised advantage estimates, 0 to 1 (SB3's ``gae_lambda``).
        clip: clipping range of the probability ratio around 1, above 0 (SB3's ``clip_range``).
        max_grad_norm: maximum norm of a gradient (SB3's ``max_grad_norm``).
        net: widths of the hidden layers, for the actor and for the critic (SB3's ``net_arch``).
        network: ``"plain"``: a multilayer perceptron; ``"columns"``, for Five-O: weights that the columns share
            (`cardenvs.train.inference.columns`), two hidden layers, and a critic that sees the seat only.
        activation: ``"relu"`` or ``"tanh"``, in the hidden layers (SB3's ``activation_fn``).
        seed: seed of everything random in the run (SB3's ``seed``).
        threads: threads that play and learn; None: one per core, at most 4. Another number rounds sums in another order and
            gives other weights.
        device: what learns (SB3's ``device``): ``"cuda"``, a GPU; ``"cpu"``; ``"auto"``, a GPU if torch has one. Games are
            always played on the processor, in compiled networks. Checkpoints move between devices.
        precision: type in which layers multiply in PPO and behaviour cloning: ``"float32"``; ``"bfloat16"``, more than
            twice as fast where the device supports it, on the processor behind the first layer; ``"auto"``, bfloat16 where
            supported. Weights and play are float32 either way.
        eval_opponent: the policy that the learning curve is measured against; ``"auto"``: ``coop-high-low`` in Euchre and
            Whist, ``reflex3`` in Five-O, ``random`` in other games (`EVAL_OPPONENTS`).
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
        for name, least in _INTS.items():
            if name not in _OPTIONAL or getattr(self, name) is not None:
                put(self, name, check_int(name, getattr(self, name), least))
        if self.steps is None and self.minutes is None:
            raise ValueError("steps and minutes cannot both be None: a run needs an end")
        for name, (most, above) in _NUMBERS.items():
            if name not in _OPTIONAL or getattr(self, name) is not None:
                self._check_number(name, most, above)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
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
        """Checks ``encoding`` and ``symmetry``, which look-ahead and play-outs do not support."""
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
        """Checks ``off_belief``, ``below``, and the settings that off-belief learning does not support."""
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
        """Checks that a field names a policy of the game or a file, and no code to run: checkpoints keep the settings."""
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

    @property
    def spec(self) -> GameSpec:
        """The spec of the game as the network sees it, with recall if set."""
        return named_game(self.game).with_recall(self.recall)

    @property
    def shown(self) -> int:
        """The number of entries of an observation that the network sees."""
        return self.spec.shown_size(self.encoding)

    def entropy_weight(self, remaining: float) -> float:
        """Returns the weight of the entropy bonus when ``remaining``, 1 to 0, is the share of the run that is left."""
        end = self.ent_coef if self.ent_coef_end is None else self.ent_coef_end
        return end + remaining * (self.ent_coef - end)

    @property
    def iteration(self) -> int:
        """The number of moves in an iteration."""
        return self.games * self.rollout

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields for JSON; `from_dict` is the inverse."""
        return {**asdict(self), "net": list(self.net), "others": list(self.others)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Config:
        """Returns the settings that `as_dict` wrote; fields left out have their defaults.

        Raises:
            ValueError: an unknown field or a wrong value.
        """
        known = {f.name for f in fields(cls)}
        for name in values:
            if name not in known:
                raise _unknown_setting(name, known)
        return cls(**values)

    def differences(self, other: Config) -> list[str]:
        """Lists the fields, other than those of `MAY_CHANGE`, in which two runs differ, each as ``"epochs: 2, not 3"``.

        Args:
            other: the settings of an earlier run, whose values stand first.
        """
        mine, stored = self.as_dict(), other.as_dict()
        return [
            f"{name}: {stored[name]!r}, not {value!r}"
            for name, value in mine.items()
            if name not in MAY_CHANGE and value != stored[name]
        ]


def _unknown_setting(name: str, known: Iterable[str]) -> ValueError:
    names = sorted(known)
    return ValueError(f"unknown setting {name!r}: the settings are {', '.join(names)}{did_you_mean(name, names)}")


_PLAIN_TYPES = {"str": str, "bool": bool, "Mapping[str, Any]": Mapping}


def check_types(values: Mapping[str, Any]) -> None:
    """Checks the types of settings other than numbers; names that are no fields of `Config` are ignored. Raises ValueError
    for a value of another type, naming the field."""
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
    """Returns the settings of a trained policy, with stand-ins for policies they name, which may not be installed here.
    ``values`` is what `Config.as_dict` wrote; unknown settings are ignored. Raises ValueError for no settings, those of
    another game than ``game``, or a wrong value."""
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
    """Raises ValueError, naming all ``differences`` (`Config.differences`), if a run to resume has other settings."""
    if differences:
        raise ValueError(f"the run in {str(folder)!r} has other settings: {'; '.join(differences)}")


def parse_setting(name: str, text: str) -> Any:
    """Parses a field of `Config` from text: numbers, ``yes``, ``no``, ``none``, lists with commas. Raises ValueError for an
    unknown field or text that is no value of its kind; `Config` checks the range."""
    kinds = {f.name: str(f.type) for f in fields(Config) if f.name not in ("game", "options")}
    if name not in kinds:
        raise _unknown_setting(name, kinds)
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
    """Returns the settings in a checkpoint's record; raises ValueError if they cannot be read."""
    try:
        values = checkpoint.record["config"]
        if not isinstance(values, Mapping):
            raise ValueError("they are no values by name")
        return Config.from_dict(values)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"the checkpoint {checkpoint.path!r} has settings that cannot be read: {error_line(error)}"
        ) from error
