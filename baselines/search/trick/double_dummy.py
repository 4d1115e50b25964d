"""Exact play with all cards open ("double dummy") in Euchre, lone hands included, and in Whist's endings.

`solve` and `solve_cards` take games as every environment keeps them; `solver_of` has the same as kernels. The search itself
is in `cardenvs.baselines.search.trick.trick_minimax`.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.heuristics.trick_games import for_trick_games
from cardenvs.baselines.search.trick.trick_minimax import FIXED, NO_CARD, ROOT, bit_lookups, card_tricks, lead_tricks
from cardenvs.baselines.search.trick.trick_minimax import workspace as workspace  # callers of the kernels take it from here
from cardenvs.compiled.bits import Ints, lowest, popcount
from cardenvs.compiled.jit import helper
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre, whist

MAX_CARDS = 10  # most cards a hand for which Whist is solved here; more need `cardenvs.baselines.search.trick.dds`


@helper
def _load_position(g: Any, absent: int, bit_of: Ints, stack: Ints) -> int:
    """Writes the position of the record ``g`` to ``stack``; returns the number of played plies of the current trick."""
    fixed = (g.to_act - g.leader) & 3
    for ply in range(4):
        seat = (g.leader + ply) & 3
        hand = 0
        if seat != absent:
            cards = g.hands[seat] | g.trick[seat]
            while cards != 0:
                hand |= np.int64(1) << bit_of[g.trump, lowest(cards)]
                cards &= cards - 1
        stack[ROOT, ply] = hand
        stack[ROOT, FIXED + ply] = NO_CARD
        if g.trick[seat] != 0:
            stack[ROOT, FIXED + ply] = np.int64(1) << bit_of[g.trump, lowest(g.trick[seat])]
    return fixed


class Solver(NamedTuple):
    """The kernels that solve games in which a card is to be played; ``transpositions`` and ``stack`` are of `workspace`.

    ``value(games, i, transpositions, stack)`` returns the tricks that side 0 will still take in game ``i``.
    ``cards(games, i, transpositions, stack, out)`` writes to ``out``, int64 (cards,), the tricks that the side to act will
    still take with each legal card; -1 elsewhere. ``values(games, start, stop, transpositions, stack, out)`` writes
    ``value`` of the games ``start .. stop - 1`` to the first column of ``out``, ``all_cards``, with the same arguments,
    ``cards`` to the rows of ``out``.
    """

    value: Kernel
    cards: Kernel
    values: Kernel
    all_cards: Kernel


@for_trick_games
def solver_of(game: GameSpec, kind: TrickGame) -> Solver:
    bit_of, card_at = bit_lookups(kind.suit_of, kind.strength)
    sitting_out = kind.sitting_out

    @game.kernels.loop("double-dummy.value")
    def side_tricks(games: Any, i: int, transpositions: Ints, stack: Ints) -> int:
        fixed = _load_position(games[i], sitting_out(games, i), bit_of, stack)
        left = popcount(stack[ROOT, 0])
        tricks = lead_tricks(left, (left + 1) >> 1, fixed, transpositions, stack)
        return left - tricks if games[i].leader & 1 else tricks

    @game.kernels.loop("double-dummy.cards")
    def tricks_by_card(games: Any, i: int, transpositions: Ints, stack: Ints, out: Ints) -> None:
        fixed = _load_position(games[i], sitting_out(games, i), bit_of, stack)
        card_tricks(popcount(stack[ROOT, 0]), fixed, card_at, games[i].trump, transpositions, stack, out)

    @game.kernels.loop("double-dummy.values")
    def all_side_tricks(games: Any, start: int, stop: int, transpositions: Ints, stack: Ints, out: Ints) -> None:
        for i in range(start, stop):
            out[i, 0] = side_tricks(games, i, transpositions, stack)

    @game.kernels.loop("double-dummy.all_cards")
    def all_tricks_by_card(games: Any, start: int, stop: int, transpositions: Ints, stack: Ints, out: Ints) -> None:
        for i in range(start, stop):
            tricks_by_card(games, i, transpositions, stack, out[i])

    return Solver(side_tricks, tricks_by_card, all_side_tricks, all_tricks_by_card)


def solve(games: Games, *, threads: int = 1) -> npt.NDArray[np.int64]:
    """The tricks that each side will still take with perfect play and open cards, int64 (n, 2), the current one included.

    Args:
        games: full states of Euchre or Whist, shape (n,), cards being played; a trick may be under way. In Whist at most
            `MAX_CARDS` cards a hand.
        threads: how many threads share the games, at least 1.

    Raises:
        ValueError: another game's states or another shape, ``threads`` below 1; a game that is not in play, hidden hands,
            more than `MAX_CARDS` cards a hand: names the first such game.
    """
    spec, left = check_positions(games, MAX_CARDS)
    out = np.zeros((len(games), 2), np.int64)
    _run_in_threads(solver_of(spec).values, games, left, threads, out)
    out[:, 1] = left - out[:, 0]
    return out


def solve_cards(games: Games, *, threads: int = 1) -> npt.NDArray[np.int64]:
    """The tricks that the side to act will still take with each card, int64 (n, cards), -1 if illegal."""
    spec, left = check_positions(games, MAX_CARDS)
    assert spec.trick_game is not None
    out = np.zeros((len(games), spec.trick_game.deck.size), np.int64)
    _run_in_threads(solver_of(spec).all_cards, games, left, threads, out)
    return out


def deal_points(games: Games, tricks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The points of sides 0 and 1 in the deal, int64 (n, 2), if they take some further tricks, int64 (n, 2)."""
    spec = _game_of(games)
    won = np.asarray(games["tricks"])
    total = tricks + np.stack([won[:, 0::2].sum(1), won[:, 1::2].sum(1)], 1)
    if spec is whist.SPEC:
        return np.array([whist.points_for(tricks) for tricks in range(14)], np.int64)[total]
    of_makers = np.array([[euchre.points_made(tricks, alone) for tricks in range(6)] for alone in (0, 1)], np.int64)
    makers = np.asarray(games["maker"]) & 1
    rows = np.arange(len(games))
    made = of_makers[np.asarray(games["alone"]), total[rows, makers]]
    points = np.zeros((len(games), 2), np.int64)
    points[rows, makers] = np.maximum(made, 0)
    points[rows, 1 - makers] = np.maximum(-made, 0)
    return points


def tricks_left(games: Games) -> npt.NDArray[np.int64]:
    """The incomplete tricks in states of Euchre or Whist, int64 (n,), the current one included."""
    size = 13 if games.dtype.names == whist.STATE.names else 5
    return np.asarray(size - np.asarray(games["tricks"]).sum(1), np.int64)


def margins_with(games: Games, further: Ints, side: Ints) -> npt.NDArray[np.int64]:
    """Margins of ``side`` if it takes ``further`` tricks and the other side the rest, all int64 (n,); trump is made."""
    rows = np.arange(len(games))
    both = np.empty((len(games), 2), np.int64)
    both[rows, side], both[rows, 1 - side] = further, tricks_left(games) - further
    points = deal_points(games, both)
    return np.asarray(points[rows, side] - points[rows, 1 - side])


def _game_of(games: Games) -> GameSpec:
    for spec in (euchre.SPEC, whist.SPEC):
        if games.dtype.names == spec.dtype.names:
            return spec
    raise ValueError(f"games must be states of euchre or whist, not {games.dtype}")


def check_positions(games: Games, most: int) -> tuple[GameSpec, npt.NDArray[np.int64]]:
    """The game of states in play and the tricks left in each, int64 (n,); ValueError for others or above ``most``."""
    spec = _game_of(games)
    if games.ndim != 1:
        raise ValueError(f"games must have the shape (n,), not {games.shape}")
    playing = np.asarray(games["over"]) == RUNNING
    absent = np.full(len(games), -1)
    if spec is euchre.SPEC:
        playing &= np.asarray(games["phase"]) == euchre.PLAYING
        absent = np.where(np.asarray(games["alone"]) == 1, (np.asarray(games["maker"]) + 2) & 3, -1)
    if not playing.all():
        raise ValueError(f"game {int(np.argmin(playing))} of {spec.name}: no card is being played in it")
    held = np.bitwise_count(np.asarray(games["hands"]) | np.asarray(games["trick"])).astype(np.int64)
    left = held[np.arange(len(games)), np.asarray(games["leader"])]
    # The hand of a seat that sits out need not have the size of the others.
    known = ((held == left[:, None]) | (np.arange(4) == absent[:, None])).all(1) & (left > 0)
    if not known.all():
        raise ValueError(
            f"game {int(np.argmin(known))} of {spec.name}: its hands differ in size; a full state is needed, not a view"
        )
    if (left > most).any():
        i = int(np.argmax(left > most))
        raise ValueError(f"game {i} of {spec.name}: {left[i]} cards a hand are too many, at most {most} can be solved")
    return spec, left


def _run_in_threads(run: Any, games: Games, left: npt.NDArray[np.int64], threads: int, out: npt.NDArray[np.int64]) -> None:
    """Lets threads call ``run(games, start, stop, transpositions, stack, out)`` for equal parts of the games."""
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    if not len(games):
        return
    edges = np.linspace(0, len(games), min(threads, len(games)) + 1).astype(int)

    def run_part(k: int) -> None:
        transpositions, stack = workspace(int(left.max()))
        run(games, int(edges[k]), int(edges[k + 1]), transpositions, stack, out)

    if len(edges) == 2:
        run_part(0)
    else:
        with ThreadPoolExecutor(len(edges) - 1) as pool:
            list(pool.map(run_part, range(len(edges) - 1)))
