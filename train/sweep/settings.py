"""The settings of a sweep: variants of a training, training seeds, the matches that measure all. Needs no torch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from cardenvs.baselines.runs.pairings import PairingPlan, check_size, files_of
from cardenvs.checks import check_int, did_you_mean
from cardenvs.contract.options import show
from cardenvs.contract.registry import named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.registry import split_names
from cardenvs.train.config import Config

MOST_RUNS = 999
"""The most trainings of a sweep."""
CHECKPOINT = "policy.zip"
"""The file in a training's folder that is its checkpoint, and the trained policy."""
_LONGEST_FOLDER = 100


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
        if not self.folder:
            plain = re.sub(r"[^a-z0-9.]+", "-", self.name.lower()).strip("-.")
            object.__setattr__(self, "folder", plain[:_LONGEST_FOLDER].strip("-.") or "variant")


class Run(NamedTuple):
    """One training: the way to train, and the training seed."""

    variant: Variant
    seed: int

    @property
    def config(self) -> Config:
        """The settings."""
        return replace(self.variant.config, seed=self.seed)

    @property
    def label(self) -> str:
        """The training in words."""
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
        for what in ("variants", "seeds"):
            if not getattr(self, what):
                raise ValueError(f"{what} must be at least 1, not 0")
        for seed in self.seeds:
            check_int("seeds", seed, 0)
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError(f"seeds must differ, not {', '.join(map(str, self.seeds))}")
        number = len(self.variants) * len(self.seeds)
        if number > MOST_RUNS:
            raise ValueError(f"a sweep has at most {MOST_RUNS} trainings, not {number}")
        names, folders, game = set[str](), dict[str, str](), self.game
        for variant in self.variants:
            if variant.name in names:
                raise ValueError(f"variants must differ in their names, and {variant.name!r} is given twice")
            names.add(variant.name)
            if variant.folder in folders:
                other = folders[variant.folder]
                raise ValueError(f"variants {other!r} and {variant.name!r} have names too alike for folders of their own")
            folders[variant.folder] = variant.name
            if variant.config.game != game:
                raise ValueError(f"variants are of one game: {variant.name!r} is of {variant.config.game}, not of {game}")
            for what, value in (("steps", variant.config.steps), ("threads", variant.config.threads)):
                if value is None:
                    raise ValueError(
                        f"{what} must be an int of at least 1 in {variant.name!r}: trainings are to be repeatable"
                    )
            if variant.config.minutes is not None:
                raise ValueError(
                    f"minutes must be left out in {variant.name!r}: all trainings have the same budget, in steps"
                )
        self._check_measure()

    def _check_measure(self) -> None:
        """Checks `measure`, whatever the trained policies will be."""
        measure, names = self.measure, [variant.name for variant in self.variants]
        if not measure.opponents:
            raise ValueError("opponents must be at least 1, not 0")
        if len(set(measure.opponents)) < len(measure.opponents):
            raise ValueError(f"opponents must differ, not {', '.join(measure.opponents)}")
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
        """The name of the game."""
        return self.variants[0].config.game

    @property
    def runs(self) -> list[Run]:
        """All trainings, variant by variant."""
        return [Run(variant, seed) for variant in self.variants for seed in self.seeds]

    def same_rules(self) -> Iterator[list[Variant]]:
        """The variants in groups that have the same rule options, which play the same deals."""
        left = list(self.variants)
        while left:
            group = [variant for variant in left if variant.config.options == left[0].config.options]
            left = [variant for variant in left if variant not in group]
            yield group

    def as_dict(self) -> dict[str, Any]:
        """The settings as plain values for JSON; ``training`` has those that all variants have in common."""
        whole = {variant.name: _settings(variant.config) for variant in self.variants}
        first = whole[self.variants[0].name]
        common = {key: value for key, value in first.items() if all(each[key] == value for each in whole.values())}
        return {
            "name": self.name,
            "game": self.game,
            "seeds": list(self.seeds),
            "training": common,
            "variants": {
                name: {key: value for key, value in each.items() if key not in common} for name, each in whole.items()
            },
            "opponents": list(self.measure.opponents),
            "deals": self.measure.deals,
            "seed": self.measure.seed,
            "reference": self.measure.reference,
        }

    def differences(self, variant: Variant) -> list[str]:
        """The settings of a variant that differ from the first one's, each as ``"epochs 4"``; of the first itself none."""
        first, own = _settings(self.variants[0].config), _settings(variant.config)
        return [setting_text(name, value) for name, value in own.items() if value != first[name]]


def _settings(config: Config) -> dict[str, Any]:
    """The settings of a training but for its game and seed, rule options among them by their names."""
    values = config.as_dict()
    options = values.pop("options")
    return {
        **{f"options.{name}": value for name, value in options.items()},
        **{name: value for name, value in values.items() if name not in ("game", "seed")},
    }


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

    @classmethod
    def of_files(
        cls,
        spec: GameSpec,
        options: Mapping[str, Any],
        policies: Sequence[str],
        opponents: Sequence[str],
        references: Sequence[tuple[int, int]] = (),
        *,
        deals: int,
        seed: int,
    ) -> Self:
        """The settings, completed by what is in the policies' files; ValueError for a policy that cannot be made."""
        return cls(
            spec=spec, options=dict(options), seed=seed, files=files_of(spec, [*policies, *opponents]), deals=deals,
            description=spec.digest, policies=list(policies), opponents=list(opponents), references=list(references),
        )  # fmt: skip

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
    """The settings of the matches of variants with the same rules, and the trainings whose policies they name.

    Args:
        group: the variants, a group of `Sweep.same_rules`.
        out: the sweep's folder, with all trainings complete.

    Raises:
        ValueError: a policy that cannot be made.
    """
    runs = [run for run in sweep.runs if run.variant in group]
    first = {run.seed: k for k, run in enumerate(runs) if run.variant.name == sweep.measure.reference}
    references = [(k, first[run.seed]) for k, run in enumerate(runs) if first and k != first[run.seed]]
    measure = sweep.measure
    settings = MatchSettings.of_files(
        named_game(sweep.game), group[0].config.options, [str(out / run.policy) for run in runs], measure.opponents,
        references, deals=measure.deals, seed=measure.seed,
    )  # fmt: skip
    return settings, runs
