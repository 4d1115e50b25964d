"""The settings of the experiment: what is trained, and how it is measured. Needs no torch."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from cardenvs.baselines.crossplay import OPPONENTS, crossplay_settings
from cardenvs.suggestions import did_you_mean
from cardenvs.train.config import Config

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
    """What to train and how to measure it.

    Attributes:
        biddings: variants of Euchre, each an experiment of its own.
        shares: values of ``team_share``, at least two.
        seeds: training seeds, the same for every share.
        training: fields of `Config` for every run, none of them in `FIXED`; what is not given has its default.
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
        for run in itertools.product(self.biddings, self.shares, self.seeds):
            self.config(*run)
        # The opponents and the deals: whatever the policies will be.
        for bidding in self.biddings:
            crossplay_settings(
                GAME, ["low", "high"], opponents=self.opponents, deals=self.deals, seed=self.seed, bidding=bidding
            )

    def config(self, bidding: str, share: float, seed: int) -> Config:
        """The settings of one training run.

        Args:
            bidding: the variant of Euchre.
            share: the value of ``team_share``.
            seed: the training seed.
        """
        return Config(GAME, options={"bidding": bidding}, team_share=share, seed=seed, **self.training)

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON, ``training`` with all settings that the runs have in common."""
        whole = self.config(self.biddings[0], self.shares[0], self.seeds[0]).as_dict()
        return {**asdict(self), "training": {name: value for name, value in whole.items() if name not in FIXED}}


def run_folder(out: Path, bidding: str, share: float, seed: int) -> Path:
    """The folder of one training run, such as ``OUT/full/share-0.5-seed-1``.

    Args:
        out: the folder of the experiment.
        bidding: the variant of Euchre.
        share: the value of ``team_share``.
        seed: the training seed.
    """
    return out / bidding / f"share-{share:g}-seed-{seed}"
