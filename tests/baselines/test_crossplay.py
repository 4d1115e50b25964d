"""Cross-play and the ad-hoc benchmark: figures against matches, intervals, groups, resuming, reports, wrong input."""

import itertools

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.baselines import play_deals, play_match, settings_for
from cardenvs.baselines.crossplay import (
    CountedResults,
    adhoc_settings,
    crossplay_results,
    crossplay_settings,
    held_out,
    parse_group,
    play_adhoc,
    play_crossplay,
    seed_groups,
)
from cardenvs.baselines.heuristics.trick_taking import PARTNERS
from cardenvs.baselines.observers import METRICS, CooperationObserver
from cardenvs.baselines.reports.statistics import margin_interval
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.cli import FORFEITED
from tests.helpers.command_line import figures_of, run
from tests.helpers.players import quitting
from tests.helpers.reports import PNG, strict_json

pytestmark = pytest.mark.compiled

NAMES = ["high-low", "coop-high-low", "random"]
DEALS = 40


def margins(side, opponent, deals=DEALS, seed=3):
    """What a side wins of an opponent, by deal, both copies averaged: the plain way."""
    points = play_deals("euchre", side, opponent, range(deals), seed=seed).points
    return [float(np.mean([copy[0] - copy[1] for copy in deal])) for deal in points]


def partnership(a, b, opponent="hybrid"):
    """What a partnership wins of an opponent, by deal, both orders of its seats averaged."""
    return [(x + y) / 2 for x, y in zip(margins(f"{a}+{b}", opponent), margins(f"{b}+{a}", opponent), strict=True)]


def told(value):
    """An interval's mean and ends."""
    return value.mean, value.ci95


def mean_and_interval(values, most=4):
    """What `told` must say of some values."""
    found = margin_interval(np.asarray(values), most)
    return pytest.approx(np.mean(values)), pytest.approx(found.ci95, abs=1e-6)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Small cross-play by one process: settings, folder, results."""
    folder = tmp_path_factory.mktemp("crossplay")
    settings = crossplay_settings("euchre", NAMES, deals=DEALS, seed=3, costs=True)
    groups = {"high": ["high-low", "coop-high-low"], "chance": ["random"]}
    return settings, folder, play_crossplay(settings, folder, groups=groups, workers=1)


def test_the_diagonal_is_a_match(played):
    """Self-play against the opponent, cooperation included, is what a match of that side brings."""
    _, _, result = played
    for k, name in enumerate(NAMES):
        observer = CooperationObserver("euchre")
        match = play_match("euchre", name, "hybrid", deals=DEALS, seed=3, observer=observer)
        cell = result.cell(name, name)
        assert cell.games == match.games
        assert result.points[k][k] == cell.points_margin.mean
        assert result.points_margins[k][k] == cell.points_margin == match.points_margin
        assert cell.win_rate == match.win_rate
        assert list(cell.cooperation) == list(METRICS)
        for metric, counted in observer.result().metrics.items():
            assert cell.cooperation[metric] == {key: values[0] for key, values in counted.figures().items()}
    assert result.cell("high-low", "high-low").cooperation["overtakes"]["rate"] == 1.0
    assert result.cell("coop-high-low", "coop-high-low").cooperation["overtakes"]["rate"] == 0.0


def test_a_partnership_is_the_mean_of_both_orders(played):
    _, _, result = played
    for (i, a), (j, b) in itertools.combinations(enumerate(NAMES), 2):
        cell = result.cell(b, a)
        assert told(cell.points_margin) == mean_and_interval(partnership(a, b))
        assert result.points_margins[i][j] == result.points_margins[j][i] == cell.points_margin
        assert cell.games == 4 * DEALS
        both = []
        for side in (f"{a}+{b}", f"{b}+{a}"):
            observer = CooperationObserver("euchre", None)
            play_match("euchre", side, "hybrid", deals=DEALS, seed=3, observer=observer)
            both.append(observer.result().metrics)
        for metric in METRICS:
            for key in ("count", "opportunities"):
                assert cell.cooperation[metric][key] == sum(getattr(counted[metric], key)[0] for counted in both)
    one, other = (margins(side, "hybrid", seed=4) for side in ("high-low+random", "random+high-low"))
    assert np.mean(one) != pytest.approx(np.mean(other)), "the order matters here: the mean over it is something else"


def test_the_gap_is_paired_on_the_deals(played):
    _, _, result = played
    own = np.mean([margins(a, "hybrid") for a in NAMES], 0)
    cross = np.mean([partnership(a, b) for a, b in itertools.combinations(NAMES, 2)], 0)
    assert told(result.gap.self_play) == mean_and_interval(own)
    assert told(result.gap.cross_play) == mean_and_interval(cross)
    assert told(result.gap.gap) == mean_and_interval(own - cross, 8)
    high, chance = result.groups
    first, second = NAMES[:2]
    lead = np.mean([margins(first, "hybrid"), margins(second, "hybrid")], 0) - partnership(first, second)
    assert (high.name, high.policies) == ("high", [first, second])
    assert told(high.gap) == mean_and_interval(lead, 8)
    assert (chance.cross_play, chance.gap) == (None, None)
    assert chance.as_dict()["gap_ci95"] is None
    (between,) = result.between
    assert between.groups == ["high", "chance"]
    apart = np.mean([partnership(first, "random"), partnership(second, "random")], 0)
    assert told(between.points_margin) == mean_and_interval(apart)


def test_several_opponents_are_averaged(tmp_path):
    settings = crossplay_settings("euchre", NAMES[:2], opponents=["hybrid", "low+random"], deals=DEALS, seed=3)
    result = play_crossplay(settings, tmp_path, workers=1)
    for a, b in itertools.combinations_with_replacement(NAMES[:2], 2):
        values = np.mean([partnership(a, b, opponent) for opponent in ("hybrid", "low+random")], 0)
        cell = result.cell(a, b)
        assert told(cell.points_margin) == mean_and_interval(values)
        assert cell.games == (8 if a != b else 4) * DEALS
        assert cell.cooperation["overtakes"]["points_lost"] is None, "nobody asked for costs"


def test_partners_that_suit_each_other_are_told(tmp_path):
    """Made-up: low and high win together and lose alone; random loses with everybody, all the same."""
    settings, rng = crossplay_settings("whist", ["low", "high", "random"], deals=100), np.random.default_rng(1)
    store, two, five = PairingStore(tmp_path, settings), np.zeros(2), (2, len(METRICS))
    nothing = np.zeros((*five, 2), np.int64), np.zeros(five, np.int64), np.zeros((*five, 2))
    for pairing, (number, _) in enumerate(settings.pairs):
        mean = 4 if {*settings.partnerships[number]} == {"low", "high"} else -4
        points = np.zeros((100, 2, 2), np.int64)
        points[..., 0] = mean + rng.integers(-1, 2, (100, 1))
        store.add(pairing, 0, CountedResults(points, points, two, two, *nothing))
    result = crossplay_results(store)
    low, high, chance = result.best_partners
    assert (low.partner, high.partner) == ("high", "low")
    assert low.significant and high.significant
    assert low.lead.mean == pytest.approx(8, abs=0.5)
    assert low.points_margin.mean == result.points[0][1] == pytest.approx(4, abs=0.3)
    assert not chance.significant
    assert chance.lead.low <= 0
    assert result.gap.gap.mean == pytest.approx(-4 - (4 - 4 - 4) / 3, abs=0.3)
    assert result.gap.gap.high < 0


# --- the ad-hoc benchmark ---


def test_the_score_is_the_mean_over_the_partners(tmp_path):
    settings = adhoc_settings("euchre", ["hybrid", "low"], more_partners=["high"], deals=DEALS, seed=3)
    result = play_adhoc(settings, tmp_path, workers=1)
    assert result.partners == [*PARTNERS, "high"]
    assert not result.standard
    assert [score.policy for score in result.scores] == ["hybrid", "low"]
    values = {a: np.mean([partnership(a, b) for b in result.partners], 0) for a in ("hybrid", "low")}
    for score in result.scores:
        assert told(score.score) == mean_and_interval(values[score.policy])
        assert score.held_out
        assert [cell.policies for cell in score.partners] == [[score.policy, b] for b in result.partners]
        for cell in score.partners:
            assert told(cell.points_margin) == mean_and_interval(partnership(*cell.policies))
        assert score.score.mean == pytest.approx(np.mean([cell.points_margin.mean for cell in score.partners]))
        assert score.win_rate.mean == pytest.approx(np.mean([cell.win_rate.mean for cell in score.partners]))
    first, last = result.scores
    assert told(first.lead) == mean_and_interval(values["hybrid"] - values["low"], 8)
    assert last.lead is None


def test_one_deal_has_no_interval(tmp_path):
    result = play_crossplay(crossplay_settings("whist", ["low", "random"], deals=1), tmp_path, workers=1)
    assert result.as_dict()["gap"]["gap_ci95"] == [None, None]
    assert not result.best_partners[0].significant and str(result)


def test_the_held_out_set_plays_both_games():
    assert held_out("euchre") == held_out("whist") == PARTNERS
    assert "hybrid" not in PARTNERS
    settings = adhoc_settings("whist", ["poe"], deals=2)
    assert settings.partners == list(PARTNERS)
    assert held_out("hearts") == held_out("five-o") == ()
    assert len(settings.partnerships) == 2 * 5 + 1, "with itself there is one order of the seats"


# --- groups ---


def test_training_seeds_are_grouped():
    paths = ["runs/a-seed-0/policy.zip", "runs/b-seed-0/policy.zip", "runs/a-seed-12/policy.zip", "runs/seed1.zip", "low"]
    assert seed_groups(paths) == {"runs/a-seed-*/policy.zip": [paths[0], paths[2]]}
    assert seed_groups(["low", "high"]) == {}


def test_groups_are_read():
    known = ["low", "pimc:worlds=3,calling=standard", "high"]
    assert parse_group("a=low,pimc:worlds=3,calling=standard", known) == ("a", known[:2])


# --- the commands ---


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["crossplay", "whist", "low", "random", "--group", "both=low,random", "--group", "one=low"],
            ("not significant", "## Self-play against cross-play"),
        ),
        (
            ["adhoc", "whist", "random", "hybrid", "--partners", "low", "--costs"],
            ("\\* is itself one of the partners", "This is not the standard set"),
        ),
    ],
)
def test_the_commands_write_their_reports(arguments, told, tmp_path, capsys):
    folder, report = tmp_path / "run", tmp_path / "docs" / "report.md"
    words = [*arguments, "--against", "high-low", "--deals", "3", "--workers", "1", "--seed", "2", "--out", str(folder)]
    figures = figures_of(capsys, *words, "--report", str(report))
    assert (figures["deals"], figures["seed"], figures["opponents"]) == (3, 2, ["high-low"])
    assert strict_json(report.with_suffix(".json").read_text()) == figures
    for text, image in ((folder / "report.md", "heatmap.png"), (report, "report_heatmap.png")):
        assert f"    cardenvs {' '.join(arguments[:4])} --against high-low " in text.read_text()
        assert f"]({image})" in text.read_text()
        assert (text.parent / image).read_bytes().startswith(PNG)
    status, out, _ = run(capsys, *words)
    assert status == 0 and "oints a deal" in out
    assert [part for part in told if part not in report.read_text()] == []


@pytest.mark.parametrize(("name", "policies"), [("crossplay", ["low", "random"]), ("adhoc", ["low"])])
def test_old_names_of_the_options_still_work(name, policies, tmp_path, capsys):
    """``--markdown`` and ``--opponents`` are what ``--report`` and ``--against`` were called; help does not list them."""
    report = tmp_path / "report.md"
    words = [name, "euchre", *policies, "--deals", "2", "--workers", "1", "--out", str(tmp_path / "run"), "--json"]
    old = run(capsys, *words, "--opponents", "high", "--opponents", "low", "--markdown", str(report))
    assert "--against high --against low --deals 2" in report.read_text()
    new = run(capsys, *words, "--against", "high", "--against", "low", "--report", str(report))
    assert old[:2] == new[:2] == (0, old[1]) and strict_json(old[1])["opponents"] == ["high", "low"]
    _, shown, _ = run(capsys, name, "--help")
    listed = [option for option in ("--report", "--against", "--markdown", "--opponents") if option in shown]
    assert listed == ["--report", "--against"]


def test_going_on_with_other_settings_is_refused(tmp_path):
    settings = crossplay_settings("whist", ["low", "random"], deals=2)
    play_crossplay(settings, tmp_path, workers=1)
    with pytest.raises(ValueError, match="was begun with the policies low, random, not low, high:"):
        PairingStore(tmp_path, crossplay_settings("whist", ["low", "high"], deals=2))
    with pytest.raises(ValueError, match="holds results, but not those of the tournament: give another folder"):
        PairingStore(tmp_path, settings_for("whist", ["low", "random"], deals=2))
    assert settings.as_dict()["partners"] == ["low", "random"]


def test_who_forfeits_is_left_out_and_all_else_is_kept(tmp_path, capsys):
    policy.register("quits", quitting(60))
    words = ["crossplay", "euchre", *NAMES, "quits", "--deals", "8", "--workers", "1", "--json"]
    status, out, _ = run(capsys, *words, "--out", str(tmp_path / "a"))
    told = strict_json(out)
    assert status == FORFEITED
    forfeits = told.pop("forfeits")
    assert len(forfeits) == 7 and {one["forfeit"]["policy"] for one in forfeits} == {"quits"}
    assert [one["deals"] > 0 for one in forfeits] == [True] + [False] * 6
    assert "## Forfeits" in (tmp_path / "a" / "report.md").read_text()
    words.remove("quits")
    assert strict_json(run(capsys, *words, "--out", str(tmp_path / "b"))[1]) == told
    settings = crossplay_settings("euchre", NAMES, opponents=["hybrid", "quits"], deals=4)
    result = play_crossplay(settings, tmp_path / "c", workers=1)
    assert result.opponents == ["hybrid"] and result.policies == NAMES
    policy.register("quits", quitting(0))
    result = play_adhoc(adhoc_settings("euchre", ["quits", "low"], deals=2), tmp_path / "d", workers=1)
    assert [score.policy for score in result.scores] == ["low"] and len(result.as_dict()["forfeits"]) == 12
    with pytest.raises(ValueError, match="too much of the cross-play was forfeited for results, first high-low"):
        play_crossplay(crossplay_settings("euchre", ["high-low", "quits"], deals=2), tmp_path / "e", workers=1)
