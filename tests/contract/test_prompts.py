"""What a language model is told: the rules, all that its seat knows, and every legal action by its name."""

import json
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch
from cardenvs.cli import main
from cardenvs.contract.observed import prompt_of_row
from cardenvs.contract.registry import get_game
from cardenvs.programs.protocol import Wording
from cardenvs.recycle.library import remarks


def seen(game: str, moves: int = 6, recall: bool = False) -> tuple[Any, dict[str, Any]]:
    """A game, and what the seat to act sees in it after some moves."""
    spec = get_game(game).with_recall(recall)
    batch = Batch(spec, 1, seed=1)
    for _ in range(moves):
        batch.step(np.array([np.flatnonzero(batch.action_masks[0])[-1]]))
    return spec, {"observation": batch.observations[0], "action_mask": batch.action_masks[0]}


@pytest.mark.parametrize("game", ["euchre", "whist", "five-o", "agram"])
def test_a_prompt_has_all_that_a_decision_needs(game: str) -> None:
    spec, observation = seen(game)
    text = spec.prompt(observation)
    assert text.startswith(f"You play {spec.title}. You are player_0; to your left, in turn, are player_1")
    assert spec.rules in text and 80 < len(spec.rules) < 1500
    assert (spec.describe(observation["observation"]) in text) == (spec.board is None)
    view = spec.decode(observation["observation"][None])[0]
    assert spec.drawing(view, 0).rstrip() in text
    assert all(f"{option.name} = " in text for option in spec.options)
    offered = text.partition("Your legal actions, of which you choose one by its name:\n")[2].splitlines()
    legal = [spec.actions[k] for k in np.flatnonzero(observation["action_mask"])]
    assert [one.removeprefix("- ").partition(":")[0] for one in offered] == legal
    assert all(
        one.endswith(spec.action_words(view, spec.action(name)).label) for one, name in zip(offered, legal, strict=True)
    )


@pytest.mark.parametrize("game", ["kuhn-poker", "agram"])
def test_a_prompt_of_a_described_game_is_in_words(game: str) -> None:
    """No part is called by its name in the observation; who the rules call seat 0 is said, and what may be inferred."""
    spec, observation = seen(game, moves=2)
    text = spec.prompt(observation)
    known = text.partition("What else you know:\n")[2].partition("\n\n")[0].splitlines()
    assert known[-1] == f"- seat 0 of the rules: {'you' if game == 'kuhn-poker' else 'player_2'}"
    words = set(text.replace(":", " ").split())
    assert not words & {part.name for part in spec.parts} - {"hand", "trick", "stock", "legal"}


def test_what_is_inferred_is_told_in_a_prompt() -> None:
    spec, observation = seen("agram", moves=9)
    told = {part.name: part.told for part in spec.parts if part.told}
    assert told["iloc_hand_1_none"] == "not in player_1's hand"
    row = observation["observation"].copy()
    row[spec.slices["iloc_hand_1_none"]] = 0
    row[spec.slices["iloc_hand_1_none"].start + 1] = 1
    label = next(part for part in spec.parts if part.name == "iloc_hand_1_none").labels[1]
    assert f"- not in player_1's hand: {label}\n" in prompt_of_row(spec, row, observation["action_mask"])


@pytest.mark.parametrize("game", ["euchre", "hanabi:tiny"])
def test_the_list_of_legal_actions_can_be_left_out(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    spec, observation = seen(game, moves=2)
    whole, short = spec.prompt(observation), spec.prompt(observation, legal=False)
    legal = whole.removeprefix(short)
    assert legal.startswith("\nYour legal actions, ") and short.endswith("\n") and "legal actions" not in short
    speaks = Wording(spec)
    row, mask = observation["observation"], observation["action_mask"]
    assert [speaks.encode_observation(row, mask, form) for form in ("prompt", "prompt-no-legal")] == [whole, short]
    batch = Batch(spec, 1, seed=1)
    for _ in range(2):
        batch.step(np.array([np.flatnonzero(batch.action_masks[0])[-1]]))
    line = spec.text(batch.games[0])
    assert main(["prompt", game, "--deal", line]) == 0
    assert capsys.readouterr().out == whole
    assert main(["prompt", game, "--deal", line, "--no-legal", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"game": spec.name, "deal": line, "seat": int(batch.to_act[0]), "prompt": short}
    assert main(["prompt", game, "--deal", "nonsense"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_prompt_may_have_the_order_of_play() -> None:
    spec, observation = seen("euchre", recall=True)
    assert spec.describe(observation["observation"]) in spec.prompt(observation)
    assert "order" not in spec.plain.describe(observation["observation"][: spec.plain.observation_size])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda seen: None, "observation must be a dict"),
        (lambda seen: {"observation": seen["observation"]}, "observation must be a dict"),
        (lambda seen: seen | {"observation": seen["observation"][:-1]}, r"has the shape \(457,\), not \(456,\)"),
        (lambda seen: seen | {"action_mask": np.zeros(35, np.int8)}, "without a legal action"),
        (lambda seen: seen | {"observation": np.zeros(457, np.int8)}, "row 0 shows no position of euchre"),
    ],
)
def test_what_is_no_observation_is_refused(change: Any, message: str) -> None:
    spec, observation = seen("euchre")
    with pytest.raises(ValueError, match=message):
        spec.prompt(change(observation))


def test_the_rules_of_a_description_are_its_first_remarks() -> None:
    text = ";; Two players.\n;;! max_decisions 9\n;; High card wins.\n;; Source: none.\n(game)\n;; no rule\n"
    assert remarks(text) == "Two players.\nHigh card wins."
    assert remarks("\ufeff;; One.\n(game)") == "One."
    assert remarks("(game)\n;; later\n") == "(game)\n;; later"
