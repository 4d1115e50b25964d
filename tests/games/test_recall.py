"""Perfect recall: what was done in a deal, in order, as far as a seat saw it, behind its observation."""

from typing import Any

import numpy as np
import pytest

from cardenvs import get_game, testing
from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.aec import CardEnv
from cardenvs.envs.batch import Batch
from cardenvs.policy.random import RandomPolicy
from tests.helpers.positions import rows_of
from tests.naive.recall import MOVES

pytestmark = pytest.mark.compiled

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("whist", {}), ("whist", {"episode": "game"}), ("euchre", {}),
    ("euchre", {"stick_the_dealer": True, "episode": "game", "target": 5}), ("euchre", {"bidding": "forced-spades"}),
    ("five-o", {}), ("five-o", {"hidden_rows": 0}), ("five-o", {"hidden_rows": 4}),
]  # fmt: skip
GAMES = ("whist", "euchre", "five-o")
DAILY = ("{}", "{'bidding': 'forced-spades'}")
each_option = pytest.mark.parametrize(
    ("name", "options"),
    [pytest.param(*case, marks=() if str(case[1]) in DAILY else pytest.mark.slow) for case in OPTIONS],
    ids=str,
)
each_game = pytest.mark.parametrize("name", GAMES)
EPISODES = 8


def remembered(spec: GameSpec, row: Any) -> list[set[str]]:
    """The labels that the moves of a recalling observation show; without the moves that have not been made."""
    moves = [{part.labels[k] for k in np.flatnonzero(row[spec.slices[part.name]])} for part in spec.recall_parts]
    while moves and not moves[-1]:
        moves.pop()
    return moves


def halfway(spec: GameSpec, seed: int = 3, **options: Any) -> Games:
    """A position in the middle of a random deal."""
    positions = [games.copy() for games in testing.random_positions(spec, 1, seed, **options)]
    return positions[len(positions) // 2].view(type(spec.new_games(1)))


@each_option
def test_every_game_passes_the_checks_with_recall(name: str, options: dict[str, Any]) -> None:
    spec = get_game(name).recalling
    for check in (testing.check_observations, testing.check_redeals, testing.check_no_leak, testing.check_flaws):
        check(spec, episodes=4, seed=6, **options)


@pytest.mark.parametrize("name", ["euchre", *(pytest.param(name, marks=pytest.mark.slow) for name in ("whist", "five-o"))])
def test_all_checks_with_the_default_options(name: str) -> None:
    testing.check_game(get_game(name).recalling)


@each_option
def test_what_is_recalled_is_what_was_done(name: str, options: dict[str, Any]) -> None:
    """... as the naive versions tell it when they play the deal again; it stands behind the plain row."""
    spec = get_game(name).recalling
    assert spec.observation_size == spec.plain.observation_size + sum(part.size for part in spec.recall_parts)
    assert len(spec.recall_parts) == spec.max_steps
    for games in testing.random_positions(spec, EPISODES, seed=9, **options):
        line = spec.text(games[0])
        for seat in range(spec.seats):
            row = spec.observation(games, seat)
            assert (row[: spec.plain.observation_size] == spec.plain.observation(games, seat)).all()
            assert remembered(spec, row) == MOVES[name](line, seat), f"seat {seat} of {line}"


@each_option
def test_batches_and_environments_recall_alike(name: str, options: dict[str, Any]) -> None:
    batch = Batch(name, 1, seed=5, recall=True, restart=False, **options)
    plain = Batch(name, 1, seed=5, restart=False, **options)
    env = CardEnv(name, recall=True, **options)
    env.reset(seed=5)
    streams = seed_streams(8, 1)
    while not batch.finished.all():
        shown = env.observe(env.agent_selection)
        assert (shown["observation"] == batch.observations[0]).all()
        assert (batch.observations[:, : plain.spec.observation_size] == plain.observations).all()
        assert batch.observations.shape[1] == batch.spec.observation_size
        legal = np.flatnonzero(batch.action_masks[0])
        action = int(legal[below(streams, 0, len(legal))])
        batch.step(np.array([action]))
        plain.step(np.array([action]))
        env.step(action)
    assert all(env.terminations.values())


@each_game
def test_policies_refuse_moves_that_were_not_made(name: str) -> None:
    spec = get_game(name).recalling
    player = RandomPolicy(spec)
    games = halfway(spec)
    rows, masks = rows_of(spec, games)
    assert spec.flawed_row(rows, masks) is None
    player.act(rows, masks)
    for column in range(spec.plain.observation_size, spec.observation_size):
        wrong = rows.copy()
        wrong[0, column] ^= 1
        assert spec.flawed_row(wrong, masks) is not None, spec.describe(wrong[0])
    made = int(games[0]["moves"])
    first, last = (spec.slices[spec.recall_parts[k].name] for k in (0, made - 1))
    everything = slice(spec.plain.observation_size, None)
    for where, what in ((last, 0), (first, 0), (everything, 0), (first, rows[:, last]), (last, rows[:, first])):
        wrong = rows.copy()
        wrong[:, where] = what
        with pytest.raises(ValueError, match=f"row 0 shows no position of {name}: "):
            player.act(wrong, masks)


@each_game
def test_policies_that_recall_say_what_is_missing(name: str) -> None:
    spec = get_game(name)
    player = RandomPolicy(spec.recalling)
    games = halfway(spec)
    rows, masks = rows_of(spec, games)
    with pytest.raises(ValueError, match=f"^observations of {name} must have the order of play, which .* recall=True$"):
        player.act(rows, masks)
    with pytest.raises(ValueError, match=f"^observation of {name} must have the order of play, which .* recall=True$"):
        player.act({"observation": rows[0], "action_mask": masks[0]})


@pytest.mark.parametrize("hidden_rows", [1, 3])
def test_cards_that_were_seen_cannot_be_left_out(hidden_rows: int) -> None:
    """A Five-O row that knows a column, but not the card that all saw fall there."""
    spec = get_game("five-o").recalling
    rows, masks = rows_of(spec, halfway(spec, hidden_rows=hidden_rows))
    moves = [spec.slices[part.name] for part in spec.recall_parts]
    for where in (moves[0:1], moves):
        wrong = rows.copy()
        for move in where:
            wrong[0, move.start + 5 : move.stop] = 0
        assert spec.flawed_row(wrong, masks) is not None


@pytest.mark.parametrize("hidden_rows", range(5))
def test_a_seat_remembers_which_card_fell_when(hidden_rows: int) -> None:
    """Five-O's re-deals keep every card that the seat has seen in its place in the order of drawing [F18]."""
    spec = get_game("five-o").recalling
    views, dealt, streams = spec.new_games(1), spec.new_games(1), seed_streams(1, 1)
    known = 0
    for games in testing.random_positions(spec, 2, hidden_rows=hidden_rows):
        for seat in range(2):
            spec.kernels.view(games, 0, seat, views, 0)
            spec.kernels.redeal(views, 0, streams, 0, dealt, 0)
            deck, again = np.array(views[0]["deck"]), np.array(dealt[0]["deck"])
            assert (again[deck != 0] == deck[deck != 0]).all()
            turned = np.array(games[0]["deck"])
            if seat == 1:
                turned[:10] = np.roll(turned[:10], 5)
            assert (turned[deck != 0] == deck[deck != 0]).all()
            known += int((deck[10:] != 0).sum())
    assert known > 1000
