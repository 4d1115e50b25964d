"""Where compiled kernels are kept: a folder of their own for every state of the sources that are compiled in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import jit
from cardenvs.kernel_cache import identity

CORE = {
    "cardenvs.cards": b"from cardenvs.jit import kernel\n",
    "cardenvs.games.whist": b"from cardenvs.jit import kernel\nfrom cardenvs import cards\n"
    b"from cardenvs.spec import (\n    GameSpec,\n)\n",
    "cardenvs.spec": b"import cardenvs.numbers\n",
    "cardenvs.numbers": b"",
    "cardenvs.report": b"from cardenvs.games import whist\n",
}
BASELINES = {
    "cardenvs.baselines.search": b"from cardenvs.jit import kernel\nfrom cardenvs.games import whist\n",
    "cardenvs.baselines.match": b"from cardenvs.baselines import search\n",
}
TRAIN = {"cardenvs.train.layers": b"def f():\n    from cardenvs.jit import kernel\n"}


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str | None, dict[str, bytes]]:
    files: dict[str | None, dict[str, bytes]] = {None: dict(CORE), "baselines": dict(BASELINES), "train": dict(TRAIN)}
    monkeypatch.setattr(jit, "cache_home", lambda: tmp_path)
    monkeypatch.setattr(jit, "sources_of", lambda part: dict(files[part]))
    return files


@pytest.mark.parametrize(
    ("part", "module", "changed"),
    [
        (None, "cardenvs.cards", {"cardenvs", "cardenvs.baselines", "cardenvs.train", "theirs"}),
        (None, "cardenvs.spec", {"cardenvs", "cardenvs.baselines", "cardenvs.train", "theirs"}),
        (None, "cardenvs.numbers", {"cardenvs", "cardenvs.baselines", "cardenvs.train", "theirs"}),
        (None, "cardenvs.report", set()),
        ("baselines", "cardenvs.baselines.search", {"cardenvs.baselines", "cardenvs.train", "theirs"}),
        ("baselines", "cardenvs.baselines.match", set()),
        ("train", "cardenvs.train.layers", {"cardenvs.train", "theirs"}),
    ],
)
def test_kernels_are_compiled_anew_when_what_they_call_changes(
    sources: dict[str | None, dict[str, bytes]], part: str | None, module: str, changed: set[str]
) -> None:
    packages = ("cardenvs", "cardenvs.baselines", "cardenvs.train", "theirs")
    before = {name: jit.cache_directory.__wrapped__(name) for name in packages}
    sources[part][module] += b"# edited\n"
    after = {name: jit.cache_directory.__wrapped__(name) for name in packages}
    assert {name for name in packages if after[name] != before[name]} == changed


def test_every_kernel_of_the_package_is_hashed() -> None:
    """Each module that decorates a function is among the sources of its own package's folder."""
    for part in (None, "baselines", "train"):
        sources = jit.sources_of(part)
        assert len(sources) > 10
        hashed = jit.kernel_sources(sources)
        for name, source in sources.items():
            if any(mark in source for mark in (b"\n@kernel", b"\n@helper", b"\n@driver", b"@njit", b"@intrinsic")):
                assert name in hashed


def test_the_parts_are_kept_apart() -> None:
    assert not any(name.startswith(("cardenvs.baselines", "cardenvs.train")) for name in jit.sources_of(None))
    assert "cardenvs.baselines.search.pimc" in jit.sources_of("baselines")


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("cardenvs.games.whist", "cardenvs"),
        ("cardenvs.baselines.search.pimc", "cardenvs.baselines"),
        ("cardenvs.train.inference.layers", "cardenvs.train"),
        ("cardenvs", "cardenvs"),
        ("theirs.game", "theirs"),
        ("__main__", "__main__"),
    ],
)
def test_packages_of_modules(module: str, package: str) -> None:
    assert jit.package_of(module) == package


def test_the_hash_is_that_of_names_and_contents() -> None:
    seen = {jit.source_hash(sources) for sources in ({"a": b"1"}, {"a": b"2"}, {"b": b"1"}, {"a": b"", "b": b"1"})}
    assert len(seen) == 4


@jit.helper
def plus(value: int, more: int) -> int:
    return value + more


@jit.kernel
def sums(value: int) -> int:
    return plus(value, 1) + plus(value, 2) + plus(3, value)


@pytest.mark.skipif(jit.DISABLED, reason="nothing is compiled")
def test_helpers_are_compiled_once_whatever_constants_they_are_called_with() -> None:
    assert sums(10) == 36
    # None where the kernel was loaded from the cache.
    assert len(plus.overloads) <= 1  # type: ignore[attr-defined]
    assert plus(1, 2) == 3
    assert len(plus.overloads) == 1  # type: ignore[attr-defined]


LONE = """
import sys
import numpy as np
from cardenvs.jit import closure, driver, kernel

@kernel
def more(values, i):
    values[i] += AMOUNT

@kernel
def twice(values, i):
    values[i] *= 2

@driver
def each(change, values, times):
    for _ in range(times):
        for i in range(len(values)):
            change(values, i)

def changing(name, change, times):
    @closure(f"lone:{name}")
    def all_of_them(values):
        each(change, values, times)
    return all_of_them

loops = [changing("more", more, 1), changing("twice", twice, 1), changing("more thrice", more, 3)]
for loop in loops:
    values = np.arange(3)
    loop(values)
    print(values.tolist(), sum(loop.stats.cache_hits.values()))
"""


@pytest.mark.skipif(jit.DISABLED, reason="nothing is compiled")
def test_closures_are_found_again_by_what_they_close_over(tmp_path: Path) -> None:
    script = tmp_path / "lone.py"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept"), "CARDENVS_QUIET": "1"}

    def run(amount: int) -> list[str]:
        """What the script prints."""
        script.write_text(LONE.replace("AMOUNT", str(amount)))
        command = [sys.executable, "-c", "import lone"]
        return subprocess.check_output(command, cwd=tmp_path, env=environment, text=True).splitlines()

    assert run(5) == ["[5, 6, 7] 0", "[0, 2, 4] 0", "[15, 16, 17] 0"]
    assert run(5) == ["[5, 6, 7] 1", "[0, 2, 4] 1", "[15, 16, 17] 1"]
    assert [line.rpartition(" ")[0] for line in run(7)] == ["[7, 8, 9]", "[0, 2, 4]", "[21, 22, 23]"], "edited kernels"


@pytest.mark.skipif(jit.DISABLED, reason="nothing is compiled")
def test_what_closes_over_something_odd_is_refused() -> None:
    def made(odd: object) -> Any:
        @jit.closure("tests.test_jit:odd")
        def function() -> Any:
            return odd

        return function

    assert made(np.arange(3))()[1] == 1 and made(True)() is True and made(2.5)() == 2.5
    for nameless in ("worlds.whist.redeal", ":redeal", "cardenvs.worlds:"):
        with pytest.raises(ValueError, match="a closure is named by its module, a colon and its own name"):
            jit.closure(nameless)
    with pytest.raises(TypeError, match="cannot close over"):
        identity({"a": 1})
