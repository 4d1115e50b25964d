"""What every named policy chooses in fixed deals against itself, and a hash of the numbers behind its choices."""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

from cardenvs import Batch, get_game, policy
from cardenvs.compiled.streams import seed_streams
from cardenvs.policy.contract import Policy, ScoredPolicy, SeatMemory, ask
from cardenvs.policy.registry import policy_makers
from tests.figures.commands import WRITTEN
from tests.figures.rows import hash_of

GAMES, STEPS = 5, 40
"""How many games a policy plays with itself side by side, and how many decisions it makes in each of them."""
PLAYED = (*WRITTEN, "hearts", "kuhn-poker", "beacon-relay-mini")
"""The games whose policies are frozen."""
CHEAP = {
    "exact": "samples=100", "expectiminimax": "decks=10,depth=2", "five-o/monte-carlo": "samples=100",
    "ismcts": "simulations=100", "learned-search": "worlds=50", "monte-carlo": "worlds=10",
    "pimc": "worlds=10", "pipmc": "worlds=5", "poe": "worlds=20", "rollout": "worlds=20", "search": "rollouts=100",
    "split": "calls=hybrid", "whist/pimc": "worlds=3,exact_cards=5",
}  # fmt: skip
"""Parameters of policies that take long, by the policy's name, or the game's and the policy's."""
BLUEPRINTS = {"euchre": "hybrid", "whist": "coop-high-low", "five-o": "reflex1", "hanabi": "smartbot"}
"""Whom ``search`` stands on; no policy of the other games can be foretold."""
MORE = {
    "euchre": (
        "learned:sample=yes",
        "ismcts:simulations=50,variant=multiple",
        "pimc:worlds=5,goal=tricks",
        "high:calling=three-trumps",
    ),
    "whist": ("learned:sample=yes", "monte-carlo:worlds=3,goal=tricks"),
    "five-o": ("expectiminimax:decks=2,depth=1,evaluation=greedy1", "monte-carlo:samples=30,joint=yes"),
    "hanabi": ("learned:sample=yes", "search:blueprint=piers,rollouts=20"),
    "hanabi:players=3": ("hat-information", "smartbot"),
    "hanabi:players=5": ("hat-recommendation",),
    "hanabi:tiny": ("piers", "search:blueprint=piers,rollouts=20"),
}
"""Policies with other parameters, and of other forms of games."""
LEFT_OUT = {
    "exec": "runs a command (of `COMMANDS`, match-exec has one)",
    "llm": "asks a server (test_language_models has one)",
    "openspiel": "another process chooses otherwise, whatever the seed",
    "sb3": "needs the file of a training by others",
}
"""Policies that are not asked, and why."""


def draw_names() -> list[str]:
    """Every policy of the games in `PLAYED`, with the parameters with which it is asked, as ``game/policy``."""
    names = []
    for game in PLAYED:
        for base in sorted(policy_makers(get_game(game)).keys() - LEFT_OUT.keys()):
            given = CHEAP.get(f"{game}/{base}", CHEAP.get(base, ""))
            if base == "search":
                if game not in BLUEPRINTS:
                    continue
                given += f",blueprint={BLUEPRINTS[game]}"
            names.append(f"{game}/{base}:{given}" if given else f"{game}/{base}")
    return names + [f"{game}/{name}" for game, more in MORE.items() for name in more]


def choices_of(name: str) -> dict[str, Any]:
    """What a policy chooses: of each game the numbers of its actions, decision by decision; and the hashes of numbers."""
    game, _, who = name.partition("/")
    player = policy.make(game, who)
    batch = Batch(player.game.plain, GAMES, seed=62, recall=player.game.recall, skip_forced=True)
    streams = seed_streams(63, GAMES * batch.spec.seats).reshape(GAMES, -1)
    memory, everywhere, chosen, chances = SeatMemory(GAMES), np.arange(GAMES), [], []
    with recorded(player) as scores:
        for _ in range(STEPS):
            if player.has_chances:
                chances.append(player.chances_of(batch.observations, batch.action_masks).astype(np.float64))
            rows, masks, seats = batch.observations, batch.action_masks, batch.to_act
            chosen.append(ask(player, rows, masks, streams, everywhere, seats, None, memory))
            batch.step(chosen[-1])
            memory.games[batch.ended > 0] += GAMES
    found: dict[str, Any] = {"choices": [" ".join(map(str, line)) for line in np.array(chosen).T.tolist()]}
    found["streams"] = hash_of(streams)
    for kind, arrays, digits in (("scores", scores, 9), ("chances", chances, 5)):
        if arrays:
            found[kind] = hash_of(*(np.round(array, digits) + 0.0 for array in arrays))
    return found


@contextmanager
def recorded(player: Policy) -> Iterator[list[Any]]:
    """The scores by which a policy chooses while this lasts; none of a policy without scores."""
    scores: list[Any] = []
    if not isinstance(player, ScoredPolicy):
        yield scores
        return
    evaluate = type(player).evaluate

    @functools.wraps(evaluate)
    def evaluated(*given: Any) -> Any:
        found = evaluate(*given)
        scores.append(np.array(found[0]))
        return found

    with mock.patch.object(type(player), "evaluate", evaluated):
        yield scores
