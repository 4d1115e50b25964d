"""Text that is not ours on its way to terminals, reports and pages."""

import ast
import io
import re
import sys
import unicodedata

import pytest
from rich.table import Table
from rich.text import Text

from cardenvs import cli
from cardenvs.printing import PlainConsole, code, escaped, html_text, printable, printable_lines, remark, say, table_lines
from tests.helpers.hostile import NAMES, assert_harmless
from tests.helpers.imports import MODULES, parsed
from tests.helpers.paths import ROOT


def test_unsafe_characters_are_spelled_out_and_no_others():
    joiners = "\u200c\u200d"
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        unsafe = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in joiners
        if unsafe:
            shown = printable(character)
            assert shown.isascii() and shown.isprintable(), hex(number)
            assert shown.encode().decode("unicode_escape") == character
        elif unicodedata.category(character) != "Cn":
            assert printable(character) == character, hex(number)
    assert printable("a\r\nb") == "a\\r\\nb"
    assert printable_lines("a\x1b[31m\nb") == "a\\x1b[31m\nb"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("terminal", [False, True])
def test_a_console_shows_names_as_they_are(name, terminal):
    file = io.StringIO()
    console = PlainConsole(file=file, force_terminal=terminal, color_system=None, width=400)
    console.print(name)
    console.print(Text(name), Text("beside ").append(name, "bold"))
    table = Table(name, title=name, caption=name)
    table.add_row(name)
    table.add_row(Text(name))
    console.print(table)
    console.print(table, markup=None)
    console.rule(name)
    with console.status(name):
        pass
    shown = file.getvalue()
    for own in ("\x1b[?25l", "\x1b[?25h", "\x1b[2K", "\x1b[1A", "\r"):  # rich moves the cursor of a terminal
        shown = shown.replace(own, "")
    assert_harmless(shown)
    if terminal is False:
        assert shown.startswith(printable_lines(name) + "\n")


@pytest.mark.parametrize("name", NAMES)
def test_bars_lines_and_remarks_show_names_as_they_are(name, capsys, monkeypatch):
    file = io.StringIO()
    console = PlainConsole(file=file, force_terminal=True, color_system=None, width=400)
    monkeypatch.setattr(cli, "stderr", console)
    with cli.progress_bar(name, 2, name.replace("{", "").replace("}", "")) as advance:
        advance(1, name)
    assert printable(name) in file.getvalue()
    say(name)
    remark(name)
    out, err = capsys.readouterr()
    assert out == err == printable_lines(name) + "\n"


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize(("unit", "percent"), [("deals", False), ("", False), ("", True)])
def test_a_bar_shows_numbers_and_times_however_long_its_text(unit, percent, width, monkeypatch):
    file = io.StringIO()
    console = PlainConsole(file=file, force_terminal=True, color_system=None, width=width)
    monkeypatch.setattr(cli, "stderr", console)
    with cli.progress_bar("x" * 70 + " - " + "y" * 70, 100_000, unit, percent=percent) as advance:
        advance(50_000)
    *_, last = (line for line in re.split(r"[\r\n]", re.sub(r"\x1b\[[?0-9]*[A-Za-z]", "", file.getvalue())) if line)
    assert re.search(r"( 50%|50000/100000).* \d:\d\d:\d\d [-\d]:[-\d]{2}:[-\d]{2}$", last) and len(last) <= width


@pytest.mark.parametrize("name", NAMES)
def test_names_mean_nothing_in_markdown(name):
    rows = table_lines(["policy", "wins"], [[name, "1"], [name, "2"]], foreign=True)
    assert len(rows) == 5
    for row in rows[:-1]:
        assert row.replace("\\|", "").count("|") == 3
        assert_harmless(row)
    for text in (escaped(name), code(name)):
        assert_harmless(text)
        assert "\n" not in text
        if not text.startswith("`"):
            assert "<" not in text and "|" not in text
            assert "](" not in text.replace("\\]", "")
        else:
            assert text.count("`") == 2 and "|" not in text
    assert_harmless(html_text(name))
    assert not set('<>"') & set(html_text(name))


def test_common_names_stay_as_they_are_in_markdown():
    for name in ("high-low-corrected", "runs/my_policy.zip", "monte-carlo:worlds=30", "a+b", "+0.120 ±0.031", "53.1%"):
        assert escaped(name) == name
        assert code(name) == f"`{name}`"


_DOORS = {
    "cardenvs.printing": {"print", "Console", "TextColumn", "stderr"},
    "cardenvs.cli": {"stdout", "stderr"},  # how characters are written that the terminal's encoding does not have
    "cardenvs.programs.command": {"stdout", "stderr"},  # to keep what is printed away from the answers, which are JSON
    "cardenvs.play.terminal.screen": {"file"},  # to clear what has scrolled off
}
"""What may write to a terminal: modules, with the names by which they do."""


def _writers(tree):
    """The names by which a module may write past `cardenvs.printing`: calls and streams."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name) and function.id in ("print", "Console", "TextColumn", "Panel", "pprint"):
                yield function.id
            if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
                module, name = function.value.id, function.attr
                if (module, name) in {("click", "echo"), ("click", "secho"), ("click", "prompt"), ("click", "confirm")}:
                    yield f"{module}.{name}"
                if module in ("traceback", "logging", "warnings") and name.startswith(("print_", "warn", "error", "info")):
                    yield f"{module}.{name}"
            if isinstance(function, ast.Attribute) and function.attr in ("from_markup", "from_ansi", "render_markup"):
                yield function.attr
            if any(
                keyword.arg == "markup" and getattr(keyword.value, "value", None) is not False for keyword in node.keywords
            ):
                yield "markup"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sys":
            if node.attr in ("stdout", "stderr", "__stdout__", "__stderr__"):
                yield node.attr
        elif isinstance(node, ast.Attribute) and node.attr == "file" and "console" in ast.unparse(node.value).lower():
            yield "file"
        elif isinstance(node, ast.ImportFrom) and node.module == "rich":
            yield from (alias.name for alias in node.names if alias.name in ("print", "inspect"))


def test_everything_is_printed_through_one_door():
    """A print, a rich console of one's own or a write to a stream would let through what is not ours."""
    assert set(_writers(ast.parse("print(1); click.echo(2); Console(); sys.stderr.write('')"))) == {
        "print", "click.echo", "Console", "stderr",
    }  # fmt: skip
    for name, path in MODULES.items():
        past = set(_writers(parsed(path))) - _DOORS.get(name, set())
        assert not past, f"{path.relative_to(ROOT)} writes by {past}: use cardenvs.printing"
