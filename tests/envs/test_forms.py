"""Parameters of games and environments: their names in signatures, forms, decks, encodings, seeds that repeat."""

import copy
import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

from cardenvs import Batch, SeatEnv, SeatVectorEnv, euchre_v0, get_game, hanabi_v0, recycle
from cardenvs.envs.aec import CardEnv
from cardenvs.recycle.library import FOLDER

TINY = {"colours": 2, "ranks": 3, "hand_size": 2, "information": 3, "lives": 2}
DECK = [0, 3, 1, 4, 2, 5, 0, 0, 3, 3, 1, 4]


def test_gymnasium_takes_it() -> None:
    check_env(gymnasium.make("cardenvs/HanabiSeat-v0", **TINY, opponents="random").unwrapped)
    env = gymnasium.make("cardenvs/HanabiSeat-v0", players=3, opponents="piers", encoding="canonical")
    assert env.reset(seed=1)[0].shape == env.observation_space.shape == (956,)


@pytest.mark.parametrize(
    "make",
    [
        lambda **given: Batch("hanabi", 2, seed=0, **given).spec,
        lambda **given: Batch(get_game("hanabi:players=5"), 2, seed=0, **given).spec,
        lambda **given: Batch("hanabi:players=4,lives=3", 2, seed=0, **given).spec,
        lambda **given: CardEnv("hanabi", **given).spec,
        lambda **given: SeatEnv("hanabi", **given).game,
        lambda **given: SeatVectorEnv("hanabi", 2, **given).game,
        lambda **given: hanabi_v0.env(**given).unwrapped.spec,
        lambda **given: hanabi_v0.raw_env(**given).spec,
        lambda **given: hanabi_v0.parallel_env(**given).aec_env.unwrapped.spec,
        lambda **given: recycle.raw_env("hanabi", **given).spec,
        lambda **given: pettingzoo.make("aec", "cardenvs/hanabi-v0", **given).unwrapped.spec,
    ],
)
def test_parameters_stand_beside_options(make: Callable[..., Any]) -> None:
    assert make(players=3, hand_size=5) is get_game("hanabi:players=3")
    assert make(players=3, hand_size=5, score="built", recall=True) is get_game("hanabi:players=3").recalling


def drawn(line: str) -> str:
    """The deck in a deal's line."""
    return next(word.removeprefix("deck=") for word in line.split() if word.startswith("deck="))


NAMES = ["R1", "Y1", "R2", "Y2", "R3", "y3", "R1", "R1", "Y1", "Y1", "R2", "Y2"]


@pytest.mark.parametrize(
    "kind", [list, tuple, np.array, lambda deck: np.array(deck, np.int8), lambda _: NAMES, lambda _: np.array(NAMES)]
)
def test_a_deck_is_dealt_in_its_order(kind: Callable[[list[int]], Any]) -> None:
    deck, text = kind(DECK), "R1Y1R2Y2R3Y3R1R1Y1Y1R2Y2"
    raw, wrapped, parallel = hanabi_v0.raw_env(**TINY), hanabi_v0.env(**TINY), hanabi_v0.parallel_env(**TINY)
    for env in (raw, wrapped, parallel):
        env.reset(seed=1, options={"deck": deck})
    lines = [raw.deal_text(), wrapped.unwrapped.deal_text(), parallel.aec_env.unwrapped.deal_text()]
    seat, vector = SeatEnv("hanabi", **TINY), SeatVectorEnv("hanabi", 3, **TINY)
    for one in (seat, vector):
        one.reset(seed=1, options={"deck": deck})
        lines += [one.game.text(game, actions=False) for game in one.seat_games.batch.games]
    assert {drawn(line) for line in lines} == {text}
    assert raw._games[0]["hands"][:2, :2].tolist() == [[1, 4], [2, 5]]
    seen = raw.spec.labels(raw.observe("player_0")["observation"])
    assert seen is not None
    raw.step(raw.spec.action("play-1"))
    assert raw._games[0]["fireworks"][:2].tolist() == [1, 0] and raw._games[0]["hands"][0, :2].tolist() == [4, 3]


def test_a_masked_reset_gives_a_deck_to_some_games() -> None:
    env = SeatVectorEnv("hanabi", 3, **TINY)
    env.reset(seed=1)
    before = [drawn(env.game.text(game)) for game in env.seat_games.batch.games]
    env.reset(options={"deck": DECK, "reset_mask": np.array([False, True, False])})
    after = [drawn(env.game.text(game)) for game in env.seat_games.batch.games]
    assert after == [before[0], "R1Y1R2Y2R3Y3R1R1Y1Y1R2Y2", before[2]]


@pytest.mark.parametrize(("players", "size"), [(2, 658), (3, 956), (4, 1041), (5, 1280)])
def test_the_canonical_vector_is_the_first_entries(players: int, size: int) -> None:
    rng = np.random.default_rng(players)
    whole = Batch("hanabi", 5, seed=1, players=players)
    short = Batch("hanabi", 5, seed=1, players=players, encoding="canonical")
    for step in range(40):
        assert short.observations.shape == (5, size) and whole.observations.shape[1] > size
        assert (short.observations == whole.observations[:, :size]).all()
        assert (short.observe(2, 1) == whole.observe(2, 1)[:size]).all() and (short.states() == whole.states()).all()
        if step in (10, 20, 30):
            before = short
            short = {10: Batch.clone, 20: copy.deepcopy, 30: lambda batch: pickle.loads(pickle.dumps(batch))}[step](short)
            before.step(whole.action_masks.argmax(1))
        actions = (whole.action_masks * rng.random(whole.action_masks.shape)).argmax(1)
        whole.step(actions)
        short.step(actions)


def test_all_environments_show_an_encoding() -> None:
    raw, parallel = hanabi_v0.raw_env(encoding="canonical"), hanabi_v0.parallel_env(encoding="canonical")
    full = hanabi_v0.raw_env()
    raw.reset(seed=4)
    full.reset(seed=4)
    shown = parallel.reset(seed=4)[0]
    for agent in raw.agents:
        expected = full.observe(agent)["observation"][:658]
        assert (raw.observe(agent)["observation"] == expected).all() and (shown[agent]["observation"] == expected).all()
        assert raw.observation_space(agent).contains(raw.observe(agent))
    twin = pickle.loads(pickle.dumps(raw.clone()))
    assert (twin.last()[0]["observation"] == raw.last()[0]["observation"]).all()
    seats = [SeatEnv("hanabi", opponents="smartbot", encoding=encoding) for encoding in ("canonical", None)]
    vectors = [SeatVectorEnv("hanabi", 3, opponents="smartbot", encoding=encoding) for encoding in ("canonical", None)]
    for short, whole in (seats, vectors):
        (one, info), (two, _) = short.reset(seed=2), whole.reset(seed=2)
        for _ in range(40):
            assert (one == two[..., :658]).all() and short.observation_space.contains(one)
            action = info["action_mask"].argmax(-1)
            (one, *_, over, _, info), (two, *_) = short.step(action), whole.step(action)
            if np.ndim(over) == 0 and over:
                (one, info), (two, _) = short.reset(), whole.reset()


OF_ALL = {"reward", "team_share", "illegal", "recall", "max_decisions", "encoding", "options"}
OF_SEATS = OF_ALL | {"seat", "opponents", "partner", "render_mode"}


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (SeatEnv, OF_SEATS | {"game"}),
        (SeatVectorEnv, OF_SEATS | {"game", "num_envs", "autoreset_mode"}),
        (CardEnv, OF_ALL | {"game", "render_mode"}),
        (euchre_v0.raw_env, OF_ALL | {"render_mode"}),
        (euchre_v0.env, OF_ALL | {"render_mode"}),
        (euchre_v0.parallel_env, OF_ALL | {"render_mode", "waiting"}),
        (recycle.env, OF_ALL | {"game", "render_mode"}),
        (recycle.raw_env, OF_ALL | {"game", "render_mode"}),
        (recycle.parallel_env, OF_ALL | {"game", "render_mode", "waiting"}),
    ],
)
def test_signatures_name_what_can_be_given(make: Callable[..., Any], names: set[str]) -> None:
    assert set(inspect.signature(make).parameters) == names and inspect.getdoc(make)


def test_what_is_given_arrives() -> None:
    for make in (euchre_v0.raw_env, euchre_v0.env, euchre_v0.parallel_env):
        env = make(reward="tricks", team_share=0.5, illegal="raise", recall=True, max_decisions=7, target=5)
        raw = env.unwrapped if not hasattr(env, "aec_env") else env.aec_env.unwrapped
        assert (raw._reward, raw._share, raw._illegal, raw.spec.recall, raw._limit) == ("tricks", 0.5, "raise", True, 7)
        assert raw._games["target"].tolist() == [5]
    assert euchre_v0.env().unwrapped._illegal == "terminate" and euchre_v0.raw_env()._illegal == "raise"
    assert euchre_v0.parallel_env("noop").waiting == "noop"


@pytest.mark.parametrize("game", ["kuhn-poker", str(Path(FOLDER) / "kuhn-poker.rcy"), "euchre"])
def test_any_game_has_all_forms_by_registered_names(game: str) -> None:
    env = gymnasium.make("cardenvs/Seat-v0", game=game, seat=1)
    check_env(env.unwrapped, skip_render_check=True)
    single = [env.reset(seed=seed)[0] for seed in (4, 5)]
    many = gymnasium.make_vec("cardenvs/Seat-v0", num_envs=2, game=game, seat=1)
    assert isinstance(many, SeatVectorEnv)
    np.testing.assert_array_equal(many.reset(seed=[4, 5])[0], single)
    aec = pettingzoo.make("aec", "cardenvs/game-v0", game=game)
    api_test(aec, num_cycles=20)
    parallel_api_test(pettingzoo.make("parallel", "cardenvs/game-v0", game=game, waiting="noop"), num_cycles=5)
    assert aec.unwrapped.spec is env.unwrapped.game is many.game


def test_an_unseeded_environment_tells_the_seed_that_repeats_it() -> None:
    one, two = SeatEnv("euchre", opponents=["random", "high"]), SeatEnv("euchre", opponents=["random", "high"])
    first, info = one.reset()
    again, told = two.reset(seed=one.np_random_seed)
    np.testing.assert_array_equal(first, again)
    assert info["opponents"] == told["opponents"]
    seed = one.np_random_seed
    assert (one.reset()[0] != first).any() and one.np_random_seed == seed  # the stream goes on
    many, others = SeatVectorEnv("euchre", 3), SeatVectorEnv("euchre", 3)
    rows = many.reset()[0]
    np.testing.assert_array_equal(others.reset(seed=many.np_random_seed)[0], rows)
    assert many.np_random_seed != seed
