"""The settings of a sweep: variants of a training, training seeds, the matches that measure all. Needs no torch."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from cardenvs.baselines.runs.pairings import PairingPlan, check_size, files_of
from cardenvs.checks import check_int, did_you_mean
from cardenvs.contract.options import show
from cardenvs.contract.registry import named_game
from cardenvs.policy.registry import split_names
from cardenvs.train.config import Config

MOST_RUNS = 999  # the most trainings of a sweep
CHECKPOINT = "policy.zip"  # the file in a training's folder that is its checkpoint, and the trained policy
LONGEST_FOLDER = 100  # the most letters of a training's folder without its seed


def folder_name(text: str, longest: int | None = None) -> str:
    """A name as a part of a folder's name, of at most ``longest`` letters; may be empty."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:longest].strip("-.")


def check_different(name: str, values: Sequence[Any], least: int = 1) -> None:
    """Raises ValueError unless a list has at least ``least`` values, none of them twice."""
    if len(values) < least:
        raise ValueError(f"{name} must be at least {least}, not {len(values)}")
    if len(set(values)) < len(values):
        raise ValueError(f"{name} must differ, not {', '.join(map(str, values))}")


@dataclass(frozen=True)
class Variant:
    """One way to train."""

    name: str
    """The name in reports."""
    config: Config
    """The settings of its trainings; each has a seed of its own."""
    folder: str = ""
    """The beginning of the names of its trainings' folders, within the sweep's; by default made of the name."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", self.folder or folder_name(self.name, LONGEST_FOLDER) or "variant")


class Run(NamedTuple):
    """One training: the way to train, and the training seed."""

    variant: Variant
    seed: int

    @property
    def config(self) -> Config:
        return replace(self.variant.config, seed=self.seed)

    @property
    def label(self) -> str:
        return f"{self.variant.name}, seed {self.seed}"

    @property
    def policy(self) -> str:
        """The path of the checkpoint within the sweep's folder, such as ``small-net-seed-0/policy.zip``."""
        return f"{self.variant.folder}-seed-{self.seed}/{CHECKPOINT}"


@dataclass(frozen=True)
class Measure:
    """The settings by which every trained policy is measured."""

    opponents: tuple[str, ...]
    """Sides, by the names of their policies."""
    deals: int = 1000
    """Duplicate deals against each of them."""
    seed: int = 0
    """The seed of the deals."""
    reference: str | None = None
    """A variant whose policies all others are measured against, each against that of its training seed; None: none."""


@dataclass(frozen=True)
class Sweep:
    """Many trainings of one game as one job.

    Raises:
        ValueError: a list that is empty or has a value twice, more than `MOST_RUNS` trainings, variants of several games,
            settings under which a training is not the same wherever it runs, a wrong measure; says which.
    """

    name: str
    variants: tuple[Variant, ...]
    seeds: tuple[int, ...]
    """Training seeds, the same for every variant."""
    measure: Measure

    def __post_init__(self) -> None:
        if not self.variants:
            raise ValueError("variants must be at least 1, not 0")
        check_different("seeds", [check_int("seeds", seed, 0) for seed in self.seeds])
        number = len(self.variants) * len(self.seeds)
        if number > MOST_RUNS:
            raise ValueError(f"a sweep has at most {MOST_RUNS} trainings, not {number}")
        folders = dict[str, str]()
        for variant in self.variants:
            name, config, other = variant.name, variant.config, folders.get(variant.folder)
            if name in folders.values():
                raise ValueError(f"variants must differ in their names, and {name!r} is given twice")
            if other is not None:
                raise ValueError(f"variants {other!r} and {name!r} have names too alike for folders of their own")
            folders[variant.folder] = name
            if config.game != self.game:
                raise ValueError(f"variants are of one game: {name!r} is of {config.game}, not of {self.game}")
            for what, value in (("steps", config.steps), ("threads", config.threads)):
                if value is None:
                    raise ValueError(f"{what} must be an int of at least 1 in {name!r}: trainings are to be repeatable")
            if config.minutes is not None:
                raise ValueError(f"minutes must be left out in {name!r}: all trainings have the same budget, in steps")
        self._check_measure()

    def _check_measure(self) -> None:
        """Checks `measure`, without the trained policies."""
        measure, names = self.measure, [variant.name for variant in self.variants]
        check_different("opponents", measure.opponents)
        check_size(measure.deals, measure.seed)
        files_of(self.variants[0].config.spec.plain, measure.opponents)
        if measure.reference is None:
            return
        if measure.reference not in names:
            meant = did_you_mean(measure.reference, names)
            raise ValueError(f"reference must be one of {', '.join(map(repr, names))}, not {measure.reference!r}{meant}")
        for variant in self.variants:
            if variant.config.options != self.variants[names.index(measure.reference)].config.options:
                raise ValueError(f"reference {measure.reference!r} has other rule options than {variant.name!r}")

    @property
    def game(self) -> str:
        return self.variants[0].config.game

    @property
    def runs(self) -> list[Run]:
        """All trainings, variant by variant."""
        return [Run(variant, seed) for variant in self.variants for seed in self.seeds]

    def same_rules(self) -> Iterator[list[Variant]]:
        """The variants in groups that have the same rule options, which play the same deals."""
        left = list(self.variants)
        while left:
            yield [variant for variant in left if variant.config.options == left[0].config.options]
            left = [variant for variant in left if variant.config.options != left[0].config.options]

    def as_dict(self) -> dict[str, Any]:
        """The settings as plain values for JSON; ``training`` has those that all variants have in common."""
        whole = {variant.name: _settings(variant.config) for variant in self.variants}
        first = whole[self.variants[0].name]
        common = {key: value for key, value in first.items() if all(each[key] == value for each in whole.values())}
        own = {name: {key: value for key, value in each.items() if key not in common} for name, each in whole.items()}
        measure = asdict(self.measure) | {"opponents": list(self.measure.opponents)}
        return {
            "name": self.name, "game": self.game, "seeds": list(self.seeds), "training": common, "variants": own, **measure
        }  # fmt: skip

    def differences(self, variant: Variant) -> list[str]:
        """The settings of a variant that differ from the first one's, each as ``"epochs 4"``; of the first itself none."""
        first, own = _settings(self.variants[0].config), _settings(variant.config)
        return [setting_text(name, value) for name, value in own.items() if value != first[name]]


def _settings(config: Config) -> dict[str, Any]:
    """The settings of a training without its game and seed, rule options among them by their names."""
    values = {name: value for name, value in config.as_dict().items() if name not in ("game", "seed", "options")}
    return {f"options.{name}": value for name, value in config.options.items()} | values


def setting_text(name: str, value: Any) -> str:
    """A setting in words: ``bidding full``, ``net 64,64``, ``imitate none``."""
    if value is None or value in ([], ()):
        text = "none"
    else:
        text = ",".join(map(show, value)) if isinstance(value, (list, tuple)) else show(value)
    return f"{name.removeprefix('options.')} {text}"


@dataclass(frozen=True, kw_only=True)
class MatchSettings(PairingPlan):
    """The settings of the matches of policies that are trained under the same rules."""

    policies: list[str]  # paths of the trained policies
    opponents: list[str]  # the sides that all of them play against
    # Of each policy that plays against another one of them both numbers.
    references: list[tuple[int, int]] = field(metadata={"differs": "another reference"})

    kind: ClassVar[str] = "measurement"
    otherwise: ClassVar[str] = "delete that folder, and all is measured anew: what is trained stays"

    @property
    def sides(self) -> list[list[str]]:
        """The policies of every side: the trained ones, then the opponents."""
        return [*([path] for path in self.policies), *map(split_names, self.opponents)]

    @property
    def pairs(self) -> list[tuple[int, ...]]:
        """The pairings: every trained policy against every opponent, then those against references."""
        trained = len(self.policies)
        against = [(a, trained + b) for a in range(trained) for b in range(len(self.opponents))]
        return [*against, *self.references]


def match_settings(sweep: Sweep, group: Sequence[Variant], out: Path) -> tuple[MatchSettings, list[Run]]:
    """The settings of the matches of variants with the same rules, a group of `Sweep.same_rules`, and the trainings whose
    policies they name; all trainings in the folder are complete. Raises ValueError for a policy that cannot be made."""
    runs = [run for run in sweep.runs if run.variant in group]
    first = {run.seed: k for k, run in enumerate(runs) if run.variant.name == sweep.measure.reference}
    references = [(k, first[run.seed]) for k, run in enumerate(runs) if first and k != first[run.seed]]
    measure = sweep.measure
    settings = MatchSettings.checked(
        named_game(sweep.game), group[0].config.options, deals=measure.deals, seed=measure.seed,
        policies=[str(out / run.policy) for run in runs], opponents=list(measure.opponents), references=references,
    )  # fmt: skip
    return settings, runs
