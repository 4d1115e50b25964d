"""Suites of partners: frozen by what they decide, bounds that are measured, scores as shares of them."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.baselines import Interval, play_deals
from cardenvs.baselines.runs.pairings import play_all
from cardenvs.baselines.suites import Found, Suite, find_suite, play_suite, shipped_suites, suite_settings
from cardenvs.baselines.suites.making import make_suite, suite_making
from cardenvs.baselines.suites.suite import FOLDER, check_frozen, checksum_of
from cardenvs.cli import FORFEITED, main
from cardenvs.contract.registry import GAMES, get_game, register_game
from cardenvs.files import json_text, name_in_path
from cardenvs.policy.registry import POLICIES
from tests.helpers.command_line import check_refused, figures_of, run
from tests.helpers.one_sided import one_sided
from tests.helpers.paths import ROOT
from tests.helpers.players import First, Last, quitting
from tests.helpers.reports import PNG, strict_json
from tests.refusals.suites import TINY, changed, stored

GAME = "one-sided-trust"
"""The first of two partners makes 3, or leaves it to the other to make 0 to 4."""
SUITE = ("suite", GAME, "--partners", "first,last", "--pool-deals", "12", "--deals", "10", "--workers", "1")


class Elsewhere(First):
    """Plays as `First`, but where the other seat has trusted it, which `First` does not do."""

    def choose(self, observations, action_masks, streams):
        trusted = (action_masks.sum(1) > 2)[:, None] * action_masks
        return np.where(trusted.any(1), Last(self.game).choose(observations, action_masks, streams), super().choose(
            observations, action_masks, streams
        ))  # fmt: skip


class Again(First):
    """Decides as `First` does."""


def beside(game, of: str = "", at: int = 0):
    """A response to ``last`` alone."""
    if of != "last":
        raise ValueError(f"{of} is too hard to foretell")
    return Last(game)


beside.by_default = False


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """The game and two policies by name."""
    monkeypatch.setattr(GAMES, "made", dict(GAMES.made))
    monkeypatch.setattr(POLICIES, "made", {})
    register_game(one_sided("trust"))
    policy.register("first", First)
    policy.register("last", Last)


@pytest.fixture(scope="module")
def making(tmp_path_factory):
    """The folder in which the suite was made, once for all tests."""
    return tmp_path_factory.mktemp("making")


@pytest.fixture
def made(making, tmp_path, capsys):
    """A file of the suite, each test's own."""
    if not (making / "suite.json").exists():
        assert main([*SUITE, "--out", str(making)]) == 0
        capsys.readouterr()
    return Path(shutil.copy(making / "suite.json", tmp_path / "made.json"))


def points(first, second, deals, seed):
    """Points of two partners by deal, the mean of both orders of their seats."""
    teams = ("+".join(names) for names in ((first, second), (second, first)))
    return np.mean([play_deals(GAME, team, None, range(deals), seed=seed).points[:, 0, 0] for team in teams], 0)


# --- checksums -----------------------------------------------------------------------------------------------------


def test_a_checksum_is_that_of_decisions():
    spec = get_game(GAME)
    players = [
        *(kind(spec) for kind in (First, First, Again, Last, Elsewhere)),
        *(policy.make(spec, "random") for _ in "12"),
    ]
    first, same, again, last, elsewhere, chance, random = (checksum_of(spec, player, {}) for player in players)
    assert first == again == same and len(first) == 16
    assert len({first, last, elsewhere, chance}) == 4, "elsewhere differs where it would not come by itself"
    assert chance == random, "random choices are those of fixed streams"


# --- making --------------------------------------------------------------------------------------------------------


def test_bounds_are_the_best_that_was_tried(made):
    """Whoever is beside ``first`` makes 3 at most: it never trusts. With ``last``, which gives all, 4 are made."""
    suite = find_suite(GAME, str(made))
    first, last = suite.partners
    assert (first.policy, first.bound.policy, first.bound.points_margin.mean) == ("first", "first", 3)
    assert (last.policy, last.bound.policy, last.bound.points_margin.mean) == ("last", "last", 4)
    assert [one.policy for one in last.tried][-1] != "last" and {one.deals for one in last.tried} == {12}
    for member in suite.partners:
        assert member.floor.policy == "random"
        assert member.floor.points_margin.mean == points("random", member.policy, 12, suite.bound_seed).mean()
        sure = [one.sure for one in (member.bound, *member.tried)]
        assert sure == sorted(sure, reverse=True)
        assert member.checksum == checksum_of(suite.spec, policy.make(suite.spec, member.policy), {})
    assert suite.bound_seed != suite.seed and (suite.deals, suite.seed) == (10, 0)


def test_luck_in_a_few_deals_makes_no_bound():
    few, many = Found("a", 5, Interval(9.0, 1.0, 17.0)), Found("b", 1000, Interval(8.0, 7.0, 9.0))
    assert (few.sure, many.sure) == (1, 7) and Found("c", 9, Interval(3.0, -np.inf, np.inf)).sure == 3


def test_responses_know_partner_and_seat(tmp_path):
    asked = suite_making(GAME, partners=["first", "last"], responses=["{partner}"], response_deals=2)
    assert {name: settings.deals for name, settings in asked.bounds.items()} == {"pool": 1000, "response-1": 2}
    assert asked.bounds["response-1"].sides == [["first", "first"]] * 2 + [["last", "last"]] * 2
    policy.register("beside", beside)
    asked = suite_making(GAME, partners=["first", "last"], responses=["beside:of={partner},at={seat}"])
    assert asked.bounds["response-1"].sides == [["beside:of=last,at=0", "last"], ["last", "beside:of=last,at=1"]]
    with pytest.raises(ValueError, match="first is too hard to foretell"):
        suite_making(GAME, partners=["first"], responses=["beside:of={partner}"])


def test_a_response_for_one_partner_is_tried_with_that_alone(tmp_path, capsys):
    words = [*SUITE, "--response", "{partner}", "--response-for", "last", "random", "--response-for", "last", "worst"]
    policy.register("worst", First)
    assert main([*words, "--response-deals", "6", "--out", str(tmp_path)]) == 0
    first, last = find_suite(GAME, str(tmp_path / "suite.json")).partners
    tried = [sorted((one.policy, one.deals) for one in (member.bound, *member.tried)) for member in (first, last)]
    alone = [("random", 6), ("worst", 6)]
    assert sorted(set(tried[1]) - set(tried[0])) == alone and ("{partner}", 6) in tried[0]
    assert "--response-for last random --response-for last worst" in (tmp_path / "report.md").read_text()


def test_who_scores_no_more_than_chance_is_no_partner(tmp_path, capsys):
    register_game(one_sided("team"))  # what one seat makes there, the other three do not touch
    words = ("suite", "one-sided-team", "--partners", "last", "--pool-deals", "2", "--workers", "1", "--out", str(tmp_path))
    assert run(capsys, *words)[0] == 2
    assert not (tmp_path / "suite.json").exists()
    check_refused(capsys, "last is no partner for a suite: the best that was found with it", *words)


def test_who_forfeits_ends_the_making(tmp_path, capsys):
    policy.register("quits", quitting(3))
    status, _, err = run(capsys, *SUITE, "--response", "quits", "--response-deals", "9", "--out", str(tmp_path))
    assert status == 2 and "the policy quits has forfeited: it has had enough" in err


# --- playing -------------------------------------------------------------------------------------------------------


def test_scores_are_shares_of_the_bounds(made, tmp_path):
    suite = find_suite(GAME, str(made))
    result = play_suite(suite_settings(suite, ["random", "last"]), tmp_path / "a", workers=1)
    assert sorted(score.policy for score in result.scores) == ["last", "random"]
    assert (result.checksum, result.deals, [member.tried for member in result.members]) == (suite.checksum, 10, [[], []])
    shares = {}
    for score in result.scores:
        by_hand = []
        for member, one in zip(suite.partners, score.partners, strict=True):
            played = points(score.policy, member.policy, 10, 0)
            floor, bound = member.floor.points_margin.mean, member.bound.points_margin.mean
            by_hand.append((played - floor) / (bound - floor))
            assert one.partner == member.policy and one.games == (10 if score.policy == member.policy else 20)
            assert one.points_margin.mean == played.mean()
            assert one.normalised.mean == pytest.approx(by_hand[-1].mean())
        shares[score.policy] = np.mean(by_hand, 0)
        assert score.normalised.mean == pytest.approx(shares[score.policy].mean()) == pytest.approx(score.over_teams.mean)
        assert score.worst == suite.partners[int(np.argmin(np.mean(by_hand, 1)))].policy
        assert score.worst_share.mean == pytest.approx(np.mean(by_hand, 1).min())
    best, other = result.scores
    assert best.lead.mean == pytest.approx((shares[best.policy] - shares[other.policy]).mean()) and best.lead.mean > 0
    assert other.lead is None
    last, chance = sorted(result.scores, key=lambda score: score.policy)
    assert (last.held_out, chance.held_out) == (False, True)
    assert chance.normalised.low < chance.normalised.mean < chance.normalised.high
    assert last.partners[1].normalised.mean == 1, "as good as the bound"


def test_fewer_deals_are_the_first_ones(made, tmp_path):
    suite = find_suite(GAME, str(made))
    (score,) = play_suite(suite_settings(suite, ["random"], deals=7), tmp_path / "a", workers=1).scores
    assert score.partners[0].points_margin.mean == points("random", "first", 10, 0)[:7].mean()


def test_the_command_writes_its_reports(made, making, tmp_path, capsys):
    folder = tmp_path / "run"
    words = ["adhoc", GAME, "random", "last", "--suite", str(made), "--workers", "1", "--out", str(folder)]
    figures = figures_of(capsys, *words)
    assert figures["suite"] == 1 and [one["policy"] for one in figures["partners"]] == ["first", "last"]
    assert {"normalised", "normalised_ci95", "over_teams", "worst", "lead", "mean_points"} <= set(figures["scores"][0])
    report = (folder / "report.md").read_text()
    assert f"    cardenvs adhoc {GAME} random last --suite {made}\n" in report and "](heatmap.png)" in report
    assert (folder / "heatmap.png").read_bytes().startswith(PNG)
    status, shown, _ = run(capsys, *words)
    assert status == 0 and "worst" in shown and "bound" in shown and "* is itself one of the partners" in shown
    whole = (making / "report.md").read_text()
    assert "## All that was tried" in whole and f"    cardenvs suite {GAME} --number 1 --partners first" in whole


def test_a_folder_keeps_to_its_suite(made, tmp_path, capsys):
    words = ["adhoc", GAME, "random", "--suite", str(made), "--workers", "1", "--out", str(tmp_path / "run")]
    assert main(words) == 0
    told = json.loads(made.read_text())
    told["partners"][0]["bound"]["mean_points"] += 0.5
    made.write_text(json.dumps(told))
    capsys.readouterr()
    check_refused(capsys, f"was begun with another suite of {GAME}", *words)


def test_a_partner_that_has_changed_is_refused(made, capsys):
    policy.register("first", Elsewhere)
    told = f"the partner first of suite 1 of {GAME} decides otherwise than when it was frozen (checksum "
    check_refused(capsys, told, "adhoc", GAME, "random", "--suite", str(made))


def test_who_forfeits_is_left_out(made, tmp_path, capsys):
    policy.register("quits", quitting(0))
    words = ["adhoc", GAME, "quits", "last", "--suite", str(made), "--workers", "1", "--json", "--out", str(tmp_path / "a")]
    status, out, _ = run(capsys, *words)
    assert status == FORFEITED and [score["policy"] for score in strict_json(out)["scores"]] == ["last"]


# --- bad input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("adhoc", GAME, "last", "--suite", "7"), f".json file ({GAME} has none), not '7'"),
        (("adhoc", GAME, "last", "--suite", "mine"), "must be the number of a suite or the path of a .json file"),
        (("adhoc", GAME, "last", "--suite", "none.json"), "no suite file 'none.json'"),
        (("adhoc", "whist", "low", "--suite", "MADE"), f"it is for '{GAME}', not for whist"),
        (("adhoc", GAME, "nobody", "--suite", "MADE"), "unknown policy 'nobody'"),
        (("adhoc", GAME, "last", "last", "--suite", "MADE"), "policies must differ"),
        (("adhoc", GAME, "last+first", "--suite", "MADE"), "policies are single policies"),
        (("adhoc", GAME, "last", "--suite", "MADE", "--deals", "11"), "deals must be an int from 1 to 10, not 11"),
        (("adhoc", GAME, "last", "--suite", "MADE", "--seed", "0"), "--seed cannot be given with --suite"),
        (("adhoc", GAME, "last", "--suite", "MADE", "--partners", "random"), "--partners cannot be given with --suite"),
        (("adhoc", GAME, "last", "--suite", "MADE", "--against", "random"), "--against cannot be given with --suite"),
        (("adhoc", "whist", "low", "--suite", "1", "-o", "episode=game"), "-o cannot be given with --suite"),
        (("suite", "five-o"), "five-o has no partners: bounds is for games of sides"),
        (("suite", GAME), f"partners must name at least one policy: {GAME} has no fixed set of partners"),
        (("suite", GAME, "--partners", "first,first"), "partners must differ, and 'first' is given twice"),
        (("suite", GAME, "--partners", "exec:cat"), "partners must be policies by name or trained ones, and 'exec:cat'"),
        (("suite", GAME, "--partners", "first", "--response", "nobody:{seat}"), "unknown policy 'nobody'"),
        (("suite", GAME, "--partners", "first", "--response-for", "last", "first"), "one of the partners first, not for"),
        (("suite", GAME, "--partners", "first", "--pool-deals", "1"), "1 is not in the range x>=2"),
        (("suite", GAME, "--partners", "first", "--against", "random"), "--against must be left out"),
        (("suite", GAME, "--partners", "first", "--number", "0"), "0 is not in the range x>=1"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(arguments, named, made, capsys, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    check_refused(capsys, named, *(str(made) if word == "MADE" else word for word in arguments))
    assert list(Path().iterdir()) == []


def test_a_suite_is_read_as_it_was_written(made):
    """Also where the form of a game has the name of its preset, and where an interval has no ends."""
    told = stored(TINY)
    for name in (TINY, get_game(TINY).name):
        assert Suite.of(get_game(name), told | {"game": TINY}).as_dict() == told
    told = json.loads(made.read_text())
    for read in (told, changed(told, "partners", 0, "floor", "mean_points_ci95", to=[None, None])):
        assert Suite.of(get_game(GAME), read).as_dict() == read


def test_trained_partners_lie_beside_the_file(made):
    told = changed(json.loads(made.read_text()), "partners", 0, "policy", to="op=nets/op.zip:sample=yes")
    suite = Suite.of(get_game(GAME), told, Path("suites"))
    assert suite.names == [f"op={Path('suites', 'nets', 'op.zip')}:sample=yes", "last"]
    assert suite.as_dict() == told, "the file says nothing of this machine's folders"


# --- what ships ----------------------------------------------------------------------------------------------------


SHIPPED = sorted(FOLDER.glob("*.json"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_what_ships_is_whole(path):
    """Each file is the suite of its name, and stands in the documents with the command that made it."""
    told = strict_json(path.read_text())
    suite = find_suite(told["game"], told["suite"])
    assert path.name == f"{name_in_path(suite.spec.name)}--{suite.suite}.json"
    assert suite.suite in shipped_suites(suite.spec) and suite.as_dict() == told
    assert all(member.bound.points_margin.low > member.least for member in suite.partners)
    report = ROOT / "docs" / "results" / f"suite_{name_in_path(suite.spec.name)}_{suite.suite}.md"
    assert strict_json(report.with_suffix(".json").read_text()) == told
    assert f"    cardenvs suite {suite.spec.name} --number {suite.suite} " in report.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.slow] * path.stem.startswith(("beacon", "hanabi-"))) for path in SHIPPED],
    ids=lambda path: path.stem,
)
def test_partners_that_ship_are_frozen(path):
    """A partner may change in the next suite of its game, whose file is another one."""
    told = strict_json(path.read_text())
    check_frozen(find_suite(told["game"], told["suite"]))


def test_scores_of_a_team_begin_at_0(tmp_path):
    """A form of Hanabi that is quick as plain Python."""
    form = "hanabi:colours=1,ranks=2,hand_size=2"
    asked = suite_making(form, partners=["iggi"], responses=["{partner}"], pool_deals=9, response_deals=2, deals=2)
    suite = make_suite(asked, lambda settings, name: play_all(settings, tmp_path / name, workers=1), tmp_path)
    (iggi,) = suite.partners
    assert (iggi.floor, iggi.least, iggi.span) == (None, 0, iggi.bound.points_margin.mean)
    assert "{partner}" in {one.policy for one in (iggi.bound, *iggi.tried)}
    (tmp_path / "own.json").write_text(json_text(suite.as_dict()))
    again = find_suite(form, str(tmp_path / "own.json"))
    assert again.as_dict() == suite.as_dict() and again.checksum == suite.checksum
    (score,) = play_suite(suite_settings(again, ["internal"]), tmp_path / "played", workers=1).scores
    assert score.normalised.mean == pytest.approx(score.points_margin.mean / iggi.span)
    assert 0 <= score.normalised.low <= score.normalised.high
    assert "Scores are divided by it" in suite.markdown()
