"""The settings of a training run, named as in Stable-Baselines3 where it has them. Needs no torch."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cardenvs import policy
from cardenvs.checks import check_int, check_number, did_you_mean, is_int
from cardenvs.contract.registry import named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import check_reward
from cardenvs.policy.replay import can_replay
from cardenvs.train.models.checkpoint import Checkpoint
from cardenvs.train.models.entries import refused_as
from cardenvs.train.models.weights import ACTIVATIONS, MOST_LAYERS, MOST_WIDTH

ALIKE: Mapping[str, Any] = MappingProxyType({"threads": 1, "device": "cpu", "precision": "float32"})
"""Default settings of a study's trainings: the results are the same on all machines of one kind."""

EVAL_OPPONENTS: Mapping[str, str] = MappingProxyType(
    {"euchre": "coop-high-low", "whist": "coop-high-low", "five-o": "reflex3"}
)
"""The opponent of ``eval_opponent="auto"`` by game, fast policies; ``"random"`` in others."""

# Fields that may differ when a run is resumed: for how long and how the run goes on, not what it learns.
MAY_CHANGE = ("steps", "minutes", "threads", "device", "precision", "checkpoint_minutes")

_OPTIONAL = ("steps", "threads", "minutes", "ent_coef_end")  # numbers that may be None
# What a setting requires of others where it is given.
_WHERE_GIVEN: Mapping[str, Mapping[str, Any]] = {
    "lookahead_steps": {"trick_weight": 0},
    "playout_steps": {"trick_weight": 0, "network": "plain"},
    "encoding": {"lookahead_steps": 0, "playout_steps": 0},
    "symmetry": {"lookahead_steps": 0, "playout_steps": 0},
    "off_belief": {
        "network": "plain", "critic": "seat", "encoding": None, "symmetry": None, "trick_weight": 0, "lookahead_steps": 0,
        "playout_steps": 0,
    },
    "imitate": {"start": None},
}  # fmt: skip


def at_least(least: int) -> dict[str, Any]:
    """The metadata of a field that is an int of at least ``least``."""
    return {"check": partial(check_int, least=least)}


def from_zero(most: float = math.inf, above: bool = False) -> dict[str, Any]:
    """The metadata of a field that is a number from 0, or above it, to ``most``."""

    def check(name: str, value: Any) -> float:
        number = check_number(name, value, 0, most, above)
        return value if isinstance(value, (int, float)) else number  # NumPy's numbers become Python's, for JSON

    return {"check": check}


def one_of(*choices: str) -> dict[str, Any]:
    """The metadata of a field that is one of some words."""

    def check(name: str, value: str) -> str:
        if value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
        return value

    return {"check": check}


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
    critic: str = field(default="full", metadata=one_of("full", "seat"))
    imitate: str | None = None
    imitate_decisions: int = field(default=400_000, metadata=at_least(1))
    imitate_epochs: int = field(default=4, metadata=at_least(1))
    others: tuple[str, ...] = ()
    others_share: float = field(default=0.0, metadata=from_zero(1))
    others_seats: str = field(default="any", metadata=one_of("any", "opponents"))
    past_share: float = field(default=0.0, metadata=from_zero(1))
    past_every: int = field(default=20, metadata=at_least(1))
    trick_weight: float = field(default=0.0, metadata=from_zero())
    start: str | None = None
    lookahead_steps: int = field(default=0, metadata=at_least(0))
    playout_steps: int = field(default=0, metadata=at_least(0))
    off_belief: int = field(default=0, metadata=at_least(0))
    below: str | None = None
    steps: int | None = field(default=3_000_000, metadata=at_least(1))
    minutes: float | None = field(default=None, metadata=from_zero(above=True))
    games: int = field(default=512, metadata=at_least(1))
    rollout: int = field(default=64, metadata=at_least(1))
    batch_size: int = field(default=2048, metadata=at_least(1))
    epochs: int = field(default=2, metadata=at_least(1))
    lr: float = field(default=2e-3, metadata=from_zero(above=True))
    lr_schedule: str = field(default="linear", metadata=one_of("linear", "constant"))
    ent_coef: float = field(default=0.015, metadata=from_zero())
    ent_coef_end: float | None = field(default=None, metadata=from_zero())
    vf_coef: float = field(default=0.5, metadata=from_zero())
    gamma: float = field(default=1.0, metadata=from_zero(1))
    gae_lambda: float = field(default=0.9, metadata=from_zero(1))
    clip: float = field(default=0.2, metadata=from_zero(1, above=True))
    max_grad_norm: float = field(default=0.5, metadata=from_zero(above=True))
    net: tuple[int, ...] = (256, 128)
    network: str = field(default="plain", metadata=one_of("plain", "columns"))
    activation: str = field(default="relu", metadata=one_of(*ACTIVATIONS))
    seed: int = field(default=0, metadata=at_least(0))
    threads: int | None = field(default=None, metadata=at_least(1))
    device: str = field(default="auto", metadata=one_of("auto", "cpu", "cuda"))
    precision: str = field(default="auto", metadata=one_of("auto", "float32", "bfloat16"))
    eval_opponent: str = "auto"
    eval_deals: int = field(default=1000, metadata=at_least(1))
    eval_every: int = field(default=10, metadata=at_least(0))
    checkpoint_minutes: float = field(default=2.0, metadata=from_zero(above=True))

    def __post_init__(self) -> None:
        check_types({f.name: getattr(self, f.name) for f in fields(self)})
        spec = named_game(self.game)
        codes = spec.option_codes(self.options)
        put = partial(object.__setattr__, self)
        put("game", spec.name)
        put("options", {o.name: o.decode(codes[o.name]) for o in spec.options})
        put("reward", spec.rewards[0] if self.reward is None else self.reward)
        check_reward(spec, self.reward, self.team_share)
        if self.eval_opponent == "auto":
            put("eval_opponent", EVAL_OPPONENTS.get(spec.name, "random"))
        put("others", tuple(self.others))
        for f in fields(self):
            value = getattr(self, f.name)
            if "check" in f.metadata and not (value is None and f.name in _OPTIONAL):
                put(f.name, f.metadata["check"](f.name, value))
        self._check_run()
        self._check_network(spec)
        self._check_off_belief(spec)
        for given, required in _WHERE_GIVEN.items():
            for name, value in required.items():
                if getattr(self, given) not in (None, 0) and getattr(self, name) != value:
                    raise ValueError(f"{name} must be {value!r} where {given} is given, not {getattr(self, name)!r}")
        named = [("eval_opponent", self.eval_opponent), ("imitate", self.imitate), ("start", self.start)]
        for field_name, policy_name in [*named, *(("others", name) for name in self.others), ("below", self.below)]:
            if policy_name is not None:
                self._check_policy(field_name, policy_name)

    def _check_run(self) -> None:
        """Checks settings of the length and the games of the run that depend on each other."""
        if self.steps is None and self.minutes is None:
            raise ValueError("steps and minutes cannot both be None: a run needs an end")
        if self.others_share + self.past_share > 1:
            raise ValueError(
                f"others_share and past_share must be at most 1 together, not {self.others_share!r} and {self.past_share!r}"
            )
        if self.others_share > 0 and not self.others:
            raise ValueError(f"others must name a policy where others_share is {self.others_share!r}")
        if self.playout_steps and (self.steps is None or self.playout_steps + self.lookahead_steps > self.steps):
            wrong = f"{self.lookahead_steps} of lookahead_steps and {self.playout_steps} of playout_steps"
            raise ValueError(f"steps must be at least {wrong}, not {self.steps}")
        if self.games * self.rollout < 2:
            raise ValueError("games and rollout cannot both be 1: advantages are compared within an iteration")

    def _check_network(self, spec: GameSpec) -> None:
        """Checks the network's widths and kind, and its entries of observations."""
        if self.recall and not spec.recall_parts:
            raise ValueError(f"recall must be False in {spec.name}, which knows no recall")
        seen = spec.with_recall(self.recall)
        seen.shown_size(self.encoding)
        if self.symmetry is not None:
            seen.symmetry(self.symmetry)
        net = tuple(map(int, self.net))
        if not 1 <= len(net) <= MOST_LAYERS or not all(1 <= width <= MOST_WIDTH for width in net):
            allowed = f"1 to {MOST_LAYERS} ints from 1 to {MOST_WIDTH}"
            raise ValueError(f"net must be widths of hidden layers, {allowed}, not {net!r}")
        object.__setattr__(self, "net", net)
        if self.network == "columns" and spec.column_game is None:
            raise ValueError(f"network 'columns' is for five-o, not for {self.game}")
        if self.network == "columns" and (self.critic != "seat" or len(net) != 2):
            wrong = f"critic={self.critic!r} and {len(net)} layers"
            raise ValueError(f"network 'columns' has critic='seat' and two hidden layers in net, not {wrong}")
        if self.network == "columns" and self.recall:
            raise ValueError("network 'columns' sees no order of play: recall must be False, not True")

    def _check_off_belief(self, spec: GameSpec) -> None:
        """Checks ``off_belief`` and ``below``."""
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
        check_number("ent_coef", self.ent_coef, 0, above=True)

    def _check_policy(self, field_name: str, name: str) -> None:
        """Checks that a field names a policy of the game or a file, and no code to run: checkpoints keep the settings."""
        if name == "random":  # which plays every game; to list the others, all are loaded
            return
        if any(map(policy.runs_code, re.split("[=+]", name))):
            wrong = f"{field_name} must name no program or code to be run, as {name!r}"
            raise ValueError(f"{wrong}: checkpoints keep the settings")
        known = [each for each in policy.names(self.spec) if not policy.runs_code(each)]
        if policy.path_of(name) is None and name.partition(":")[0] not in known:
            raise ValueError(f"{field_name} must be one of {', '.join(known)} or a file, not {name!r}")

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
        """Returns the settings that `as_dict` wrote; fields left out have their defaults. Raises ValueError for an unknown
        field or a wrong value."""
        known = {f.name for f in fields(cls)}
        for name in values:
            if name not in known:
                raise _unknown_setting(name, known)
        return cls(**values)

    def differences(self, other: Config) -> list[str]:
        """Lists the fields, other than those of `MAY_CHANGE`, in which two runs differ, each as ``"epochs: 2, not 3"``; the
        values of ``other``, an earlier run, stand first."""
        stored = other.as_dict()
        changed = {
            name: value for name, value in self.as_dict().items() if name not in MAY_CHANGE and value != stored[name]
        }
        return [f"{name}: {stored[name]!r}, not {value!r}" for name, value in changed.items()]


def _unknown_setting(name: str, known: Iterable[str]) -> ValueError:
    names = sorted(known)
    return ValueError(f"unknown setting {name!r}: the settings are {', '.join(names)}{did_you_mean(name, names)}")


def _is_list(value: Any, check: Callable[[Any], bool]) -> bool:
    return isinstance(value, (list, tuple)) and all(map(check, value))


# By the annotation of a field: what it must be in words, and the check of that.
_TYPES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("a text", lambda value: isinstance(value, str)),
    "bool": ("True or False", lambda value: isinstance(value, bool)),
    "Mapping[str, Any]": ("values by name", lambda value: isinstance(value, Mapping)),
    "tuple[str, ...]": ("texts", lambda value: _is_list(value, lambda item: isinstance(item, str))),
    "tuple[int, ...]": ("ints", lambda value: _is_list(value, is_int)),
}


def check_types(values: Mapping[str, Any]) -> None:
    """Checks the types of settings other than numbers; names that are no fields of `Config` are ignored. Raises ValueError
    for a value of another type, naming the field."""
    for f in fields(Config):
        kind, _, optional = str(f.type).partition(" | ")
        if f.name in values and kind in _TYPES and not (optional and values[f.name] is None):
            words, is_right = _TYPES[kind]
            if not is_right(values[f.name]):
                raise ValueError(f"{f.name} must be {words}{' or None' if optional else ''}, not {values[f.name]!r}")


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


def stored_config(checkpoint: Checkpoint, game: GameSpec | None = None) -> Config:
    """Returns the settings in a checkpoint's record. Raises ValueError if they cannot be read, or if the run is to go on in
    ``game`` and is one of another game, description or layout."""
    if game is not None:
        checkpoint.check_description(game)
        checkpoint.check_game(game)
    what = f"the checkpoint {checkpoint.path!r} has settings that cannot be read"
    with refused_as(what, (KeyError, TypeError, ValueError)):  # entries have been checked: they are values by name
        return Config.from_dict(checkpoint.record["config"])
