"""Other policies at other seats, and policies drawn for each episode: who sits where, and that what is told is played."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, Policy, SeatEnv, SeatVectorEnv, get_game
from cardenvs.compiled.streams import seed_streams
from cardenvs.envs.lineups import Lineups
from tests.helpers.environments import tell
from tests.helpers.players import First, Last

pytestmark = pytest.mark.compiled


def called(kind: type[Policy], name: str, game: str = "euchre") -> Policy:
    """A policy of a kind by a name."""
    player = kind(game)
    player.name = name
    return player


OPTIONS = {"bidding": "forced-spades"}
LEAST, MOST = called(First, "least"), called(Last, "most")
POOL = [LEAST, MOST]
BY_NAME = {"least": LEAST, "most": MOST}


def played(opponents: dict[str, Policy], batch: Batch, learner: int) -> list[list[int]]:
    """What the learner sees in an episode if it takes the first legal action and the others play as they should."""
    seen = []
    while not batch.ended[0]:
        seat = int(batch.to_act[0])
        if seat == learner:
            seen.append(batch.observations[0].tolist())
        player = LEAST if seat == learner else opponents[f"player_{seat}"]
        batch.step(player.choose(batch.observations, batch.action_masks, batch.streams))
    batch.ended[0] = 0
    return seen


@pytest.mark.parametrize(
    ("settings", "draws"),
    [
        ({"opponents": {"player_0": MOST, "player_2": LEAST, "player_3": MOST}}, False),
        ({"opponents": {"player_0": LEAST, "player_2": MOST, "player_3": LEAST}}, False),
        ({"opponents": {"player_1": MOST, "player_3": LEAST}, "partner": MOST, "seat": 0}, False),
        ({"opponents": POOL}, True),
        ({"opponents": POOL, "partner": POOL}, True),
        ({"opponents": MOST, "partner": POOL}, True),
        ({"opponents": {"player_0": POOL, "player_2": MOST, "player_3": [MOST, LEAST]}}, True),
        ({"opponents": {f"player_{seat}": POOL for seat in range(4)}, "seat": "random"}, True),
    ],
)
def test_what_is_told_is_what_is_played(settings: dict[str, Any], draws: bool) -> None:
    """Episodes of an environment are those of a plain loop in which the policies that `info` names play their seats."""
    env = SeatEnv("euchre", **({"seat": 1} | settings | OPTIONS))
    batch = Batch("euchre", 1, seed=7, **OPTIONS)
    told = set()
    shown, info = env.reset(seed=7)
    for _ in range(12):
        opponents = info["opponents"]
        learner = int(env.seat_games.learner[0])
        assert sorted(opponents) == [f"player_{seat}" for seat in range(4) if seat != learner]
        told.add((learner, *opponents.values()))
        seen, over = [], False
        while not over:
            seen.append(shown.tolist())
            shown, _, over, _, info = env.step(info["action_mask"].argmax())
            assert info["opponents"] == opponents
        assert seen == played({agent: BY_NAME[name] for agent, name in opponents.items()}, batch, learner)
        shown, info = env.reset()
    assert (len(told) > 1) == draws


def sat(env: SeatVectorEnv) -> Counter[tuple[str | None, ...]]:
    """How often policies sit at the seats of a vector environment after a reset."""
    _, infos = env.reset(seed=5)
    seats = [infos["opponents"].get(f"player_{seat}", np.full(env.num_envs, None)) for seat in range(4)]
    return Counter(zip(*seats, strict=True))


def test_sides_draw_apart_and_partners_go_by_one_policy() -> None:
    """False alarms: 5 standard deviations of binomial counts, less than 1 in 100,000 for the whole test."""
    n = 600
    counts = sat(SeatVectorEnv("euchre", n, seat=2, opponents=POOL, **OPTIONS))
    assert set(counts) == {(a, b, None, b) for a in BY_NAME for b in BY_NAME}
    assert all(abs(count - n / 4) < 5 * (n * 3 / 16) ** 0.5 for count in counts.values())
    counts = sat(SeatVectorEnv("euchre", n, opponents={f"player_{seat}": POOL for seat in (1, 2, 3)}, **OPTIONS))
    assert set(counts) == {(None, a, b, c) for a in BY_NAME for b in BY_NAME for c in BY_NAME}
    assert all(abs(count - n / 8) < 5 * (n * 7 / 64) ** 0.5 for count in counts.values())
    counts = sat(SeatVectorEnv("euchre", n, opponents=MOST, partner=[LEAST, MOST, LEAST], **OPTIONS))
    assert set(counts) == {(None, "most", a, "most") for a in BY_NAME}
    assert abs(counts[None, "most", "least", "most"] - n * 2 / 3) < 5 * (n * 2 / 9) ** 0.5


def test_seats_that_are_not_named_are_random_or_the_partners() -> None:
    counts = sat(SeatVectorEnv("euchre", 2, opponents={"player_3": "high"}, **OPTIONS))
    assert counts == {(None, "random", "random", "high"): 2}
    counts = sat(SeatVectorEnv("euchre", 2, opponents={"player_3": "high"}, partner="low", **OPTIONS))
    assert counts == {(None, "random", "low", "high"): 2}
    counts = sat(SeatVectorEnv("euchre", 2, opponents="high", **OPTIONS))
    assert counts == {(None, "high", "high", "high"): 2}


def test_a_learner_at_a_random_seat_takes_the_place_of_a_named_policy() -> None:
    players = {f"player_{seat}": called(First, f"at {seat}") for seat in range(4)}
    counts = sat(SeatVectorEnv("euchre", 64, seat="random", opponents=players, **OPTIONS))
    all_four = tuple(player.name for player in players.values())
    assert set(counts) == {(*all_four[:seat], None, *all_four[seat + 1 :]) for seat in range(4)}


SETTINGS: dict[str, Any] = {"seat": "random", "opponents": [LEAST, "random", MOST], "partner": POOL} | OPTIONS


def test_line_ups_follow_the_seed_and_not_the_number_of_games() -> None:
    vector, single = SeatVectorEnv("euchre", 4, **SETTINGS), SeatEnv("euchre", **SETTINGS)
    vector.reset(seed=[11, 12, 13, 14])
    lines = tell(vector, 40)
    vector.reset(seed=[11, 12, 13, 14])
    assert tell(vector, 40) == lines
    _, info = single.reset(seed=13)
    for *_, sitting in lines:
        _, _, over, _, info = single.step(info["action_mask"].argmax())
        if over:
            _, info = single.reset()
        assert {agent: names[2] for agent, names in sitting.items() if names[2] is not None} == info["opponents"]


def test_dealt_sides_have_their_policies(toys: None) -> None:
    """Wolves, in which the deal says who plays with whom; sides may be dealt again in an episode, what was drawn stays."""
    spec, n = get_game("wolves"), 40
    opponents = [called(First, "least", "wolves"), called(Last, "most", "wolves")]
    partners = [called(First, "friend", "wolves"), called(Last, "mate", "wolves")]
    lineups = Lineups(spec, n, 0, opponents, partners)
    rows, learner, streams = np.arange(n), np.zeros(n, np.int64), seed_streams(1, n)
    told = []
    for first in (100, 200, 300):
        games = np.concatenate([spec.deal(first + i) for i in range(n)])
        if told:
            lineups.seat_players(rows, learner, games)
        else:
            lineups.draw_lineups(rows, learner, games, streams)
        sides, names = spec.seat_sides(games), lineups.seat_names()
        beside = sides[:, 1:] == sides[:, :1]
        assert names[:, 0].tolist() == [None] * n
        assert set(names[:, 1:][beside]) == {"friend", "mate"}
        assert set(names[:, 1:][~beside]) == {"least", "most"}
        told.append([set(row) for row in names[:, 1:]])
    assert all(len(both) == 2 for both in told[0])  # one policy for each side
    assert told[1] == told[0] == told[2]
