"""Every command that shows names, given names that would break or take over what shows them."""

import io
import json
import shutil
from pathlib import Path

import pytest

from cardenvs.cli import main
from cardenvs.contract.registry import get_game
from cardenvs.printing import escaped, printable
from cardenvs.train.inference.shipped import FOLDER
from tests.helpers.command_line import run
from tests.helpers.hostile import FILE_NAME, NAMES, assert_harmless
from tests.helpers.tables import played

pytestmark = pytest.mark.compiled


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """The path, relative to the current folder, of a policy's file with a hostile name; for Euchre."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")
    Path(FILE_NAME).parent.mkdir()
    shutil.copy(FOLDER / "generation-1" / "euchre.safetensors", FILE_NAME)
    return FILE_NAME


def check(capsys, *words, status=0):
    """Runs a command and makes sure that it says nothing that could do harm; returns what it printed."""
    ended, out, err = run(capsys, *words)
    assert ended == status, err
    assert "Traceback" not in err
    assert_harmless(out)
    assert_harmless(err)
    return out, err


def check_report(path):
    """Makes sure that a report is Markdown in which the hostile name means nothing."""
    text = Path(path).read_text("utf-8")
    assert escaped(FILE_NAME) in text or escaped(FILE_NAME)[-20:] in text
    assert_harmless(text)
    for line in text.splitlines():
        if not line.startswith("    "):
            assert "<" not in line
    rows = [line.replace("\\|", "").count("|") for line in text.splitlines() if line.startswith("|")]
    assert rows and min(rows) >= 3
    widths = {}
    for number, line in enumerate(text.splitlines()):
        if line.startswith("|"):
            widths[number] = line.count("|")
            assert widths[number] == widths.get(number - 1, widths[number])


def test_match(hostile, capsys):
    out, _ = check(capsys, "match", "euchre", hostile, f"random+{hostile}", "--deals", "2", "--cooperation")
    assert printable(Path(hostile).stem) in out
    assert main(["match", "euchre", hostile, "random", "--deals", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sides"][0] == hostile


def test_evaluate(hostile, capsys):
    out, _ = check(
        capsys, "evaluate", "euchre", hostile, "--against", "random", "--against", f"low+{hostile}", "--deals", "4",
        "--report", "report.md",
    )  # fmt: skip
    assert printable(Path(hostile).stem) in out
    check_report("report.md")


def test_statistics(hostile, capsys):
    words = ["recycle", "stats", "euchre", "--ai", hostile, "--games", "2", "--workers", "1", "--out", "[/i]\x1b[1m"]
    out, _ = check(capsys, *words, "--report", "report.md")
    assert printable(hostile) in out
    for path in ("report.md", "[/i]\x1b[1m/report.md"):
        assert_harmless(Path(path).read_text("utf-8"))
        assert escaped(hostile) in Path(path).read_text("utf-8")


def test_tournament(hostile, capsys):
    words = ["tournament", "euchre", hostile, "random", "low", "--deals", "2", "--workers", "1", "--out", "[/i]\x1b[1m"]
    out, err = check(capsys, *words, "--report", "[b] copy.md")
    assert printable(Path(hostile).stem) in out
    assert "[/i]\\x1b[1m" in err
    check_report("[b] copy.md")
    check_report("[/i]\x1b[1m/report.md")
    check(capsys, *words, "--seed", "9", status=2)


def test_crossplay_and_adhoc(hostile, capsys):
    words = ["--against", "random", "--deals", "2", "--workers", "1", "--report", "report.md"]
    out, _ = check(capsys, "crossplay", "euchre", hostile, "low", *words, "--group", f"[/i]\x1b={hostile},low")
    assert printable(Path(hostile).stem) in out
    check_report("report.md")
    out, _ = check(capsys, "adhoc", "euchre", hostile, "--partners", "low", "--partners", hostile, *words)
    assert printable(Path(hostile).stem) in out
    check_report("report.md")


def test_render(hostile, capsys):
    Path("[").mkdir(exist_ok=True)
    check(capsys, "render", "euchre", "--seats", f"{hostile},random", "--out", "[/b]\x1b.png")
    assert Path("[/b]\x1b.png").is_file()


NAMES_IN_LINES = [name for name in NAMES if len(name.splitlines()) == 1 and ";" not in name and "\ud83d" not in name]


@pytest.mark.parametrize("name", NAMES_IN_LINES)
@pytest.mark.compiled
def test_review(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")
    game = get_game("five-o")
    line = game.text(played("five-o", 3).state[0])
    Path("[").mkdir()
    Path("[/b]\x1b.txt").write_text(f"# seats: {name}; random\n{line}\n", "utf-8")
    out, _ = check(capsys, "review", "[/b]\x1b.txt", "--worlds", "2", "--html", "[/i]\x1b.html")
    assert printable(name.strip()) in out
    page = Path("[/i]\x1b.html").read_text("utf-8")
    assert_harmless(page)
    assert "<script" not in page and "<i>" not in page


def test_review_asks_a_hostile_policy(hostile, capsys):
    Path("[").mkdir(exist_ok=True)
    check(capsys, "match", "euchre", "random", "low", "--deals", "1", "--record", "[/b]\x1b.txt")
    check(capsys, "review", "[/b]\x1b.txt", "--worlds", "2", "--deal", "1", "--policy", hostile, "--html", "page.html")
    assert_harmless(Path("page.html").read_text("utf-8"))


def test_export(tmp_path, monkeypatch, capsys, hostile):
    check(capsys, "export", "[/b]\x1b[31m.zip", "out.safetensors", status=2)
    check(capsys, "match", "euchre", "no[/b]\x1b[31m", "random", status=2)
    check(capsys, "match", "no[/b]\x1b[31m\udce9", "random", "low", status=2)
    check(capsys, "match", "euchre", "random", "low", "--no[/b]\x1b[31m", status=2)
    check(capsys, "no[/b]\x1b[31m", status=2)


def test_a_failure_of_a_policy_is_told_harmlessly(monkeypatch, capsys):
    def fail(*arguments, **settings):
        raise RuntimeError("[/b] \x1b[31m\u202e")

    monkeypatch.setattr("cardenvs.baselines.match.command.play_match", fail)
    status, out, err = run(capsys, "match", "euchre", "random", "low")
    assert status == 1
    assert "RuntimeError: [/b] \\x1b[31m\\u202e" in err
    assert_harmless(out + err)


@pytest.mark.parametrize("name", [name for name in NAMES if not set(name) & set(",|\n\r")])
def test_advise(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    words = ["advise", "euchre", "--names", f"{name},b,c,d", "--engine", "0", "--dealer", "0", "--session", "[/b]\x1b.txt"]
    status, out, err = run(capsys, *words)
    assert status in (0, 2)
    assert_harmless(out + err)
    if status == 0:
        check(capsys, "advise", "euchre", "--resume", "[/b]\x1b.txt")


def test_play_in_the_terminal(hostile, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "[/b]\x1b"))
    lines = iter(
        ["show", "log", f"hint {hostile}", f"hint no{NAMES[0]}", "[/b]\x1b", f"load {NAMES[5]}", "save [/b]\x1b", "quit"]
    )

    def read():
        line = next(lines, None)
        if line is None:
            raise EOFError
        return line

    monkeypatch.setattr("cardenvs.play.terminal.session.read_line", read)
    out, _ = check(capsys, "play", "euchre", "--terminal", "--seats", f"human,{hostile},random,{hostile}", "--pause", "0")
    assert printable(hostile) in out
