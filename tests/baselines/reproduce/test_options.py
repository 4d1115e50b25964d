"""The options of ``cardenvs reproduce`` by their old names, which still work and are listed nowhere."""

from __future__ import annotations

import pytest

from tests.helpers.command_line import run

pytestmark = pytest.mark.compiled


def test_old_names_of_options_work(capsys, tmp_path):
    report = tmp_path / "poe.md"
    arguments = ("reproduce", "poe", "--deals", "3", "--worlds", "4", "--seed", "2", "--opponent", "random")
    status, out, _ = run(capsys, *arguments, "--opponent", "low", "--markdown", str(report))
    assert status == 0
    assert "random" in out and "low" in out
    command = "`cardenvs reproduce poe --deals 3 --worlds 4 --seed 2 --against random --against low --report FILE`"
    assert command in report.read_text()


@pytest.mark.parametrize("name", ["poe", "euchre", "calling", "five-o", "recycle"])
def test_old_names_of_options_are_not_listed(capsys, name):
    status, out, _ = run(capsys, "reproduce", name, "--help")
    assert status == 0
    assert "--report" in out
    assert "--markdown" not in out and "--opponent" not in out
