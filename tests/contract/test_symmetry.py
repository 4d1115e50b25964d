"""What the rules treat alike: labels, actions and deals under exchanged names, and claims that do not hold."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cardenvs import get_game, hanabi_v0, testing
from cardenvs.contract.symmetry import Symmetry, all_permutations, exchanged_letters

SMALL = "hanabi:colours=3,ranks=2,hand_size=2"


def test_labels_stand_in_each_others_places() -> None:
    symmetry = Symmetry("suits", ((0, 1, 2), (1, 2, 0)), exchanged_letters("CDH"))
    assert symmetry.renamed("C1-call-D", (1, 2, 0)) == "D1-call-H"
    places = symmetry.places(("C1", "D1", "H1", "none"), ("told-H", "told-D", "told-C"))
    assert places.tolist() == [[0, 1, 2, 3, 4, 5, 6], [1, 2, 0, 3, 6, 4, 5]]
    assert len(set(all_permutations(4))) == 24 and all_permutations(4)[0] == (0, 1, 2, 3)


@pytest.mark.parametrize("recall", [False, True])
def test_what_holds_passes(recall: bool) -> None:
    spec = get_game(SMALL)
    assert spec.symmetry("colours") is spec.symmetries[0]
    testing.check_symmetries(spec.with_recall(recall), episodes=2, score="built")


def _but_for_hints(text: str, permutation: Sequence[int]) -> str:
    """A text with its colours exchanged where it is no name of a hint."""
    return text if text.startswith("tell") else exchanged_letters("RYG")(text, permutation)


def _but_for_deals(text: str, permutation: Sequence[int]) -> str:
    """A text with its colours exchanged where it is no deck."""
    return text if len(text) > 20 else exchanged_letters("RYG")(text, permutation)


@pytest.mark.parametrize(
    ("renamed", "message"), [(_but_for_hints, "other actions are legal"), (_but_for_deals, "seat 0 sees another game")]
)
def test_what_does_not_hold_is_found(renamed: Callable[[str, Sequence[int]], str], message: str) -> None:
    claimed = replace(get_game(SMALL), symmetries=(Symmetry("colours", all_permutations(3)[1:], renamed),))
    with pytest.raises(AssertionError, match=f"{message}, colours exchanged as"):
        testing.check_symmetries(claimed, episodes=1)


def moved(row: np.ndarray[Any, Any], places: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A row whose entry k stands where ``places[k]`` says."""
    out = np.empty_like(row)
    out[places[: len(row)]] = row
    return out


@pytest.mark.parametrize("encoding", [None, "canonical"])
@pytest.mark.parametrize(
    "form",
    [
        {"players": 2, "colours": 2, "ranks": 3, "hand_size": 2, "information": 3, "lives": 2},
        {"players": 2, "colours": 3, "ranks": 3, "hand_size": 3, "information": 5},
        {"players": 3, "colours": 5, "ranks": 1, "hand_size": 2},
        {"players": 4, "colours": 3, "ranks": 2, "hand_size": 2},
        {"players": 5, "colours": 2, "ranks": 4, "hand_size": 1, "lives": 1},
    ],
    ids=str,
)
def test_the_same_game_in_other_colours(form: dict[str, int], encoding: str | None) -> None:
    """Where deck, observations and actions are exchanged together, every seat sees the same game at every step."""
    one, two = (hanabi_v0.raw_env(**form, encoding=encoding) for _ in range(2))
    spec, rng = one.spec, np.random.default_rng(3)
    symmetry = spec.symmetry("colours")
    entries = symmetry.places(*(part.labels for part in (*spec.parts, *spec.hidden)))
    actions = symmetry.places(spec.actions)
    ranks = form["ranks"]
    copies = [3 if rank == 0 else 1 if rank == ranks - 1 else 2 for rank in range(ranks)]
    deck = rng.permutation([c * ranks + r for c in range(form["colours"]) for r in range(ranks) for _ in range(copies[r])])
    steps = 0
    for number in rng.permutation(len(symmetry.permutations))[:2]:
        colours = np.array(symmetry.permutations[number])
        one.reset(options={"deck": deck.tolist()})
        two.reset(options={"deck": (colours[deck // ranks] * ranks + deck % ranks).tolist()})
        while one.agents:
            for agent in one.agents:
                seen, there = one.observe(agent), two.observe(agent)
                assert (moved(seen["observation"], entries[number]) == there["observation"]).all()
                assert (moved(seen["action_mask"], actions[number]) == there["action_mask"]).all()
            assert one.rewards == two.rewards and one.agent_selection == two.agent_selection
            if any(one.terminations.values()):
                break
            choice = int(rng.choice(np.flatnonzero(one.observe(one.agent_selection)["action_mask"])))
            one.step(choice)
            two.step(int(actions[number, choice]))
            steps += 1
        assert one.terminations == two.terminations
    assert steps > 4
