"""Fuzzing of kept tables: each mutation of a table's file goes on with its links, or is refused in one clear line."""

import functools
import random

from cardenvs.play import Table, seat_view
from cardenvs.play.web.room import Room, read_room
from tests.fuzz.running import file_with, mutated_bytes, mutated_text, told
from tests.helpers.tables import GAMES, old_text


@functools.cache
def texts() -> tuple[str, ...]:
    """The files of tables with one to three deals."""
    found = []
    for game in GAMES:
        for moves in (0, 4, 30):
            table = Table(
                game, ["human", "random"] if game == "five-o" else ["human", "random", "low", "human"], seed=moves
            )
            choose = random.Random(moves)
            for _ in range(moves):
                if table.to_act is None:
                    table.next_deal()
                else:
                    table.act(table.to_act, choose.choice(table.legal()))
            if moves == 4:
                table.new_deal()
            text = Room(table, port=8765).file_text()
            found += [text, text, old_text(text)]
    return tuple(found)


def trial(rng: random.Random) -> str:
    """Mutates a table's file and opens the table again."""
    text = rng.choice(texts())
    by_bytes = rng.random() < 0.3
    mutated = mutated_bytes(text.encode(), rng) if by_bytes else mutated_text(text, rng).encode(errors="surrogatepass")
    with file_with(mutated, "euchre-x.json") as path:
        room = told(read_room, path)
        if room is None:
            return "refused"
        for seat in (None, *range(room.table.game.seats)):
            seat_view(room.table, seat)
        path.write_text(room.file_text(), "utf-8")
        again = read_room(path)
        assert again.file_text() == room.file_text(), "a table that is kept otherwise than it was read"
        assert again.tokens == room.tokens
        if room.table.to_act is not None:
            room.table.act(room.table.to_act, room.table.legal()[0])
    return "opened"
