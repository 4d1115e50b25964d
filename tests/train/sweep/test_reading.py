"""Sweeps as files: what they mean, what is wrong with them, those that ship."""

import json
import re

import pytest

from cardenvs.baselines.crossplay import OPPONENTS
from cardenvs.train.recipes import recipe
from cardenvs.train.sweep import parse_sweep, read_sweep, shipped_names
from cardenvs.train.sweep.settings import MOST_RUNS, Measure, Run
from cardenvs.train.sweep.team_share import experiment_of, experiment_settings, team_share_sweep
from cardenvs.train.team_share.command import BIDDINGS, SHARES
from tests.helpers.paths import ROOT

WHOLE = """
game = "euchre"
seeds = [3, 5]
steps = 1000
imitate = "hybrid"
[options]
bidding = "forced-spades"
target = 5
[grid]
net = [[8], [16, 8]]
options.target = [7, 11]
[[variant]]
name = "plain"
imitate = "none"
[[variant]]
name = "Other: 2 epochs"
epochs = 2
options = {bidding = "full"}
[measure]
deals = 50
"""


def test_variants_are_tables_times_grid() -> None:
    sweep = parse_sweep(WHOLE, "whole").sweep
    assert [variant.name for variant in sweep.variants] == [
        *(f"plain, net {net}, target {target}" for net in ("8", "16,8") for target in (7, 11)),
        *(f"Other: 2 epochs, net {net}, target {target}" for net in ("8", "16,8") for target in (7, 11)),
    ]
    second, last = sweep.variants[1], sweep.variants[-1]
    assert second.config.options["bidding"] == "forced-spades" and last.config.options["bidding"] == "full"
    assert (second.config.options["target"], last.config.options["target"]) == (11, 11)
    assert (second.config.net, last.config.net) == ((8,), (16, 8))
    assert (second.config.imitate, last.config.imitate) == (None, "hybrid")
    assert (last.config.steps, last.config.threads, last.config.epochs) == (1000, 1, 2)
    assert Run(last, 5).config.seed == 5
    assert Run(last, 5).policy == "other-2-epochs-net-16-8-target-11-seed-5/policy.zip"
    assert len(sweep.runs) == 16 and len({run.policy for run in sweep.runs}) == 16
    assert sweep.measure.opponents == ("coop-high-low",), "that of the learning curve where none is named"
    assert [len(group) for group in sweep.same_rules()] == [2, 2, 2, 2]
    assert sweep.differences(second) == ["target 11"]
    assert sweep.as_dict()["variants"]["plain, net 8, target 7"]["options.target"] == 7
    assert "epochs" in sweep.as_dict()["training"], "twice 2 is in common"
    json.dumps(sweep.as_dict())


def test_a_recipe_is_where_a_variant_begins() -> None:
    text = (
        'recipe = "euchre"\nsteps = 7\n[[variant]]\nname = "a"\n[[variant]]\nname = "b"\nrecipe = "euchre--forced-spades"\n'
    )
    first, second = (variant.config for variant in parse_sweep(text, "two").sweep.variants)
    assert first.imitate == recipe("euchre").imitate and first.options["bidding"] == "full"
    assert second.net == recipe("euchre--forced-spades").net and second.options["bidding"] == "forced-spades"
    assert first.steps == second.steps == 7 and first.threads == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game =": "gmae ="}, "bad.toml: unknown key 'gmae': the keys are game, recipe, .*Did you mean game?"),
        ({"epochs =": "epoch ="}, r"bad.toml, \[\[variant\]\] 2: unknown key 'epoch': .*Did you mean epochs?"),
        ({"net =": "nets ="}, r"bad.toml, \[grid\]: unknown key 'nets'"),
        ({"deals =": "deal ="}, r"bad.toml, \[measure\]: unknown key 'deal': the keys are .*Did you mean deals?"),
        ({"steps =": "seed ="}, "bad.toml: unknown key 'seed': .*; training seeds are the list seeds"),
        ({"steps =": "minutes ="}, "bad.toml: unknown key 'minutes': .*; trainings have the same steps"),
        ({'game = "euchre"': ""}, "bad.toml: game or recipe says what is trained, which is missing"),
        ({'game = "euchre"': 'game = "euchre"\nrecipe = "whist"'}, "bad.toml: game or recipe .*, only one of both"),
        ({'game = "euchre"': 'game = "bridge"'}, "bad.toml: unknown game 'bridge'"),
        ({'game = "euchre"': "game = 1"}, "bad.toml: game must be a text, not 1"),
        ({'game = "euchre"': 'recipe = "euchre-"'}, "bad.toml: unknown recipe 'euchre-': .*Did you mean euchre?"),
        ({'imitate = "none"': 'recipe = "whist"'}, "bad.toml, .*: recipe 'whist' is one of whist, not of euchre"),
        ({"[3, 5]": "[3, 3]"}, "bad.toml: seeds must differ, not 3, 3"),
        ({"[3, 5]": "[-1]"}, "bad.toml: seeds must be an int of at least 0, not -1"),
        ({"[3, 5]": "3"}, "bad.toml: seeds must be a list of ints, not 3"),
        ({"[3, 5]": "[]"}, "bad.toml: seeds must be at least 1, not 0"),
        ({"[3, 5]": str([*range(125)])}, f"bad.toml: a sweep has at most {MOST_RUNS} trainings, not 1000"),
        ({"[7, 11]": str([*range(999)])}, rf"bad.toml, \[grid\]: a sweep has at most {MOST_RUNS} trainings, not 3996"),
        ({"[7, 11]": "[]"}, r"bad.toml, \[grid\]: options.target must have at least one value"),
        ({"[7, 11]": "7"}, r"bad.toml, \[grid\]: options.target must be a list of values, not 7"),
        ({"steps = 1000": "steps = 0"}, "bad.toml, plain, net 8, target 7: steps must be an int of at least 1, not 0"),
        ({"steps = 1000": 'steps = "none"'}, "bad.toml, plain, .*: steps and minutes cannot both be None"),
        (
            {"steps = 1000": 'threads = "none"'},
            "bad.toml: threads must be an int of at least 1 in 'plain, net 8, target 7'",
        ),
        ({"target = 5": "targte = 5"}, "bad.toml, plain, net 8, target 7: .*targte"),
        ({"[options]": "[[options]]"}, "bad.toml: options must be a table, not "),
        ({'name = "plain"': ""}, r"bad.toml, \[\[variant\]\] 1: name is missing"),
        ({'name = "plain"': "name = 3"}, r"bad.toml, \[\[variant\]\] 1: name must be a text, not 3"),
        ({'name = "plain"': 'name = "Other: 2 epochs"'}, "bad.toml: variants must differ in their names, and 'Other: "),
        ({'name = "plain"': 'name = "other 2-epochs"'}, "bad.toml: variants 'other 2-.* names too alike for folders"),
        ({"[[variant]]": "[variant.x]"}, r"bad.toml: .*|variants are tables \[\[variant\]\]"),
        ({"deals = 50": "deals = 0"}, r"bad.toml, \[measure\]: deals must be an int of at least 1, not 0"),
        ({"deals = 50": 'opponents = ["nobody"]'}, "bad.toml: unknown policy 'nobody'"),
        ({"deals = 50": 'opponents = "hybrid"'}, "must be a list of names of policies, not the text 'hybrid'"),
        ({"deals = 50": "opponents = []"}, "bad.toml: opponents must be at least 1, not 0"),
        ({"deals = 50": 'opponents = ["low", "low"]'}, "bad.toml: opponents must differ, not low, low"),
        (
            {"deals = 50": 'reference = "plain, net 8"'},
            r"bad.toml: reference must be one of .*, not 'plain, net 8'\. Did you mean plain, net 8, ",
        ),
        ({"deals = 50": 'reference = "plain, net 8, target 7"'}, "bad.toml: reference .* has other rule options than '"),
        ({"seeds": 'report = "teamshare"\nseeds'}, "bad.toml: report must be one of .*Did you mean team-share?"),
        ({"seeds =": "seeds"}, r"bad.toml: .*\(at line 3, column "),
        ({"seeds = [3, 5]": "seeds = " + 3000 * "["}, "bad.toml: "),
    ],
)
def test_what_is_wrong_is_named_with_its_file(changes: dict[str, str], message: str) -> None:
    text = WHOLE
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(ValueError, match=message) as caught:
        parse_sweep(text, "bad", "bad.toml")
    assert str(caught.value).startswith("bad.toml")


# --- what ships ---


def test_what_ships_can_be_trained() -> None:
    games = ["lanterns", "no-lanterns", "off-belief", "strangers", "strangers-larger"]
    assert shipped_names() == [*games, "team-share", "training-options"]
    for name in shipped_names():
        asked = read_sweep(name)
        assert asked.sweep.name == name
        assert all(run.config.steps and run.config.threads == 1 for run in asked.sweep.runs)


def test_the_shipped_study_of_team_rewards_is_what_the_experiment_does() -> None:
    asked = read_sweep("team-share")
    assert asked.report == "team-share"
    experiment = team_share_sweep(BIDDINGS, SHARES, range(3), {}, Measure(OPPONENTS, 2000))
    assert experiment_of(asked.sweep, "team-share") == experiment
    assert experiment_settings(experiment)["shares"] == [0, 0.5, 1]


def test_the_shipped_study_of_options_has_the_rows_of_its_report() -> None:
    sweep = read_sweep("training-options").sweep
    rows = re.findall(r"(?m)^\| (.+?) \| [+-]\d", (ROOT / "docs" / "results" / "training.md").read_text())
    assert [variant.name for variant in sweep.variants] == rows
    assert sweep.differences(sweep.variants[0]) == []
    assert all(len(sweep.differences(variant)) in (1, 2) for variant in sweep.variants[1:])
    first = sweep.variants[0].config
    for name in ("net", "imitate", "imitate_decisions", "options", "lr", "epochs", "reward"):
        assert getattr(first, name) == getattr(recipe("euchre--forced-spades"), name)
