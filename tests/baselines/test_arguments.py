"""Keyword arguments of functions that take a game and options: its forms' parameters, and names that are nearly right."""

from collections.abc import Callable
from typing import Any

import pytest

from cardenvs import baselines, get_game, openspiel
from cardenvs.play import Table
from cardenvs.plugins import installed

THREE = get_game("hanabi:tiny,players=3")
TWO = ["random", "smartbot"]
CALLS: dict[str, Callable[..., str]] = {
    "play_match": lambda game, **options: baselines.play_match(game, *TWO, deals=2, **options).game,
    "evaluate": lambda game, **options: baselines.evaluate(game, "random", ["smartbot"], deals=2, **options).game,
    "tournament": lambda game, **options: baselines.settings_for(game, TWO, **options).game,
    "crossplay": lambda game, **options: baselines.crossplay_settings(game, TWO, **options).game,
    "adhoc": lambda game, **options: baselines.adhoc_settings(game, TWO, **options).game,
    "statistics": lambda game, **options: baselines.statistics_settings(game, ai="random", **options).game,
    "table": lambda game, **options: Table(game, ["random"] * 3, **options).game.name,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_parameters_of_a_form_stand_among_the_options(name: str) -> None:
    assert CALLS[name]("hanabi:tiny", players=3) == CALLS[name](THREE) == THREE.name


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("play_match", {"deal": 5}, r"unknown option 'deal' for hanabi.*Did you mean deals\?$"),
        ("tournament", {"deal": 5}, r"Did you mean deals\?$"),
        ("evaluate", {"deck": ["R1"]}, r"unknown option 'deck' for hanabi[^.]*$"),
        ("crossplay", {"plaers": 3}, r"Did you mean players\?$"),
        ("adhoc", {"partners": ["x"]}, r"Did you mean more_partners\?$"),
        ("statistics", {"gaems": 3}, r"Did you mean games\?$"),
        ("table", {"scoer": "zero"}, r"Did you mean score\?$"),
        ("play_match", {"players": 6}, "players of hanabi must be an int from 2 to 5, not 6"),
    ],
)
def test_unknown_arguments_are_told_with_what_was_meant(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CALLS[name]("hanabi:tiny", **options)


@pytest.mark.skipif(not installed("pyspiel"), reason="needs OpenSpiel")
def test_openspiel_takes_parameters_of_a_form() -> None:
    assert openspiel.load("hanabi:tiny", players=3, seed=1).num_players() == 3
    with pytest.raises(ValueError, match=r"unknown option 'playes' for hanabi.*Did you mean players\?"):
        openspiel.load("hanabi", playes=3)
