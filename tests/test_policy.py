"""Policies by name, and what every policy must hold to."""

import inspect
import re

import numpy as np
import pytest

from cardenvs import Batch, get_game, plugins, policy, testing
from cardenvs.baselines.evaluation import evaluate
from cardenvs.baselines.evaluation.settings import FIELD
from cardenvs.baselines.tournament.settings import settings_for
from cardenvs.baselines.warmup.steps import steps_for
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.options import show
from cardenvs.policy import registry
from cardenvs.policy.explanation import Explanation
from cardenvs.policy.registry import POLICIES
from tests.helpers.copies import check_copies
from tests.helpers.environments import module_of
from tests.helpers.players import First, Named

pytestmark = pytest.mark.compiled

LONG = ("ismcts", "learned-search", "pipmc")
"""Searches that are the same code in all games, and are long compiled for each."""
QUICK = {"learned-search": "learned-search:worlds=5"}
"""What takes long, by what is played of it."""

EVERY = [(game, name) for game in ("euchre", "whist", "five-o") for name in policy.default_names(game)]

PLAYED = [
    pytest.param(game, name, marks=pytest.mark.slow if name in LONG and game != "euchre" else ()) for game, name in EVERY
]


def test_names_are_listed_for_each_game():
    assert {"random", "high-low", "coop-high-low"} <= set(policy.names("euchre"))
    assert set(policy.names("whist")) >= {"random", "high-low", "coop-high-low"}
    assert {"random", "reflex2"} <= set(policy.names("five-o"))
    assert "high-low" not in policy.names("five-o")


def test_lists_leave_out_what_is_a_slip_of_a_paper():
    for game, slip in (("euchre", "markov2-published"), ("whist", "markov2-published"), ("five-o", "greedy1-published")):
        assert set(policy.names(game)) - set(policy.listed_names(game)) == {slip} <= set(policy.default_names(game))


@pytest.mark.parametrize("there", [True, False])
def test_which_extras_are_installed_changes_nothing_of_what_is_played_by_default(monkeypatch, there):
    """Warm-up, tournaments and evaluations play what needs nothing but the package, and no blueprint, and all of that."""
    monkeypatch.setattr(plugins, "installed", lambda module: there)
    for game in ("euchre", "five-o", "whist"):
        expected = [name for name in policy.names(game) if name not in ("exec", "llm", "openspiel", "sb3", "search")]
        assert policy.default_names(game) == expected
        steps = [step.name for step in steps_for(game)]
        assert set(steps) & set(policy.names(game)) == set(expected)
        assert settings_for(game).policies == expected
    with pytest.raises(ValueError, match="for five-o: it plays euchre alone; the policies are exact, exec, "):
        policy.make("five-o", "openspiel")


def test_an_evaluation_without_opponents_asks_for_nothing_that_is_not_installed(monkeypatch):
    monkeypatch.setattr(plugins, "installed", lambda module: False)
    monkeypatch.setattr(policy, "names", lambda game: pytest.fail("what is played by default is not all that has a name"))
    result = evaluate("five-o", "reflex2", deals=2, self_check=False)
    assert [one.match.sides[1] for one in result.results] == [name for name in FIELD["five-o"] if name != "reflex2"]


@pytest.mark.parametrize(("game", "name"), PLAYED)
def test_plays_an_ordinary_pettingzoo_loop(game, name):
    player = policy.make(game, QUICK.get(name, name))
    env = module_of(game).env(recall=player.game.recall)
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        action = None if terminated else player.act(observation, rng=rng)
        assert terminated or (type(action) is int and observation["action_mask"][action])
        env.step(action)


@pytest.mark.parametrize(("game", "name"), PLAYED)
def test_plays_from_the_observation_alone(game, name):
    player = policy.make(game, QUICK.get(name, name))
    testing.check_no_leak(player.game, player.act, episodes=3, seed=3)


@pytest.mark.parametrize(("game", "name"), PLAYED)
def test_choices_do_not_depend_on_the_batch(game, name):
    """Row by row and all at once, with the same streams: the same legal actions."""
    player, n = policy.make(game, QUICK.get(name, name)), 16
    batch = Batch(game, n, seed=5, recall=player.game.recall)
    for _ in range(8):
        streams = seed_streams(1, n)
        together = player.act(batch.observations, batch.action_masks, streams)
        assert batch.action_masks[np.arange(n), together].all()
        again = seed_streams(1, n)
        alone = [
            int(player.act(batch.observations[i : i + 1], batch.action_masks[i : i + 1], again[i : i + 1])[0])
            for i in range(n)
        ]
        assert together.tolist() == alone
        batch.step(together)


@pytest.mark.parametrize("game", ["euchre", "five-o"])
def test_policies_are_copied_and_pickled_in_every_state(game):
    check_copies(game)


def test_random_is_uniform_over_legal_actions():
    batch = Batch("whist", 1, seed=0)
    rows, masks = np.repeat(batch.observations, 26_000, 0), np.repeat(batch.action_masks, 26_000, 0)
    counts = np.bincount(policy.make("whist", "random").act(rows, masks, np.random.default_rng(0)), minlength=52)
    legal = batch.action_masks[0] != 0
    assert counts[~legal].sum() == 0
    # Thirteen cards, 2,000 each; five standard deviations are 215.
    assert abs(counts[legal] - 2000).max() < 215


class Optional(First):
    """Keeps its parameters."""

    def __init__(self, game, text="none", limit=None):
        super().__init__(game)
        self.parameters = (text, limit)


def test_none_is_a_value_where_it_is_the_default(tmp_path, monkeypatch):
    monkeypatch.setitem(POLICIES.made, "optional", Optional)
    for text, parameters in (
        ("", ("none", None)),
        (":limit=none", ("none", None)),
        (":limit=None", ("none", None)),
        (":limit=3", ("none", 3)),
        (":limit=never", ("none", "never")),
        (":text=none", ("none", None)),
        (":text=None,limit=none", ("None", None)),
    ):
        assert policy.make("whist", f"optional{text}").parameters == parameters, text
    assert policy.make("whist", "optional:limit=none", limit=4).parameters == ("none", 4)
    assert policy.make("whist", f"{__name__}:Optional,limit=none").parameters == ("none", None)
    assert policy.parse_name("pimc:seconds=none,calling=none") == ("pimc", {"seconds": None, "calling": "none"})
    with pytest.raises(ValueError, match="worlds must be an int of at least 1, not 'none'"):
        policy.make("whist", "pimc:worlds=none")
    with pytest.raises(ValueError, match="unknown parameter 'bound' of policy 'optional'"):
        policy.make("whist", "optional:bound=none")


@pytest.mark.parametrize("game", ["whist", "euchre", "five-o"])
def test_every_default_can_be_written_in_a_name(game):
    for name in policy.default_names(game):
        factory = registry._find_factory(get_game(game), name)
        for key, parameter in list(inspect.signature(factory).parameters.items())[1:]:
            if parameter.default is not parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
                policy.make(game, f"{name}:{key}={show(parameter.default).lower()}")


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
        ("mine=runs/a.zip", "runs/a.zip"),
        ("mine=a.zip:sample=yes", "a.zip"),
        ("mine=low", None),
    ],
)
def test_the_path_in_a_name(name, path):
    assert policy.path_of(name) == path


def test_a_game_may_have_a_policy_of_its_own_under_a_name(monkeypatch):
    def entry(games):
        return Named(type("Kind", (policy.RandomPolicy,), {"games": games}))

    entries = {"x": entry(("euchre", "whist")), "five-o/x": entry(("five-o",)), "whist/x": entry(None)}
    monkeypatch.setattr(POLICIES, "entries", entries)
    assert [policy.names(game) for game in ("euchre", "five-o", "whist")] == [["x"]] * 3
    made = [policy.make(game, "x").games for game in ("euchre", "five-o", "whist")]
    assert made == [("euchre", "whist"), ("five-o",), None]
    with pytest.raises(ValueError, match="unknown policy 'y' for five-o: the policies are x"):
        policy.make("five-o", "y")


def test_a_policy_may_serve_every_game_that_has_none_of_its_own_by_its_name(monkeypatch):
    def entry(games):
        return Named(type("Kind", (policy.RandomPolicy,), {"games": games, "__doc__": f"``x``: for {games}."}))

    entries = {"*/x": entry(None), "x": entry(("euchre",)), "five-o/x": entry(("five-o",)), "*/y": entry(("whist",))}
    monkeypatch.setattr(POLICIES, "entries", entries)
    assert [policy.names(game) for game in ("euchre", "five-o", "whist")] == [["x"], ["x"], ["x", "y"]]
    assert [policy.make(game, "x").games for game in ("euchre", "five-o", "whist")] == [("euchre",), ("five-o",), None]
    assert policy.first_line("whist", "x") == "for None."
    for name, said in (
        ("*/x", "no policy can be loaded from '*/x'"),
        ("whist/x", "no policy can be loaded from 'whist/x'"),
        ("y", "unknown policy 'y' for euchre: it plays whist alone; the policies are x"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            policy.make("euchre", name)


def test_only_some_policies_have_probabilities():
    batch = Batch("euchre", 5, seed=1)
    learned = policy.make("euchre", "learned")
    assert learned.has_chances
    chances = learned.chances_of(batch.observations, batch.action_masks)
    assert chances.shape == batch.action_masks.shape and not chances[batch.action_masks == 0].any()
    assert np.allclose(chances.sum(1), 1)
    assert (chances.argmax(1) == learned.choose(batch.observations, batch.action_masks, seed_streams(0, 5))).all()
    low = policy.make("euchre", "low")
    assert not low.has_chances
    with pytest.raises(ValueError, match="the policy 'low' has no probabilities"):
        low.chances_of(batch.observations, batch.action_masks)


class Fails:
    """An entry point whose object cannot be loaded, as where an extra is missing."""

    def load(self):
        raise ImportError("nobody asked for this one")


def test_asking_for_one_policy_loads_no_other(monkeypatch, tmp_path):
    made = Named(lambda spec, path: First(spec))
    entries = {"one": Named(First), "two": Fails(), "whist/one": Fails(), ".zip": made, ".safetensors": Fails()}
    monkeypatch.setattr(POLICIES, "entries", entries)
    assert policy.make("euchre", "one").name == "one"
    path = tmp_path / "policy.zip"
    path.write_bytes(b"")
    assert policy.make("whist", str(path)).name == str(path)
    for game, name in (("euchre", "two"), ("whist", "one")):
        with pytest.raises(ImportError, match="nobody asked"):
            policy.make(game, name)


# --- explanations --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "numbers", "percents"),
    [
        ("percent", [60.0, 40.0], [60.0, 40.0]),
        ("probability", [0.75, 0.25], [75.0, 25.0]),
        ("choice", [1.0], [100.0]),
        ("value", [3.0, 2.0, -1.0], [100.0, 75.0, 0.0]),
        ("value", [-0.5, -0.5], [100.0, 100.0]),
        ("value", [0.0], [100.0]),
    ],
)
def test_numbers_as_percent(kind, numbers, percents):
    explanation = Explanation(kind, tuple((f"action {k}", number) for k, number in enumerate(numbers)))
    assert explanation.percents == percents


def test_an_explanation_is_a_sequence_of_pairs():
    pairs = (("Ah", 2.0), ("9c", 1.0), ("Kd", -1.0))
    explanation = Explanation("value", pairs)
    assert len(explanation) == 3
    assert explanation[0] == ("Ah", 2.0) and explanation[-1] == ("Kd", -1.0)
    assert explanation[1:] == pairs[1:]
    assert tuple(explanation) == pairs and list(reversed(explanation)) == list(reversed(pairs))
    assert ("9c", 1.0) in explanation and explanation.index(("9c", 1.0)) == 1
    assert dict(explanation)["Kd"] == -1.0
    assert explanation == Explanation("value", pairs) != Explanation("percent", pairs)


def test_ranked_actions_are_the_legal_ones_best_first():
    spec = get_game("five-o")
    numbers = np.array([1.0, np.nan, 2.0, 2.0, -1.0])
    mask = np.array([1, 0, 1, 1, 1], np.int8)
    explanation = policy.ranked(spec, "value", mask, numbers, chosen=3)
    assert list(explanation) == [("column-4", 2.0), ("column-3", 2.0), ("column-1", 1.0), ("column-5", -1.0)]
    assert policy.ranked(spec, "value", mask, numbers)[0] == ("column-3", 2.0)


def test_errors_and_visits_are_ranked_with_the_numbers():
    spec = get_game("five-o")
    numbers, mask = np.array([1.0, np.nan, 2.0, 2.0, -1.0]), np.array([1, 0, 1, 1, 1], np.int8)
    errors, visits = np.array([0.1, np.nan, 0.3, 0.4, 0.5]), np.array([1, -2, 3, 4, 5])
    explanation = policy.ranked(spec, "value", mask, numbers, 3, errors, visits)
    assert [name for name, _ in explanation] == ["column-4", "column-3", "column-1", "column-5"]
    assert explanation.errors == (0.4, 0.3, 0.1, 0.5) and explanation.visits == (4, 3, 1, 5)
    assert {type(count) for count in explanation.visits} == {int} and {type(error) for error in explanation.errors} == {
        float
    }
    plain = policy.ranked(spec, "value", mask, numbers, 3)
    assert (plain.errors, plain.visits) == ((), ()) and plain != explanation


def test_what_stands_behind_a_number_in_words():
    pairs = (("Ah", 0.5), ("9c", 0.3), ("Kd", 0.2))
    both = Explanation("value", pairs, (0.0123, 0.0, 1.5), (200, 1, 0))
    assert [both.tried(k) for k in range(3)] == ["±0.024, tried 200 times", "±0.000, tried once", "±2.940, never tried"]
    assert Explanation("value", pairs, visits=(200, 1, 0)).tried(0) == "tried 200 times"
    assert Explanation("probability", pairs, (0.0123, 0.0, 0.0)).tried(0) == "±2.4 %"
    assert Explanation("percent", pairs, (0.0123, 1.25, 0.0)).tried(0) == "±0.0 %"
    assert Explanation("value", pairs).tried(2) == ""


@pytest.mark.parametrize("game", ["euchre", "whist", "five-o"])
def test_a_policy_without_numbers_explains_its_choice(game):
    batch = Batch(game, 1, seed=3)
    observation = {"observation": batch.observations[0], "action_mask": batch.action_masks[0]}
    player = policy.make(game, "random")
    for seed in range(5):
        explanation = player.explain(observation, seed_streams(seed, 1))
        assert explanation.kind == "choice" and explanation.percents == [100.0]
        (name, number), chosen = explanation[0], player.act(observation, rng=seed_streams(seed, 1))
        assert (name, number) == (get_game(game).actions[chosen], 1.0)


# --- what takes long -----------------------------------------------------------------------------------------------

SEARCHES = {
    "exact", "expectiminimax", "ismcts", "learned-search", "monte-carlo", "openspiel", "pimc", "pipmc", "poe", "rollout",
    "split",
}  # fmt: skip


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_searches_are_slow_and_others_are_not(game, name):
    assert policy.make(game, name).slow == (name in SEARCHES)


@pytest.mark.parametrize(
    ("calls", "plays", "slow"),
    [("low", "high", False), ("monte-carlo", "high", True), ("low", "pimc", True), ("pimc", "monte-carlo", True)],
)
def test_split_is_as_slow_as_its_parts(calls, plays, slow):
    assert policy.make("euchre", f"split:calls={calls},plays={plays}").slow == slow
