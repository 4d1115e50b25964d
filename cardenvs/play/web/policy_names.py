"""Names of policies on pages: what a page may name, and files by their names without folders."""

import json
import math
import os
import re
from collections.abc import Iterable
from typing import Any

from cardenvs import policy
from cardenvs.play.names import plain_policy

LIMITS = {
    "worlds": 1000, "samples": 100_000, "decks": 1000, "simulations": 10_000, "seconds": 10, "depth": 4, "exact_cards": 8,
    "candidates": 52, "beliefs": 1000, "wave": 64,
}  # fmt: skip
"""Maximum value, by name, of a policy's parameter in a page's request; time in seconds."""
_OTHERS = 100  # maximum value of any other parameter that is a number
_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}(:[A-Za-z0-9_=,.+-]*)?")
_PATH = re.compile(r"[^:=,]*[\\/][^:=,]*")  # A path in a policy's name, which may be the policy or one of its parameters


def check_name(name: str) -> None:
    """Raises ValueError if a page's policy name reads a file, runs a program, or has a parameter beyond its limits."""
    if len(name) > 100 or not _NAME.fullmatch(name) or any(suffix in name for suffix in policy.suffixes()):
        raise ValueError(f"{name[:100]!r} is no policy by name; files are named when the table is made")
    if policy.runs_code(name):
        raise ValueError(f"{name!r} is run by nobody who asks on a page; programs are named when the table is made")
    for key, value in policy.parse_name(name)[1].items():
        _check_value(key, value)


def _check_value(key: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    limit = LIMITS.get(key, _OTHERS)
    if not math.isfinite(value) or abs(value) > limit:
        unit = " s" if key == "seconds" else ""
        shown = str(value) if len(str(value)) <= 20 else f"{str(value)[:20]}…"
        raise ValueError(f"{key} may be {limit}{unit} at most for a policy that is named on a page, not {shown}")


class ShownNames:
    """The names of the policies that were named when a table was made (``trusted``), and their names on pages."""

    def __init__(self, trusted: Iterable[str]) -> None:
        self.trusted = set(trusted)
        self._real: dict[str, str] = {}
        self._shown: dict[str, str] = {}
        hidden: dict[str, str] = {}
        for name in sorted(self.trusted):
            short = base = plain_policy(name)
            count = 1
            while short in self._real or (short != name and short in self.trusted):
                count += 1
                short = f"{base} ({count})"
            self._real[short] = name
            self._shown[name] = short
            hidden[name] = short
            for path in _PATH.findall(name):
                hidden.setdefault(path, os.path.basename(path))
                hidden.setdefault(os.path.abspath(path), os.path.basename(path))
        pairs = {json.dumps(name)[1:-1]: json.dumps(short)[1:-1] for name, short in hidden.items() if name != short}
        self._hidden = sorted(pairs.items(), key=lambda pair: -len(pair[0]))

    def policy_name(self, shown: str) -> str:
        return self._real.get(shown, shown)

    def page_name(self, name: str) -> str:
        """Returns a policy's name on pages, different for two files of one name in two folders."""
        return self._shown.get(name, plain_policy(name))

    def hide_paths(self, text: str) -> str:
        """Returns a message as JSON without the folders of policies' files."""
        for name, short in self._hidden:
            text = text.replace(name, short)
        return text
