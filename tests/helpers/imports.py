"""What the modules of the three packages import, read from their sources."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

from tests.helpers.paths import ROOT


def _module_paths() -> dict[str, Path]:
    paths = [*(ROOT / "cardenvs").glob("*.py"), *(ROOT / "cardenvs").glob("*/**/*.py")]
    paths += [path for part in ("baselines", "train") for path in (ROOT / "cardenvs" / part).rglob("*.py")]
    return {
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"): path
        for path in paths
    }


MODULES = _module_paths()
"""The files of the three packages by their modules' names."""


@functools.cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text())


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    """The nodes of a file's syntax tree, as `ast.walk` comes to them."""
    return list(ast.walk(parsed(path)))


@functools.cache
def imported(path: Path, at_import: bool = False) -> list[str]:
    """What a file imports, as modules and as names in them; with ``at_import`` not what is only for type checkers."""
    return list(_imported(path, at_import))


def _imported(path: Path, at_import: bool) -> Iterator[str]:
    skipped = set()
    if at_import:
        for node in nodes(path):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                skipped.update(map(id, ast.walk(node)))
    for node in nodes(path):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules = [name for alias in node.names if (name := f"{node.module}.{alias.name}") in MODULES]
            yield from modules
            if len(modules) < len(node.names):
                yield node.module


def imports() -> dict[str, set[str]]:
    """The packages' own modules that each of their modules imports, anywhere in it, by its name."""
    return {name: {other for other in imported(path, True) if other in MODULES} for name, path in MODULES.items()}
