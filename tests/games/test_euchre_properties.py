"""The properties that every game must have, at Euchre, under several rule options."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from cardenvs import testing
from cardenvs.contract.registry import get_game
from cardenvs.envs.batch import Batch
from cardenvs.games import euchre
from cardenvs.games.euchre import DECK, OBSERVATION, SPEC
from tests.naive import euchre as naive

pytestmark = pytest.mark.compiled

OPTIONS: list[tuple[int, dict[str, Any]]] = [
    # how many times as many episodes as the slowest sets get, and the options
    (6, {}),
    (6, {"stick_the_dealer": True}),
    (6, {"bidding": "forced-spades"}),
    (1, {"episode": "game"}),
    (1, {"episode": "game", "target": 5, "stick_the_dealer": True}),
    (1, {"episode": "game", "bidding": "forced-spades", "target": 11}),
    (1, {"episode": "game", "target": 15}),
    (1, {"target": 7}),
]
LONG = ({"episode": "game"}, {"episode": "game", "target": 15})  # longer than those of which the quick tests ask the same
CHECKS = [
    # and of how many episodes the slowest sets get
    (testing.check_ends, 10),
    (testing.check_text, 3),
    (testing.check_observations, 3),
    (testing.check_redeals, 2),
    (testing.check_rewinds, 2),
    (testing.check_no_leak, 4),
    (testing.check_flaws, 4),
    (testing.check_rewards, 4),
]


@pytest.mark.parametrize(
    ("share", "options"), [pytest.param(*one, marks=[pytest.mark.slow] * (one[1] in LONG)) for one in OPTIONS], ids=str
)
@pytest.mark.parametrize(("check", "episodes"), CHECKS)
def test_properties(check: Any, episodes: int, share: int, options: dict[str, Any]) -> None:
    check(SPEC, episodes=episodes * share, **options)


def test_a_leak_would_be_found() -> None:
    """The check fails for a view whose score tells whether the nine of clubs lies in the kitty."""

    def leaky_view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
        SPEC.kernels.view(games, i, seat, views, j)
        views[j]["score"][0] = games[i]["kitty"] & 1

    leaky = dataclasses.replace(SPEC, kernels=dataclasses.replace(SPEC.kernels, view=leaky_view))
    with pytest.raises(AssertionError, match=r"the observation leaks hidden cards: seat \d of euchre "):
        testing.check_no_leak(leaky, episodes=5)


def test_the_spec_names_everything() -> None:
    assert get_game("euchre") is SPEC
    assert SPEC.num_actions == 35 and len(set(SPEC.actions)) == 35
    assert SPEC.actions[:24] == tuple(DECK.text(card) for card in range(24))
    assert SPEC.actions[24:27] == ("pass", "order-up", "order-up-alone")
    assert SPEC.actions[27] == "call-clubs" and SPEC.actions[34] == "call-spades-alone"
    assert [SPEC.action(name) for name in SPEC.actions] == list(range(35))
    assert SPEC.observation_size == sum(part.size for part in OBSERVATION)
    assert SPEC.state_size == SPEC.observation_size + sum(part.size for part in SPEC.hidden)
    covered = np.zeros(SPEC.state_size, int)
    for where in [*SPEC.slices.values(), *SPEC.hidden_slices.values()]:
        covered[where] += 1
    assert (covered == 1).all()


def test_an_observation_says_what_its_labels_say() -> None:
    line = (
        "euchre score=2-9 episode=game hands=9cTdJdAhKs/JcQdThKhAs/TcKcAdJhQs/QcAc9dKd9s turned=Qh "
        "actions=pass,order-up,Td,Kh,Jh,9s,Jd,Qs"
    )
    games = SPEC.parse(line)
    # The turned card can be with the dealer only; seat 3 itself has shown that it has no trump.
    lines = dict(row.split(maxsplit=1) for row in SPEC.describe(SPEC.observation(games, 3)).splitlines())
    assert lines == {
        "hand": "Qc Ac 9d Kd", "played_self": "9s", "played_left": "Jd", "played_partner": "Kh",
        "played_right": "Jh Qs", "trick_right": "Qs",
        "could_hold_left": "9c Tc Jc Kc Td Qd Ad 9h Th Qh Ah Ts Js Ks As",
        "could_hold_partner": "9c Tc Jc Kc Td Qd Ad 9h Th Ah Ts Js Ks As",
        "could_hold_right": "9c Tc Jc Kc Td Qd Ad 9h Th Ah Ts Js Ks As", "turned": "Qh", "picked_up": "yes",
        "phase": "playing", "trump": "hearts", "maker": "right", "dealer": "left", "passed_once": "partner",
        "to_act": "self", "leader": "right", "winner": "right", "voids_self": "hearts", "episode": "game",
        "target": "10", "tricks_right": "1", "score_own": "1 2 3 4 5 6 7 8 9", "score_other": "1 2",
    }  # fmt: skip
    state = SPEC.describe(SPEC.full_state(games, 3)).splitlines()
    hidden = dict(row.split(maxsplit=1) for row in state[len(lines) :])
    assert hidden == {
        "hand_left": "9c Qh Ah Ks", "hand_partner": "Jc Qd Th As", "hand_right": "Tc Kc Ad", "kitty": "9h Ts Js",
        "hidden_discard": "Td",
    }  # fmt: skip


@pytest.mark.parametrize("seat", [None, 0, 2])
def test_the_drawing_shows_a_seat_its_own_cards_only(seat: int | None) -> None:
    games = SPEC.parse("euchre hands=9cTdJdAhKs/JcQdThKhAs/TcKcAdJhQs/QcAc9dKd9s turned=Qh actions=order-up,9c,Kh")
    shown = SPEC.drawing(games[0], seat)
    for k, hand in enumerate(("Td Jd Qh Ah Ks", "Jc Qd Th As", "Tc Kc Ad Jh Qs", "9d Kd Qc Ac 9s")):
        cards = hand.split()
        row = next(line for line in shown.splitlines() if f"player_{k} " in line and "trump" not in line)
        assert all(card in row for card in cards) == (seat in (None, k))
        assert row.count("--") == (0 if seat in (None, k) else len(cards))
    assert "9c" not in shown, "the discard lies face down"
    assert "Kh" in shown and "called by player_1" in shown


def test_a_deal_can_get_another_dealer() -> None:
    games = SPEC.deal(3)
    hands = games[0]["hands"].copy()
    assert SPEC.set_dealer is not None
    for dealer in range(4):
        SPEC.set_dealer(games, 0, dealer)
        assert (games[0]["dealer"], games[0]["to_act"]) == (dealer, (dealer + 1) % 4)
        assert (games[0]["hands"] == hands).all()


def test_a_batch_may_mix_rules() -> None:
    """Options are fields of the state: each game follows its own."""
    options: list[dict[str, Any]] = [options for _, options in OPTIONS]
    games = SPEC.new_games(len(options))
    for k, chosen in enumerate(options):
        games[k] = SPEC.deal(k, **chosen)[0]
    batch = Batch(SPEC, len(options), seed=1)
    batch.set_games(games)
    rng = np.random.default_rng(2)
    for _ in range(60):
        batch.step(np.array([rng.choice(mask.nonzero()[0]) for mask in batch.action_masks]))
        for k, chosen in enumerate(options):
            assert SPEC.options_of(batch.games[k]) == SPEC.options_of(games[k])
            if chosen.get("bidding") == "forced-spades":
                assert not batch.action_masks[k, 24:].any()


DEAL = "euchre dealer=1 hands=9cTcJcQcKc/Ac9dTdJdQd/KdAd9hThJh/QhKhAh9sTs turned=Js actions="


@pytest.mark.parametrize(
    ("actions", "action", "label", "told"),
    [
        ("", "pass", "pass", "passes"),
        ("", "order-up", "order up", "orders up"),
        ("", "order-up-alone", "order up, alone", "orders up, alone"),
        ("pass,pass,pass", "pass", "pass", "passes"),
        ("pass,pass,pass", "order-up", "take it up", "takes it up"),
        ("pass,pass,pass", "order-up-alone", "take it up, alone", "takes it up, alone"),
        ("pass,pass,pass,pass", "call-hearts", "call hearts", "calls hearts"),
        ("pass,pass,pass,pass", "call-hearts-alone", "call hearts, alone", "calls hearts, alone"),
        ("order-up", "Ac", "discard the ace of clubs", "discards the ace of clubs"),
        ("order-up,Ac", "Th", "play the ten of hearts", "plays the ten of hearts"),
    ],
)
def test_actions_in_words(actions: str, action: str, label: str, told: str) -> None:
    state = SPEC.parse(DEAL + actions)[0]
    assert int(SPEC.kernels.legal(SPEC.parse(DEAL + actions), 0)) >> SPEC.action(action) & 1
    assert SPEC.action_words(state, SPEC.action(action)) == (label, told)


def test_every_action_has_words_and_a_hidden_discard_no_card() -> None:
    state = SPEC.parse(DEAL)[0]
    assert len({SPEC.action_words(state, action) for action in range(SPEC.num_actions)}) == SPEC.num_actions
    assert SPEC.action_words(state, euchre.HIDDEN_DISCARD) == ("discard", "discards")
    plain = dataclasses.replace(SPEC, words=None)
    assert plain.action_words(state, euchre.ORDER_UP) == ("order-up", "order-up")


def test_margin_of_every_contract() -> None:
    for maker in range(4):
        for tricks in range(6):
            for alone in (0, 1):
                made, lost = naive.points_of(5 - tricks if maker % 2 else tricks, bool(alone))
                assert euchre.margin(tricks, maker, alone) == (lost - made if maker % 2 else made - lost)
