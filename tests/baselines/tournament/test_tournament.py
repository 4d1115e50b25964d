"""Tournaments: results that depend on the settings only, resuming, what is written, wrong input."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.baselines.match import DealResults, batches, play_deals, play_match
from cardenvs.baselines.reports.markdown import markdown
from cardenvs.baselines.reports.statistics import interval
from cardenvs.baselines.runs import pairings
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.tournament import play_tournament, results_of, settings_for
from cardenvs.cli import main
from cardenvs.policy.registry import POLICIES
from tests.helpers.players import Cheat, First, Named, failing
from tests.helpers.reports import PNG, strict_json, timeless

pytestmark = pytest.mark.compiled

EUCHRE = ["coop-high-low", "high-low", "random"]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A small tournament by one process: settings, folder, results."""
    folder = tmp_path_factory.mktemp("tournament")
    settings = settings_for("euchre", EUCHRE, deals=90, seed=5)
    return settings, folder, play_tournament(settings, folder, workers=1)


def test_results_do_not_depend_on_the_chunks(played, tmp_path, monkeypatch):
    settings, folder, result = played
    monkeypatch.setattr(batches, "CHUNK_SECONDS", 0.0001)
    monkeypatch.setattr(pairings, "MAX_BATCH", 16)
    again = play_tournament(settings, tmp_path, workers=1)
    assert len(list((tmp_path / "chunks").iterdir())) > 2 * len(list((folder / "chunks").iterdir()))
    assert timeless(again) == timeless(result)


def test_pairings_are_matches(played):
    settings, _, result = played
    assert len(result.pairings) == 3
    for pairing in result.pairings:
        in_order = sorted(pairing.sides, key=settings.policies.index)
        match = play_match("euchre", *in_order, deals=90, seed=5)
        if in_order == pairing.sides:
            assert pairing.win_rate == match.win_rate
            assert pairing.points_margin == match.points_margin
        mirror = 1 if in_order == pairing.sides else -1
        assert pairing.points_margin.mean == pytest.approx(mirror * match.points_margin.mean)
        assert pairing.tricks_margin.mean == pytest.approx(mirror * match.tricks_margin.mean)
        for name in ("games_won", "tricks_won", "points", "decisions"):
            assert getattr(pairing, name) == getattr(match, name)[::mirror]


def test_standings_are_in_order_and_average_the_pairings(played):
    _, _, result = played
    assert result.policies == [standing.policy for standing in result.standings]
    assert sum(standing.rating.mean for standing in result.standings) == pytest.approx(0)
    assert result.policies[-1] == "random"
    for standing in result.standings:
        rates = [
            pairing.win_rate_of(pairing.sides.index(standing.policy)).mean
            for pairing in result.pairings
            if standing.policy in pairing.sides
        ]
        assert standing.win_rate.mean == pytest.approx(np.mean(rates))
        assert standing.rating.low < standing.rating.mean < standing.rating.high
        assert standing.win_rate.low < standing.win_rate.mean < standing.win_rate.high
    assert result.first_seat is None
    assert all(pairing.first_seat is None for pairing in result.pairings)
    assert all(standing.by_seat is None for standing in result.standings)
    assert "Moving first" not in markdown(result.document("c"), {"heatmap": "h.png", "ladder": "l.png"})


def _heed_ctrl_c():
    """A shell's background jobs ignore SIGINT, and so would what a test in one of them starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_keeps_what_is_finished(tmp_path):
    """The whole command: interrupted, it says how to go on; the second time it finishes."""
    folder = tmp_path / "run"
    command = [
        sys.executable, "-m", "cardenvs.cli", "tournament", "euchre", "low", "high", "random", "--deals", "2000", "--out",
        str(folder), "--workers", "2",
    ]  # fmt: skip
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=_heed_ctrl_c
    )
    deadline = time.monotonic() + 60
    while not list(folder.glob("chunks/*.npz")):
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does it, the workers included
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out == ""
    assert err.startswith("cardenvs: interrupted after ")
    assert f"to go on: cardenvs tournament euchre low high random --deals 2000 --seed 0 --out {folder} --workers 2" in err
    assert err.count("\n") == 1
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("chunks/*.npz")}
    done = subprocess.run([*command, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(strict_json(done.stdout)["pairings"]) == 3
    assert all(path.stat().st_mtime_ns == written for path, written in kept.items())


@pytest.fixture
def more_policies(monkeypatch):
    """``first``, ``cheat`` and ``broken`` are policies by name, in this process."""

    known = {"first": Named(First), "cheat": Named(Cheat), "broken": Named(failing(ZeroDivisionError()))}
    known = dict(POLICIES.entries) | known
    monkeypatch.setattr(POLICIES, "entries", known)


def test_an_illegal_action_is_named_and_the_rest_kept(more_policies, tmp_path, capsys):
    arguments = ["tournament", "whist", "low", "random", "cheat", "--deals", "4", "--workers", "1", "--out", str(tmp_path)]
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert "low - cheat: the policy 'cheat': illegal action" in err
    assert "for player_" in err
    assert "position: whist " in err
    assert f"finished results are kept in '{tmp_path}'" in err
    settings = settings_for("whist", ["low", "random", "cheat"], deals=4)
    assert PairingStore(tmp_path, settings).done.all(1).tolist() == [True, False, False]


def test_a_failing_policy_is_no_wrong_input(more_policies, tmp_path):
    with pytest.raises(RuntimeError, match=r"random - broken: Traceback(.|\n)*ZeroDivisionError"):
        play_tournament(settings_for("whist", ["random", "broken"], deals=4), tmp_path, workers=1)


def test_the_first_seat_is_counted_where_seats_differ(more_policies, tmp_path):
    settings = settings_for("five-o", ["first", "random", "reflex2"], deals=40, seed=2)
    result = play_tournament(settings, tmp_path, workers=1)
    margins = {}  # in points and columns, of each policy in either seat against each other: (40, 2)
    for pair in settings.pairs:
        first, second = (settings.policies[k] for k in pair)
        deals = play_deals("five-o", first, second, range(40), seed=2)
        counted = np.stack([deals.points, deals.tricks], -1)
        margin = counted[:, :, 0] - counted[:, :, 1]
        # The first side has seat 0 in copy 0 only.
        margins[first, 0, second], margins[first, 1, second] = margin[:, 0], margin[:, 1]
        margins[second, 0, first], margins[second, 1, first] = -margin[:, 1], -margin[:, 0]

    def check(results, seat, players, opponents):
        games = [margins[a, seat, b] for a in players for b in opponents if a != b]
        leads = np.concatenate(games)
        counts = [int((np.sign(leads[:, 0]) == sign).sum()) for sign in (1, 0, -1)]
        assert [results.wins, results.draws, results.losses] == counts
        assert results.games == len(leads)
        won = (np.sign(np.array(games)[:, :, 0]) + 1) / 2
        most = settings.most
        for told, values, least, greatest in (
            (results.win_rate, won, 0, 1),
            (results.points_margin, np.array(games)[:, :, 0], -most.points, most.points),
            (results.tricks_margin, np.array(games)[:, :, 1], -most.tricks, most.tricks),
        ):
            expected = interval(values.mean(0), least, greatest)
            assert told.mean == pytest.approx(expected.mean)
            assert told.ci95 == pytest.approx(expected.ci95)

    names = settings.policies
    check(result.first_seat, 0, names, names)
    for pairing in result.pairings:
        check(pairing.first_seat, 0, pairing.sides, pairing.sides)
    for standing in result.standings:
        for seat in (0, 1):
            check(standing.by_seat[seat], seat, [standing.policy], names)
    assert timeless(results_of(PairingStore(tmp_path, settings))) == timeless(result)


@pytest.mark.parametrize(("chance", "verdict"), [(0.7, "an advantage"), (0.3, "a disadvantage"), (0.5, "no significant")])
def test_whether_it_is_better_to_move_first_is_said(chance, verdict, tmp_path):
    """Made-up results in which player_0, whoever it is, wins with some chance."""
    settings = settings_for("five-o", ["random", "reflex2"], deals=400)
    store = PairingStore(tmp_path, settings)
    copies = np.random.default_rng(0).random((400, 2)) < chance
    copies[:, 1] = ~copies[:, 1]
    points = np.stack([copies, ~copies], 2).astype(np.int64)
    store.add(0, 0, DealResults(points, 3 * points, np.array([10, 20]), np.array([1.0, 0.5])))
    result = results_of(store)
    assert result.first_seat.win_rate.mean == pytest.approx(chance, abs=0.05)
    assert result.first_seat.tricks_margin.mean == pytest.approx(3 * result.first_seat.points_margin.mean)
    text = markdown(result.document("c"), {"heatmap": "h.png", "ladder": "l.png"})
    assert "## Moving first and second" in text
    assert f"%, {verdict}" in text


def test_rock_paper_scissors_is_found(tmp_path):
    """Made-up results in which low beats high, high beats random and random beats low, by less and less."""
    settings = settings_for("euchre", ["low", "high", "random"], deals=100)
    store = PairingStore(tmp_path, settings)
    rng = np.random.default_rng(0)
    for pairing, chance in enumerate((0.9, 0.2, 0.8)):  # low - high, low - random, high - random
        wins = rng.random((100, 2)) < chance
        points = np.stack([wins, ~wins], 2).astype(np.int64)
        store.add(pairing, 0, DealResults(points, points, np.array([10, 20]), np.array([1.0, 0.5])))
    result = results_of(store)
    (triple,) = result.cycles["win_rate"].significant
    assert triple.policies == ["low", "high", "random"]
    assert all(lead > 0.2 for lead in triple.leads)
    assert result.cycles["win_rate"].not_significant == 0
    assert result.cycles["win_rate"].triples == 1
    assert result.misfit > 0.2
    by_name = {standing.policy: standing for standing in result.standings}
    assert by_name["low"].decisions_per_s == pytest.approx(10)
    assert by_name["random"].decisions_per_s == pytest.approx(40)
    text = markdown(result.document("c"), {"heatmap": "h.png", "ladder": "l.png"})
    assert "low beats high" in text
    assert "which beats low" in text


def test_mixed_sides_parameters_and_rule_options(tmp_path):
    names = ["low+high", "low:calling=three-trumps", "random"]
    settings = settings_for("euchre", names, deals=10, episode="game", target=5)
    result = play_tournament(settings, tmp_path, workers=1)
    assert set(result.policies) == set(names)
    assert result.options["episode"] == "game"
    assert all(sum(pairing.games_won) == 20 for pairing in result.pairings)


def test_single_deals_have_the_numbers_of_a_match():
    spec = "euchre"
    whole = play_deals(spec, "low", "random", range(20), seed=1)
    part = play_deals(spec, "low", "random", range(7, 11), seed=1)
    assert (whole.points[7:11] == part.points).all()
    assert (whole.tricks[7:11] == part.tricks).all()
    for wrong in (range(0), range(0, 10, 2), range(-3, 2)):
        with pytest.raises(ValueError, match="range of consecutive numbers"):
            play_deals(spec, "low", "random", wrong)


@pytest.mark.slow
def test_without_names_all_policies_take_part():
    settings = settings_for("five-o")
    assert settings.policies == policy.default_names("five-o")
    assert settings.deals == 1000
    assert settings.options == {"hidden_rows": 1}


KEYS = {
    "game", "protocol", "policies", "deals", "games", "options", "seed", "standings", "pairings", "regularised", "misfit",
    "cycles", "first_seat",
}  # fmt: skip


def test_the_command_writes_its_reports(tmp_path, capsys):
    folder, report = tmp_path / "run", tmp_path / "docs" / "five_o.md"
    arguments = ["tournament", "five-o", "random", "reflex2", "--deals", "6", "--workers", "1", "--out", str(folder)]
    arguments += ["--seed", "3"]
    assert main([*arguments, "--json", "--report", str(report)]) == 0
    figures = strict_json(capsys.readouterr().out)
    assert set(figures) == KEYS
    assert figures["policies"][-1] == "random"
    assert figures["games"] == 12
    assert strict_json((folder / "results.json").read_text()) == figures
    assert strict_json(report.with_suffix(".json").read_text()) == figures
    for images, text in ((folder / "", folder / "report.md"), (report.parent / "five_o_", report)):
        prefix = "" if text.name == "report.md" else images.name
        lines = text.read_text().splitlines()
        assert "    cardenvs tournament five-o random reflex2 --deals 6 --seed 3" in lines
        for name in ("heatmap.png", "ladder.png"):
            assert f"]({prefix}{name})" in text.read_text()
            assert (text.parent / f"{prefix}{name}").read_bytes().startswith(PNG)
        for row in (line for line in lines if line.startswith("|")):
            assert row.count("|") in (len(figures["policies"]) + 2, 6, 8)
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "reflex2" in out
    assert "player_0, who moves first, won" in out


def test_one_deal_has_no_interval(tmp_path, capsys):
    arguments = ["tournament", "whist", "low", "high", "random", "--deals", "1", "--workers", "1", "--out", str(tmp_path)]
    assert main([*arguments, "--json"]) == 0
    figures = strict_json(capsys.readouterr().out)
    assert figures["standings"][0]["rating_ci95"] == [None, None]
    assert main(arguments) == 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("bridge",), "unknown game 'bridge'"),
        (("euchre", "low"), "at least two policies, not 1: low"),
        (("euchre", "low", "high", "low"), "policies must differ, and 'low' is given twice"),
        (("euchre", "low", "nobody"), "unknown policy 'nobody' for euchre"),
        (("euchre", "low", "high+low+high"), "a side of euchre is one policy or 2 joined by +"),
        (("euchre", "low", "none.zip"), "no policy file 'none.zip'"),
        (("euchre", "low", "high", "--deals", "0"), "0 is not in the range x>=1"),
        (("euchre", "low", "high", "--workers", "0"), "0 is not in the range x>=1"),
        (("euchre", "low", "high", "-o", "bids=3"), "unknown option 'bids'"),
        (("euchre", "low", "high", "--out", "/proc/none"), "/proc/none"),
        (("euchre", "low", "high", "--out", __file__), "is not a folder"),
        (("euchre", "low", "high", "--report", "/"), "is a directory"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(arguments, named, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["tournament", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert named in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_changed_policy_file_is_other_settings(tmp_path, monkeypatch):
    entries = {"random": Named(policy.RandomPolicy), ".zip": Named(lambda spec, path: First(spec))}
    monkeypatch.setattr(POLICIES, "entries", entries)
    trained = tmp_path / "policy.zip"
    trained.write_bytes(b"one")
    settings = settings_for("whist", [str(trained), "random"], deals=3)
    play_tournament(settings, tmp_path / "run", workers=1)
    trained.write_bytes(b"two")
    with pytest.raises(ValueError, match=r"begun with another content of .*policy\.zip"):
        PairingStore(tmp_path / "run", settings_for("whist", [str(trained), "random"], deals=3))


def test_damaged_files_are_named(tmp_path):
    settings = settings_for("whist", ["low", "random"], deals=3)
    play_tournament(settings, tmp_path, workers=1)
    (chunk,) = (tmp_path / "chunks").iterdir()
    chunk.write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(ValueError, match=r"the chunk '.*000-001.*' is damaged: delete it"):
        play_tournament(settings, tmp_path, workers=1)
    chunk.unlink()
    with pytest.raises(ValueError, match="is not finished: 3 deals are missing"):
        results_of(PairingStore(tmp_path, settings))
    (tmp_path / "tournament.json").write_text("{}")
    with pytest.raises(ValueError, match="does not hold the settings of a tournament"):
        PairingStore(tmp_path, settings)
