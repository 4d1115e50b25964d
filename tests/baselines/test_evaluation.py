"""Evaluation: stopping, the self-check, the command."""

import itertools
import json

import numpy as np
import pytest

from cardenvs import get_game, policy
from cardenvs.baselines import DealResults, Side, commands, play_deals, play_match
from cardenvs.baselines.commands import or_cores
from cardenvs.baselines.evaluation import check_against_itself, evaluate, evaluate_against, precise_enough
from cardenvs.baselines.evaluation.self_check import judge
from cardenvs.baselines.evaluation.settings import FIELD, opponents_of
from cardenvs.baselines.evaluation.stopping import FIRST_LOOK, looks
from cardenvs.baselines.reports.statistics import margin_interval
from cardenvs.cli import FORFEITED
from cardenvs.policy.contract import Forfeit
from tests.helpers.command_line import figures_of, run
from tests.helpers.players import First, quitting
from tests.helpers.reports import strict_json, untimed

pytestmark = pytest.mark.compiled

EUCHRE = get_game("euchre")


def test_looks_are_few_and_end_at_the_most():
    assert looks(1000) == [FIRST_LOOK, 192, 288, 432, 648, 972, 1000]
    assert looks(50) == [50]
    assert len(looks(100_000)) < 20


@pytest.mark.parametrize(
    ("results", "chances", "precision"),
    [
        ([-2, 0, 1, 3], [0.1, 0.6, 0.2, 0.1], 0.12),
        ([-2, 0, 2], [0.02, 0.95, 0.03], 0.04),
        ([-2, 0, 2], [0.005, 0.985, 0.01], 0.02),
    ],
    ids=["skewed", "mostly drawn", "nearly always drawn"],
)
def test_stopping_keeps_the_interval_and_the_mean_honest(results, chances, precision):
    """2,000 stopped matches: 95% of the intervals hold the mean, and the means are right on average.

    The share's standard error is 0.5 points: below 92.5% is five of them away. The mean: to a tenth of the half width, the
    bias that is left after so few deals.
    """
    rng = np.random.default_rng(5)
    results = np.array(results, np.float64)
    mean = results @ chances
    held, means, stops = 0, [], set()
    for _ in range(2000):
        values = rng.choice(results, 5000, p=chances)
        stop = next(n for n in looks(5000) if precise_enough(values[:n], precision, 3) or n == 5000)
        stopped = margin_interval(values[:stop], 3)
        held += mean in stopped
        means.append(stopped.mean)
        stops.add(stop)
    assert len(stops) > 1
    assert max(stops) < 5000
    assert held / 2000 > 0.925
    assert abs(np.mean(means) - mean) < 0.1 * precision


def test_results_all_alike_do_not_stop_a_match():
    rare = np.zeros(5000)
    assert not precise_enough(rare, 0.1)
    rare[:29] = 1
    assert not precise_enough(rare, 0.1)
    rare[29] = -1
    assert precise_enough(rare, 0.1, 1)
    assert not precise_enough(rare[:1], 10)


def test_a_match_stops_at_the_first_look_that_is_precise_enough():
    sides = Side(EUCHRE, "hybrid"), Side(EUCHRE, "random")
    evaluated = evaluate_against(EUCHRE, *sides, deals=5000, precision=0.08, cooperation=False, seed=2)
    assert evaluated.match.deals in looks(5000)[:-1]
    assert evaluated.match.games == 2 * evaluated.match.deals
    assert evaluated.precise is True
    assert evaluated.as_dict()["half_width"] == evaluated.points_margin.half_width <= 0.08
    plain = play_match(EUCHRE, *sides, deals=evaluated.match.deals, seed=2)
    assert plain.points_margin == evaluated.match.points_margin
    assert plain.points == evaluated.match.points
    before = looks(5000)[looks(5000).index(evaluated.match.deals) - 1]
    shorter = play_match(EUCHRE, *sides, deals=before, seed=2).points_margin
    assert shorter.half_width > 0.079
    short = evaluate_against(EUCHRE, *sides, deals=200, precision=0.01, cooperation=False)
    assert (short.match.deals, short.precise) == (200, False)


def test_searching_policies_are_slow():
    for name, slow in (("hybrid", False), ("pimc", True), ("hybrid+pimc", True), ("split:calls=pimc,plays=low", True)):
        assert Side(EUCHRE, name).slow == slow


def test_a_policy_without_randomness_scores_exactly_nothing_against_itself():
    for game, rules in (("euchre", {"bidding": "forced-spades"}), ("whist", {}), ("five-o", {})):
        check = check_against_itself(game, Side(get_game(game), First(game)), deals=60, seed=1, **rules)
        assert check.sides.margin.mean == 0
        assert check.sides.margin.low == -check.sides.margin.high
        assert check.sides.passed
        assert check.passed
        # The luck of the deal is in the other figure, which can fail therefore.
        assert check.seats.margin.low < check.seats.margin.high
    assert check.seats.passed is None  # in Five-O moving first counts


def test_the_self_check_finds_sides_and_seats_that_differ():
    """The second time even seats that play better in both copies: the sides come out even, the seats do not."""
    results = play_deals(EUCHRE, "hybrid", "random", range(300), seed=3)
    differing = judge(results, 4, True)
    assert differing.sides.passed is differing.passed is False
    points = results.points
    points[:, 1] = points[:, 1, ::-1]
    again = play_deals(EUCHRE, "hybrid", "random", range(300), seed=4).points
    points[:, 1] = again[:, 0, ::-1]
    check = judge(results, 4, True)
    assert check.sides.passed
    assert check.seats.passed is False
    assert check.passed is False
    assert judge(results, 4, False).passed


def test_the_self_check_seldom_cries_wolf():
    """250 checks of a sound policy, two chances of one in a thousand each: more than five alarms come once in 60,000."""
    played = play_deals("whist", "random", "random", range(250 * 40), seed=8)
    parts = [array.reshape(250, 40, 2, 2) for array in (played.points, played.tricks)]
    checks = [judge(DealResults(*part, played.decisions, played.seconds), 4, True) for part in zip(*parts, strict=True)]
    assert sum(check.passed is False for check in checks) <= 5


def test_few_deals_give_no_verdict():
    check = check_against_itself(EUCHRE, Side(EUCHRE, "low"), deals=29)
    assert check.passed is None
    assert check.sides.passed is None
    check = check_against_itself(EUCHRE, Side(EUCHRE, "low"), deals=30, protocol="published")
    assert check.passed


def test_evaluate_prints_json_and_writes_markdown(tmp_path, capsys):
    report = tmp_path / "report.md"
    words = ["evaluate", "euchre", "low", "--against", "hybrid", "--against", "random", "--deals", "40", "--seed", "3"]
    status, out, err = run(capsys, *words, "--json", "--report", str(report))
    assert (status, err) == (0, f"report: {report}\n") and list(tmp_path.iterdir()) == [report]
    figures = strict_json(out)
    assert (figures["game"], figures["policy"]) == ("euchre", "low")
    assert [result["sides"] for result in figures["results"]] == [["low", "hybrid"], ["low", "random"]]
    for result in figures["results"]:
        assert {"win_rate", "ci95", "mean_points", "mean_points_ci95", "decisions_per_s"} <= set(result)
        assert result["deals"] == 40
        assert [side["caller"] for side in result["bidding"]["sides"]] == result["sides"]
        assert result["cooperation"]["overtakes"]["opportunities"][0] > 0
        assert result["precise"] is result["controlled"] is None
    assert figures["standard_caller"]["calls"] > 0
    assert figures["self_check"]["passed"] is True
    text = report.read_text()
    assert f"`cardenvs {' '.join(words)} --report FILE`" in text
    assert all(f"## {heading}" in text for heading in ("Self-check", "Bidding", "Cooperation"))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    for row, following in itertools.pairwise(rows):
        if set(following) <= set("|-: "):
            assert row.count("|") == following.count("|")


def test_the_bidding_is_printed_on_request(capsys):
    words = ["evaluate", "euchre", "hybrid", "--against", "low", "--deals", "40", "--workers", "1"]
    for more in ((), ("--bidding",)):
        status, out, _ = run(capsys, *words, *more)
        assert status == 0 and ("Bidding" in out) is bool(more)
        assert "deals were passed out: nothing was played in them" in out


def test_a_sentence_says_who_was_beaten_and_by_how_much(tmp_path, capsys):
    words = ["euchre", "hybrid", "--against", "low,hybrid2,random,learned", "--deals", "100", "--no-self-check"]
    figures = figures_of(capsys, "evaluate", *words, "--workers", "1", "--report", str(tmp_path / "report.md"))
    margins = {one["sides"][1]: one["mean_points"] for one in figures["results"]}
    low, most, lost = margins["low"], margins["random"], -margins["learned"]
    sentence = f"hybrid beats low and random by {low:.3f} to {most:.3f} points a deal; "
    sentence += f"loses to learned by {lost:.3f} points a deal; has no clear lead over hybrid2."
    assert f"\n\n{sentence}\n\n" in (tmp_path / "report.md").read_text()
    assert " ".join(run(capsys, "evaluate", *words, "--workers", "1")[1].split()).endswith(sentence)


def test_evaluate_in_python_is_the_command(capsys):
    told = []
    result = evaluate(
        "five-o", "reflex2", ["random", "reflex1"], deals=40, seed=3,
        progress=lambda share, match: told.append((match, share)), hidden_rows=0,
    )  # fmt: skip
    shares = {match: sum(share for of, share in told if of == match) for match, _ in told}
    assert shares == pytest.approx({"reflex2 - random": 1 / 3, "reflex2 - reflex1": 1 / 3, "reflex2 - itself": 1 / 3})
    words = ["--against", "random", "--against", "reflex1", "--deals", "40", "--seed", "3", "-o", "hidden_rows=0"]
    figures = figures_of(capsys, "evaluate", "five-o", "reflex2", *words)
    assert untimed(json.loads(json.dumps(result.as_dict()))) == untimed(figures)
    one = evaluate("euchre", First("euchre"), ["low"], deals=30, self_check=False)
    assert (one.policy, one.self_check, one.results[0].match.deals) == ("First", None, 30)


def test_evaluate_without_partners_or_bidding(capsys):
    words = ["five-o", "reflex2", "--against", "random", "--deals", "40"]
    figures = figures_of(capsys, "evaluate", *words)
    assert figures["standard_caller"] is None
    assert figures["results"][0]["bidding"] is figures["results"][0]["cooperation"] is None
    assert figures["self_check"]["seats"]["passed"] is None
    assert "Moving first is worth" in run(capsys, "evaluate", *words)[1]


def test_evaluate_to_a_precision_with_a_control(tmp_path, capsys):
    report = tmp_path / "report.md"
    words = ["euchre", "hybrid", "--against", "random", "--protocol", "published", "--control", "double-dummy"]
    words += ["--precision", "0.5", "--games", "3000", "--no-self-check", "--report", str(report)]
    figures = figures_of(capsys, "evaluate", *words)
    (result,) = figures["results"]
    assert result["precise"] is True
    assert result["half_width"] <= 0.5
    assert result["games"] in looks(3000)[:-1]
    assert result["controlled"]["games_without_points"] > result["games"]
    assert result["cooperation"] is figures["self_check"] is None
    assert "games are worth" in report.read_text()


def test_a_forfeited_match_ends_no_evaluation(tmp_path, capsys):
    policy.register("quits", quitting(100))
    report = tmp_path / "report.md"
    words = ["euchre", "high-low", "--against", "quits", "--against", "random", "--deals", "30", "--json"]
    status, out, err = run(capsys, "evaluate", *words, "--report", str(report))
    assert status == FORFEITED
    told = strict_json(out)
    quits, other = told["results"]
    assert quits["forfeit"]["side"] == 1 and 0 < quits["deals"] < 30 == other["deals"] and "forfeit" not in other
    assert told["forfeits"] == [{"against": "quits", "deals": quits["deals"], "forfeit": quits["forfeit"]}]
    assert told["self_check"]["deals"] == 30 and "forfeited: the match against quits" in err
    assert "## Forfeits" in report.read_text()
    policy.register("quits", quitting(0))
    result = evaluate("euchre", "high-low", ["quits", "random"], deals=10, self_check=False)
    assert [one.match.sides[1] for one in result.results] == ["random"]
    assert [(one.against, one.deals) for one in result.forfeits] == [("quits", 0)]
    with pytest.raises(Forfeit, match="it has had enough"):
        evaluate("euchre", "quits", ["high-low"], deals=10)


def test_a_policy_that_forfeits_its_self_check():
    result = check_against_itself(EUCHRE, Side(EUCHRE, quitting(200)(EUCHRE)), deals=30)
    assert result.forfeit is not None and 0 < result.deals == result.forfeit.deal < 30
    assert result.as_dict()["forfeit"]["why"] == "it has had enough" and result.sides.margin.mean == 0
    decided = play_match(EUCHRE, First(EUCHRE), "random", deals=40).decisions[0]
    whole = evaluate(EUCHRE, quitting(decided + 200)(EUCHRE), ["random"], deals=40)
    assert [one.against for one in whole.forfeits] == ["Quits"] and whole.self_check.forfeit is not None


def test_opponents_by_default_and_all():
    for game in ("euchre", "whist", "five-o"):
        assert len(FIELD[game]) == 7
        assert set(FIELD[game]) < set(policy.default_names(game))
    names = [name for name in policy.default_names("five-o") if name != "learned"]
    for against, found in (
        (None, [name for name in FIELD["five-o"] if name != "learned"]),
        (["all"], names),
        (["rollout:plays=9", "all", "random"], [*names, "rollout:plays=9"]),
        (["random", "random"], ["random", "random"]),
    ):
        assert opponents_of(get_game("five-o"), "learned", against) == found


def test_processes_are_as_many_as_cores():
    assert or_cores(None, None) == commands.cores()
    assert or_cores(3, None) == 3
    assert or_cores(None, "auto") is None
