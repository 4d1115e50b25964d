"""Extras: who lacks a package is told which extra brings it, and for what it is needed."""

import json
import sys

import pytest

from cardenvs import plugins
from tests.helpers.command_line import run, run_python


def test_what_is_installed_is_not_imported():
    sys.modules.pop("turtledemo", None)
    assert plugins.installed("turtledemo.clock")
    plugins.require("turtledemo", "play", "a demonstration")
    assert "turtledemo" not in sys.modules
    assert not plugins.installed("no_such_package")
    assert not plugins.installed("no_such_package.inside")


def test_what_is_missing_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    said = 'tables in the browser: the package aiohttp is missing; in a checkout: pip install ".[play]"'
    for kind in (ImportError, ValueError):
        with pytest.raises(kind) as raised:
            plugins.require("aiohttp", "play", "tables in the browser")
        assert str(raised.value) == said
    with pytest.raises(plugins.MissingPackageError, match="the package pillow is missing"):
        plugins.require("no_pil", "render", "pictures in files", package="pillow")
    with pytest.raises(KeyError):
        plugins.require("no_pil", "render", "pictures in files", error=KeyError)


def without(package, *arguments, typed=""):
    """The command line in a process that lacks a package: its status, what it printed and its errors."""
    code = f"import sys; sys.modules[{package!r}] = None; from cardenvs.cli import main; sys.exit(main(sys.argv[1:]))"
    done = run_python(code, *arguments, input=typed)
    return done.returncode, done.stdout, done.stderr


def test_without_a_web_server_tables_are_played_in_the_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    status, _, err = without("aiohttp", "play", "whist", "--no-browser", "--folder", str(tmp_path / "tables"))
    assert (status, err.count("\n")) == (2, 1)
    assert 'the package aiohttp is missing; in a checkout: pip install ".[play]"' in err
    assert not (tmp_path / "tables").exists()
    status, out, err = without(
        "aiohttp", "play", "whist", "--terminal", "--seats", ",".join(["human"] * 4), typed="\nquit\n"
    )
    assert (status, err) == (0, "")
    assert "your hand" in out
    status, out, err = without("aiohttp", "advise", "whist", "--session", str(tmp_path / "session.txt"))
    assert (status, err) == (0, "")
    assert "Names of the 4 players" in out


@pytest.mark.parametrize("command", ["tournament", "crossplay", pytest.param("adhoc", marks=pytest.mark.slow)])
def test_without_matplotlib_reports_have_no_pictures(command, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    folder, report = tmp_path / "run", tmp_path / "report.md"
    words = [command, "whist", "low", "random", "--deals", "2", "--workers", "1", "--out", str(folder)]
    status, out, err = run(capsys, *words, "--json", "--report", str(report))
    assert status == 0
    assert json.loads(out) == json.loads((folder / "results.json").read_text())
    assert err.count("the package matplotlib is missing") == 1
    assert ' left out: the package matplotlib is missing; in a checkout: pip install ".[plots]"\n' in err
    for path in (folder / "report.md", report):
        text = path.read_text()
        assert text.startswith("# Whist: ")
        assert "![" not in text and "\n\n\n" not in text
    assert not list(tmp_path.rglob("*.png"))


@pytest.mark.parametrize(("module", "package"), [("PIL", "pillow"), ("pygame", "pygame-ce")])
def test_without_its_packages_the_command_render_says_what_to_install(module, package, tmp_path):
    status, _, err = without(module, "render", "whist", "--out", str(tmp_path / "a.png"))
    assert (status, err.count("\n")) == (2, 1)
    assert f'the package {package} is missing; in a checkout: pip install ".[render]"' in err
    assert list(tmp_path.iterdir()) == []


def test_what_is_left_of_a_removed_package_is_no_package(tmp_path, monkeypatch):
    """Two packages of the same files, one removed: the folder is there, without what makes it a package."""
    (tmp_path / "half_removed").mkdir()
    (tmp_path / "half_removed" / "part.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert not plugins.installed("half_removed")


def test_a_pygame_that_does_not_load_is_one_line(tmp_path):
    (tmp_path / "pygame").mkdir()
    (tmp_path / "pygame" / "__init__.py").write_text("from pygame.base import init\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from cardenvs.cli import main; sys.exit(main(sys.argv[1:]))"
    done = run_python(code, "render", "whist", "--out", str(tmp_path / "a.png"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "pip uninstall pygame, then pip install --force-reinstall pygame-ce" in done.stderr


def test_importing_the_tables_and_pictures_is_light():
    code = (
        "import sys, cardenvs.play, cardenvs.play.advise, cardenvs.render;"
        "from cardenvs.play import Adviser, Table, hint, run_terminal, seat_view;"
        "from cardenvs.render import deal_frames, svg;"
        "print(sorted({'aiohttp', 'pygame', 'PIL'} & set(sys.modules)))"
    )
    done = run_python(code, check=True)
    assert done.stdout.strip() == "[]"
