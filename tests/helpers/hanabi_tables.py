"""Tables of Hanabi with a deal that is known."""

from cardenvs.games.hanabi import hanabi
from cardenvs.play import Table

HANDS = ["R1", "Y2", "R3", "G4", "W1", "R1", "R2", "B1", "Y1", "G1"]
"""Of two players, from the first seat on: player_1 holds R1 R2 B1 Y1 G1."""


def line_of(*actions: str) -> str:
    """A deal of `HANDS`, and some actions."""
    pack = [f"{colour}{rank}" for colour in "RYGWB" for rank in "1112233445"]
    for card in HANDS:
        pack.remove(card)
    return f"hanabi deck={''.join(HANDS + pack)} actions={','.join(actions)}"


def table_of(*actions: str) -> Table:
    """A table of two persons with the deal of `HANDS`, after some actions."""
    return Table(hanabi(), ["human", "human"], line=line_of(*actions))
