"""Small described games of one side, whose best play is known."""

import functools
from pathlib import Path

from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import parse
from cardenvs.recycle.game import compiled

RANKS = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT")
_VALUES = " ".join(f"((RANK : {name}) {value})" for value, name in enumerate(RANKS, 1))


def _showing(players: int, dealt: int, shown: int) -> str:
    """A game in which each seat shows some of its cards, and all make together what these cards count."""
    teams = f"(create teams ({', '.join(map(str, range(players)))}))" if players > 1 else ""
    return f"""(game
 (setup (create players {players}) {teams} (create deck (game iloc STOCK) (deck (RANK ({", ".join(RANKS)})))))
 (do ((set (game points VALUE) ({_VALUES})) (shuffle (game iloc STOCK))
      (all player 'P (repeat {dealt} (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player (end (all player 'P (== (size ('P vloc SHOWN)) {shown})))
  (choice ((any ((current player) iloc HAND) 'C
   (do ((inc ((0 player) sto MADE) (score 'C using (game points VALUE)))
        (move 'C (top ((current player) vloc SHOWN)))))))))
 (scoring max ((0 player) sto MADE)))"""


DESCRIPTIONS = {
    "team": _showing(4, 2, 1),
    "patience": _showing(1, 4, 2),
    "trust": """(game
 (setup (create players 2) (create teams (0, 1)) (create deck (game iloc STOCK) (deck (RANK (ONE, TWO)))))
 (do ((shuffle (game iloc STOCK))))
 (stage player (end (all player 'P (== ('P sto ASKED) 1)))
  (choice (
   ((== ((0 player) sto ASKED) 0)
    (any (range 0 .. 1) 'N (do ((set (game sto TRUSTED) 'N) (inc ((0 player) sto MADE) (* 3 (- 1 'N)))
     (set ((current player) sto ASKED) 1)))))
   ((and (== ((0 player) sto ASKED) 1) (== (game sto TRUSTED) 1))
    (any (range 0 .. 4) 'M (do ((inc ((0 player) sto MADE) 'M) (set ((current player) sto ASKED) 1)))))
   ((and (== ((0 player) sto ASKED) 1) (== (game sto TRUSTED) 0))
    (any (range 0 .. 0) 'M (do ((set ((current player) sto ASKED) 1))))))))
 (scoring max ((0 player) sto MADE)))""",
}
"""Descriptions by name.

- team: four partners hold two of eight cards each and show one; its rank is what they make: each shows the higher one.
- patience: one player holds four cards and shows two, the two highest.
- trust: the first of two partners makes 3, or leaves it to the other to make 0 to 4.
"""


@functools.cache
def one_sided(name: str) -> GameSpec:
    """The game of a name in `DESCRIPTIONS`."""
    return compiled(parse(DESCRIPTIONS[name]), f"one-sided-{name}")


def written(name: str, folder: Path) -> str:
    """The path of the game's description, written to a folder, for doors that take a file."""
    path = folder / f"{name}.rcy"
    path.write_text(DESCRIPTIONS[name])
    return str(path)
