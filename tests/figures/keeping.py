"""How what must not change is kept as JSON, and where two takes of it differ."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
_WIDTH = 220
"""The longest line of JSON into which a list or an object is put whole."""


class Part(NamedTuple):
    """One kind of what is frozen: where it is kept (a folder or a file), what lists its items, what takes one down."""

    place: Path
    names: Callable[[], Iterable[str]]
    take: Callable[[str], Any]

    def kept(self) -> dict[str, Any]:
        """All items as they were taken down, by name."""
        if self.place.suffix == ".json":
            return json.loads(self.place.read_text("utf-8")) if self.place.exists() else {}
        return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(self.place.glob("*.json"))}

    def keep(self, name: str, value: Any) -> None:
        """Writes an item as it is now; one that is None is no longer kept."""
        if self.place.suffix == ".json":
            items = {key: item for key, item in (self.kept() | {name: value}).items() if item is not None}
            self.place.write_text(written_json(dict(sorted(items.items()))) + "\n", "utf-8")
        elif value is None:
            (self.place / f"{name}.json").unlink()
        else:
            (self.place / f"{name}.json").write_text(written_json(value) + "\n", "utf-8")


def now_or_error(part: Part, item: str) -> Any:
    """An item as it is now; None if there is no such item any more, or what went wrong as it was taken."""
    if item not in [*part.names()]:
        return None
    try:
        return part.take(item)
    except Exception as error:  # what differs may be anything, and the others are to be compared, too
        return f"{type(error).__name__}: {error}"


def written_json(value: Any, indent: str = "") -> str:
    """JSON in which what fits into a line stands in one."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(indent) + len(line) <= _WIDTH:
        return line
    inner = indent + " "
    if isinstance(value, dict):
        lines = [f"{json.dumps(key, ensure_ascii=False)}: {written_json(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(inner + line for line in lines) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + written_json(item, inner) for item in value) + f"\n{indent}]"


def differences(before: Any, now: Any, where: str = "") -> Iterator[str]:
    """Says in a line each where two takes differ, but for the last digits of floats: vectors differ by processor."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *(key for key in now if key not in before)]:
            if key not in now:
                yield f"{where}/{key}: is gone, was {_shown(before[key])}"
            elif key not in before:
                yield f"{where}/{key}: is new, {_shown(now[key])}"
            else:
                yield from differences(before[key], now[key], f"{where}/{key}")
    elif isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            yield f"{where}: has {len(now)} entries, had {len(before)}"
        for k, (one, other) in enumerate(zip(before, now, strict=False)):
            yield from differences(one, other, f"{where}[{k}]")
    elif type(before) is float and type(now) is float:
        if not math.isclose(before, now, rel_tol=1e-12) and not (math.isnan(before) and math.isnan(now)):
            yield f"{where}: is {now}, was {before}"
    elif isinstance(before, str) and isinstance(now, str):
        if before != now:
            same = next((k for k, (one, other) in enumerate(zip(before, now, strict=False)) if one != other), 0)
            start = max(same - 30, 0)  # a long text is shown where it begins to differ
            yield f"{where}: is {_shown(now[start:])}, was {_shown(before[start:])}"
    elif type(before) is not type(now) or before != now:
        yield f"{where}: is {_shown(now)}, was {_shown(before)}"


def _shown(value: Any) -> str:
    """A value in one short line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:157]}..."
