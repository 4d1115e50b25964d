"""Agents for Hanabi that remember the deal move as their naive versions do, by memory, by replay and by observations."""

import numpy as np
import pytest

from cardenvs import Batch, testing
from cardenvs.compiled.streams import seed_streams
from cardenvs.games.hanabi import hanabi, legal, open_deal, step
from tests.helpers.hanabi_agents import AGENTS, SMART, compare_all
from tests.helpers.positions import rows_of


def _called(one):
    """The name of a test's argument."""
    return str(one) if isinstance(one, dict) else one.policy.__name__


EACH = pytest.mark.parametrize("agent", AGENTS, ids=_called)
STANDARD = pytest.mark.parametrize(
    ("agent", "form"), [(agent, {"players": players}) for agent in AGENTS for players in agent.players], ids=_called
)
OTHERS = pytest.mark.parametrize(
    ("agent", "form"), [(agent, form) for agent in AGENTS for form in agent.forms], ids=_called
)


@STANDARD
@pytest.mark.slow
def test_moves_as_the_naive_version_does(agent, form):
    steps = compare_all(agent, hanabi(**form), range(10))
    assert steps >= agent.often


@EACH
@pytest.mark.slow
def test_moves_as_the_naive_version_does_by_observations(agent):
    player = agent.policy(hanabi(players=agent.players[0]))
    compare_all(agent, player.game.plain, range(3), player=player)


@STANDARD
@pytest.mark.slow
def test_moves_as_the_naive_version_does_in_many_deals(agent, form):
    player = agent.policy(hanabi(**form))
    steps = compare_all(agent, player.game.plain, range(100, 600), player=player)
    assert len(steps) == agent.steps  # all that can decide a move


@OTHERS
@pytest.mark.slow
def test_moves_as_the_naive_version_does_in_other_forms(agent, form):
    compare_all(agent, hanabi(**form), range(8))


@STANDARD
@pytest.mark.slow
def test_moves_as_the_naive_version_does_among_moves_at_random(agent, form):
    """What moves tell is false here, so that sets of faces become empty."""
    compare_all(agent, hanabi(**form), range(6), noise=4)


@EACH
@pytest.mark.parametrize("which", [0, -1])
def test_moves_alike_without_compilation(agent, which):
    """The fewest players and the most, which plain Python has the time for."""
    compare_all(agent, hanabi(players=agent.players[which]), range(1))


@EACH
@pytest.mark.slow
def test_chooses_from_the_observation_alone(agent):
    player = agent.policy(hanabi(players=agent.players[0]))
    testing.check_no_leak(player.game, player.act, episodes=4)


@EACH
@pytest.mark.parametrize("noise", [pytest.param(0, marks=pytest.mark.slow), 4])
def test_goes_on_from_rows_before_as_from_the_start_of_a_deal(agent, noise):
    """Rows of the next position, of one further on, in another order and of deals that have ended are mixed."""
    form = hanabi(**agent.forms[0])
    player, games = agent.policy(form), 3
    batch, streams, rng = Batch(player.game, games, seed=5), seed_streams(0, games), np.random.default_rng(1)
    for k in range(30):
        order = rng.permutation(games) if k % 5 == 3 else np.arange(games)
        rows, masks = batch.observations[order], batch.action_masks[order]
        fresh = agent.policy(form).choose(rows, masks, streams)
        if k % 7 != 2:
            assert (player.choose(rows, masks, streams) == fresh).all()
        actions = np.empty(games, np.int64)
        actions[order] = fresh
        if noise and k % noise == 0:
            actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks])
        batch.step(actions)


def _told_a_rank(form, seed, turned, acts):
    """A deal after a hint of the rank of the second seat's oldest card, or two acts later; turned: that hand reversed."""
    games = form.deal(seed)
    g, held = games[0], form.parameters["hand_size"]
    g["first"] = 0
    rank = (int(g["deck"][held]) - 1) % form.parameters["ranks"]
    if turned:
        g["deck"][held : 2 * held] = g["deck"][held : 2 * held][::-1].copy()
    open_deal(games, 0)
    step(games, 0, 2 * held + form.parameters["colours"] + rank)
    if acts > 1:
        hints = int(legal(games, 0)) >> 2 * held << 2 * held
        step(games, 0, (hints & -hints).bit_length() - 1)
        step(games, 0, 0)
    return games


def test_goes_on_from_no_deal_in_which_the_own_cards_were_told_otherwise():
    form = hanabi(players=2, colours=3, ranks=3, hand_size=3)
    differ = 0
    for seed in range(40):
        player = SMART.policy(form)
        before, after, same = (
            rows_of(player.game, _told_a_rank(form, seed, *how)) for how in ((False, 1), (True, 3), (False, 3))
        )
        player.act(*before)
        assert player.act(*after)[0] == SMART.policy(form).act(*after)[0]
        differ += SMART.policy(form).act(*after)[0] != SMART.policy(form).act(*same)[0]
    assert differ > 3


@EACH
def test_takes_the_first_action_of_a_mask_that_lacks_its_move(agent):
    player = agent.policy(hanabi(players=agent.players[0]))
    row, mask = rows_of(player.game, player.game.deal(0))
    mask[0, player.act(row, mask)[0]] = 0
    assert player.act(row, mask)[0] == mask[0].argmax()
