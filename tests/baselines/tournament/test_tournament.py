"""Tournaments: results that depend on the settings only, resuming, what is written, wrong input."""

import functools
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.baselines.match import play_deals, play_match
from cardenvs.baselines.reports.statistics import interval
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.tournament import play_tournament, results_of, settings_for
from cardenvs.policy.registry import POLICIES
from tests.helpers.command_line import run
from tests.helpers.players import Cheat, First, Named, failing
from tests.helpers.reports import made_up_store, strict_json, timeless

pytestmark = pytest.mark.compiled

EUCHRE = ["coop-high-low", "high-low", "random"]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A small tournament by one process: settings, folder, results."""
    folder = tmp_path_factory.mktemp("tournament")
    settings = settings_for("euchre", EUCHRE, deals=90, seed=5)
    return settings, folder, play_tournament(settings, folder, workers=1)


def test_pairings_are_matches(played):
    settings, _, result = played
    assert len(result.pairings) == 3
    for pairing in result.pairings:
        in_order = sorted(pairing.sides, key=settings.policies.index)
        match = play_match("euchre", *in_order, deals=90, seed=5)
        mirror = 1 if in_order == pairing.sides else -1
        assert mirror < 0 or (pairing.win_rate, pairing.points_margin) == (match.win_rate, match.points_margin)
        for name in ("points_margin", "tricks_margin"):
            assert getattr(pairing, name).mean == pytest.approx(mirror * getattr(match, name).mean)
        for name in ("games_won", "tricks_won", "points", "decisions"):
            assert getattr(pairing, name) == getattr(match, name)[::mirror]


def test_standings_are_in_order_and_average_the_pairings(played):
    _, _, result = played
    assert result.policies == [standing.policy for standing in result.standings]
    assert sum(standing.rating.mean for standing in result.standings) == pytest.approx(0)
    assert result.policies[-1] == "random"
    for standing in result.standings:
        own = [pairing for pairing in result.pairings if standing.policy in pairing.sides]
        rates = [pairing.win_rate_of(pairing.sides.index(standing.policy)).mean for pairing in own]
        assert standing.win_rate.mean == pytest.approx(np.mean(rates))
        for value in (standing.rating, standing.win_rate):
            assert value.low < value.mean < value.high
        assert standing.by_seat is None
    assert {result.first_seat, *(pairing.first_seat for pairing in result.pairings)} == {None}
    assert "Moving first" not in result.markdown("c")


def test_ctrl_c_keeps_what_is_finished(tmp_path, capsys):
    """The whole command: interrupted, it says how to go on; the second time it finishes."""
    folder = tmp_path / "run"
    words = ["tournament", "euchre", "low", "high", "random", "--deals", "2000", "--out", str(folder), "--workers"]
    command = [sys.executable, "-m", "cardenvs.cli", *words, "2"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # A shell's background jobs ignore SIGINT, and so would what a test in one of them starts.
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    running = subprocess.Popen(command, **pipes, start_new_session=True, preexec_fn=heed)
    deadline = time.monotonic() + 60
    while not list(folder.glob("chunks/*.npz")):
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does it, the workers included
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    assert err.startswith("cardenvs: interrupted after ")
    assert f"to go on: cardenvs tournament euchre low high random --deals 2000 --seed 0 --out {folder} --workers 2" in err
    assert err.count("\n") == 1
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("chunks/*.npz")}
    status, out, err = run(capsys, *words, "1", "--json")
    assert status == 0, err
    assert len(strict_json(out)["pairings"]) == 3
    assert all(path.stat().st_mtime_ns == written for path, written in kept.items())


@pytest.fixture
def more_policies(monkeypatch):
    """``first``, ``cheat`` and ``broken`` are policies by name, in this process."""
    made = {"first": First, "cheat": Cheat, "broken": failing(ZeroDivisionError())}
    monkeypatch.setattr(POLICIES, "entries", dict(POLICIES.entries) | {name: Named(kind) for name, kind in made.items()})


def test_an_illegal_action_is_named_and_the_rest_kept(more_policies, tmp_path, capsys):
    words = ["tournament", "whist", "low", "random", "cheat", "--deals", "4", "--workers", "1", "--out", str(tmp_path)]
    status, _, err = run(capsys, *words)
    assert status == 2
    told = ("low - cheat: the policy 'cheat': illegal action", "for player_", "position: whist ", f"kept in '{tmp_path}'")
    assert [part for part in told if part not in err] == []
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
        games = np.array([margins[a, seat, b] for a in players for b in opponents if a != b])
        signs = np.sign(games[:, :, 0])
        counts = [int((signs == sign).sum()) for sign in (1, 0, -1)]
        assert [results.games, results.wins, results.draws, results.losses] == [signs.size, *counts]
        points, tricks, _ = settings.most
        for told, values, least, greatest in (
            (results.win_rate, (signs + 1) / 2, 0, 1),
            (results.points_margin, games[:, :, 0], -points, points),
            (results.tricks_margin, games[:, :, 1], -tricks, tricks),
        ):
            expected = interval(values.mean(0), least, greatest)
            assert [told.mean, *told.ci95] == pytest.approx([expected.mean, *expected.ci95])

    names = settings.policies
    check(result.first_seat, 0, names, names)
    for pairing in result.pairings:
        check(pairing.first_seat, 0, pairing.sides, pairing.sides)
    for standing in result.standings:
        for seat in (0, 1):
            check(standing.by_seat[seat], seat, [standing.policy], names)
    assert timeless(results_of(PairingStore(tmp_path, settings))) == timeless(result)
    assert "player_0, who moves first, won" in " ".join(str(result).split())


@pytest.mark.parametrize(("chance", "verdict"), [(0.7, "an advantage"), (0.3, "a disadvantage"), (0.5, "no significant")])
def test_whether_it_is_better_to_move_first_is_said(chance, verdict, tmp_path):
    """Made-up results in which player_0, whoever it is, wins with some chance."""
    copies = np.random.default_rng(0).random((400, 2)) < chance
    copies[:, 1] = ~copies[:, 1]
    settings = settings_for("five-o", ["random", "reflex2"], deals=400)
    result = results_of(made_up_store(settings, tmp_path, [np.stack([copies, ~copies], 2)]))
    assert result.first_seat.win_rate.mean == pytest.approx(chance, abs=0.05)
    assert result.first_seat.tricks_margin.mean == pytest.approx(3 * result.first_seat.points_margin.mean)
    text = result.markdown("c")
    assert "## Moving first and second" in text
    assert f"%, {verdict}" in text


def test_rock_paper_scissors_is_found(tmp_path):
    """Made-up results in which low beats high, high beats random and random beats low, by less and less."""
    settings, rng = settings_for("euchre", ["low", "high", "random"], deals=100), np.random.default_rng(0)
    wins = [rng.random((100, 2)) < chance for chance in (0.9, 0.2, 0.8)]  # low - high, low - random, high - random
    result = results_of(made_up_store(settings, tmp_path, [np.stack([won, ~won], 2) for won in wins]))
    cycles = result.cycles["win_rate"]
    (triple,) = cycles.significant
    assert triple.policies == ["low", "high", "random"]
    assert all(lead > 0.2 for lead in triple.leads)
    assert (cycles.not_significant, cycles.triples) == (0, 1)
    assert result.misfit > 0.2
    speeds = {standing.policy: standing.decisions_per_s for standing in result.standings}
    assert (speeds["low"], speeds["random"]) == pytest.approx((10, 40))
    text = result.markdown("c")
    assert "low beats high" in text
    assert "which beats low" in text


@pytest.mark.slow
def test_without_names_all_policies_take_part():
    settings = settings_for("five-o")
    assert settings.policies == policy.default_names("five-o")
    assert (settings.deals, settings.options) == (1000, {"hidden_rows": 1})


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
    chunk.unlink()
    with pytest.raises(ValueError, match="is not finished: 3 deals are missing"):
        results_of(PairingStore(tmp_path, settings))
    (tmp_path / "tournament.json").write_text("{}")
    with pytest.raises(ValueError, match="does not hold the settings of a tournament"):
        PairingStore(tmp_path, settings)
