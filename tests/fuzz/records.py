"""Fuzzing of records: each mutation of a file of deals is read deal by deal, or is refused in one clear line."""

import functools
import random

from cardenvs.contract.record import parse_record, read_record, seats_line
from cardenvs.contract.registry import get_game
from cardenvs.play.table_record import read_table
from tests.fuzz.lines import lines
from tests.fuzz.running import file_with, mutated_bytes, mutated_text, told
from tests.helpers.hostile import NAMES


@functools.cache
def records() -> tuple[str, ...]:
    """Records with players of all kinds and remarks between deals."""
    found = []
    for k, (game, line) in enumerate(lines()):
        seats = get_game(game).seats
        players = [
            ["hybrid", "human", NAMES[k % 2], "runs/a/policy.zip:sample=yes"][(k + seat) % 4] for seat in range(seats)
        ]
        _, other = lines()[(k + 1) % len(lines())]
        remarks = f"# deal: {k}\n# seed of the deal: {k * 7}\n"
        found.append(f"# seed: 5\n# version: 9\n\n{seats_line(players)}\n{remarks}{line}\n# a remark\n")
        found.append(f"{line}\n{remarks}{line}\n")
        found.append(f"{line}\r\n{other}\n{line}")
    return tuple(found)


def trial(rng: random.Random) -> str:
    """Mutates a record and reads it, from its text or from a file."""
    text = rng.choice(records())
    if rng.random() < 0.2:
        with file_with(mutated_bytes(text.encode(), rng), "record.txt") as path:
            deals = told(read_record, path)
    else:
        text = mutated_text(text, rng)
        deals = told(parse_record, text)
        if deals:
            for deal in read_table(text, "record")[1]["deals"]:
                deal.record_text(deals[0].game, "key", True)
    if deals is None:
        return "refused"
    for deal in deals:
        assert deal.game.parse(deal.line).tobytes() == deal.state.tobytes()
        assert len(deal.players) in (0, deal.game.seats)
    return "read" if deals else "empty"
