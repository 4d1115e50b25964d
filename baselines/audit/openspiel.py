"""Audits of OpenSpiel's games."""

import importlib.metadata
from collections.abc import Sequence
from typing import Any

from cardenvs.baselines.audit.judge import Judge
from cardenvs.checks import did_you_mean
from cardenvs.plugins import require

CARD_GAMES = (
    "blackjack", "bridge", "bridge_uncontested_bidding", "crazy_eights", "cribbage", "dou_dizhu", "euchre", "gin_rummy",
    "go_fish", "turn_based_simultaneous_game(game=goofspiel(imp_info=true,num_cards=5,points_order=random))", "hanabi",
    "hearts", "kuhn_poker", "leduc_poker", "oh_hell", "python_kuhn_poker", "python_liars_poker", "repeated_leduc_poker",
    "skat", "solitaire", "spades", "tarok", "tiny_bridge_2p", "tiny_bridge_4p", "tiny_hanabi", "universal_poker",
)  # fmt: skip
"""The card games of the wheel with hidden cards, which ``all`` stands for."""
MOST_OUTCOMES = 10_000
"""Maximum number of outcomes of a chance node."""


def openspiel_version() -> str:
    """The installed version; MissingPackageError without the extra."""
    require("pyspiel", "openspiel", "audits of OpenSpiel's games", package="open_spiel")
    return importlib.metadata.version("open_spiel")


def checked_names(games: Sequence[str]) -> list[str]:
    """The games' names, each once, and `CARD_GAMES` for ``all``; ValueError for one that OpenSpiel has not."""
    import open_spiel.python.games  # noqa: F401 - which registers them
    import pyspiel

    names = list(dict.fromkeys(name for game in games for name in (CARD_GAMES if game == "all" else (game,))))
    known = pyspiel.registered_names()
    for name in names:
        short = name.partition("(")[0]
        if short not in known:
            raise ValueError(f"unknown game {short!r} of OpenSpiel{did_you_mean(short, known)}")
    return names


def load_game(name: str) -> Any:
    """A ``pyspiel.Game``; ValueError for one that cannot be loaded or judged."""
    import pyspiel

    checked_names([name])
    try:
        game = pyspiel.load_game(name)
    except Exception as error:
        raise ValueError(f"OpenSpiel cannot load {name!r}: {' '.join(str(error).split()):.200}") from None
    if game.get_type().dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise ValueError(f"{name} has no turns: name it turn_based_simultaneous_game(game={name})")
    if game.max_chance_outcomes() > MOST_OUTCOMES:
        raise ValueError(
            f"{name} has {game.max_chance_outcomes():,} outcomes of chance, and {MOST_OUTCOMES:,} are the most"
        )
    return game


def audit_game(name: str, positions: int, seconds: float, seed: int) -> dict[str, Any]:
    """The figures of a game's audit; ValueError for a game that cannot be loaded or judged."""
    import pyspiel

    game = load_game(name)
    opening = ["import open_spiel.python.games"] if name.startswith("python_") else []
    opening += ["import pyspiel", f"game = pyspiel.load_game({name!r})"]
    sampled = game.get_type().chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    return {"name": name} | Judge(game, opening, seed, sampled).judge_positions(positions, seconds)
