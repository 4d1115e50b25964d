"""The options of ``cardenvs reproduce``: wrong ones, and old names, which still work and are listed nowhere."""

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
