"""Which edits the tests of a map notice."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from cardenvs.printing import table_lines
from tests.edits.places import KINDS, Edit, digest
from tests.edits.running import append, copied, read, run

FIRST = 30
"""How many tests are tried before all others, so that few files are collected for an edit that is soon noticed."""
TEST_S = 60
"""CPU seconds after which a test has noticed an edit."""


class Trials:
    """Trials of edits by a map, ValueError for one of other sources; no test of an edit begins after ``edit_s`` CPU s."""

    def __init__(self, root: Path, path: Path, edit_s: float) -> None:
        self._root, self._edit_s, self._map = root, edit_s, read(path)
        if {line["source"] for line in self._map} != {digest(root)}:
            raise ValueError(f"{path} is empty, or of other sources: make it again")

    def _stages(self, edit: Edit) -> Iterator[tuple[bool, list[str]]]:
        """The tests to try, fastest first, and whether compiled: those that execute the lines, then others of their files.

        What is computed once in a process, at import or for several tests, can be noticed by others, too.
        """
        mask = (2 << edit.lines[1]) - (1 << edit.lines[0])
        chosen = defaultdict[tuple[bool, bool], list[tuple[float, str]]](list)
        for file in self._map:
            executes = [
                bool(mask & int(one.get(edit.path, "0"), 16))
                for one in (file["at_import"], *(test["lines"] for test in file["tests"]))
            ]
            if any(executes):
                for test, does in zip(file["tests"], executes[1:], strict=True):
                    chosen[not does, test["compiled"]].append((test["seconds"], test["id"]))
        for (_, compiled), tests in sorted(chosen.items()):
            ids = [name for _, name in sorted(tests)]
            yield from ((compiled, part) for part in (ids[:FIRST], ids[FIRST:]) if part)

    def _run(self, edit: Edit | None, compiled: bool, ids: list[str], all_s: float) -> tuple[str | None, int, float]:
        """Runs tests until one fails: which, ``"collection"`` before any begins; how many began, CPU seconds."""
        files = dict.fromkeys(name.partition("::")[0] for name in ids)
        with copied(self._root, edit) as tree:
            status, report = run(tree, ["-x", *files], compiled=compiled, all_s=all_s, more={}, ids=ids, test_s=TEST_S)
        began = [line["began"] for line in report if "began" in line]
        spent = max((line["all_s"] for line in report if "all_s" in line), default=0.0)
        return (["collection", *began][-1] if status else None), len(began), spent

    def attempt(self, edit: Edit) -> dict[str, Any]:
        """Tries an edit; which test noticed it, how many were tried, and how many were left when the time was spent."""
        result = {"name": edit.name, "kind": edit.kind, "noticed": None, "tried": 0, "left": 0}
        time_s = self._edit_s
        for compiled, ids in self._stages(edit):
            if time_s <= 0:
                result["left"] += len(ids)
                continue
            while ids:
                failed, began, spent = self._run(edit, compiled, ids, time_s)
                result["tried"] += began
                time_s -= spent
                if failed is None:
                    result["left"] += len(ids) - began
                    break
                without_edit, _, _ = self._run(None, compiled, ids[:began] or ids, float("inf") if began else 0)
                if without_edit is None:
                    return result | {"noticed": failed}
                if not began:
                    raise RuntimeError(f"{edit.name}: its tests cannot be collected without the edit, either")
                ids = ids[began:]
        return result


def try_edits(trials: Trials, edits: Iterable[Edit], out: Path, most: int | None, workers: int) -> None:
    """Tries edits that a file of results lacks, ``most`` of them or all, and adds a line for each."""
    done = {line["name"] for line in read(out)}
    with ThreadPoolExecutor(workers) as threads:
        futures = [threads.submit(trials.attempt, edit) for edit in [one for one in edits if one.name not in done][:most]]
        for future in as_completed(futures):
            append(out, future.result())


def table(before: Path, after: Path) -> str:
    """How many edits were noticed before and after, of those that both have tried, and which no longer are."""
    first, second = ({line["name"]: line for line in read(path)} for path in (before, after))
    pairs = [(first[name], second[name]) for name in first if name in second]
    counts = Counter[tuple[str, str]]()
    for pair in pairs:
        for result, when in zip(pair, ("before", "after"), strict=True):
            state = "noticed" if result["noticed"] else "out of time" if result["left"] else "unnoticed"
            counts.update((kind, f"{state} {when}") for kind in (result["kind"], "all"))
        counts.update((kind, "edits") for kind in (pair[0]["kind"], "all"))
    head = ["edits", *(f"{state} {when}" for state in ("noticed", "out of time") for when in ("before", "after"))]
    lines = table_lines(["kind", *head], ([kind, *(str(counts[kind, name]) for name in head)] for kind in (*KINDS, "all")))
    lost = [f"- `{one['name']}`: {one['noticed']}" for one, other in pairs if one["noticed"] and not other["noticed"]]
    return "\n".join([*lines, "Noticed before and not after, with the test that noticed:", "", *(lost or ["none"])])
