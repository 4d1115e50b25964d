"""The Euchre paper's tables played again: the data, the statistics, the command; at full size among the slow tests."""

import json
import math

import pytest

from cardenvs import policy
from cardenvs.baselines.match import play_match
from cardenvs.baselines.reproduce.euchre import measure
from cardenvs.baselines.reproduce.euchre.measure import references
from tests.helpers.command_line import figures_of, run
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.compiled


def test_the_references_have_all_tables():
    tables, precise = references("published"), references("precise")
    assert [row.paper_table for row in tables] == list(range(1, 46))
    assert len(precise) == 54
    for rows, games in ((tables, 10_001), (precise, 100_000)):
        assert all(sum(row.reference.games_won) == row.reference.games == games for row in rows)
    # The loser of a game has at most nine points, the winner ten or eleven.
    assert all(10 * 10_001 <= sum(row.reference.points) < 20 * 10_001 for row in tables)
    assert tables[35].reference == tables[34].reference, "the misprint"
    assert [row.paper_table for row in tables if "markov2" in row.sides] == [*range(16, 22), 28, 35, 43]
    pairs = [row.sides for row in precise]
    for row in tables:
        assert row.sides in pairs
        assert [side.replace("markov2", "markov2-published") for side in row.sides] in pairs
    assert {side for pair in pairs for side in pair} <= set(policy.names("euchre"))


def sample(games, won, tricks, points, deviation):
    deviations = [deviation, deviation], [deviation, 2 * deviation]
    return measure.Sample(games, [won, games - won], tricks, points, 0, *deviations, 0.0)


OURS = sample(400, 240, [4000, 2000], [800, 1200], 2.0)


def test_z_scores_count_the_errors_of_both_samples():
    other = measure.Figures(100, [50, 50], [980, 500], [200, 280])
    z = measure.z_scores(OURS, other)
    # 60% of 400 and 50% of 100: errors 0.0245 and 0.05.
    assert z[0] == pytest.approx(0.1 / math.hypot(math.sqrt(0.24 / 400), math.sqrt(0.25 / 100)))
    # Tricks scatter by 2 a game: the difference of the means by 2 * sqrt(1 / 400 + 1 / 100).
    size = math.sqrt(1 / 400 + 1 / 100)
    assert z[1:] == pytest.approx([0.2 / (2 * size), 0.0, 0.0, 0.2 / (4 * size)])
    assert measure.z_scores(sample(1, 1, [5, 0], [2, 0], 0.0), other)[1] == 0.0


def test_drift_leaves_out_what_is_not_judged():
    judged = ([1.0] * 5, True), ([9.0] * 5, None), ([2.0, 3.0, -2.0, 0.0, -5.0], False)
    lean = measure.drift(measure.Comparison(None, ["low", "high"], None, OURS, z, agrees) for z, agrees in judged)
    assert lean.pairings == 2
    assert lean.largest == [2.0, 3.0, -2.0, 1.0, -5.0]
    assert lean.mean == [1.5, 2.0, -0.5, 0.5, -2.0]
    assert lean.mean_in_errors == pytest.approx([m * math.sqrt(2) for m in lean.mean])


def unknown_plan(first, second, games, seed):
    return measure.Plan(measure.Comparison(None, [first, second], None), games, seed)


def test_a_sample_is_the_match_of_its_seed():
    played = []
    (row,) = measure.play([unknown_plan("markov+high", "hybrid2", 8200, 7)], played.append)
    ours = row.ours
    match = play_match("euchre", "markov+high", "hybrid2", deals=8200, seed=7, protocol="published")
    assert sum(played) == 8200
    assert len(played) > 1
    assert (ours.games_won, ours.tricks_won, ours.points) == (match.games_won, match.tricks_won, match.points)
    assert ours.decisions_per_s > 0


def test_the_command_plays_every_table(capsys, tmp_path):
    report = tmp_path / "tables.md"
    arguments = ("reproduce", "euchre", "--games", "60", "--seed", "2", "--precise", "60")
    status, out, err = run(capsys, *arguments, "--json", "--report", str(report))
    assert status == 0
    assert "".join(err.split()) == f"report:{report}"
    assert [path.name for path in tmp_path.iterdir()] == ["tables.md"]
    figures = json.loads(out)
    rows = figures["tables"]
    assert (figures["seed"], len(rows), len(figures["precise"])) == (2, 45 + 9, 54)
    assert (figures["tables_drift"]["pairings"], figures["precise_drift"]["pairings"]) == (44, 54)
    assert all(row["ours"]["games"] == sum(row["ours"]["games_won"]) == 60 for row in rows + figures["precise"])
    assert [row["table"] for row in rows if row["z"] is None] == [36]
    (misprint,) = [row for row in rows if row["table"] == 36]
    assert misprint["agrees"] is None and "misprint" in misprint["remark"]
    both = [(row["sides"], row["agrees"] is None) for row in rows if row["table"] == 43]
    assert both == [(["hybrid2", "markov2-published"], False), (["hybrid2", "markov2"], True)]
    assert "indexed past its end" in figures["markov2"]
    assert len({row["ours"]["seed"] for row in rows + figures["precise"]}) == len(rows) + 54

    text = report.read_text()
    assert "`cardenvs reproduce euchre --seed 2 --games 60 --precise 60 --report FILE`" in text
    assert text.count("| misprint |") == 1
    assert text.count("| as described |") == 9
    assert "indexed past its end" in text
    assert all(f"\n| {table} | " in text for table in range(1, 46))

    status, again, _ = run(capsys, *arguments[:-2])
    assert status == 0
    assert sum(line.startswith(tuple(f"│ {digit}" for digit in range(1, 10))) for line in again.splitlines()) == 54
    first = rows[0]["ours"]
    assert f"{100 * first['games_won'][0] / 60:.2f}" in next(line for line in again.splitlines() if "random - low" in line)
    assert "Table 36 is a misprint" in again


def test_the_written_report_is_at_full_size_and_agrees():
    text = (ROOT / "docs" / "results" / "euchre_tables.md").read_text()
    assert "`cardenvs reproduce euchre --seed 0 --games 10001 --precise 100000 --report FILE`" in text
    assert text.count("| agrees |") == 44 + 54
    assert "differs" not in text


def test_other_pairings_mixed_ones_among_them(capsys):
    pairings = ["--pairing", "markov+coop-high-low", "random", "--pairing", "high-low", "low"]
    figures = figures_of(capsys, "reproduce", "euchre", "--games", "50", *pairings)
    assert "tables" not in figures
    mixed, known = figures["pairings"]
    assert (mixed["sides"], mixed["z"], mixed["reference"]) == (["markov+coop-high-low", "random"], None, None)
    assert known["reference"]["games"] == 100_000
    assert len(known["z"]) == len(figures["figures"])
    assert run(capsys, "reproduce", "euchre", "--games", "5", "--pairing", "markov+low", "random")[0] == 0


@pytest.mark.slow
def test_every_pairing_of_the_precise_reference_comes_out_again():
    """100,000 games each: 270 z-scores within four standard errors, one false alarm in 60 such runs; and no drift."""
    rows = measure.play(measure.precise_plans(100_000, seed=1))
    assert [row.sides for row in rows if not row.agrees] == []
    lean = measure.drift(rows)
    # Five means, each beyond four of its standard errors once in 16,000 runs.
    assert max(map(abs, lean.mean_in_errors)) < 4


@pytest.mark.slow
def test_the_printed_tables_come_out_again():
    """10,001 games each; 220 z-scores within four standard errors, one false alarm in 70 such runs."""
    rows = measure.play(measure.table_plans(10_001, seed=1))
    assert [row.paper_table for row in rows if row.agrees is False] == []
    assert max(map(abs, measure.drift(rows).mean_in_errors)) < 4


@pytest.mark.slow
def test_the_corrected_high_low_is_worth_what_the_reference_says():
    """71.4% of games against random; with 100,000 games the rate's error is 0.14%, and the reference is rounded to 0.1%."""
    (row,) = measure.play([unknown_plan("high-low-corrected", "random", 100_000, 1)])
    rate = row.ours.games_won[0] / 100_000
    assert abs(rate - 0.714) < 4 * 0.0015 + 0.0005
