"""Policies by name, and what every policy must hold to."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from cardenvs import Batch, Policy, get_game, policy, testing
from cardenvs.cards import FULL_DECK, seed_streams

EVERY = [(game, name) for game in ("euchre", "whist", "five-o") for name in policy.names(game)]


def test_names_are_listed_for_each_game():
    assert {"random", "high-low", "coop-high-low"} <= set(policy.names("euchre"))
    assert set(policy.names("whist")) >= {"random", "high-low", "coop-high-low"}
    assert {"random", "reflex2"} <= set(policy.names("five-o"))
    assert "high-low" not in policy.names("five-o")


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_plays_an_ordinary_pettingzoo_loop(game, name):
    env = importlib.import_module(f"cardenvs.{get_game(game).module}").env()
    player = policy.make(game, name)
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        action = None if terminated else player.act(observation, rng=rng)
        assert terminated or (type(action) is int and observation["action_mask"][action])
        env.step(action)


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_plays_from_the_observation_alone(game, name):
    player = policy.make(game, name)
    testing.check_no_leak(get_game(game), player.act, episodes=6, seed=3)


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_choices_do_not_depend_on_the_batch(game, name):
    """Row by row and all at once, with the same streams: the same legal actions."""
    batch = Batch(game, 64, seed=5)
    player = policy.make(game, name)
    for _ in range(12):
        streams = seed_streams(1, 64)
        together = player.act(batch.observations, batch.action_masks, streams)
        assert batch.action_masks[np.arange(64), together].all()
        again = seed_streams(1, 64)
        alone = [
            int(player.act(batch.observations[i : i + 1], batch.action_masks[i : i + 1], again[i : i + 1])[0])
            for i in range(64)
        ]
        assert together.tolist() == alone
        batch.step(together)


def test_random_is_uniform_over_legal_actions():
    batch = Batch("whist", 1, seed=0)
    rows, masks = np.repeat(batch.observations, 26_000, 0), np.repeat(batch.action_masks, 26_000, 0)
    counts = np.bincount(policy.make("whist", "random").act(rows, masks, np.random.default_rng(0)), minlength=52)
    legal = batch.action_masks[0] != 0
    assert counts[~legal].sum() == 0
    # Thirteen cards, 2,000 each; five standard deviations are 215.
    assert abs(counts[legal] - 2000).max() < 215


def test_errors_name_what_is_wrong_and_what_is_allowed(tmp_path):
    class Stubborn(Policy):
        games = ("whist",)

        def choose(self, observations, action_masks, streams):
            return streams

    broken = tmp_path / "no.txt"
    broken.write_text("")
    for make, error, message in (
        (lambda: policy.make("bridge", "random"), ValueError, "unknown game 'bridge': the games are euchre, five-o, whist"),
        (lambda: policy.make("euchre", "hi-lo"), ValueError, "unknown policy 'hi-lo' for euchre: .*coop-high-low"),
        (lambda: policy.make("five-o", "high-low"), ValueError, "unknown policy 'high-low' for five-o: .*reflex2"),
        (
            lambda: policy.make("euchre", "random:seed=3"),
            ValueError,
            "unknown parameter 'seed' of policy 'random': it has none",
        ),
        (lambda: policy.make("euchre", "random:seed"), ValueError, "write key=value"),
        (lambda: policy.make("euchre", str(tmp_path / "x.zip")), OSError, "no policy file"),
        (lambda: policy.make("euchre", str(broken)), ValueError, r"the file must end in .safetensors or .zip"),
        (lambda: policy.make("euchre", policy.make("whist", "random")), ValueError, "plays whist, not euchre"),
        (lambda: Stubborn("euchre"), ValueError, "Stubborn plays whist, not euchre"),
    ):
        with pytest.raises(error, match=message):
            make()


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("low", None),
        ("monte-carlo:worlds=3", None),
        ("split:calls=low,plays=runs/a.zip", None),
        ("a.zip", "a.zip"),
        ("runs/a.zip:sample=yes", "runs/a.zip"),
        ("a.zip:sample=yes", "a.zip"),
        ("runs/a:b/c.zip", "runs/a:b/c.zip"),
        ("runs/a", "runs/a"),
    ],
)
def test_the_path_in_a_name(name, path):
    assert policy.path_of(name) == path


def test_a_game_may_have_a_policy_of_its_own_under_a_name(monkeypatch):
    class Entry:
        def __init__(self, games):
            self.games = games

        def load(self):
            return type("Kind", (policy.RandomPolicy,), {"games": self.games})

    entries = {"x": Entry(("euchre", "whist")), "five-o/x": Entry(("five-o",)), "whist/x": Entry(None)}
    monkeypatch.setattr(policy, "entries", lambda: entries)
    assert [policy.names(game) for game in ("euchre", "five-o", "whist")] == [["x"]] * 3
    made = [policy.make(game, "x").games for game in ("euchre", "five-o", "whist")]
    assert made == [("euchre", "whist"), ("five-o",), None]
    with pytest.raises(ValueError, match="unknown policy 'y' for five-o: the policies are x"):
        policy.make("five-o", "y")


def test_act_checks_its_arguments():
    player = policy.make("euchre", "high-low")
    batch = Batch("euchre", 3, seed=0)
    for observations, masks, rng, message in (
        (batch.observations[:, :5], batch.action_masks, None, r"observations of euchre have the shape \(n, 457\)"),
        (batch.observations, batch.action_masks[:2], None, r"action_masks of euchre have the shape \(n, 35\)"),
        (batch.observations, batch.action_masks * 0, None, "without a legal action"),
        (batch.observations, None, None, "action_masks is needed"),
        (batch.observations, batch.action_masks, seed_streams(0, 2), r"streams of shape \(3,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            player.act(observations, masks, rng)


def position(game, line):
    """Observation and mask of the seat to act in the position that a line describes."""
    spec = get_game(game)
    state = spec.parse(line)
    mask = [int(spec.kernels.legal(state, 0)) >> k & 1 for k in range(spec.num_actions)]
    return {
        "observation": spec.observation(state, int(state[0]["to_act"])),
        "action_mask": np.array(mask, np.int8),
    }


FORCED = "euchre bidding=forced-spades hands=9c9dThJhQh/AcJsKdAdKh/TcJcJdQdAs/KcQcTd9hAh turned=9s dealer=3 actions="


@pytest.mark.parametrize(
    ("name", "actions", "card"),
    [
        ("high-low", "", "Qh"),  # leading: the best by number
        ("high-low", "9d", "Ad"),  # must follow, can win
        ("high-low", "9c,Ac", "Tc"),  # the jack of clubs is a trump: the ten must follow
        ("high-low", "Th,Kh", "Jc"),  # cannot follow: the left bower is the best card
        ("coop-high-low", "Th,Kh", "Jc"),  # the partner does not hold the trick
        ("high-low", "9d,Kd,Qd", "Td"),  # one diamond only
        ("low", "Qh", "Kh"),
        ("high", "", "Qh"),
    ],
)
def test_card_play_of_the_simple_agents(name, actions, card):
    spec = get_game("euchre")
    observation = position("euchre", FORCED + actions)
    assert spec.actions[policy.make("euchre", name).act(observation)] == card


def test_high_low_compares_numbers_across_suits_as_published():
    """An ace that cannot follow counts as beating a nine: played, though it cannot win."""
    line = "euchre bidding=forced-spades hands=9cTcJcQcKc/9dTdJdAdKd/9hThJhQhKh/AcAhQsKsAs turned=9s dealer=3 actions=9c"
    chosen = policy.make("euchre", "high-low").act(position("euchre", line))
    assert get_game("euchre").actions[chosen] == "Ad"


def test_coop_high_low_leaves_the_trick_to_its_partner():
    line = "euchre bidding=forced-spades hands=KcTcJc9h9d/9cTdJdAdQd/AcQcThJhQh/KdKhQsKsAs turned=9s dealer=3 actions=Kc,9c"
    for name, card in (("coop-high-low", "Qc"), ("high-low", "Ac")):
        assert get_game("euchre").actions[policy.make("euchre", name).act(position("euchre", line))] == card


@pytest.mark.parametrize(
    ("hand", "dealer", "action"),
    [
        ("JsJcAs9d9h", 3, "order-up"),  # both bowers and the ace: three trumps
        ("JsAsKs9d9h", 3, "order-up"),
        ("JsAs9hTd9d", 3, "pass"),
        ("JsAs9hTd9d", 0, "order-up"),  # the dealer counts the turned card
        ("JcAhKh9d9h", 3, "pass"),
    ],
)
def test_simple_caller_orders_up_with_three_trumps(hand, dealer, action):
    spec = get_game("euchre")
    rest = [c for c in range(24) if c not in cards(hand + "Qs")]
    others = ["".join(spec.actions[c] for c in rest[5 * k : 5 * k + 5]) for k in range(3)]
    line = f"euchre hands={hand}/{'/'.join(others)} turned=Qs dealer={dealer}"
    line += " actions=pass,pass,pass" if dealer == 0 else ""
    assert spec.actions[policy.make("euchre", "high-low", calling="three-trumps").act(position("euchre", line))] == action


def cards(text):
    """Card numbers of the Euchre deck."""
    spec = get_game("euchre")
    return [spec.actions.index(text[k : k + 2]) for k in range(0, len(text), 2)]


def test_simple_caller_in_the_second_round_and_stuck():
    deal = "hands=9cTcJcQc9d/TdJdQdKdAd/9hThJhQhKh/KcAcAh9sTs turned=Qs dealer=3"
    spec = get_game("euchre")
    player = policy.make("euchre", "coop-high-low", calling="three-trumps")
    first = position("euchre", f"euchre {deal} actions=pass,pass,pass,pass")
    assert spec.actions[player.act(first)] == "call-clubs"
    second = position("euchre", f"euchre {deal} actions=pass,pass,pass,pass,pass")
    assert spec.actions[player.act(second)] == "call-diamonds"
    stuck = position("euchre", f"euchre stick_the_dealer=yes {deal} actions=pass,pass,pass,pass,pass,pass,pass")
    assert spec.actions[player.act(stuck)] == "call-clubs"
    free = position("euchre", f"euchre {deal} actions=pass,pass,pass,pass,pass,pass,pass")
    assert spec.actions[player.act(free)] == "pass"


def test_simple_caller_discards_the_worst_card():
    line = "euchre hands=9cTcJcQcKc/TdJdQdKdAd/9hThJhQhKh/AcAhAs9sTs turned=Qs dealer=3 actions=order-up"
    chosen = policy.make("euchre", "high-low", calling="three-trumps").act(position("euchre", line))
    assert get_game("euchre").actions[chosen] in ("Ac", "Ah")


def test_reflex2_pairs_its_king():
    """Of five unrelated cards the king is worth most with another king on it."""
    spec = get_game("five-o")
    first = "columns=2c7dKh9sTc/3d4d5h6sJd"
    deck = ["Kd", *(n for n in map(FULL_DECK.text, range(52)) if n not in "2c7dKh9sTc3d4d5h6sJdKd")]
    state = spec.parse(f"five-o {first} deck={''.join(deck)}")
    action = policy.make("five-o", "reflex2").act(position("five-o", spec.text(state[0])))
    assert spec.actions[action] == "column-3"
