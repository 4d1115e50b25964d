"""Names of policies on pages, in which a file goes by its name without folders."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable

from cardenvs.play.names import plain_policy

_PATH = re.compile(r"[^:=,]*[\\/][^:=,]*")  # A path in a policy's name, which may be the policy or one of its parameters


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
