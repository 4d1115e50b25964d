"""Whist with all cards open, solved by Bo Haglund's DDS through the ``endplay`` package (extra ``dds``).

DDS is the bridge world's double-dummy solver. At eight cards a hand and more it is faster than
`cardenvs.baselines.search.trick.double_dummy`, whose results it agrees with. The package's low-level mirror of the DDS
interface is filled directly, up to 200 boards at a time. Boards that differ in nothing but the cards of the current trick
go into different calls: within one call DDS takes such boards for the same (its ``SameHand``).
"""

import importlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.search.trick import double_dummy
from cardenvs.contract.fields import Games
from cardenvs.games import whist
from cardenvs.plugins import MissingPackageError

_BOARDS = 200  # most boards DDS takes in one call

_DEAL = np.dtype(
    [
        ("trump", np.int32),
        ("first", np.int32),
        ("trick_suit", np.int32, (3,)),
        ("trick_rank", np.int32, (3,)),
        ("hands", np.uint32, (4, 4)),
    ]
)
_CALL = np.dtype(
    [
        ("count", np.int32),
        ("deals", _DEAL, (_BOARDS,)),
        ("target", np.int32, (_BOARDS,)),
        ("solutions", np.int32, (_BOARDS,)),
        ("mode", np.int32, (_BOARDS,)),
    ]
)
_SOLVED = np.dtype(
    [
        ("nodes", np.int32),
        ("cards", np.int32),
        ("suit", np.int32, (13,)),
        ("rank", np.int32, (13,)),
        ("equals", np.int32, (13,)),
        ("score", np.int32, (13,)),
    ]
)
_ANSWER = np.dtype([("count", np.int32), ("boards", _SOLVED, (_BOARDS,))])

_ONE_CARD, _ALL_CARDS = 1, 3  # numbers of solutions to ask DDS for: one best card, or every card with its own score

INSTALLING = (
    "with Python 3.13 or earlier, " if sys.version_info >= (3, 14) else ""
) + "in a checkout: pip install '.[dds]'"
"""Installation hint in messages where endplay is missing, which has no wheels for later versions of Python."""

_lock = threading.Lock()
_threads = 0


def is_available() -> bool:
    try:
        _load_library()
    except ImportError:
        return False
    return True


def _load_library() -> Any:
    try:
        return importlib.import_module("endplay._dds")
    except (ImportError, RuntimeError) as error:
        raise MissingPackageError(
            f"solving whole hands of Whist needs DDS, from the package endplay, {INSTALLING}"
        ) from error


def solve(games: Games, *, threads: int = 1) -> npt.NDArray[np.int64]:
    """The tricks that each side will still take with perfect play and open cards, int64 (n, 2), the current one included.

    Args:
        games: full states of Whist, shape (n,), any number of cards a hand; a trick may be under way.
        threads: how many threads DDS may use, at least 1.

    Raises:
        ImportError: ``endplay`` is not installed; names the extra.
        ValueError: another game's states or another shape, ``threads`` below 1; a game that is not in play, or hidden
            hands: names the first such game.
        RuntimeError: DDS refuses the boards; with its reason.
    """
    left = _check_arguments(games, threads)
    out = np.zeros((len(games), 2), np.int64)
    side = np.asarray(games["to_act"]) & 1
    for rows, boards in _solve_batches(games, _ONE_CARD, threads):
        out[rows, side[rows]] = boards["score"][:, 0]
        out[rows, 1 - side[rows]] = left[rows] - boards["score"][:, 0]
    return out


def solve_cards(games: Games, *, threads: int = 1) -> npt.NDArray[np.int64]:
    """The tricks that the side to act will still take with each card, int64 (n, 52), -1 if illegal; else as `solve`."""
    _check_arguments(games, threads)
    out = np.full((len(games), 52), -1, np.int64)
    for rows, boards in _solve_batches(games, _ALL_CARDS, threads):
        for k in range(int(boards["cards"].max())):
            shown = np.flatnonzero(boards["cards"] > k)
            suit, score = 3 - boards["suit"][shown, k], boards["score"][shown, k]
            # Bit r stands for rank r: the card itself and its equals, which DDS lists without solving them again.
            ranks = 1 << boards["rank"][shown, k] | boards["equals"][shown, k]
            for rank in range(2, 15):
                has = (ranks >> rank & 1) != 0
                out[rows[shown[has]], 13 * suit[has] + rank - 2] = score[has]
    return out


def _check_arguments(games: Games, threads: int) -> npt.NDArray[np.int64]:
    """Checks the arguments; returns the number of tricks left in each game, the current one included: int64 (n,)."""
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    spec, left = double_dummy.check_positions(games, 13)
    if spec is not whist.SPEC:
        raise ValueError(f"DDS solves whist, not {spec.name}")
    return left


def _solve_batches(games: Games, solutions: int, threads: int) -> Any:
    """Solves all games, at most 200 at a time; yields the numbers of the games and DDS's answers, an array of `_SOLVED`."""
    global _threads
    library = _load_library()
    asked, told = library.boards(), library.solvedBoards()
    call, answer = np.frombuffer(asked, _CALL)[0:1], np.frombuffer(told, _ANSWER)[0:1]
    call["solutions"], call["mode"], call["target"] = solutions, 1, -1
    for rows in split_calls(games):
        call["count"] = len(rows)
        _fill_boards(games[rows], call["deals"][0, : len(rows)])
        # The library's memory and thread count are shared by the whole process.
        with _lock:
            if threads != _threads:
                library.SetMaxThreads(threads)
                _threads = threads
            library.SolveAllBoardsBin(asked, told)  # raises for every return code but success
        yield rows, answer["boards"][0, : len(rows)]


def split_calls(games: Games) -> Iterator[npt.NDArray[np.int64]]:
    """The numbers of the games for each call of DDS: at most 200, no two of which differ in the current trick alone."""
    if not len(games):
        return
    names = ("hands", "trump", "leader", "trick")
    fields = np.column_stack([np.asarray(games[name]) for name in names])
    _, board = np.unique(fields[:, :6], axis=0, return_inverse=True)
    # Boards are sorted by what is left in the hands, then by the current trick: number each game's trick on its board.
    kinds, kind = np.unique(np.column_stack([board.reshape(-1), fields[:, 6:]]), axis=0, return_inverse=True)
    trick = (np.arange(len(kinds)) - np.searchsorted(kinds[:, 0], kinds[:, 0]))[kind.reshape(-1)]
    for k in range(int(trick.max()) + 1):
        rows = np.flatnonzero(trick == k)
        for start in range(0, len(rows), _BOARDS):
            yield rows[start : start + _BOARDS]


def _fill_boards(games: Games, deals: npt.NDArray[np.void]) -> None:
    """Writes games as DDS boards.

    DDS counts seats in playing order as we do, and suits from spades down; rank r of a suit is bit r, from 2 to 14.
    """
    leader = np.asarray(games["leader"])
    deals["trump"] = 3 - np.asarray(games["trump"])
    deals["first"] = leader
    hands = np.asarray(games["hands"])
    for suit in range(4):
        deals["hands"][:, :, 3 - suit] = (hands >> 13 * suit & 0x1FFF) << 2
    rows = np.arange(len(games))
    for ply in range(3):
        card = np.asarray(games["trick"])[rows, (leader + ply) & 3]
        number = np.bitwise_count(card - 1).astype(np.int64)  # of the only bit
        deals["trick_suit"][:, ply] = np.where(card != 0, 3 - number // 13, 0)
        deals["trick_rank"][:, ply] = np.where(card != 0, number % 13 + 2, 0)
