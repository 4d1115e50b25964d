"""Rollout in Five-O: its columns against a naive appraisal, its play-outs against exact chances."""

import numpy as np
import pytest

from cardenvs import Batch, get_game, testing
from cardenvs.baselines.search.five_o import appraisal as five_o_appraisal
from cardenvs.baselines.search.five_o import rollout as five_o_rollout
from cardenvs.baselines.search.five_o.appraisal import LEVELS, OFFERS, ONE, STATES
from cardenvs.baselines.search.five_o.chances import DRAW, WIN
from cardenvs.baselines.search.five_o.independence import joint_chances
from cardenvs.baselines.search.five_o.rollout import PRIOR, Rollout
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import RUNNING
from tests.helpers.positions import rows_of
from tests.naive import five_o_rollout as naive

pytestmark = pytest.mark.compiled

SPEC = get_game("five-o")
single_states, following_states = five_o_appraisal.single_states, five_o_appraisal.following_states


def state_of(cards):
    return int(five_o_appraisal.state_of(sum(1 << int(card) for card in cards), single_states(), following_states()))


def positions_at(plies, deals, seed, **options):
    """The states of random play after so many placements, with the views of the seat to act."""
    for games in testing.random_positions(SPEC, deals, seed, **options):
        if games[0]["over"] == RUNNING and games[0]["moves"] in plies:
            view = SPEC.new_games(1)
            SPEC.kernels.view(games, 0, int(games[0]["to_act"]), view, 0)
            yield games.copy(), view


def opened(view):
    """The position that a view gives, with the appraisals."""
    appraisals, positions = five_o_appraisal.new_appraisals(), five_o_rollout.new_positions()
    five_o_rollout.open_position(view, 0, single_states(), following_states(), appraisals, positions)
    return appraisals, positions


# --- columns -------------------------------------------------------------------------------------------------------


def test_states_are_the_columns_that_differ():
    """Adding a card to a state gives the state of the larger column, and five cards their value."""
    rng = np.random.default_rng(0)
    seen = {}
    for _ in range(3_000):
        cards = rng.permutation(52)[: rng.integers(1, 6)]
        state, column = state_of(cards), naive.column(cards.tolist())
        if len(cards) == 5:
            assert state == STATES + naive.value(column)
        else:
            assert seen.setdefault(state, column) == column or len(cards) == 1
            assert five_o_appraisal.SIZES[state] == len(cards)
        # In whatever order they come.
        back = single_states()[cards[-1]]
        for card in cards[-2::-1]:
            back = following_states()[back, card]
        assert back == state
    assert len(seen) == len(set(seen.values()))


@pytest.mark.parametrize(("size", "count"), [(4, 12), (3, 9)])
def test_appraisal_is_the_naive_one(size, count):
    appraisals = five_o_appraisal.new_appraisals()
    worth, levels = appraisals[0]["worth"].copy(), appraisals[0]["levels"]
    rng = np.random.default_rng(size)
    for trial in range(6):
        deck = rng.permutation(52)
        if trial % 2:  # columns of one suit, with cards of that suit to come
            deck = np.concatenate([np.flatnonzero(np.arange(52) // 13 == 2), deck[deck // 13 != 2]])
            deck[:13] = rng.permutation(deck[:13])
        cards, other, unseen = deck[:size], deck[-size:], deck[size : size + count]
        roots = np.array([state_of(cards), state_of(other)])
        five_o_appraisal.appraise_states(sum(1 << int(card) for card in unseen), roots, 2, following_states(), appraisals)
        shares = []
        for held, state in ((cards, roots[0]), (other, roots[1])):
            mean, share = naive.appraise(
                naive.column(held.tolist()), unseen.tolist(), OFFERS, LEVELS,
                lambda value: worth[STATES + value], lambda value: levels[value],
            )  # fmt: skip
            assert appraisals[0]["worth"][state] == pytest.approx(mean, abs=1e-5)
            assert appraisals[0]["share"][state] == pytest.approx(share, abs=1e-5)
            shares.append(np.array(share))
        # All of the own level above the other's, half where they are equal; rounded to 1 / ONE at every level.
        own, against = shares
        expected = (own * (np.cumsum(against) - against / 2)).sum()
        chance = five_o_appraisal.chance_to_beat(roots[0], roots[1], appraisals)
        assert chance == pytest.approx(expected, abs=LEVELS / ONE)


def test_five_cards_are_compared_as_they_are():
    appraisals = five_o_appraisal.new_appraisals()
    for own, other, chance in ((100, 99, 1.0), (99, 100, 0.0), (7, 7, 0.5)):
        assert five_o_appraisal.chance_to_beat(STATES + own, STATES + other, appraisals) == chance


# --- positions -----------------------------------------------------------------------------------------------------


def test_the_player_of_play_outs_takes_what_the_appraisal_finds_best():
    """Another form of equation 3, which leaves out what all placements share."""
    tried = 0
    for games, view in positions_at(range(0, 40, 3), 3, seed=1):
        appraisals, positions = opened(view)
        _, mask = rows_of(SPEC, games)
        if mask.sum() < 2:
            continue
        scores = np.zeros(5)
        actions = SPEC.legal(games)
        five_o_rollout.appraise_placements(view, 0, actions, following_states(), appraisals, positions, scores)
        card = int(view[0]["card"]).bit_length() - 1
        chosen = five_o_rollout.best_column(positions, 0, 0, card, following_states(), appraisals)
        assert mask[0, chosen]
        assert scores[chosen] == pytest.approx(scores[mask[0] == 1].max(), abs=1e-12)
        tried += 1
    assert tried > 25


def test_the_other_does_not_see_face_down_cards():
    """A card put into the last row changes what its owner thinks of the column, not what the other does."""
    tried = 0
    for _, view in positions_at((30, 32, 33), 3, seed=2):
        appraisals, positions = opened(view)
        before = positions[0].copy()
        column = int(view[0]["open"][0]).bit_length() - 1
        after = int(following_states()[before["state"][0, column], int(view[0]["card"]).bit_length() - 1])
        five_o_rollout.put_card(positions, 0, 0, column, after, appraisals)
        assert positions[0]["state"][0, column] == after
        assert (positions[0]["shown"] == before["shown"]).all()
        assert (positions[0]["chance"][1] == before["chance"][1]).all()
        tried += 1
    assert tried == 9


def test_play_outs_of_forced_placements_meet_the_exact_chances():
    """Three cards to come, no choice left: 4.5 standard errors in some 60 means, one false alarm in 2,000 runs."""
    worlds, checked = 2_000, 0
    for options in ({}, {"hidden_rows": 0}):
        for k, (games, view) in enumerate(positions_at((37,), 20, seed=3, **options)):
            row, mask = rows_of(SPEC, games)
            exact = joint_chances(row, mask, 1, seed_streams(0, 1))[1][0]
            appraisals, positions = opened(view)
            sums = np.zeros(5)
            five_o_rollout.play_out(
                view, 0, SPEC.legal(games), worlds, following_states(), appraisals, positions, SPEC.new_games(1),
                seed_streams(k, 1), 0, sums,
            )  # fmt: skip
            for action in np.flatnonzero(mask[0]):
                mean = exact[action, WIN] + exact[action, DRAW] / 2
                variance = exact[action, WIN] + exact[action, DRAW] / 4 - mean**2
                assert abs(sums[action] / worlds - mean) <= 4.5 * np.sqrt(max(variance, 0) / worlds) + 1e-9
                checked += variance > 1e-9
    assert checked > 20


# --- the agent -----------------------------------------------------------------------------------------------------


def test_a_score_is_the_mean_with_the_appraisal():
    player = Rollout("five-o", worlds=3 * PRIOR)
    for k, (games, view) in enumerate(positions_at((15, 28, 37), 2, seed=4)):
        row, mask = rows_of(SPEC, games)
        actions = SPEC.legal(games)
        appraisals, positions = opened(view)
        prior, sums = np.zeros(5), np.zeros(5)
        five_o_rollout.appraise_placements(view, 0, actions, following_states(), appraisals, positions, prior)
        five_o_rollout.play_out(
            view, 0, actions, 3 * PRIOR, following_states(), appraisals, positions, SPEC.new_games(1), seed_streams(k, 1),
            0, sums,
        )  # fmt: skip
        expected = 0.25 * prior + 0.75 * sums / (3 * PRIOR) if games[0]["moves"] >= 20 else prior
        expected[mask[0] == 0] = np.nan
        assert player.scores(row, mask, seed_streams(k, 1))[0] == pytest.approx(expected, nan_ok=True)


def test_a_seed_gives_the_same_choice_in_any_batch():
    batch = Batch("five-o", 24, seed=5)
    player = Rollout("five-o", worlds=10)
    rng = np.random.default_rng(0)
    for ply in range(40):
        if ply in (4, 22, 31, 36):
            rows, masks = batch.observations, batch.action_masks
            scores = player.scores(rows, masks, seed_streams(ply, 24))
            together = player.act(rows, masks, seed_streams(ply, 24))
            assert (together == player.act(rows, masks, seed_streams(ply, 24))).all()
            assert (masks[np.arange(24), together] == 1).all()
            for i in range(0, 24, 5):
                one = slice(i, i + 1)
                streams = seed_streams(ply, 24)[one]
                assert player.act(rows[one], masks[one], streams.copy())[0] == together[i]
                assert np.array_equal(player.scores(rows[one], masks[one], streams)[0], scores[i], equal_nan=True)
            if ply in (22, 31):
                assert not np.array_equal(player.scores(rows, masks, seed_streams(99, 24)), scores, equal_nan=True)
        batch.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks]))


def test_explains_its_choice():
    games, _ = next(positions_at((30,), 1, seed=7))
    row, mask = rows_of(SPEC, games)
    explained = Rollout("five-o", worlds=50).explain(
        {"observation": row[0], "action_mask": mask[0]}, np.random.default_rng(0)
    )
    chances = [score for _, score in explained]
    assert len(chances) == 5 and chances == sorted(chances, reverse=True) and 0 <= chances[-1] <= chances[0] <= 1
