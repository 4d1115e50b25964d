"""Agents for Hanabi that keep a memory, against their naive versions and among themselves."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs import GameSpec
from cardenvs.baselines.heuristics.hanabi_agents import ALL, HanabiAgent, playing_kernels, start_memory
from cardenvs.baselines.heuristics.hanabi_hats import HatInformation
from cardenvs.baselines.heuristics.hanabi_recommendation import HatRecommendation
from cardenvs.baselines.heuristics.hanabi_smart import SmartBot
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import below, random_member, seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.games import hanabi
from tests.helpers.positions import rows_of
from tests.naive import hanabi_hats as naive_hats
from tests.naive import hanabi_recommendation as naive_recommendation
from tests.naive import hanabi_smart as naive_smart

FORMS: tuple[dict[str, int], ...] = (
    {"players": 3, "colours": 3},
    {"players": 2, "ranks": 3, "hand_size": 3, "information": 3},
    {"players": 4, "colours": 2, "ranks": 4, "hand_size": 2, "lives": 1},
    {"players": 5, "colours": 4, "hand_size": 3, "information": 2, "lives": 5},
    {"players": 2, "colours": 1, "hand_size": 2, "lives": 2},
)
"""Games of which no source says anything."""


def _sets_in(memory: Any, bot: Any) -> list[list[set[tuple[int, int]]]]:
    """The faces that each card may be by a memory, in the form of the naive version."""
    faces = list(bot.gone)
    return [
        [{face for k, face in enumerate(faces) if int(memory["may_be"][seat][slot]) >> k & 1} for slot in range(len(hand))]
        for seat, hand in enumerate(bot.may_be)
    ]


def _told_in(memory: Any, bot: Any) -> list[tuple[naive_recommendation.Advice | None, int]]:
    """What is recommended to each seat by a memory, and how many cards were played since."""
    told = [None, *naive_recommendation.ALL_ADVICE]
    return [(told[number], int(played)) for number, played in zip(memory["told"], memory["played"], strict=True)]


@dataclass(frozen=True)
class Agent:
    """An agent: its policy, memory, kernels and naive version; what often decides its moves, and how many things do.

    ``known`` is what a memory holds, in the form of ``naively_known``; ``players`` and ``forms``: the games that it plays.
    """

    policy: type[HanabiAgent]
    naive: Callable[[int, Any], Any]
    often: frozenset[str]
    steps: int
    known: Callable[[Any, Any], Any] = _sets_in
    naively_known: Callable[[Any], Any] = lambda bot: bot.may_be
    players: tuple[int, ...] = (2, 3, 4, 5)
    forms: tuple[dict[str, int], ...] = FORMS

    def __getattr__(self, name: str) -> Any:
        blueprint = self.policy.blueprint
        return getattr(blueprint if name in blueprint._fields else playing_kernels(blueprint), name)

    def memories(self, n: int) -> Any:
        return as_records(np.zeros(n, self.memory))


SMART = Agent(
    SmartBot, naive_smart.Bot,
    frozenset({"warning by a play", "warning", "finesse", "known play", "hint", "worthless discard", "old discard"}), 12,
)  # fmt: skip
HATS = Agent(
    HatInformation, naive_hats.Bot, frozenset({"play", "hint", "useless discard", "telling discard"}), 6,
)  # fmt: skip
RECOMMENDATION = Agent(
    HatRecommendation, naive_recommendation.Bot,
    frozenset({"to play", "to discard the dead", "play", "play after another", "hint", "discard"}), 10,
    known=_told_in, naively_known=lambda bot: list(zip(bot.advice, bot.plays, strict=True)), players=(5,),
    forms=tuple(
        {"players": 5, "hand_size": 4} | form
        for form in ({"colours": 3}, {"ranks": 3, "information": 2}, {"colours": 2, "lives": 1}, {"ranks": 4, "lives": 5})
    ),
)  # fmt: skip
AGENTS = (SMART, HATS, RECOMMENDATION)


def compare(agent: Agent, spec: GameSpec, seed: int, noise: int = 0, player: Any = None) -> set[str]:
    """Plays a deal by the naive version and compares all with it; returns what has decided its moves.

    ``noise``: one move in how many is any legal one, 0 for none; ``player``: the policy, to be compared, too.
    """
    games = spec.deal(seed)
    state, players = games[0], spec.seats
    streams = seed_streams(seed + 1, 1)
    bots = [agent.naive(seat, state) for seat in range(players)]
    memories, views, replayed = agent.memories(players + 2), spec.new_games(1), spec.new_games(1)
    shared, again = players, players + 1
    for k in range(players + 1):
        start_memory(memories, k, games, 0)
    while state["over"] == RUNNING:
        seat = int(state["to_act"])
        hanabi.view(games, 0, seat, views, 0)
        hanabi.remember(games, 0, seat, views, 0)
        agent.replay(views, 0, memories, again, replayed, 0)
        for k in range(players + 1):
            agent.before_move(memories, k, games, 0)
        for k, bot in enumerate(bots):
            assert agent.known(memories[k], bot) == agent.naively_known(bot)
        own = memories[seat]["may_be"]
        assert (np.roll(memories[again]["may_be"][:players], seat, 0) == own[:players]).all()
        action = bots[seat].choose(state)
        assert action == agent.choose(memories, seat, games, 0) == agent.choose(memories, again, views, 0)
        if player is not None:
            assert action == player.act(*rows_of(player.game, games))[0]
        if not noise:
            assert action == agent.choose(memories, shared, games, 0)
            assert (memories[shared]["may_be"] == own).all()
            for k, hand in enumerate(state["hands"][:players]):
                for slot in range(int(state["sizes"][k])):
                    assert int(own[k][slot]) >> int(hand[slot]) - 1 & 1
        elif below(streams, 0, noise) == 0:
            action = random_member(streams, 0, hanabi.legal(games, 0))
        for k, bot in enumerate(bots):
            bot.learn(state, action)
            agent.learn(memories, k, games, 0, k, action)
        agent.learn(memories, shared, games, 0, ALL, action)
        hanabi.step(games, 0, action)
    return {name for bot in bots for name in bot.steps}


def compare_all(agent: Agent, spec: GameSpec, seeds: Iterable[int], **how: Any) -> set[str]:
    """As `compare`, in several deals."""
    return set().union(*(compare(agent, spec, seed, **how) for seed in seeds))
