"""Compiling the kernels: the decorators every kernel in the project carries, and where the compiled code is kept.

Numba looks at one file's content when it decides whether cached machine code is fresh, but our drivers inline kernels
from other files. The cache therefore lives in a folder named by a hash of *all* sources of the package that defines the
kernel (and of ``cardenvs``, which every package builds on): an edit anywhere starts a new folder.

With ``NUMBA_DISABLE_JIT=1`` the decorators leave plain Python functions behind, for debugging and for coverage.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import platformdirs
from numba import config as _config
from numba import njit

config: Any = _config
F = TypeVar("F", bound=Callable[..., Any])

DISABLED: bool = bool(config.DISABLE_JIT)
"""True when kernels run as plain Python (``NUMBA_DISABLE_JIT=1``)."""

_KEPT_CACHES = 6
_IN_USE_S = 4 * 3600

if DISABLED:
    # The in-kernel random numbers wrap around modulo 2**64 on purpose; compiled code does so silently.
    np.seterr(over="ignore")


def _source_hash(roots: tuple[Path, ...]) -> str:
    digest = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    for root in roots:
        for path in sorted(root.rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_home() -> Path:
    """The first writable of: ``NUMBA_CACHE_DIR``, the user's cache folder, the temporary folder."""
    candidates = [
        os.environ.get("NUMBA_CACHE_DIR"),
        platformdirs.user_cache_dir("cardenvs"),
        os.path.join(tempfile.gettempdir(), f"cardenvs-{os.getuid() if hasattr(os, 'getuid') else 'user'}"),
    ]
    for candidate in candidates:
        if candidate:
            try:
                os.makedirs(candidate, exist_ok=True)
                with tempfile.TemporaryFile(dir=candidate):
                    return Path(candidate)
            except OSError:
                continue
    return Path(tempfile.mkdtemp(prefix="cardenvs-"))


def _drop_old_caches(home: Path, keep: Path) -> None:
    """Removes all but the most recently used kernel caches, so that edits do not fill the disk.

    None that was opened in the latest hours goes: another process may be compiling into it.
    """
    try:
        used = {folder: folder.stat().st_mtime for folder in home.glob("kernels-*") if folder != keep}
    except OSError:
        return
    for old in sorted(used, key=lambda folder: used[folder], reverse=True)[_KEPT_CACHES - 1 :]:
        if used[old] < time.time() - _IN_USE_S:
            shutil.rmtree(old, ignore_errors=True)


@functools.cache
def cache_directory(package: str) -> Path:
    """The folder in which the compiled kernels of top-level ``package`` are kept.

    Args:
        package: name of an imported top-level package, such as ``"cardenvs"`` or a third party's own.

    Returns:
        An absolute path; it changes whenever any source file of ``package``, of ``cardenvs`` or, but for ``cardenvs``
        itself, of ``baselines`` changes: kernels have those compiled in that they call.
    """
    roots = [Path(__file__).parent]
    if package not in ("cardenvs", "baselines"):
        roots.append(roots[0].parent / "baselines")
    module = sys.modules.get(package)
    source = getattr(module, "__file__", None)
    if package != "cardenvs" and source:
        # A package contributes all its files, a lone module or script only itself (by numba's own check).
        if Path(source).name == "__init__.py":
            roots.append(Path(source).parent)
    home = _cache_home()
    folder = home / f"kernels-{package}-{_source_hash(tuple(roots))}"
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    _drop_old_caches(home, folder)
    return folder


def kernel(function: F) -> F:
    """Compiles ``function`` with numba, cached on disk, without the interpreter lock, division unchecked."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_directory(function.__module__.partition(".")[0]))
    try:
        return cast(F, njit(cache=True, nogil=True, error_model="numpy")(function))
    finally:
        config.CACHE_DIR = before


def helper(function: F) -> F:
    """Compiles a small ``function`` into its callers (LLVM's ``alwaysinline``), so that constant arguments fold away."""
    return cast(F, njit(forceinline=True, error_model="numpy")(function))


def driver(function: F) -> F:
    """Marks a function that takes kernels as arguments: numba inlines it into the kernel that calls it.

    Such a function is what all games share; each game file wraps it in a two-line ``@kernel``, which is what gets cached.
    """
    return cast(F, njit(inline="always", error_model="numpy")(function))
