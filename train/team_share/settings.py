"""The settings of the experiment: its trainings and their measurement. Needs no torch."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from cardenvs.baselines.crossplay import OPPONENTS, crossplay_settings
from cardenvs.checks import did_you_mean
from cardenvs.train.config import ALIKE, Config
from cardenvs.train.sweep.settings import Measure, Run, Sweep, Variant

GAME = "euchre"
"""The game of the experiment."""
SHARES = (0.0, 0.5, 1.0)
"""Values of ``team_share`` by default."""
BIDDINGS = ("forced-spades", "full")
"""Variants of Euchre, values of its rule option ``bidding``."""
FIXED = ("game", "options", "reward", "team_share", "seed", "minutes")
"""Fields of `Config` that the experiment sets itself: all runs have the same budget and differ in share and seed only."""


@dataclass(frozen=True)
class Experiment:
    """The settings of the trainings and of their measurement.

    Attributes:
        biddings: variants of Euchre, each an experiment of its own.
        shares: values of ``team_share``, at least two.
        seeds: training seeds, the same for every share.
        training: fields of `Config` for every run, none of them in `FIXED`; what is not given has its default, or
            its value in `ALIKE`.
        opponents: sides that all partnerships are measured against.
        deals: duplicate deals of each partnership against each opponent, in each order of the partners' seats.
        seed: seed of those deals.

    Raises:
        ValueError: a list that is too short or has a value twice, or a wrong value; the message names the field.
    """

    biddings: tuple[str, ...] = BIDDINGS
    shares: tuple[float, ...] = SHARES
    seeds: tuple[int, ...] = (0, 1, 2)
    training: Mapping[str, Any] = field(default_factory=dict)
    opponents: tuple[str, ...] = OPPONENTS
    deals: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("biddings", 1), ("shares", 2), ("seeds", 1), ("opponents", 1)):
            values = getattr(self, name)
            if len(set(values)) < len(values):
                raise ValueError(f"{name} must differ, not {', '.join(map(str, values))}")
            if len(values) < least:
                raise ValueError(f"{name} must be at least {least}, not {len(values)}")
        allowed = [f.name for f in fields(Config) if f.name not in FIXED]
        for name in self.training:
            if name not in allowed:
                raise ValueError(
                    f"unknown training setting {name!r}: the settings are {', '.join(allowed)}{did_you_mean(name, allowed)}"
                )
        if self.training.get("steps", 1) is None:
            raise ValueError("steps must be an int of at least 1, not None: all runs have the same budget")
        self.sweep()
        # The opponents and the deals: whatever the policies will be.
        for bidding in self.biddings:
            crossplay_settings(
                GAME, ["low", "high"], opponents=self.opponents, deals=self.deals, seed=self.seed, bidding=bidding
            )

    def run(self, bidding: str, share: float, seed: int) -> Run:
        """One training run, in a folder such as ``full/share-0.5-seed-1``.

        Args:
            bidding: the variant of Euchre.
            share: the value of ``team_share``.
            seed: the training seed.
        """
        config = Config(GAME, options={"bidding": bidding}, team_share=share, **{**ALIKE, **self.training})
        return Run(Variant(f"bidding {bidding}, team_share {share:g}", config, f"{bidding}/share-{share:g}"), seed)

    def sweep(self) -> Sweep:
        """The trainings of the experiment as a sweep."""
        variants = [self.run(*which, 0).variant for which in itertools.product(self.biddings, self.shares)]
        return Sweep("team-share", tuple(variants), self.seeds, Measure(self.opponents, self.deals, self.seed))

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON, ``training`` with all settings that the runs have in common."""
        whole = self.run(self.biddings[0], self.shares[0], self.seeds[0]).config.as_dict()
        return {**asdict(self), "training": {name: value for name, value in whole.items() if name not in FIXED}}


def experiment_of(sweep: Sweep, file: str) -> Experiment:
    """The experiment that a sweep is.

    Args:
        sweep: the sweep.
        file: what messages call it.

    Raises:
        ValueError: it is none: of another game, or with variants that are not every bidding with every share.
    """
    configs = [variant.config for variant in sweep.variants]
    biddings = dict.fromkeys(str(config.options.get("bidding")) for config in configs)
    training = {name: value for name, value in configs[0].as_dict().items() if name not in FIXED}
    measure = sweep.measure
    known = sweep.game == GAME and measure.reference is None
    try:
        if known:
            shares = tuple(dict.fromkeys(config.team_share for config in configs))
            experiment = Experiment(
                tuple(biddings), shares, sweep.seeds, training, measure.opponents, measure.deals, measure.seed
            )
            meant = [variant.config for variant in experiment.sweep().variants]
            known = len(meant) == len(configs) and all(config in meant for config in configs)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    if not known:
        raise ValueError(
            f"{file}: the report team-share is for sweeps in Euchre, without a reference, whose variants are every bidding "
            "with every team_share and differ in nothing else"
        )
    return experiment
