"""Games here as OpenSpiel's: its own checks, what players know, re-deals, exact chance, and its algorithms on them."""

import copy
import itertools
import math
import pickle
import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import policy as policies
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import described_names, game_names, get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.openspiel import load
from cardenvs.recycle.compiler.chance import is_one_shuffle
from tests.helpers.command_line import run_python
from tests.helpers.described import file_of
from tests.helpers.descriptions import MAP, described_by
from tests.refusals import check_refused
from tests.toys import kuhn as kuhn_toy
from tests.toys import ladder, wolves

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import (  # noqa: E402
    cfr,
    expected_game_score,
    exploitability,
    generate_playthrough,
    ismcts,
    mcts,
)
from open_spiel.python.policy import FirstActionPolicy, UniformRandomPolicy  # noqa: E402

SAMPLER = pyspiel.UniformProbabilitySampler(0.0, 1.0)
FEW = [
    pytest.param("euchre", {}, id="euchre"),
    pytest.param("euchre", {"bidding": "forced-spades", "reward": "win"}, id="forced-spades"),
    pytest.param("euchre", {"episode": "game", "target": 5}, id="several-deals", marks=pytest.mark.slow),
]


def positions(game: Any, episodes: int, seed: int = 0) -> Any:
    """The states of random episodes, the last ones included; each is a clone."""
    rng = np.random.default_rng(seed)
    for _ in range(episodes):
        state = game.new_initial_state()
        while True:
            yield state.clone()
            if state.is_terminal():
                break
            outcomes, chances = zip(*state.chance_outcomes(), strict=True) if state.is_chance_node() else ((), ())
            state.apply_action(int(rng.choice(outcomes or state.legal_actions(), p=chances or None)))


def check(game: Any, episodes: int = 2, explicit: bool = False) -> None:
    """OpenSpiel's checks, and a playthrough, which begins with the game's own name."""
    # OpenSpiel cannot write down a Python game whose chance is sampled: it asks for a random state that none can give.
    pyspiel.random_sim_test(game, num_sims=episodes, serialize=explicit, verbose=False)
    text = generate_playthrough.playthrough(str(game), None, seed=1)
    assert f"game: {game}\n" in text and "IsTerminal() = True" in text


def check_players(game: Any, episodes: int = 2) -> Counter[str]:
    """What players know, in all positions: of clones, of what was written down and read, and of re-deals; counts them."""
    seen: Counter[str] = Counter()
    spec = game.rules.spec
    for state in positions(game, episodes):
        kind = "over" if state.is_terminal() else "chance" if state.is_chance_node() else "play"
        seen[kind] += 1
        again = game.deserialize_state(state.serialize())
        assert (str(again), again.history()) == (str(state), state.history())
        assert again.returns() == state.returns()
        for player in range(game.num_players()):
            known = [s.information_state_string(player) for s in (state, again, state.clone())]
            assert known[0].startswith(f"p{player}") and len(set(known)) == 1
            row = np.array(state.observation_tensor(player))
            assert len(row) == spec.observation_size
            assert len(state.information_state_tensor(player)) == game.rules.eyes.observation_size
            lit = [f"{part.name}={label}" for part in spec.parts for label in part.labels]
            assert state.observation_string(player).split()[1:] == [lit[k] for k in np.flatnonzero(row)]
            if kind != "play":
                continue
            other = state.resample_from_infostate(player, SAMPLER)
            seen["other deal"] += str(other) != str(state)
            assert other.current_player() == state.current_player()
            assert other.information_state_string(player) == known[0]
            assert other.information_state_tensor(player) == state.information_state_tensor(player)
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()
            # Whom the player does not see plays on from here, too, and the player's own past is kept.
            action = other.legal_actions()[0]
            before = other.information_state_string(player)
            other.apply_action(action)
            if not game.rules.eyes.recall:
                assert other.information_state_string(player).startswith(before)
        if kind == "over":
            assert math.isclose(sum(state.returns()), 0, abs_tol=1e-9) or game.utility_sum() is None
    return seen


@pytest.mark.parametrize(("name", "options"), FEW)
def test_euchre(name: str, options: dict[str, Any]) -> None:
    game = load(name, seed=4, **options)
    check(game)
    seen = check_players(game)
    assert seen["play"] > 20 and seen["other deal"] > seen["play"]
    assert seen["chance"] > 2 or "episode" not in options


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(kuhn_toy.SPEC, id="kuhn", marks=pytest.mark.compiled),
        pytest.param(wolves.SPEC, id="wolves", marks=pytest.mark.slow),
    ],
)
def test_games_that_know_no_recall(spec: GameSpec) -> None:
    """What each player has seen and done is kept for it; wolves hides votes, and deals the sides."""
    spec = replace(spec, recall_parts=(), kernels=replace(spec.kernels, recall=None, recollect=None, remember=None))
    game = load(spec, seed=2)
    check(game)
    seen = check_players(game, 12)
    assert seen["over"] == 12 and seen["other deal"] > 12
    for state in positions(game, 3):
        # Nobody is told what was hidden from it, and everybody what it did itself.
        told = [state.information_state_string(player) for player in range(spec.seats)]
        played = [spec.actions[action] for action in state.history()[1:]]
        for player in range(spec.seats):
            events = [text.split(" ")[1] for text in told[player].split("; ")[1:] if re.match(r"p\d ", text)]
            assert len(events) == len(played)
            assert all(event in ("?", name) for event, name in zip(events, played, strict=True))
            assert spec.kernels.seen is not None or events == played


@pytest.mark.parametrize("reward", ["points", "tricks", "win"])
def test_what_is_paid_is_what_environments_pay(reward: str) -> None:
    game = load("euchre", seed=1, reward=reward)
    for state in positions(game, 3):
        if state.is_terminal():
            # The deal is told by the state's text, so that the same actions can be played in a state here.
            outcome = game.rules.spec.outcome(game.rules.spec.parse(str(state).replace("=False", "=no")))
            wins = [(side in outcome.winners) / len(outcome.winners) for side in (0, 1)]
            gained = {"points": outcome.points, "tricks": outcome.side_tricks, "win": wins}[reward]
            assert state.returns() == [gained[seat % 2] - gained[1 - seat % 2] for seat in range(4)]


def test_actions_have_their_names_and_illegal_ones_are_refused() -> None:
    game = load("euchre", seed=2)
    state = game.new_initial_state()
    assert state.chance_outcomes() == [(0, 1.0)]
    assert state.action_to_string(state.current_player(), 0) == "deal"
    check_refused("chance has the outcomes 0 to 0, not 1", state.apply_action, 1)
    state.apply_action(0)
    names = [state.action_to_string(action) for action in state.legal_actions()]
    assert names == ["pass", "order-up", "order-up-alone"]
    message = r"the action 0 \(9c\) is illegal here: legal are 24 \(pass\), 25 \(order-up\), 26 \(order-up-alone\)"
    with pytest.raises(ValueError, match=message):
        state.apply_action(0)
    check_refused("player must be", state.resample_from_infostate, 4, SAMPLER)


@pytest.mark.parametrize("name", ["euchre", "five-o", "kuhn-poker"])
def test_a_legality_check_names_the_illegal_action_in_every_game(name: str) -> None:
    state = load(name).new_initial_state()
    state.apply_action(0)
    before = state.history()
    for wrong in (-1, 9999, next(k for k in range(99) if k not in state.legal_actions())):
        message = rf"the action {wrong}\b.* is illegal here: legal are {state.legal_actions()[0]} \("
        with pytest.raises(ValueError, match=message):
            state.apply_action_with_legality_check(wrong)
    for wrong in (-1, 9999):
        message = f"an action is an int from 0 to {state.num_distinct_actions() - 1}, not {wrong}"
        with pytest.raises(ValueError, match=message):
            state.action_to_string(0, wrong)
    assert state.history() == before
    state.apply_action_with_legality_check(state.legal_actions()[0])
    assert len(state.history()) == len(before) + 1


def test_one_seed_deals_the_same_and_a_clone_draws_anew() -> None:
    deals = []
    for _ in range(2):
        game = load("euchre", seed=7)
        state = game.new_initial_state()
        twins = [state.clone() for _ in range(2)]
        for each in (state, *twins):
            each.apply_action(0)
        deals.append([str(each) for each in (state, *twins)])
    assert deals[0] == deals[1] and len(set(deals[0])) == 3


def test_states_are_copied_and_kept() -> None:
    game = load("euchre", seed=7)
    state = game.new_initial_state()
    state.apply_action(0)
    kept = pickle.loads(pickle.dumps(state.play))
    twin = copy.deepcopy(state.play)
    state.apply_action(24)
    assert kept.episode_text() == twin.episode_text() != state.play.episode_text()
    assert kept.rules is state.play.rules


def test_an_episode_is_cut_off() -> None:
    game = load("euchre", max_decisions=3, seed=1)
    assert game.max_game_length() == 3
    for state in positions(game, 3):
        if state.is_terminal():
            assert len(state.history()) == 4 and state.returns() == [0.0] * 4


@pytest.mark.parametrize("player", range(4))
def test_worlds_that_a_seat_cannot_tell_apart(player: int) -> None:
    game, compared = load("euchre", bidding="forced-spades", seed=3), 0
    for k in range(30):
        state = game.new_initial_state()
        state.apply_action(0)
        other = state.resample_from_infostate(player, SAMPLER)
        rng = np.random.default_rng(k)
        while not state.is_terminal():
            both = sorted({*state.legal_actions()} & {*other.legal_actions()})
            if state.current_player() != other.current_player() or not both:
                break
            action = int(rng.choice(both))
            state.apply_action(action)
            other.apply_action(action)
            assert state.information_state_string(player) == other.information_state_string(player)
            compared += 1
    assert compared > 10


@pytest.mark.slow
def test_chance_in_play() -> None:
    game = load(ladder.SPEC, seed=5)
    drawn = 0
    for state in itertools.islice(positions(game, 4), 400):
        if state.is_chance_node() and state.history():
            names = {state.action_to_string(state.current_player(), 0)}
            if names != {"draw"}:
                continue
            drawn += 1
            assert "pending=" in str(state)
            behind = state.clone()
            behind.apply_action(0)
            assert "drawn=" in str(behind)
            again = game.deserialize_state(behind.serialize())
            assert str(again) == str(behind)
            check_refused("resampled where a player is to act", state.resample_from_infostate, 0, SAMPLER)
    assert drawn > 3


@pytest.mark.slow
def test_a_game_that_knows_recall_and_draws_in_play() -> None:
    assert ladder.SPEC.recall_parts and check_players(load(ladder.SPEC, seed=6), 1)["play"] > 5


def test_games_go_by_name_in_openspiel() -> None:
    known = set(pyspiel.registered_names())
    for name in game_names() + described_names():
        assert name in ("kuhn", "ladder", "wolves") or f"cardenvs_{name.replace('-', '_')}" in known
    game = pyspiel.load_game("cardenvs_euchre(bidding=forced-spades,seed=3)")
    assert str(game) == "cardenvs_euchre(bidding=forced-spades,seed=3)"
    assert game.rules is load("euchre", bidding="forced-spades").rules
    assert str(load("euchre", bidding="full")) == "cardenvs_euchre()"
    kind = game.get_type()
    assert kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    assert kind.utility == pyspiel.GameType.Utility.ZERO_SUM
    assert (game.num_players(), game.num_distinct_actions(), game.max_game_length()) == (4, 35, 29)
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-2, 2, 0)
    scores = load("euchre", reward="score")
    assert scores.get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM
    assert scores.utility_sum() is None
    assert (scores.min_utility(), scores.max_utility()) == (-math.inf, math.inf)


def test_games_of_one_name_have_names_of_their_own() -> None:
    one, two = load(kuhn_toy.SPEC), load(replace(kuhn_toy.SPEC, title="Another game"))
    assert one.get_type().short_name != two.get_type().short_name
    assert (one.get_type().long_name, two.get_type().long_name) == (kuhn_toy.SPEC.title, "Another game")
    assert load(kuhn_toy.SPEC).get_type().short_name == one.get_type().short_name


def test_without_openspiel_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['pyspiel'] = None\n"
        "from cardenvs import openspiel\n"
        "try: openspiel.load('euchre')\nexcept ImportError as error: print(error)"
    )
    said = 'OpenSpiel\'s games: the package open_spiel is missing; in a checkout: pip install ".[openspiel]"\n'
    assert run_python(code).stdout == said


def test_a_process_that_has_loaded_games_ends_well() -> None:
    done = run_python("from cardenvs.openspiel import load; load('euchre').new_initial_state()")
    assert (done.returncode, done.stderr) == (0, "")


def test_observers() -> None:
    game = load("euchre")
    parts = pyspiel.IIGObservationType(public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    assert game.make_py_observer(parts) is None
    check_refused("take no parameters", game.make_py_observer, params={"x": 1})
    for recall, columns in ((False, game.rules.spec), (True, game.rules.eyes)):
        observer = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=recall))
        assert list(observer.dict) == ["info_state" if recall else "observation"]
        assert observer.tensor.shape == (columns.observation_size,)


BEST = "(max (game iloc STOCK) using (game points VALUE))"
DEAL = "(shuffle (game iloc STOCK))"
CHOOSE = "(stage player (end (== (game sto TIME) 3)) (choice ((inc (game sto TIME) 1))))"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (f"(do ({DEAL})) {CHOOSE}", True),
        (f"(do ((do ({DEAL})))) {CHOOSE}", True),
        (f"(do ({MAP} {DEAL})) {CHOOSE} (do ((move {BEST} (top (game vloc X)))))", True),
        (f"{CHOOSE}", False),
        (f"(do ({DEAL} {DEAL})) {CHOOSE}", False),
        (f"(do (((== (game sto A) 0) {DEAL}))) {CHOOSE}", False),
        (f"(do ((repeat 2 {DEAL}))) {CHOOSE}", False),
        (f"(do ({DEAL})) (stage player (end (== (game sto T) 2)) (choice ((inc (game sto T) 1))) (do ({DEAL})))", False),
        (f"(stage player (end (== (game sto T) 2)) (choice ((inc (game sto T) 1))) (do ({DEAL})))", False),
        (f"(do ({DEAL} (set (game sto A) (random 1 .. 6)))) {CHOOSE}", False),
        (f"(do ({MAP} {DEAL} (move {BEST} (top (game vloc X))))) {CHOOSE}", False),
    ],
)  # fmt: skip
def test_one_shuffle_is_told_from_the_text(script: str, expected: bool) -> None:
    assert is_one_shuffle(described_by(script)) is expected


@pytest.mark.slow
def test_kuhn_poker() -> None:
    """Six deals of equal chance; twelve information states; the value and the equilibria that Kuhn found."""
    game = load("kuhn-poker")
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert (game.min_utility(), game.max_utility(), game.utility_sum(), game.max_game_length()) == (-2, 2, 0, 3)
    # Environments pay the difference of the points, twice what a hand wins.
    most = {reward: load("kuhn-poker", reward=reward).max_utility() for reward in ("points", "win", "score")}
    assert most == {"points": 4, "win": 1, "score": 2}
    assert game.new_initial_state().chance_outcomes() == [(k, 1 / 6) for k in range(6)]
    check(game, 20, explicit=True)
    assert check_players(game, 20)["other deal"] > 10

    drawn: Counter[str] = Counter()
    state = game.new_initial_state().child(0)
    for _ in range(400):
        other = state.resample_from_infostate(0, SAMPLER)
        again = game.new_initial_state()
        for action in other.history():
            again.apply_action(action)
        assert str(again) == str(other)
        drawn[str(other)] += 1
    assert len(drawn) == 2
    assert min(drawn.values()) > 130  # 200 in the mean, and seven standard deviations less

    players: dict[str, set[int]] = defaultdict(set)
    histories = Counter()
    ahead = [game.new_initial_state()]
    while ahead:
        state = ahead.pop()
        histories[state.is_terminal()] += 1
        if not state.is_chance_node() and not state.is_terminal():
            players[state.information_state_string()].add(state.current_player())
        ahead += [state.child(action) for action in state.legal_actions()]
    assert len(players) == 12 and all(len(who) == 1 for who in players.values())
    assert (histories[True], histories[False]) == (30, 25)

    theirs = pyspiel.load_game("kuhn_poker")
    uniform = [exploitability.nash_conv(g, UniformRandomPolicy(g)) for g in (game, theirs)]
    assert uniform[0] == pytest.approx(uniform[1], abs=1e-9)

    solver, gaps = cfr.CFRSolver(game), []
    for iterations in (10, 90, 200):
        for _ in range(iterations):
            solver.evaluate_and_update_policy()
        gaps.append(exploitability.nash_conv(game, solver.average_policy()))
    assert uniform[0] > gaps[0] > gaps[1] > gaps[2]
    values = expected_game_score.policy_value(game.new_initial_state(), [solver.average_policy()] * 2)
    assert values[0] == pytest.approx(-1 / 18, abs=0.001)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(JACK, QUEEN, KING)", "(JACK, QUEEN, KING, ACE, TEN, NINE, EIGHT)"),  # too many cards
        ("((RANK : QUEEN) 1) ((RANK : KING) 2)", "((RANK : QUEEN) 2) ((RANK : KING) 2)"),  # a tie is drawn by lot
    ],
)
def test_what_cannot_be_listed_is_sampled(old: str, new: str, tmp_path: Any) -> None:
    text = Path(file_of("kuhn-poker")).read_text("utf-8")
    assert old in text
    path = tmp_path / "other-kuhn.rcy"
    path.write_text(text.replace(old, new), "utf-8")
    game = load(str(path))
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    assert game.get_type().short_name.startswith("cardenvs_other_kuhn_rcy_")
    check(game)
    assert (game.min_utility(), game.max_utility()) == (-math.inf, math.inf)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["whist", "five-o", "whist.rcy", "euchre.rcy", *described_names()])
def test_every_game(name: str) -> None:
    game = load(name, seed=1)
    explicit = game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert explicit == (name == "kuhn-poker")
    check(game, explicit=explicit)
    seen = check_players(game, 1)
    assert seen["play"] > 0 and seen["over"] == 1


def test_information_set_search() -> None:
    """OpenSpiel's search in Python; the one in C++ cannot play with games in Python, whosever they are."""
    game = load("euchre", seed=1)
    random = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, random), 2.0, 20, random_state=random)
    for state in positions(game, 1):
        if not state.is_terminal() and not state.is_chance_node():
            assert bot.step(state) in state.legal_actions()


@pytest.mark.slow
def test_information_set_search_wins() -> None:
    """One partnership searches, the other plays at random: seeds are fixed, so that there is no false alarm."""
    game = load("euchre", bidding="forced-spades", seed=1)
    random = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, random), 2.0, 100, random_state=random)
    total = 0.0
    for _ in range(40):
        state = game.new_initial_state()
        while not state.is_terminal():
            searches = not state.is_chance_node() and state.current_player() % 2 == 0
            state.apply_action(int(bot.step(state) if searches else random.choice(state.legal_actions())))
        total += state.returns()[0]
    assert total > 0


@pytest.mark.slow
def test_policy_space_response_oracles() -> None:
    """Two steps of OpenSpiel's PSRO on Euchre, in which the oracle picks the better of two plain policies."""
    pytest.importorskip("cvxpy")  # which OpenSpiel's PSRO imports, and OpenSpiel does not bring
    from open_spiel.python.algorithms.psro_v2 import abstract_meta_trainer, optimization_oracle, psro_v2

    class Better(optimization_oracle.AbstractOracle):  # type: ignore[misc]
        """The better of two policies against what the others play."""

        def sample_episode(self, game: Any, chosen: Any) -> Any:
            return abstract_meta_trainer.sample_episode(game.new_initial_state(), chosen)

        def __call__(self, game: Any, training_parameters: Any, strategy_sampler: Any, **_: Any) -> Any:
            return [[self.best(game, given, strategy_sampler) for given in each] for each in training_parameters]

        def best(self, game: Any, given: dict[str, Any], strategy_sampler: Any) -> Any:
            others = (given["total_policies"], given["current_player"], given["probabilities_of_playing_policies"])
            candidates = [FirstActionPolicy(game), UniformRandomPolicy(game)]
            return max(candidates, key=lambda one: self.evaluate_policy(game, one, *others, strategy_sampler))

    np.random.seed(0)  # noqa: NPY002 - that is what OpenSpiel draws from
    game = load("euchre", bidding="forced-spades", seed=1)
    solver = psro_v2.PSROSolver(
        game, Better(number_policies_sampled=4), sims_per_entry=2, meta_strategy_method="uniform",
        training_strategy_selector="probabilistic", sample_from_marginals=True, symmetric_game=False,
        initial_policies=[UniformRandomPolicy(game)] * 4,
    )  # fmt: skip
    for step in (2, 3):
        solver.iteration()
        payoffs = np.array(solver.get_meta_game())
        assert payoffs.shape == (4, *[step] * 4) and np.allclose(payoffs.sum(0), 0)
        assert np.abs(payoffs).max() > 0
    assert [len(each) for each in solver.get_policies()] == [3] * 4


def test_policies_here_play_by_the_tensors_there() -> None:
    game = load("euchre", seed=3)
    player = policies.make("euchre", "high")
    for state in positions(game, 1):
        if not state.is_terminal() and not state.is_chance_node():
            seat = state.current_player()
            row = np.array(state.observation_tensor(seat), np.int8)[None]
            mask = np.array(state.legal_actions_mask(seat), np.int8)[None]
            assert int(player.act(row, mask, np.random.default_rng(0))[0]) in state.legal_actions()
            assert state.play.games[0]["over"] == RUNNING
    assert get_game("euchre") is game.rules.spec
