"""Fuzzing of the adviser's sessions: each mutation of a line goes on as it says, or is refused in one clear line."""

import functools
import random

from cardenvs.contract.cards import members_of
from cardenvs.contract.registry import get_game
from cardenvs.games import euchre
from cardenvs.play import Adviser
from cardenvs.play.advise.session import SESSION, read_session
from tests.fuzz.running import file_with, mutated_bytes, mutated_text, told
from tests.helpers.tables import GAMES


def _session(game: str, moves: int, rng: random.Random) -> str:
    """The line of a session in which one or all seats are the engine's, some moves into the deal."""
    spec = get_game(game)
    state = spec.deal(moves)
    engine = list(range(spec.seats)) if moves % 2 else [0]
    adviser = Adviser(spec, policy="random")
    deck = adviser.deck
    adviser.enter("Ann, B b, Cid%, D/ee" if spec.seats == 4 else "Ann, Bob")
    adviser.enter(",".join(map(str, engine)))
    if game == "five-o":
        for start in (0, 5):
            adviser.enter(" ".join(deck.text(int(code) - 1) for code in state[0]["deck"][start : start + 5]))
    else:
        up = int(state[0]["shown" if game == "whist" else "turned"])
        adviser.enter(str(int(state[0]["dealer"])))
        adviser.enter(deck.text(members_of(up)[0]))
        for seat in engine:
            adviser.enter(" ".join(deck.text(card) for card in members_of(int(state[0]["hands"][seat]) & ~up)))
    for _ in range(moves):
        question = adviser.question()
        if state[0]["over"] != 0 or question.kind not in ("action", "drawn", "column"):
            break
        action = rng.choice(members_of(spec.legal(state)))
        if game == "euchre" and state[0]["phase"] == euchre.DISCARDING and int(state[0]["dealer"]) not in engine:
            spec.kernels.step(state, 0, action)  # what nobody sees is not asked
            continue
        if game == "five-o":
            if question.kind == "drawn":
                adviser.enter(deck.text(members_of(int(state[0]["card"]))[0]))
            if adviser.question().kind != "column":
                break
            adviser.enter(str(action + 1))
        else:
            adviser.enter(deck.text(action) if action < deck.size else spec.actions[action])
        spec.kernels.step(state, 0, action)
    return adviser.line()


@functools.cache
def sessions() -> tuple[str, ...]:
    """Sessions of all games, shorter and longer ones."""
    rng = random.Random(5)
    return tuple(_session(game, moves, rng) for game in GAMES for moves in (0, 3, 8, 15))


def trial(rng: random.Random) -> str:
    """Mutates a session's line, or the file that it stands in, and goes on with it."""
    line = rng.choice(sessions())
    if rng.random() < 0.2:
        content = f"# head\n# deal: x\n{SESSION}{line}\n".encode()
        with file_with(mutated_bytes(content, rng), "session.txt") as path:
            read = told(read_session, str(path))
        if read is None:
            return "file: refused"
        mutated = read[0]
    else:
        mutated = mutated_text(line, rng)
    adviser = told(Adviser.from_line, mutated)
    if adviser is None:
        return "refused"
    adviser.question()
    adviser.drawing()
    adviser.as_dict()
    again = Adviser.from_line(adviser.line())
    assert again.line() == adviser.line(), "a session that is written otherwise than it was read"
    assert again.question() == adviser.question()
    return "gone on with"
