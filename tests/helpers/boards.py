"""Described games at tables: one that is compiled for all tests, descriptions with what the shipped ones lack, worlds."""

import functools
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from cardenvs.contract.board import Board
from cardenvs.contract.spec import GameSpec
from cardenvs.play import HUMAN, Table, run_terminal
from cardenvs.recycle import parse, shipped
from cardenvs.recycle.game import compiled


@functools.cache
def kuhn() -> GameSpec:
    """Described Kuhn poker."""
    # Called as its file is: what is compiled here is then what the file's game compiles.
    return compiled(replace(shipped("kuhn-poker"), name="kuhn-poker.rcy"), "kuhn-poker")


MANY = """;;! max_decisions {limit}
(game
 (setup (create players {players}) {teams}
  (create deck (game iloc STOCK) (deck (RANK (ACE, KING, JOKER)) (SUIT (HEARTS, MOONS)) (COPY (A, B, C, D, E)))))
 (do ((shuffle (game iloc STOCK))
  (all player 'P (do ((move (top (game iloc STOCK)) (top ('P iloc HAND)))
                      (move (top (game iloc STOCK)) (top ('P oloc HAND)))
                      (move (top (game iloc STOCK)) (top ('P hloc BLIND))))))))
 (stage player (end (== (game sto ROUNDS) {rounds}))
  (do ((inc (game sto ROUNDS) 1)))
  (choice (
   ;; ask
   (any (other player) 'Q (do ((set (game str ASKED) YES) (inc ('Q sto ASKS) 1))))
   ;; show
   (any ((current player) iloc HAND) 'C
    (do ((remember 'C (top (game mem SEEN))) (move 'C (top (game vloc PILE))))))
   ;; hide
   (any ((current player) iloc HAND) 'C (move 'C (bottom (game iloc STOCK))))
   (inc ((current player) sto LUCK) (random 1 .. 6))
   (any (range 1 .. 2) 'N (inc ((current player) sto LUCK) 'N)))))
 (scoring {best} ((current player) sto LUCK)))"""
"""Places of all kinds, chance in play, options of all kinds of values, for any number of players."""


@functools.cache
def many(players: int, teams: bool = False, limit: int = 500, rounds: int = 12, best: str = "max") -> GameSpec:
    """The game `MANY` for some players."""
    half = players // 2
    sides = f"(create teams ({', '.join(map(str, range(half)))}) ({', '.join(map(str, range(half, players)))}))"
    text = MANY.format(players=players, teams=sides if teams else "", limit=limit, rounds=rounds, best=best)
    return compiled(parse(text, "many"), "many")


def people(spec: GameSpec, seed: int = 1, **settings: object) -> Table:
    """A table with a person at each seat."""
    return Table(spec, [HUMAN] * spec.seats, seed=seed, **settings)  # type: ignore[arg-type]


def typed(table: Table, folder: Path, words: Iterator[str] | Callable[[], str | None], width: int = 100) -> str:
    """What a terminal prints while words are typed, the last of which, or None, is followed by the end of the input."""
    out = io.StringIO()

    def read() -> str:
        word = next(words, None) if not callable(words) else words()
        if word is None:
            raise EOFError
        return word

    console = Console(file=out, width=width)
    assert run_terminal(table, pause=0, path=folder / "kept.txt", console=console, read=read) == 0
    return out.getvalue()


def turned(board: Board, seat: int, seats: int) -> tuple[list[object], list[object]]:
    """What a board shows, by seats counted from one on: the piles, and the numbers and names, in no order."""

    def number(owner: str, of: int) -> int:
        return (of - seat) % seats if owner == "player" else of

    piles = [(p.owner, number(p.owner, p.number), p.name, p.ordered, p.cards) for p in board.piles]
    tallies = [(t.owner, number(t.owner, t.number), t.name, t.value) for t in board.tallies]
    return sorted(piles, key=repr), sorted(tallies, key=repr)
