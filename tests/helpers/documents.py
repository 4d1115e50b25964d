"""The project's pages as tests read them: Python blocks, commands, links and headings."""

import itertools
import re
import shlex
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import click

from cardenvs.cli import ENTRY_POINT_GROUP
from tests.helpers.paths import ROOT

DOCS = ROOT / "docs"

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)(?: title=\"(?P<file>[^\"\n]+)\")?[^\n`]*\n(?P<code>.*?)^(?P=indent)```",
    re.DOTALL | re.MULTILINE,
)
_SLOW = "<!-- run: slow -->"


@dataclass(frozen=True)
class Block:
    """A block of a page; ``prints``: its output by the plain text behind, ``file``: what it is the next part of."""

    code: str
    slow: bool
    prints: str | None
    language: str = "python"
    file: str | None = None


def python_blocks(text: str) -> list[Block]:
    """The Python blocks of a page, in order."""
    return [block for block in blocks(text) if block.language == "python"]


def blocks(text: str) -> list[Block]:
    """The blocks of a page in order, but for plain text, which says what the block before it prints."""
    found = []
    fences = list(_FENCE.finditer(text))
    for match, behind in itertools.zip_longest(fences, fences[1:]):
        if match["language"] != "text":
            slow = text[: match.start()].rstrip().endswith(_SLOW)
            told = behind is not None and behind["language"] == "text" and not text[match.end() : behind.start()].strip()
            prints = _dedent(behind["code"], len(behind["indent"])) if told else None
            code = _dedent(match["code"], len(match["indent"]))
            found.append(Block(code, slow, prints, match["language"], match["file"]))
    return found


def _dedent(code: str, spaces: int) -> str:
    return "".join(line[spaces:] if line.strip() else line for line in code.splitlines(keepends=True))


def commands(text: str) -> list[str]:
    """The ``cardenvs`` commands in the shell blocks of a page, without remarks, continued lines joined."""
    shown = (match["code"].replace("\\\n", " ") for match in _FENCE.finditer(text) if match["language"] == "sh")
    lines = (line.strip() for block in shown for line in block.splitlines())
    return [line.partition(" #")[0].strip() for line in lines if line.startswith("cardenvs ")]


def check_command(line: str) -> None:
    """Raises AssertionError where a command does not exist or has no such option in its help, usage errors otherwise."""
    entries = {entry.name: entry for entry in metadata.entry_points(group=ENTRY_POINT_GROUP)}
    _, name, *words = shlex.split(line)
    assert name in entries, f"there is no command {name!r}"
    command: click.Command = entries[name].load()
    context = click.Context(command, info_name=name)
    while isinstance(command, click.Group):
        name = words.pop(0)
        inner = command.get_command(context, name)
        assert inner is not None, f"there is no command {name!r} in {line!r}"
        command, context = inner, click.Context(inner, info_name=name, parent=context)
    listed = {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
    for word in words:
        assert not word.startswith("--") or word.partition("=")[0] in listed, f"{name} has no option {word}"
    command.make_parser(context).parse_args(list(words))


def links(text: str) -> list[str]:
    """What the links and pictures of a page point to, other than addresses on the web."""
    targets = re.findall(r"\]\(([^)\s]+)\)", _FENCE.sub("", text))
    return [target for target in targets if not re.match(r"\w+:", target)]


def check_link(page: Path, target: str) -> None:
    """Raises AssertionError where a link of a page leads to no file of the repository or no heading in it."""
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    assert file.exists(), f"{page.relative_to(ROOT)} links to {target}, which is not there"
    assert ROOT in (file, *file.parents), f"{page.relative_to(ROOT)} links out of the repository"
    # The headings of the API reference come from docstrings: the site's own build checks those.
    if anchor and "api" not in file.parts:
        assert anchor in headings(file.read_text("utf-8")), f"{page.relative_to(ROOT)} links to {target}: no such heading"


def headings(text: str) -> set[str]:
    """The anchors of a page's headings, as the site names them."""
    titles = re.findall(r"^#+ (.*)$", _FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}
