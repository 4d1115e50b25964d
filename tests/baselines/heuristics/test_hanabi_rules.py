"""Hanabi's agents that follow rules: they decide as the naive version, in every form, and score as a twin of theirs did."""

from collections import Counter

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.baselines.heuristics import hanabi_rules
from cardenvs.baselines.heuristics.hanabi_rules import AGENTS, agent_action
from cardenvs.baselines.reproduce.hanabi.measure import FIGURES, SELF_PLAY, compare, play
from cardenvs.compiled.jit import DISABLED
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.games.hanabi import hanabi
from tests.helpers.positions import rows_of, view_of
from tests.naive import hanabi_rules as naive

FORMS = [
    {},
    {"players": 3},
    {"players": 4},
    {"players": 5},
    {"players": 5, "colours": 2, "hand_size": 2, "information": 2},
    {"players": 3, "colours": 3, "ranks": 4, "hand_size": 3, "information": 4, "lives": 2},
    {"colours": 1, "hand_size": 2, "information": 3, "lives": 1},
    {"colours": 2, "ranks": 3, "hand_size": 3, "information": 3, "lives": 2},
    {"ranks": 2, "information": 20, "lives": 10},
    {"hand_size": 8},
    {"colours": 2, "ranks": 2, "hand_size": 4},
    {"ranks": 1, "hand_size": 1, "information": 1},
    {"players": 4, "information": 0, "lives": 10},
]
IDS = [",".join(f"{key}={value}" for key, value in form.items()) or "standard" for form in FORMS]
DRAWS = 1 if DISABLED else 400
"""How often an agent is asked for an action that it takes at random."""


def positions(spec, count, seed):
    """Every third position of games in which seats follow agents' rules or, in one of twenty moves, act at random."""
    rng = np.random.default_rng(seed)
    streams, states, moves = seed_streams(seed, 1), spec.new_games(1), 0
    while count > 0:
        agents = rng.choice(
            [number for number, name in enumerate(AGENTS) if name not in ("legal-random", "flawed")], spec.seats
        )
        spec.kernels.deal(states, 0, streams, 0)
        while states[0]["over"] == RUNNING:
            moves += 1
            if moves % 3 == 0:
                yield states
                count -= 1
            seat, legal = int(states[0]["to_act"]), spec.legal(states)
            agent = agents[seat] if rng.random() < 0.95 else 0
            spec.kernels.step(states, 0, agent_action(agent, view_of(spec, states, seat), 0, legal, streams, 0))


def check_position(spec, states, allowed, streams, tally):
    """Compares what all agents do in a position where they may take some actions, a set, and counts choices."""
    names = {name for k, name in enumerate(spec.actions) if allowed >> k & 1}
    seen, views = naive.position(states[0]), view_of(spec, states, int(states[0]["to_act"]))
    for number, name in enumerate(AGENTS):
        chances = naive.chances(name, seen, names)
        assert sum(chances.values()) == 1
        draws = 1 if len(chances) == 1 else DRAWS
        drawn = Counter(spec.actions[agent_action(number, views, 0, allowed, streams, 0)] for _ in range(draws))
        assert drawn.keys() <= chances.keys(), (name, drawn, chances, spec.text(states[0]))
        if len(chances) == 1:
            tally[name] += 1
        elif draws > 1:
            # A false alarm is beyond 6.5 standard deviations, or an action of a chance of 1/20 that is missed 400 times.
            for action, chance in chances.items():
                deviation = abs(drawn[action] - draws * chance) / (draws * chance * (1 - chance)) ** 0.5
                assert deviation < 6.5 or chance < 1 / 20, (name, action, drawn, chances, spec.text(states[0]))
                assert drawn[action] or chance < 1 / 20, (name, action, drawn, chances, spec.text(states[0]))


def check_positions(form, count, seed):
    """Compares agents in at least so many positions, with all legal actions and with about half of them."""
    spec, streams, tally = hanabi(**form), seed_streams(seed, 1), Counter()
    rng = np.random.default_rng(seed)
    for states in positions(spec, count, seed):
        legal = spec.legal(states)
        check_position(spec, states, legal, streams, tally)
        some = sum(1 << k for k in range(spec.num_actions) if legal >> k & 1 and rng.random() < 0.5)
        check_position(spec, states, some or legal, streams, tally)
    assert len(tally) >= 6


@pytest.mark.parametrize("form", FORMS[::3], ids=IDS[::3])
def test_decides_as_the_naive_version(form):
    """Daily as plain Python, by `test_as_plain_python`."""
    check_positions(form, 12 if DISABLED else 60, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=IDS)
def test_decides_as_the_naive_version_in_many_positions(form):
    check_positions(form, 1_000, seed=2)


# --- policies --------------------------------------------------------------------------------------------------------

POLICIES = (
    hanabi_rules.Internal, hanabi_rules.Outer, hanabi_rules.Cautious, hanabi_rules.Iggi, hanabi_rules.Piers,
    hanabi_rules.Flawed, hanabi_rules.VanDenBergh,
)  # fmt: skip


@pytest.mark.parametrize("form", [{"players": 3}, {"colours": 2, "ranks": 3, "hand_size": 3}], ids=["large", "small"])
def test_policies_decide_by_observations(form):
    """Rows of one batch, of which each has its own stream; `random` is the agent without rules."""
    spec = hanabi(**form)
    rows, masks, seen = [], [], []
    for states in positions(spec, 8 if DISABLED else 40, seed=3):
        row, mask = rows_of(spec, states)
        rows.append(row)
        masks.append(mask)
        seen.append((view_of(spec, states, int(states[0]["to_act"])), spec.legal(states)))
    observations, action_masks, n = np.concatenate(rows), np.concatenate(masks), len(rows)
    players = {made.agent: made(spec) for made in POLICIES} | {"legal-random": policy.make(spec, "random")}
    assert players.keys() == AGENTS.keys()
    for number, name in enumerate(AGENTS):
        drawn, streams = seed_streams(4, n), seed_streams(4, n)
        chosen = players[name].act(observations, action_masks, drawn)
        assert chosen.tolist() == [agent_action(number, seen[k][0], 0, seen[k][1], streams, k) for k in range(n)], name
        assert (drawn == streams).all()
        assert players[name].act(observations[:0], action_masks[:0], drawn[:0]).shape == (0,)


def test_policies_play_forms_of_hanabi_alone():
    for made in POLICIES:
        with pytest.raises(ValueError, match=f"{made.__name__} plays hanabi, not whist"):
            made("whist")


# --- scores ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_scores_with_itself_and_others(name):
    """Four standard errors: by chance one of the 76 numbers is farther off in one of 200 runs of all."""
    for figure in [figure for figure in FIGURES if figure.team[0] == name]:
        alone = figure.table == SELF_PLAY
        played = play(figure.team, figure.players, range(20_000 if alone else 5_000), seed=7 if alone else 8)
        assert abs(compare(figure, played).z) < 4, figure
        assert not alone or (played.lives > 0).all() or name in ("legal-random", "flawed")
