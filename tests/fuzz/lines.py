"""Fuzzing of deals as lines of text: each mutation is a deal that prints and parses again, or is refused in one line."""

import functools
import random

from cardenvs.contract.registry import get_game
from tests.fuzz.running import mutated_text, told
from tests.helpers.tables import GAMES, played


@functools.cache
def lines() -> tuple[tuple[str, str], ...]:
    """Deals of all games, at their beginning, in their middle and at their end: game and line."""
    found = []
    options: tuple[dict[str, object], ...] = ({}, {"episode": "game"}, {"hidden_rows": 2}, {"stick_the_dealer": True})
    for game in GAMES:
        spec = get_game(game)
        known = {option.name for option in spec.options}
        for k, chosen in enumerate(options):
            if set(chosen) <= known:
                for moves in (0, 5, 17, None):
                    found.append((game, spec.text(played(game, 10 * k + (moves or 1), moves, **chosen).state[0])))
    return tuple(found)


def trial(rng: random.Random) -> str:
    """Mutates a line and parses it."""
    game, line = rng.choice(lines())
    spec = get_game(rng.choice(GAMES) if rng.random() < 0.02 else game)
    mutated = mutated_text(line, rng)
    state = told(spec.parse, mutated)
    if state is None:
        return "refused"
    text = spec.text(state[0])
    again = spec.parse(text)
    assert again.tobytes() == state.tobytes(), f"{mutated!r} parses as {text!r}, which parses otherwise"
    for seat in range(spec.seats):
        spec.observation(state, seat)
        spec.drawing(state[0], seat)
    return "parsed"
