"""Canonical suits: relabelling an observation is the same as relabelling the game."""

import re
from itertools import permutations

import numpy as np
import pytest

from cardenvs.contract.cards import SUITS
from cardenvs.contract.registry import get_game
from cardenvs.testing import random_positions
from cardenvs.train.inference.symmetry import SuitSymmetry
from tests.helpers.positions import rows_of

pytestmark = pytest.mark.compiled

NAMES = ("clubs", "diamonds", "hearts", "spades")
OPTIONS = {"euchre": ({}, {"bidding": "forced-spades"}), "whist": ({},), "five-o": ({},)}


def relabelled(line: str, new: list[int]) -> str:
    """A deal's line with suit s called ``new[s]``."""
    words = line.split()
    for k, word in enumerate(words):
        key, _, value = word.partition("=")
        if key in ("hands", "turned", "kitty", "shown", "actions"):
            value = re.sub(f"([2-9TJQKA])([{SUITS}])", lambda m: m[1] + SUITS[new[SUITS.index(m[2])]], value)
            value = re.sub("|".join(NAMES), lambda m: NAMES[new[NAMES.index(m[0])]], value)
            words[k] = f"{key}={value}"
    return " ".join(words)


@pytest.mark.parametrize("recall", [False, True])
@pytest.mark.parametrize("name", ["euchre", "whist"])
def test_relabelling_what_is_seen_is_relabelling_the_game(name: str, recall: bool) -> None:
    """... and what is recalled, with ``recall``."""
    spec = get_game(name).with_recall(recall)
    symmetry = SuitSymmetry(spec)
    used = set()
    for options in OPTIONS[name]:
        for games in random_positions(spec, 25, seed=3, **options):
            if games[0]["to_act"] < 0:
                continue
            observation, mask = rows_of(spec, games)
            canonical, canonical_mask, numbers = symmetry.rename_positions(observation, mask)
            new = symmetry.permutations[numbers[0]].tolist()
            used.add(tuple(new))
            if options.get("bidding") == "forced-spades":
                # There spades are trump by the rules, so that a line cannot say otherwise.
                assert new[3] == 3
            other = spec.parse(relabelled(spec.text(games[0]), new))
            expected, expected_mask = rows_of(spec, other)
            line = spec.text(games[0])
            assert (canonical == expected).all(), line
            assert (canonical_mask == expected_mask).all(), line
            # Every legal action comes back under its true name.
            actions = np.flatnonzero(canonical_mask[0])
            back = symmetry.restore_actions(actions, numbers.repeat(len(actions)))
            assert sorted(back.tolist()) == np.flatnonzero(mask[0]).tolist(), line
            for action, true in zip(actions, back, strict=True):
                assert relabelled(f"actions={spec.actions[true]}", new) == f"actions={spec.actions[action]}"
    assert len(used) == (8 if name == "euchre" else 24)


def test_rows_may_lie_in_memory_in_any_order() -> None:
    symmetry = SuitSymmetry("euchre")
    listed = [
        rows_of(symmetry.game, games) for games in random_positions(symmetry.game, 5, seed=3) if games[0]["to_act"] >= 0
    ]
    observations, masks = (np.concatenate(parts) for parts in zip(*listed, strict=True))
    expected = symmetry.rename_positions(observations, masks)
    for got, wanted in zip(
        symmetry.rename_positions(np.asfortranarray(observations), np.asfortranarray(masks)), expected, strict=True
    ):
        assert (got == wanted).all()


@pytest.mark.parametrize("name", ["euchre", "whist"])
def test_recalled_moves_keep_their_seats_and_ranks(name: str) -> None:
    """Renaming suits touches the entries that name a suit, each of which has its counterpart in the same move."""
    spec = get_game(name).recalling
    symmetry = SuitSymmetry(spec)
    entries = symmetry.naming.entries
    for part in spec.recall_parts:
        moved = entries[:, spec.slices[part.name]] - spec.slices[part.name].start
        where = np.flatnonzero((moved != np.arange(len(part.labels))).any(0))
        assert [part.labels[k] for k in where] == list(NAMES)
        assert (moved[:, where] - where[0] == symmetry.permutations).all()
    size = spec.plain.observation_size
    assert (entries[:, :size] == SuitSymmetry(spec.plain).naming.entries[:, :size]).all()


@pytest.mark.parametrize("recall", [False, True])
@pytest.mark.parametrize("name", ["euchre", "whist"])
def test_all_namings_of_a_position_look_alike(name: str, recall: bool) -> None:
    """... but for suits in which the seat was dealt the same cards, between which nothing decides."""
    spec = get_game(name).with_recall(recall)
    symmetry = SuitSymmetry(spec)
    groups = [
        list(new) for new in permutations(range(4)) if name == "whist" or all(new[3 - s] == 3 - new[s] for s in range(4))
    ]
    alike = total = 0
    for games in random_positions(spec, 2, seed=8):
        if games[0]["to_act"] < 0:
            continue
        looks = set()
        for new in groups:
            observation, mask = rows_of(spec, spec.parse(relabelled(spec.text(games[0]), new)))
            canonical, canonical_mask, _ = symmetry.rename_positions(observation, mask)
            looks.add(canonical.tobytes() + canonical_mask.tobytes())
        total += 1
        alike += len(looks) == 1
        assert len(looks) <= 2
        # Trump, or the turned suit, is spades.
        key = "trump" if canonical[0, spec.slices["trump"]].any() else "turned"
        assert (
            canonical[0, spec.slices[key]][-spec.slices[key].stop + spec.slices[key].start :].reshape(4, -1)[3].sum() == 1
        )
    assert alike > 0.6 * total


def test_a_game_without_a_known_symmetry_is_left_alone() -> None:
    spec = get_game("five-o")
    symmetry = SuitSymmetry(spec)
    observation, mask = rows_of(spec, spec.deal(0))
    canonical, canonical_mask, names = symmetry.rename_positions(observation, mask)
    assert (canonical == observation).all() and (canonical_mask == mask).all()
    assert canonical is not observation
    assert symmetry.restore_actions(np.array([3]), names).tolist() == [3]
