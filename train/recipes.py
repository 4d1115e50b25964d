"""Recipes: the settings that the shipped policies were trained with, by name."""

from __future__ import annotations

from types import MappingProxyType

from cardenvs.suggestions import did_you_mean
from cardenvs.train.config import Config

_COMMON = {"net": (256, 256), "eval_deals": 5000, "eval_every": 20}

RECIPES = MappingProxyType(
    {
        "euchre": Config(
            "euchre",
            imitate="monte-carlo:worlds=30,calling=standard",
            imitate_decisions=200_000,
            steps=20_000_000,
            eval_opponent="hybrid",
            **_COMMON,  # type: ignore[arg-type]
        ),
        "euchre--forced-spades": Config(
            "euchre",
            {"bidding": "forced-spades"},
            imitate="monte-carlo:worlds=30",
            imitate_decisions=150_000,
            steps=36_000_000,
            eval_opponent="coop-high-low",
            # Wider layers learn no more here, and more slowly: 128 and 256 reach the same after 12 million decisions.
            **(_COMMON | {"net": (64, 64), "eval_every": 80}),  # type: ignore[arg-type]
        ),
        "five-o": Config(
            "five-o",
            network="columns",
            critic="seat",
            net=(64, 64),
            lookahead_steps=4_000_000,  # the whole run: a million further moves of PPO gain nothing
            steps=4_000_000,
            lr=1e-3,
            eval_opponent="reflex3",
            eval_deals=5000,
            eval_every=20,
        ),
        "whist": Config(
            "whist",
            reward="tricks",
            vf_coef=0.05,  # a deal's tricks differ by far more than one: the value loss would drown the rest
            imitate="monte-carlo:worlds=30",
            imitate_decisions=600_000,
            steps=10_000_000,
            eval_opponent="poe",
            **(_COMMON | {"eval_deals": 2000, "eval_every": 30}),  # type: ignore[arg-type]
        ),
    }
)
"""The settings by the name of the file that was shipped: ``GAME`` or ``GAME--RULES``."""


def recipe(name: str) -> Config:
    """The settings that a shipped policy was trained with.

    Args:
        name: a key of `RECIPES`.

    Raises:
        ValueError: unknown name; the message lists the known ones.
    """
    if name not in RECIPES:
        raise ValueError(f"unknown recipe {name!r}: the recipes are {', '.join(RECIPES)}{did_you_mean(name, RECIPES)}")
    return RECIPES[name]
