"""Where compiled kernels are kept: a folder of their own for every state of the sources that are compiled in."""

from __future__ import annotations

from pathlib import Path

import pytest

import baselines
import cardenvs
import train
from cardenvs import jit


def test_a_package_is_compiled_anew_when_what_it_calls_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: dict[str, tuple[Path, ...]] = {}
    monkeypatch.setattr(jit, "_cache_home", lambda: tmp_path)
    for package in ("cardenvs", "baselines", "train"):
        monkeypatch.setattr(jit, "_source_hash", lambda roots, package=package: hashed.setdefault(package, roots) and "0")
        assert jit.cache_directory.__wrapped__(package).parent == tmp_path
    folders = {"cardenvs": Path(str(cardenvs.__file__)).parent, "baselines": Path(str(baselines.__file__)).parent}
    folders["train"] = Path(str(train.__file__)).parent
    assert set(hashed["cardenvs"]) == {folders["cardenvs"]}
    assert set(hashed["baselines"]) == {folders["cardenvs"], folders["baselines"]}
    assert set(hashed["train"]) == set(folders.values())


def test_the_hash_is_that_of_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    seen = {jit._source_hash((tmp_path,))}
    (tmp_path / "a.py").write_text("x = 2\n")
    seen.add(jit._source_hash((tmp_path,)))
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    seen.add(jit._source_hash((tmp_path,)))
    assert len(seen) == 3
