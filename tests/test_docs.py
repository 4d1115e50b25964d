"""The documentation: Python blocks run, commands are understood, links lead somewhere, tables are fresh."""

import contextlib
import importlib
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import ModuleType

import pytest

import cardenvs
from cardenvs import game_names, policy
from cardenvs.cli import main
from cardenvs.contract.registry import GAMES
from cardenvs.envs import speed
from cardenvs.policy.registry import POLICIES
from tests.helpers import documents
from tests.helpers.documents import DOCS
from tests.helpers.paths import ROOT, load_script

PAGES = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in sorted(DOCS.rglob("*.md"))}
OTHERS = {
    name: (ROOT / name).read_text("utf-8")
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md", "benchmarks/README.md")
}
BY_HAND = {name: text for name, text in PAGES.items() if not name.startswith("docs/results/")}
WITH_PYTHON = {name: documents.python_blocks(text) for name, text in BY_HAND.items() if documents.python_blocks(text)}
WITH_FILES = [name for name, text in BY_HAND.items() if any(block.file for block in documents.blocks(text))]
ALONE = {name: blocks for name, blocks in WITH_PYTHON.items() if name not in WITH_FILES}
COMMANDS = {line: name for name, text in (BY_HAND | OTHERS).items() for line in documents.commands(text)}

PUBLIC = (
    "cardenvs", "cardenvs.baselines", "cardenvs.openspiel", "cardenvs.play", "cardenvs.recycle", "cardenvs.render",
    "cardenvs.train",
)  # fmt: skip
"""The packages that list their public names."""


@pytest.fixture(autouse=True)
def _no_more_policies(monkeypatch):
    """What a page registers is known to that page alone."""
    monkeypatch.setattr(POLICIES, "made", {})


def run(page, blocks):
    """Runs a page's blocks, one after the other in one namespace; what the page says they print they must print."""
    names = {"__name__": "__main__"}
    for number, block in enumerate(blocks, 1):
        run_block(block, f"{page}, block {number}", names)


def run_block(block, where, names):
    """Runs a block of Python in a namespace; what the page says that it prints it must print."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.code, where, "exec"), names)
    if block.prints is not None:
        assert [line.rstrip() for line in printed.getvalue().splitlines()] == block.prints.splitlines()


def follow(page, text, wanted, capsys):
    """Follows a page that builds a file: writes its parts, runs commands whose words are wanted, or all and Python."""
    names = {"__name__": "__main__"}
    for number, block in enumerate(documents.blocks(text), 1):
        if block.file is not None:
            with Path(block.file).open("a", encoding="utf-8") as file:
                file.write(block.code)
        elif block.language == "python" and wanted is None:
            run_block(block, f"{page}, block {number}", names)
        elif block.language == "sh":
            lines = [shlex.split(line)[1:] for line in documents.commands(f"```sh\n{block.code}```")]
            lines = [words for words in lines if wanted is None or wanted(words)]
            capsys.readouterr()
            for words in lines:
                wrong = block.prints is not None and block.prints.startswith("cardenvs: ")
                assert visited(words) if words[0] == "play" else main(words) == (2 if wrong else 0)
            if lines and block.prints is not None:
                printed = capsys.readouterr()
                assert printed.out + printed.err == block.prints


def visited(words):
    """Whether a table that is opened by a command has a page; closes it again."""
    command = [sys.executable, "-m", "cardenvs.cli", *words, "--no-browser", "--port", "0", "--folder", "tables", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline()]
            while lines[-1] not in ("}\n", ""):
                lines.append(process.stdout.readline())
            with urllib.request.urlopen(json.loads("".join(lines))["spectator"], timeout=30) as answer:
                return answer.status == 200 and b"<html" in answer.read()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def generator() -> ModuleType:
    """``docs/generate.py`` as a module."""
    return load_script("docs/generate.py")


def test_there_are_snippets_for_each_way_in():
    code = "\n".join(block.code for blocks in WITH_PYTHON.values() for block in blocks)
    for word in (
        "agent_iter", "MaskablePPO", "make_vec(", "Batch(", "play_match(", "evaluate(", "train(", "play_crossplay(",
        "Reviewer(",
    ):  # fmt: skip
        assert word in code, word


@pytest.mark.parametrize("page", WITH_FILES)
def test_a_page_that_builds_a_file_is_checked(page, tmp_path, monkeypatch, capsys):
    """What it says of errors, and of the whole file."""
    monkeypatch.chdir(tmp_path)
    follow(page, PAGES[page], lambda words: words[:2] == ["recycle", "check"], capsys)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_FILES)
def test_a_page_that_builds_a_file_runs_as_it_stands(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO())  # whoever is asked to play leaves at once
    monkeypatch.setattr(GAMES, "made", {})
    follow(page, PAGES[page], None, capsys)


def test_the_tutorial_builds_the_kuhn_poker_of_the_tests():
    """Line by line, but for empty ones."""
    built = [block.code for block in documents.blocks(PAGES["docs/tutorials/add_a_game.md"]) if block.file == "kuhn.py"]
    written = (ROOT / "tests" / "toys" / "kuhn.py").read_text("utf-8")
    assert [line for line in "".join(built).splitlines() if line] == [line for line in written.splitlines() if line]


UNCOMPILED = ("docs/ceiling.md", "docs/games/hanabi.md")  # they play little, of forms that other quick tests do not compile


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.compiled] * (page not in UNCOMPILED)) for page in WITH_PYTHON]
)
def test_page_runs(page, tmp_path, monkeypatch):
    """All blocks but those that the page calls slow."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    blocks = WITH_PYTHON[page]
    for block in blocks:
        compile(block.code, page, "exec")
    run(page, [block for block in blocks if not block.slow])


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page, blocks in ALONE.items() if any(block.slow for block in blocks)])
def test_page_runs_with_its_slow_blocks(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(page, WITH_PYTHON[page])


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_understood(command):
    documents.check_command(command)


@pytest.mark.parametrize("page", PAGES | OTHERS)
def test_links_lead_somewhere(page):
    for target in documents.links((PAGES | OTHERS)[page]):
        documents.check_link(ROOT / page, target)


def test_the_changelog_has_no_links_within_the_project():
    """It is a page of the site and a file of the checkout, which lie in different folders."""
    assert not [link for link in documents.links((documents.ROOT / "CHANGELOG.md").read_text("utf-8")) if "://" not in link]


@pytest.mark.compiled
def test_tables_are_fresh():
    generate = generator()
    stale = [page for page in generate.pages() if generate.fresh(text := page.read_text("utf-8")) != text]
    assert not stale, "run `make docs`"
    assert ROOT / "README.md" in generate.pages()


def test_the_report_on_speed_has_every_row_that_the_command_prints():
    figures = json.loads((DOCS / "results" / "bench.json").read_text("utf-8"))
    assert list(figures["games"]) == game_names()
    assert PAGES["docs/results/bench.md"] == speed.markdown(figures)
    assert len(speed.table_rows(figures)[1]) == len(speed._ROWS)


def test_every_page_is_in_the_navigation_once():
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    listed = [f"docs/{page}" for page in re.findall(r"[\w./-]+\.md", nav)]
    assert sorted(listed) == sorted(PAGES)


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_a_page_and_rules(game):
    text = PAGES[f"docs/games/{game}.md"]
    for table in ("facts", "actions", "observation", "options"):
        assert f"<!-- generated: {table} {game} -->" in text
    assert f"](../rules/{game}.md)" in text
    if cardenvs.get_game(game).num_sides > 1:  # a team without opponents has no ladder
        assert f"<!-- generated: strength {game} -->" in PAGES["docs/policies.md"]


@pytest.mark.parametrize("game", game_names())
def test_the_catalogue_names_every_policy_and_its_source(game):
    rows = {line.split("`")[1]: line for line in generator().policies().splitlines() if line.startswith("| `")}
    for name in policy.listed_names(game):
        assert name in rows
        if name not in ("exec", "llm", "random", "split"):
            assert rows[name].split("|")[-2].strip(), f"the docstring of {name} names no source"


def test_every_kind_of_action_is_explained():
    generate = generator()
    for game in game_names():
        spec = cardenvs.get_game(game)
        told = re.findall(r"\d+", re.sub(r"`[^`]*`", "", generate.actions(game)))
        assert {str(number) for number in range(spec.num_actions)} <= set(told)


@pytest.mark.parametrize("package", PUBLIC)
def test_the_reference_has_every_public_name(package):
    reference = {name for text in PAGES.values() for name in re.findall(r"^::: ([\w.]+)$", text, re.MULTILINE)}
    for name in importlib.import_module(package).__all__:
        value = getattr(importlib.import_module(package), name)
        if isinstance(value, ModuleType):
            assert any(f"`{value.__name__}" in text or f"`{name}`" in text for text in PAGES.values()), name
        else:
            assert {package, f"{package}.{name}", getattr(value, "__module__", package)} & reference, name


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("other-play", "tutorials/training"), ("wandb", "tutorials/training"), ("tensorboard", "tutorials/training"),
        ("SPARTA", "tutorials/search"), ("mirror descent", "tutorials/search"), ("update equivalence", "tutorials/search"),
        ("ad hoc teamwork", "tutorials/cooperation"), ("zero-shot coordination", "tutorials/cooperation"),
        ("Windows", "platforms"), ("macOS", "platforms"), ("shell completion", "platforms"),
    ],
)  # fmt: skip
def test_a_word_of_the_field_is_on_the_page_about_it(words, page):
    assert words in re.sub(r"[*\s]+", " ", PAGES[f"docs/{page}.md"]).replace("Shell", "shell")


def test_the_reference_begins_with_environments():
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    pages = [PAGES[f"docs/{page}"] for page in re.findall(r"api/\w+\.md", nav)]
    names = re.findall(r"^::: cardenvs\.(\w+)$", "\n".join(pages), re.MULTILINE)
    assert names[:3] == ["SeatEnv", "SeatVectorEnv", "Batch"]


@pytest.mark.slow
def test_no_page_of_the_reference_is_too_high(tmp_path):
    """The site as `make site` builds it, in a browser: 1,280 pixels wide."""
    pytest.importorskip("mkdocstrings")
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or pytest.skip("no Chromium")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    with playwright.sync_playwright() as started:
        view = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"]).new_page()
        heights = {}
        for page in (tmp_path / "api").glob("*.html"):
            view.goto(page.as_uri())
            heights[page.stem] = view.evaluate("document.documentElement.scrollHeight")
    assert len(heights) > 30
    assert max(heights.values()) < 15_000, heights


def test_the_examples_are_shown_whole():
    shown = PAGES["docs/tutorials/examples.md"] + PAGES["docs/tutorials/own_study.md"]
    for script in (ROOT / "examples").glob("*.py"):
        assert f'--8<-- "examples/{script.name}"' in shown


def test_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {cardenvs.__version__}\n" in citation
    assert f"version = {{{cardenvs.__version__}}}" in PAGES["docs/citing.md"]
    assert "\n## Unreleased\n" in OTHERS["CHANGELOG.md"]


def test_nothing_is_installed_by_a_name_that_is_not_ours():
    """The package index has no cardenvs: who registers the name would be installed."""
    files = [*ROOT.rglob("*.md"), *(ROOT / "examples").iterdir(), *(ROOT / "cardenvs").rglob("*.py"), ROOT / "Makefile"]
    for file in files:
        if file.is_file() and not {".venv", "results", "CHANGELOG.md", "runs"} & set(file.relative_to(ROOT).parts):
            wrong = re.findall(r"(?:pip|uv) install [^\n`]*?\bcardenvs(?![\w./-])", file.read_text("utf-8"))
            assert all("dist/" in line or "index" in line for line in wrong), (file, wrong)


def test_results_begin_with_ten_questions_whose_figures_stand_on_their_pages():
    rows = PAGES["docs/results.md"].partition("\n## ")[0].split("|---|---|---|\n")[1].strip().splitlines()
    assert len(rows) == 10
    for row in rows:
        _, _, figure, page, _ = row.split("|")
        text = PAGES["docs/" + documents.links(page)[0]]
        figures = re.findall(r"[+-]?\d[\d,]*\.?\d*(?: ±[\d.]+)?", figure)
        assert any(number in text for number in figures), row
        for number in figures:
            assert len(number) < 4 or number in text, (number, page)
