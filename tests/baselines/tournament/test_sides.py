"""Tournaments of games of three sides, of dealt sides and of games that are cut off."""

import numpy as np
import pytest

from cardenvs.baselines.match import DealResults, play_deals, play_match
from cardenvs.baselines.reports.statistics import interval
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.tournament import play_tournament, results_of, settings_for
from cardenvs.baselines.tournament.report import ladder_png, win_rates, win_rates_png
from cardenvs.compiled.jit import DISABLED
from cardenvs.policy.registry import POLICIES
from tests.helpers.command_line import figures_of, run
from tests.helpers.players import First, Last, Named
from tests.helpers.reports import PNG, made_up_store, timeless

pytestmark = pytest.mark.usefixtures("toys")

THREE = ["first", "last", "random"]


@pytest.fixture(autouse=True)
def more_policies(monkeypatch):
    """``first`` and ``last`` are policies by name, in this process."""
    known = dict(POLICIES.entries) | {"first": Named(First), "last": Named(Last)}
    monkeypatch.setattr(POLICIES, "entries", known)


def test_three_sides_are_paired_both_ways(tmp_path):
    deals = 3 if DISABLED else 20
    settings = settings_for("ladder", THREE, deals=deals, seed=4)
    assert len(settings.pairs) == 6
    result = play_tournament(settings, tmp_path, workers=1)
    assert result.games == 3 * deals
    assert {tuple(pairing.sides) for pairing in result.pairings} == {(a, b) for a in THREE for b in THREE if a != b}
    cut_off = 0
    for pairing in result.pairings:
        match = play_match("ladder", *pairing.sides, deals=deals, seed=4)
        cut_off += match.truncated
        for name in ("win_rate", "rank", "points_margin", "games_won", "points", "decisions", "truncated"):
            assert getattr(pairing, name) == getattr(match, name)
    assert result.truncated == cut_off > 0
    for standing in result.standings:
        alone = [pairing for pairing in result.pairings if pairing.sides[0] == standing.policy]
        for name in ("win_rate", "rank", "points_margin"):
            of_pairings = [getattr(pairing, name).mean for pairing in alone]
            assert getattr(standing, name).mean == pytest.approx(np.mean(of_pairings))
        played = [play_deals("ladder", *pairing.sides, range(deals), seed=4) for pairing in alone]
        for side, seat in enumerate(standing.by_seat):
            assert seat.win_rate.mean == pytest.approx(np.mean([deals.won[:, side] for deals in played]))
            assert seat.points_margin.mean == pytest.approx(np.mean([deals.point_leads[:, side] for deals in played]))
            assert seat.wins + seat.draws + seat.losses == seat.games == 2 * deals
    assert sum(standing.rating.mean for standing in result.standings) == pytest.approx(0)
    assert result.policies[0] == "first"  # it gets rid of its cards, the others draw and draw
    rates = win_rates(result)
    assert np.isnan(rates.diagonal()).all()
    assert not np.isnan(rates[~np.eye(3, dtype=bool)]).any()
    # Finished, it plays nothing any more, and what was kept gives the same.
    assert timeless(play_tournament(settings, tmp_path, workers=1)) == timeless(result)
    text = result.markdown("c")
    told = ("each played 3 times", "by the ranks in all games", "player_2: wins, %", f"{cut_off:,} games were cut off")
    assert [part for part in told if part not in text] == []
    assert win_rates_png(result).startswith(PNG)
    assert ladder_png(result).startswith(PNG)


def test_ratings_go_by_ranks(tmp_path):
    """Made-up results: ``first`` is always first of three, ``last`` always behind all."""
    settings, rng = settings_for("ladder", ["first", "last", "random"], deals=50), np.random.default_rng(0)
    strengths = [(2.0, 0.0, 1.0)[k] for pair in settings.pairs for k in pair]
    made = [
        np.round(10 * (np.array([alone, others, others]) + rng.normal(size=(50, 3, 3))))
        for alone, others in zip(strengths[::2], strengths[1::2], strict=True)
    ]
    store = made_up_store(settings, tmp_path, made, truncated=1)
    result = results_of(store)
    assert result.policies == ["first", "random", "last"]
    assert result.truncated == 6
    values = {standing.policy: standing.rating.mean for standing in result.standings}
    beaten = store.load().beaten
    for (a, b), shares in zip(settings.pairs, beaten, strict=True):
        lead = values[settings.policies[a]] - values[settings.policies[b]]
        assert shares.mean() == pytest.approx(1 / (1 + 10 ** (-lead / 400)), abs=0.1)
    assert result.misfit < 0.1
    of_first = beaten[[a == 0 for a, _ in settings.pairs]]
    assert result.standings[0].rank == interval(1 + 2 * (1 - np.mean(of_first, 0)), 1, 3)


def test_numbers_too_large_for_two_bytes_are_kept(tmp_path):
    settings = settings_for("ladder", ["first", "last"], deals=4)
    store = PairingStore(tmp_path, settings)
    points = np.arange(36).reshape(4, 3, 3) * 3000
    for number in range(2):
        played = DealResults(points[:2] - number, points[:2], np.ones(2, int), np.ones(2), truncated=np.array(0))
        store.add(number, 0, played)
        small = points[2:] // 3000
        store.add(number, 2, DealResults(small, small, np.ones(2, int), np.ones(2), truncated=np.array(2)))
    loaded = store.load()
    assert (loaded.points[1, :2] == points[:2] - 1).all()
    assert (loaded.points[0, 2:] == points[2:] // 3000).all()
    assert loaded.truncated.tolist() == [2, 2]


def test_chunks_from_before_winners_were_kept(tmp_path):
    """Games were won by points then; a stopped tournament goes on."""
    settings = settings_for("euchre", ["low", "high"], deals=6, seed=1)
    result = play_tournament(settings, tmp_path, workers=1)
    for chunk in (tmp_path / "chunks").iterdir():
        with np.load(chunk) as stored:
            arrays = {name: stored[name] for name in stored if name != "winners"}
        np.savez_compressed(chunk, **arrays)
    assert timeless(results_of(PairingStore(tmp_path, settings))) == timeless(result)


def test_dealt_sides_are_exchanged(tmp_path):
    settings = settings_for("wolves", THREE, deals=30, seed=4)
    assert len(settings.pairs) == 3
    result = play_tournament(settings, tmp_path, workers=1)
    assert (result.games, result.first_seat, result.truncated) == (60, None, None)
    played = play_deals("wolves", "first", "last", range(30), seed=4)
    pairing = next(pairing for pairing in result.pairings if set(pairing.sides) == {"first", "last"})
    assert pairing.win_rate_of(pairing.sides.index("first")).mean == pytest.approx(played.wins.mean())
    # As wolves and as villagers, each against both others.
    other = play_deals("wolves", "first", "random", range(30), seed=4)
    (standing,) = (standing for standing in result.standings if standing.policy == "first")
    for side, seat in enumerate(standing.by_seat):
        assert seat.games == 60
        assert seat.win_rate.mean == pytest.approx(np.mean([played.won[:, side], other.won[:, side]]))
    assert "side 0 of 2: wins, %" in result.markdown("c")


def test_the_command(tmp_path, capsys):
    words = ["tournament", "ladder", *THREE, "--deals", "2", "--workers", "1", "--out", str(tmp_path)]
    figures = figures_of(capsys, *words)
    assert len(figures["pairings"]) == 6
    assert all("rank" in entry for entry in figures["standings"] + figures["pairings"])
    status, out, _ = run(capsys, *words)
    assert status == 0 and "rank" in out and "The row plays one of 3 sides" in out


@pytest.mark.slow
def test_workers_know_a_game_that_was_registered_here(tmp_path):
    settings = settings_for("wolves", ["random", "random+random+random"], deals=40, seed=1)
    result = play_tournament(settings, tmp_path / "two", workers=2)
    assert timeless(result) == timeless(play_tournament(settings, tmp_path / "one", workers=1))
