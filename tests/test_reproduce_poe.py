"""POE's agent against the simple agents: the command, its report and its options' old names."""

from __future__ import annotations

import json

import pytest

from tests.helpers.command_line import run

SMALL = ("reproduce", "poe", "--deals", "3", "--worlds", "4", "--seed", "2")


def test_figures_and_report(capsys, tmp_path):
    report = tmp_path / "poe.md"
    status, out, err = run(capsys, *SMALL, "--against", "low", "--json", "--report", str(report))
    assert (status, err) == (0, "")
    figures = json.loads(out)
    assert (figures["game"], figures["policy"], figures["worlds"], figures["deals"]) == ("whist", "poe", 4, 3)
    (row,) = figures["results"]
    assert row["opponent"] == "low"
    assert sum(row["tricks_per_deal"]) == pytest.approx(13)
    low, high = row["tricks_per_deal_ci95"]
    assert low <= row["tricks_per_deal"][0] <= high
    text = report.read_text()
    assert "`cardenvs reproduce poe --deals 3 --worlds 4 --seed 2 --against low --report FILE`" in text
    assert f"| low | {row['tricks_per_deal'][0]:.2f} : {row['tricks_per_deal'][1]:.2f} ±" in text


def test_old_names_of_options_work_and_are_not_listed(capsys, tmp_path):
    report = tmp_path / "poe.md"
    status, out, _ = run(capsys, *SMALL, "--opponent", "random", "--opponent", "low", "--markdown", str(report))
    assert status == 0
    assert "random" in out and "low" in out
    assert "--against random --against low" in report.read_text()
    for name in ("poe", "euchre", "calling", "five-o"):
        status, out, _ = run(capsys, "reproduce", name, "--help")
        assert status == 0
        assert "--report" in out
        assert "--markdown" not in out and "--opponent" not in out


def test_an_unknown_opponent_is_named(capsys):
    status, out, err = run(capsys, *SMALL, "--against", "nobody")
    assert (status, out) == (2, "")
    assert "unknown policy 'nobody' for whist" in err
