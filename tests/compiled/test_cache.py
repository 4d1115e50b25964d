"""Folders of compiled kernels: private, or not used; files that are damaged or cannot be written harm nobody."""

import os
import stat
import time
from pathlib import Path

import pytest

from cardenvs.compiled import cache as kernel_cache
from tests.helpers.command_line import keeping_kernels, run_python
from tests.refusals import check_refused

TINY = "from cardenvs.compiled.streams import seed_streams; print(seed_streams(0, 2).tolist())"  # needs one small kernel


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Folders that stand for the given one and the user's cache; the cache has a fresh memory."""
    monkeypatch.setattr(kernel_cache.platformdirs, "user_cache_dir", lambda name: str(tmp_path / "home" / name))
    monkeypatch.setattr(kernel_cache, "_remarks", [])
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    return {"given": tmp_path / "given", "user": tmp_path / "home" / "cardenvs"}


def home() -> Path | None:
    """The folder that a fresh process would choose."""
    return kernel_cache.cache_home.__wrapped__()


def test_folders_are_made_for_the_user_alone(places, monkeypatch):
    assert home() == places["user"]
    assert stat.S_IMODE(places["user"].stat().st_mode) == 0o700
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(places["given"]))
    assert home() == places["given"]
    assert stat.S_IMODE(places["given"].stat().st_mode) == 0o700
    places["given"].chmod(0o755)
    assert home() == places["given"], "one that others can read is used"
    assert kernel_cache._remarks == []


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o757])
def test_a_folder_that_others_can_write_to_is_not_used(places, monkeypatch, mode):
    places["given"].mkdir()
    places["given"].chmod(mode)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(places["given"]))
    assert home() is None
    (said,) = kernel_cache._remarks
    assert "NUMBA_CACHE_DIR" in said and "(others can write to it): compiled kernels are not kept" in said


@pytest.mark.parametrize(
    ("mode", "owner", "group", "words"),
    [(0o770, 0, 4321, "others can write to it"), (0o700, 4321, 0, "it belongs to another user")],
    ids=["group", "owner"],
)
def test_a_folder_that_another_shares_or_owns_is_not_used(places, monkeypatch, mode, owner, group, words):
    places["given"].mkdir()
    real = Path.stat

    def shared(path, **how):
        if path != places["given"]:
            return real(path, **how)
        return os.stat_result([stat.S_IFDIR | mode, 1, 1, 2, os.geteuid() + owner, os.geteuid() + group, 0, 0, 0, 0])

    monkeypatch.setattr(Path, "stat", shared)
    check_refused(words, kernel_cache.make_private, places["given"], error=PermissionError)


def test_a_link_to_a_private_folder_is_used(tmp_path):
    (tmp_path / "open" / "cache").mkdir(parents=True, mode=0o700)
    (tmp_path / "link").symlink_to("open/cache")
    assert kernel_cache.make_private(tmp_path / "link" / "new") == (tmp_path / "open" / "cache" / "new").resolve()
    check_refused("it is no folder", kernel_cache.make_private, __file__, error=NotADirectoryError)
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError, match=r"links|circle|exists"):
        kernel_cache.make_private(tmp_path / "circle")


def test_without_a_folder_nothing_is_kept(places):
    places["user"].parent.write_text("no folder can be made here")
    assert home() is None
    assert "compiled kernels are not kept" in kernel_cache._remarks[0]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with a compiled kernel, and what the program printed."""
    folder = tmp_path_factory.mktemp("kept")
    return folder, run_python(TINY, env=keeping_kernels(folder), check=True).stdout


DAMAGED = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "cut at the end": lambda content: content[:-1],
    "turned": lambda content: content[:-400] + bytes(255 - byte for byte in content[-400:]),
    "garbage": lambda content: b"garbage" * 100,
}


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("name", ["empty", *(pytest.param(name, marks=pytest.mark.slow) for name in [*DAMAGED][1:])])
def test_damaged_files_are_compiled_anew(kept, name, suffix):
    folder, printed = kept
    (path,) = folder.rglob(f"*_fill_streams*.{suffix}")
    path.write_bytes(DAMAGED[name](path.read_bytes()))
    done = run_python(TINY, env=keeping_kernels(folder))
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed
    assert done.stderr.count("\n") == 1 and "compiling" in done.stderr


@pytest.mark.parametrize("size", [0, 200])
def test_a_full_disk_stops_nothing(tmp_path, size):
    program = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n{TINY}"
    done = run_python(program, env=keeping_kernels(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[")
    assert "cannot be written (File too large): compiled kernels are not kept" in done.stderr
    assert done.stderr.count("not kept") == 1
    assert run_python(TINY, env=keeping_kernels(tmp_path), check=True).stdout == done.stdout


@pytest.mark.parametrize("step", ["_save_index", "_save_data"])
def test_processes_that_save_at_the_same_time_never_get_the_code_of_each_other(tmp_path, monkeypatch, step):
    one, other = (kernel_cache._Files(str(tmp_path), "kernel", None) for _ in range(2))
    write = getattr(one, step)

    def interrupted(*args):
        """Lets the other process save, which has read the index before."""
        monkeypatch.setattr(one, step, write)
        with monkeypatch.context() as before:
            before.setattr(other, "_load_index", dict)
            other.save("of the other", "its code")
        write(*args)

    monkeypatch.setattr(one, step, interrupted)
    one.save("of the one", "code")
    assert one.load("of the one") in (None, "code")
    assert one.load("of the other") in (None, "its code")
    one.save("of the one", "code")
    other.save("of the other", "its code")
    assert [other.load(key) for key in ("of the one", "of the other")] == ["code", "its code"]


def test_what_is_not_used_for_long_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "cache_home", lambda: tmp_path)
    folder = kernel_cache.kernel_folder.__wrapped__()
    old, young = folder / "old.nbc", folder / "young.nbc"
    for path, days in ((old, 31), (young, 29)):
        path.write_bytes(b"")
        os.utime(path, (time.time() - days * 24 * 3600,) * 2)
    kernel_cache.kernel_folder.__wrapped__()
    assert old.exists(), "it is looked for once a day"
    (folder / ".looked-through").unlink()
    kernel_cache.kernel_folder.__wrapped__()
    assert not old.exists() and young.exists()
