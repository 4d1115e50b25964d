"""The packages' public names: all are there, none is imported before it is asked for; policies and games load alone."""

import importlib
import json

import pytest

from tests.helpers.command_line import run_python
from tests.helpers.paths import ROOT

PACKAGES = ("cardenvs", "cardenvs.baselines", "cardenvs.train")
HEAVY = ("numba", "llvmlite", "scipy", "torch", "stable_baselines3", "matplotlib", "pygame", "aiohttp", "rich")

RECORDING = """
import json, sys
from importlib import metadata
loaded, load = [], metadata.EntryPoint.load
def recorded(entry):
    loaded.append(f"{entry.group} {entry.name}")
    return load(entry)
metadata.EntryPoint.load = recorded
from cardenvs import get_game, policy
"""
"""Python code after which ``loaded`` lists the entry points that are loaded, each as its group and name."""


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there(package):
    module = importlib.import_module(package)
    assert len(module.__all__) == len(set(module.__all__)) > 5
    assert set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        assert getattr(module, name) is not None, name
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name


def test_importing_the_packages_loads_nothing_heavy():
    """Nor any module of theirs: names are imported when they are asked for."""
    done = run_python(f"import {', '.join(PACKAGES)}, json, sys; print(json.dumps(sorted(sys.modules)))", check=True)
    loaded = json.loads(done.stdout)
    assert not {name.partition(".")[0] for name in loaded} & set(HEAVY)
    assert [name for name in loaded if name.startswith("cardenvs")] == sorted(PACKAGES)


def test_a_name_is_what_it_says_whatever_was_imported_before():
    """Modules are called like public names: the function ``train`` of `cardenvs.train`, for one."""
    program = """
import cardenvs.train.publishing.exporting, cardenvs.train.config, cardenvs.train.recipes, cardenvs.train.learning.self_play
import cardenvs.baselines.evaluation.play, cardenvs.baselines.tournament.settings
from cardenvs import baselines, train
assert callable(train.export) and callable(train.train) and callable(train.recipe) and callable(train.Config)
assert callable(baselines.evaluate) and callable(baselines.play_match) and callable(baselines.settings_for)
assert all(getattr(train, name) is not None for name in train.__all__)
"""
    done = run_python(program)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("game", "name", "entry"),
    [
        pytest.param("euchre", "hybrid", "hybrid", marks=pytest.mark.slow),
        pytest.param("whist", "random", "random", marks=pytest.mark.slow),
        pytest.param("five-o", "reflex2", "reflex2", marks=pytest.mark.slow),
        ("five-o", "monte-carlo", "five-o/monte-carlo"),
        ("whist", "{policies}/whist.safetensors", ".safetensors"),
    ],
)
def test_asking_for_one_policy_loads_one_entry_point(game, name, entry):
    """The game's, then the policy's; and no module of another capability."""
    asked = name.format(policies=ROOT / "train" / "policies" / "generation-1")
    program = f"{RECORDING}policy.make({game!r}, {asked!r}); print(json.dumps([loaded, sorted(sys.modules)]))"
    loaded, modules = json.loads(run_python(program, check=True).stdout)
    assert loaded == [f"cardenvs.games {game}", f"cardenvs.policies {entry}"]
    unneeded = {"torch", "cardenvs.baselines.match", "cardenvs.baselines.tournament", "cardenvs.cli"}
    if entry != ".safetensors":
        unneeded.add("cardenvs.train")
    if entry == "random":
        unneeded |= {"cardenvs.baselines", "cardenvs.games.euchre", "cardenvs.games.five_o"}
    assert not unneeded & set(modules)


def test_asking_for_one_game_loads_one_entry_point():
    program = f"{RECORDING}get_game('whist'); print(json.dumps([loaded, sorted(sys.modules)]))"
    loaded, modules = json.loads(run_python(program, check=True).stdout)
    assert loaded == ["cardenvs.games whist"]
    assert "cardenvs.games.whist" in modules
    assert not {"cardenvs.games.euchre", "cardenvs.games.five_o"} & set(modules)
    again = f"{RECORDING}get_game('five_o'), get_game('five-o'); print(json.dumps(loaded))"
    assert json.loads(run_python(again, check=True).stdout) == ["cardenvs.games five-o"]
