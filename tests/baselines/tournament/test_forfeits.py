"""Tournaments in which policies cannot go on: all other pairings are played, and nothing that is finished is lost."""

import json

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.baselines.match import DealResults, Forfeited, play_match
from cardenvs.baselines.runs import pairings
from cardenvs.baselines.runs.store import FORFEITS, PairingStore
from cardenvs.baselines.tournament import play_tournament, results_of, settings_for
from cardenvs.cli import FORFEITED
from tests.helpers.command_line import run
from tests.helpers.players import First, Last, quitting
from tests.helpers.reports import strict_json, untimed

pytestmark = pytest.mark.compiled

NAMES = ["random", "quits", "high-low", "coop-high-low"]


@pytest.fixture(autouse=True)
def _registered():
    """A policy that quits in its first pairing, and goes by a name."""
    policy.register("quits", quitting(60))


def test_all_others_play_and_what_is_finished_is_kept(tmp_path):
    settings = settings_for("euchre", NAMES, deals=20, seed=2)
    result = play_tournament(settings, tmp_path, workers=1)
    assert sorted(result.policies) == ["coop-high-low", "high-low", "random"] and len(result.pairings) == 3
    first, *others = result.forfeits
    assert [" ".join(one.sides) for one in result.forfeits] == ["random quits", "quits high-low", "quits coop-high-low"]
    assert first.deals > 0 and first.played is not None and first.forfeit.side == 1
    assert [(one.deals, one.played, one.forfeit.side) for one in others] == [(0, None, 0)] * 2
    match = play_match("euchre", "random", "quits", deals=first.deals, seed=2)
    assert first.played.points_margin == match.points_margin
    # What is left is the tournament of the others.
    names = [name for name in NAMES if name != "quits"]
    alone = play_tournament(settings_for("euchre", names, deals=20, seed=2), tmp_path / "alone", workers=1)
    told = untimed(result.as_dict())
    assert [one["deals"] for one in told.pop("forfeits")] == [first.deals, 0, 0]
    assert told == untimed(alone.as_dict())


def test_a_second_run_plays_no_forfeited_pairing_and_one_without_the_record_does(tmp_path, monkeypatch):
    settings = settings_for("euchre", NAMES, deals=12, seed=2)
    before = play_tournament(settings, tmp_path, workers=1).as_dict()
    policy.register("quits", First)  # it would play on now
    assert untimed(play_tournament(settings, tmp_path, workers=1).as_dict()) == untimed(before)
    kept = int(PairingStore(tmp_path, settings).done[0].sum())
    assert kept == before["forfeits"][0]["deals"] > 0
    (tmp_path / FORFEITS).unlink()
    played, begin = [], pairings.PairingPlan.begin

    def begin_watched(self):
        play = begin(self)
        return lambda task: played.append(task) or play(task)

    monkeypatch.setattr(pairings.PairingPlan, "begin", begin_watched)
    whole = play_tournament(settings, tmp_path, workers=1).as_dict()
    assert {task.of for task in played} == {0, 3, 4} and min(t.start for t in played if t.of == 0) == kept
    assert "forfeits" not in whole
    assert untimed(whole) == untimed(play_tournament(settings, tmp_path / "whole", workers=1).as_dict())


def test_without_any_whole_pairing_there_are_no_results(tmp_path):
    settings = settings_for("euchre", ["random", "quits"], deals=40)
    with pytest.raises(
        ValueError, match=r"too much of the tournament was forfeited .* random - quits: it has had enough; to"
    ):
        play_tournament(settings, tmp_path, workers=1)
    assert (tmp_path / FORFEITS).exists() and PairingStore(tmp_path, settings).done.any()


@pytest.mark.usefixtures("toys")
def test_in_games_of_more_sides_both_ways_are_left_out(tmp_path):
    policy.register("first", First)
    policy.register("last", Last)
    settings = settings_for("ladder", ["random", "first", "last"], deals=4)
    store, made = PairingStore(tmp_path, settings), np.random.default_rng(1)
    lost = settings.pairs.index((1, 0))
    store.forfeit(lost, Forfeited(0, "first", "it has had enough", None))
    for pairing in range(6):
        points, tricks = made.integers(0, 9, (2, 4, 3, 3))
        played = DealResults(points, tricks, np.ones(2, np.int64), np.ones(2), truncated=np.array(0))
        if pairing != lost:
            store.add(pairing, 0, played)
    result = results_of(store)
    met = {frozenset(pairing.sides) for pairing in result.pairings}
    assert len(result.pairings) == 4 and met == {frozenset(("random", "last")), frozenset(("first", "last"))}
    assert len(result.policies) == 3 and [one.sides for one in result.forfeits] == [["first", "random"]]
    assert {standing.decisions > 0 for standing in result.standings} == {True}
    assert result.cycles["win_rate"].triples == 0


def test_the_record_must_be_one(tmp_path):
    settings = settings_for("euchre", NAMES, deals=4)
    PairingStore(tmp_path, settings)
    for text in ("[", "{}", '{"forfeits": [{"pairing": [0, 9], "forfeit": {}}]}', '{"forfeits": [3]}'):
        (tmp_path / FORFEITS).write_text(text)
        with pytest.raises(ValueError, match=r"the record of forfeits .* is damaged: delete it"):
            PairingStore(tmp_path, settings)


def test_reports_name_forfeits(tmp_path, capsys):
    words = ["tournament", "euchre", *NAMES, "--deals", "12", "--out", str(tmp_path), "--workers", "1"]
    status, out, err = run(capsys, *words, "--json")
    told = strict_json(out)
    assert (status, len(told["forfeits"])) == (FORFEITED, 3)
    assert told["forfeits"][0]["forfeit"]["why"] == "it has had enough"
    assert f"3 pairings were forfeited; to play forfeited pairings on, delete '{tmp_path / FORFEITS}'" in err
    report = (tmp_path / "report.md").read_text()
    assert "## Forfeits" in report and "| random - quits | quits |" in report
    assert json.loads((tmp_path / "results.json").read_text())["forfeits"] == told["forfeits"]
    status, out, _ = run(capsys, *words)
    assert status == FORFEITED and "quits has forfeited after" in " ".join(out.split())
    result = play_tournament(settings_for("euchre", ["random", "high-low"], deals=2), tmp_path / "plain", workers=1)
    assert "orfeit" not in result.markdown("c") + json.dumps(result.as_dict())
