"""The descriptions that ship with the package, by their names."""

import functools
from pathlib import Path

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.parser import load

FOLDER = Path(__file__).parent / "games"  # folder of the descriptions

SUFFIX = ".rcy"  # suffix of the names of descriptions' files


@functools.cache
def shipped_names() -> tuple[str, ...]:
    """Returns the sorted names of the descriptions that ship with the package, such as ``"hearts"``."""
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}")))


def shipped(name: str) -> syntax.Description:
    """Returns a description that ships with the package.

    Args:
        name: one of `shipped_names`.

    Raises:
        ValueError: there is none of that name.
    """
    if name not in shipped_names():
        meant = did_you_mean(name, shipped_names())
        raise ValueError(f"no described game is called {name!r}: there are {', '.join(shipped_names())}{meant}")
    return load(FOLDER / f"{name}{SUFFIX}")


def remarks(source: str) -> str:
    """Returns the remarks at the top of a description's text, line by line; the text itself if there are none."""
    lines = []
    for line in source.removeprefix("\ufeff").splitlines():
        if not line.startswith(";;"):
            break
        text = line.removeprefix(";;").strip()
        if not text.startswith(("!", "Source:")):
            lines.append(text)
    return "\n".join(lines) or source.strip()


def headline(source: str) -> str:
    """Returns the remark in the first line of a description's text without its full stop; empty if there is none."""
    first = source.removeprefix("\ufeff").partition("\n")[0].strip()
    return first.removeprefix(";;").strip().removesuffix(".") if first.startswith(";;") else ""
