"""Recipes: named settings, those of the shipped policies and ways to train a team."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from cardenvs.checks import did_you_mean
from cardenvs.contract.spec import GameSpec
from cardenvs.train.config import Config

_COMMON: dict[str, Any] = {"net": (256, 256), "eval_deals": 5000, "eval_every": 20}
_SECOND: dict[str, Any] = {
    "start": "learned:generation=1",
    "games": 1024,
    "batch_size": 4096,
    "lr": 1e-3,
    "net": (256, 256),
    "threads": 1,
    "device": "cpu",
    "eval_opponent": "learned:generation=1",
}
_TEAM: dict[str, Any] = {
    "games": 128,  # small iterations: a team must find early that there is anything to win
    "lr": 1e-3,
    "epochs": 4,
    "net": (256, 256),
    "threads": 1,
    "device": "cpu",
    "eval_opponent": "random",
    "eval_every": 40,
}
_RELAY: dict[str, Any] = {
    "epochs": 4,
    "ent_coef": 0.01,
    "gae_lambda": 0.95,
    "net": (256, 256),
    "threads": 1,
    "device": "cpu",
    "eval_opponent": "random",
    "eval_every": 20,
}
_OFF_BELIEF = _TEAM | {"critic": "seat", "ent_coef": 0.05, "batch_size": 512}
_PLAYED_OUT = _SECOND | {"epochs": 1, "rollout": 32, "ent_coef": 0.01, "eval_deals": 10_000, "eval_every": 100}


class Recipes(Mapping[str, Config]):
    """Settings by name, each built on first use because a described game's settings need its description to be compiled."""

    def __init__(self, ways: Mapping[str, partial[Config]]) -> None:
        self._ways, self._made = dict(ways), dict[str, Config]()

    def __getitem__(self, name: str) -> Config:
        if name not in self._made:
            self._made[name] = self._ways[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ways)

    def __len__(self) -> int:
        return len(self._ways)

    def names_for_game(self, game: GameSpec) -> list[str]:
        """Returns the names of the recipes for a game; a form of a game has those of its family."""
        return [name for name, way in self._ways.items() if way.args[0] == game.family]


def _recipe(game: str, rules: Mapping[str, Any] | None = None, **settings: Any) -> partial[Config]:
    return partial(Config, game, rules or {}, **settings)


RECIPES = Recipes(
    {
        "euchre": _recipe(
            "euchre",
            imitate="monte-carlo:worlds=30,calling=standard",
            imitate_decisions=200_000,
            steps=20_000_000,
            eval_opponent="hybrid",
            **_COMMON,
        ),
        "euchre--forced-spades": _recipe(
            "euchre",
            {"bidding": "forced-spades"},
            imitate="monte-carlo:worlds=30",
            imitate_decisions=150_000,
            steps=36_000_000,
            eval_opponent="coop-high-low",
            # Wider layers learn no more here, and more slowly: 128 and 256 reach the same after 12 million decisions.
            **(_COMMON | {"net": (64, 64), "eval_every": 80}),
        ),
        "five-o": _recipe(
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
        "whist": _recipe(
            "whist",
            reward="tricks",
            vf_coef=0.05,  # a deal's tricks differ by far more than one: the value loss would drown the rest
            imitate="monte-carlo:worlds=30",
            imitate_decisions=600_000,
            steps=10_000_000,
            eval_opponent="poe",
            **(_COMMON | {"eval_deals": 2000, "eval_every": 30}),
        ),
        # On a GPU beside 16 cores. Without the order of play a clone of SmartBot cannot know what was meant by past hints.
        "hanabi": _recipe(
            "hanabi",
            recall=True,
            imitate="smartbot",
            imitate_decisions=2_500_000,
            steps=None,
            minutes=8.4,
            games=2048,
            batch_size=8192,
            lr=1e-3,
            ent_coef=0.02,
            ent_coef_end=0.003,
            gae_lambda=0.95,
            net=(512, 256),
            threads=3,
            device="cuda",
            precision="float32",
            eval_deals=1000,
            eval_every=40,
        ),
        # From the weights of the generation before: PPO has gained nothing more in Euchre, play-outs of every action have.
        "generation-2/euchre": _recipe("euchre", steps=40_000_000, playout_steps=40_000_000, **_PLAYED_OUT),
        "generation-2/euchre--forced-spades": _recipe(
            "euchre",
            {"bidding": "forced-spades"},
            steps=24_000_000,
            playout_steps=24_000_000,
            **(_PLAYED_OUT | {"net": (64, 64)}),
        ),
        "generation-2/whist": _recipe(
            "whist", vf_coef=0.05, steps=None, minutes=78, ent_coef=0.006, eval_deals=5000, eval_every=40, **_SECOND
        ),
        "generation-3/euchre": _recipe(
            "euchre", steps=40_000_000, playout_steps=40_000_000, **(_PLAYED_OUT | {"start": "learned:generation=2"})
        ),
        # Ways to train a team, for all forms of Hanabi; all but the first want partners who have never met to understand
        # each other: by names that no two seats share, by an entropy so high that trainings come to the same, and by
        # beliefs that read nothing that was agreed on into others' acts, or what a given policy means by them.
        "hanabi/self-play": _recipe("hanabi", ent_coef=0.05, ent_coef_end=0.005, gae_lambda=0.95, **_TEAM),
        "hanabi/other-play": _recipe(
            "hanabi", symmetry="colours", ent_coef=0.05, ent_coef_end=0.005, gae_lambda=0.95, **_TEAM
        ),
        "hanabi/high-entropy": _recipe("hanabi", ent_coef=0.05, gae_lambda=0.9, **_TEAM),
        "hanabi/off-belief-1": _recipe("hanabi", off_belief=1, **_OFF_BELIEF),
        "hanabi/off-belief-2": _recipe("hanabi", off_belief=2, **_OFF_BELIEF),
        # Each from the weights of the one before, which `--out runs/one-beacon` and `--out runs/three-beacons` leave: rules
        # by which success is rare are learned after some by which it is not.
        "beacon-relay/one-beacon": _recipe(
            "beacon-relay",
            {"beacons": 1, "lanterns": False},
            steps=8_000_000,
            games=256,
            lr=1.5e-3,
            ent_coef_end=0.003,
            **_RELAY,
        ),
        "beacon-relay/three-beacons": _recipe(
            "beacon-relay",
            {"lanterns": False},
            start="runs/one-beacon/policy.zip",
            steps=8_000_000,
            batch_size=4096,
            lr=1.5e-3,
            ent_coef_end=0.002,
            trick_weight=0.6,
            **_RELAY,
        ),
        "beacon-relay": _recipe(
            "beacon-relay",
            start="runs/three-beacons/policy.zip",
            steps=12_000_000,
            batch_size=8192,
            lr=1e-3,
            ent_coef_end=0.001,
            trick_weight=0.6,
            **_RELAY,
        ),
    }
)
"""The settings by the name of the file that was shipped: ``GAME`` or ``GAME--RULES`` for the first generation, which is
trained from nothing, ``generation-2/GAME`` and so on for those that begin with the weights of the one before, and
``GAME/WAY`` for ways to train of which no policy was shipped."""


def recipe(name: str) -> Config:
    """Returns the settings of a recipe; those of a game with forms serve all forms.

    Args:
        name: a key of `RECIPES`.

    Raises:
        ValueError: unknown name; the message lists the known ones.
    """
    if name not in RECIPES:
        raise ValueError(f"unknown recipe {name!r}: the recipes are {', '.join(RECIPES)}{did_you_mean(name, RECIPES)}")
    return RECIPES[name]
