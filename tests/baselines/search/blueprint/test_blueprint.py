"""Search on a blueprint: beliefs as by trying every hand, moves as good as the best, and no worse than the blueprint."""

import copy
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cardenvs import testing
from cardenvs.baselines.heuristics.hanabi_hats import HatInformation
from cardenvs.baselines.heuristics.hanabi_rules import Iggi
from cardenvs.baselines.heuristics.hanabi_smart import SmartBot
from cardenvs.baselines.search.blueprint.policy import BlueprintSearch, HanabiSearch
from cardenvs.compiled.streams import below, random_member, seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.games import hanabi as game
from cardenvs.games.hanabi import hanabi
from cardenvs.policy import registry
from cardenvs.policy.replay import explained
from tests.helpers.positions import rows_of
from tests.naive import hanabi_belief as naive
from tests.naive import hanabi_hats, hanabi_smart

SMALL = {"colours": 2, "ranks": 3, "hand_size": 2, "information": 3}
DAILY = SMALL | {"lives": 2}  # the quick tests play it as plain Python
BOTS = {SmartBot: hanabi_smart.Bot, HatInformation: hanabi_hats.Bot}
_HATS = pytest.param(HatInformation, marks=pytest.mark.slow)  # a second search to compile
agents = pytest.mark.parametrize(
    "agent", [pytest.param(SmartBot, marks=pytest.mark.slow), _HATS], ids=["SmartBot", "HatInformation"]
)


def searcher(agent: Any, spec: Any, **parameters: Any) -> BlueprintSearch:
    return BlueprintSearch(spec, agent(spec), **parameters)


def positions(search: BlueprintSearch, seed: int, noise: int, others: int = 0) -> Any:
    """Plays a deal by the blueprint and yields it where the seat that searches is to act.

    ``noise``: one move in how many of that seat is any legal one, 0 for none; ``others``: the same for the other seats.
    """
    spec, streams = search.game, seed_streams(seed, 1)
    player = type(search._player)(spec)
    games = spec.deal(seed)
    while games[0]["over"] == RUNNING:
        mine = int(games[0]["to_act"]) == search.seat
        if mine:
            yield games
        action = int(player.act(*rows_of(spec, games))[0])
        often = noise if mine else others
        if often and below(streams, 0, often) == 0:
            action = random_member(streams, 0, game.legal(games, 0))
        game.step(games, 0, action)


def own_hand(games: Any) -> tuple[int, ...]:
    seat = int(games[0]["to_act"])
    return tuple(int(card) - 1 for card in games[0]["hands"][seat][: int(games[0]["sizes"][seat])])


def weights_of(belief: Any, size: int) -> dict[tuple[int, ...], int]:
    """The weight of each hand of ``size`` cards in a belief, by the faces of its cards, the oldest first."""
    hands, weights = belief.hands.tolist(), np.diff(belief.totals, prepend=0).tolist()
    return {
        tuple(hand >> 5 * slot & 31 for slot in range(size)): weight for hand, weight in zip(hands, weights, strict=True)
    }


@agents
@pytest.mark.parametrize("noise", [0, 3])
@pytest.mark.parametrize("players", [2, 3])
def test_a_belief_is_what_trying_every_hand_finds(agent, players, noise):
    spec = hanabi(players=players, **SMALL)
    search = searcher(agent, spec, seat=players - 1 if noise else 0)
    ruled_out = 0
    for seed in range(6):
        for games in positions(search, seed, noise):
            found = weights_of(search.belief(rows_of(search.game, games)[0][0]), len(own_hand(games)))
            expected = {world.hand: world.weight for world in naive.worlds(spec, games, search.seat, BOTS[agent])}
            assert found == expected
            assert own_hand(games) in found
            ruled_out += sum(1 for _ in naive.worlds(spec, games, search.seat, _Anything)) - len(found)
    assert ruled_out > 10  # by what others did


class _Anything:
    """A bot of which every move is taken to be its own."""

    def __init__(self, me: int, state: Any) -> None:
        del me, state

    def choose(self, state: Any) -> Any:
        del state
        return _Equal()

    def learn(self, state: Any, action: int) -> None:
        del state, action


class _Equal:
    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.slow
@agents
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_true_hand_is_never_ruled_out(agent, players):
    spec = hanabi(players=players)
    for seat in range(players):
        search = searcher(agent, spec, seat=seat)
        for seed in range(12 // players):
            for games in positions(search, seed, 4):
                belief = search.belief(rows_of(search.game, games)[0][0])
                assert own_hand(games) in weights_of(belief, len(own_hand(games)))


@agents
def test_what_is_kept_of_a_past_changes_no_belief(agent):
    """Nor do moves by other conventions, which no hand explains."""
    spec = hanabi(players=3, **SMALL | {"colours": 3})
    unexplained = 0
    for seed in range(6):
        kept = searcher(agent, spec)
        for games in positions(kept, seed, 4, others=2 if seed % 2 else 0):
            row = rows_of(kept.game, games)[0][0]
            one, other = kept.belief(row), searcher(agent, spec).belief(row)
            assert (one.hands == other.hands).all() and (one.totals == other.totals).all()
            assert (one.own == other.own).all() and (one.memories[one.kinds] == other.memories[other.kinds]).all()
            unexplained += own_hand(games) not in weights_of(one, len(own_hand(games)))
    assert unexplained > 0


@agents
def test_a_move_is_as_good_as_the_best(agent):
    """Where the deck is empty and all worlds are tried; chance makes the search miss 0.15 points once in many thousands."""
    spec = hanabi(players=2, **SMALL)
    search = searcher(agent, spec, rollouts=4000, threshold=0.0)
    better = 0
    for seed in range(60):
        for games in positions(search, seed, 3):
            if games[0]["drawn"] < game.deck_size(games, 0):
                continue
            row, mask = rows_of(search.game, games)
            found = list(naive.worlds(spec, games, search.seat, BOTS[agent]))
            means = {
                int(action): sum(w.weight * naive.value(copy.deepcopy(w), int(action)) for w in found)
                / sum(w.weight for w in found)
                for action in np.flatnonzero(mask[0])
            }
            action = search.act(row, mask, seed_streams(seed, 1))[0]
            assert means[action] > max(means.values()) - 0.15
            better += means[action] > means[int(agent(spec).act(row, mask)[0])]
    assert better > 0


def scores(search: BlueprintSearch, deals: int) -> Any:
    """Points of the blueprint and of the search in the same deals, int64 (deals, 2)."""
    spec = search.game
    points = np.empty((deals, 2), np.int64)
    for k in range(deals):
        for j, player in enumerate((search._player, search)):
            games = spec.deal(k)
            while games[0]["over"] == RUNNING:
                game.step(games, 0, int(player.act(*rows_of(spec, games), seed_streams(k, 1))[0]))
            points[k, j] = game.points_of(games, 0)
    return points


@pytest.mark.slow
def test_a_search_scores_more_than_its_blueprint():
    """In these deals by two standard errors of the difference and more."""
    points = scores(searcher(SmartBot, hanabi(colours=3, ranks=3, hand_size=3), rollouts=1500), 60)
    gain = points[:, 1] - points[:, 0]
    assert gain.mean() > 2 * gain.std() / len(gain) ** 0.5 > 0


def test_beliefs_of_what_nobody_can_see_are_refused():
    search = searcher(SmartBot, hanabi(**DAILY))
    size = search.game.observation_size
    assert len(search.belief(rows_of(search.game, search.game.deal(0))[0][0]).hands)
    for wrong in (np.zeros(3, np.int8), np.ones(size, np.int8), np.zeros(size, np.int8), "observation", None):
        with pytest.raises(ValueError, match="observation"):
            search.belief(wrong)


def test_few_play_outs_are_used():
    """The best of few worlds is chosen: where one move scores more in every world, by two of them."""
    spec = hanabi(players=2, **DAILY)
    found = 0
    for seed in range(40):
        search = searcher(SmartBot, spec, rollouts=2 * spec.num_actions, threshold=0.0)
        for games in positions(search, seed, 3):
            if games[0]["drawn"] < game.deck_size(games, 0):
                continue
            row, mask = rows_of(search.game, games)
            worlds = list(naive.worlds(spec, games, search.seat, hanabi_smart.Bot))
            values = {
                int(action): [naive.value(copy.deepcopy(world), int(action)) for world in worlds]
                for action in np.flatnonzero(mask[0])
            }
            for action, own in values.items():
                others = [value for other, value in values.items() if other != action]
                if others and all(mine > max(each) for mine, each in zip(own, zip(*others, strict=True), strict=True)):
                    assert search.act(row, mask, seed_streams(seed, 1))[0] == action
                    found += action != int(SmartBot(spec).act(row, mask)[0])
    assert found > 0


@pytest.mark.parametrize("players", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_other_seats_play_the_blueprint(players):
    spec = hanabi(players=players, **DAILY)
    search, other = searcher(SmartBot, spec, seat=1, rollouts=60), SmartBot(spec)
    differ = 0
    for seed in range(4):
        games = spec.deal(seed)
        while games[0]["over"] == RUNNING:
            rows = rows_of(search.game, games)
            action, usual = search.act(*rows, seed_streams(seed, 1))[0], other.act(*rows)[0]
            assert action == usual or games[0]["to_act"] == 1
            differ += action != usual
            game.step(games, 0, int(action))
    assert differ > 0


@pytest.mark.slow
def test_worlds_that_are_replayed_are_as_likely_as_in_the_table():
    """A policy that announces its kernels is replayed as any other can be. False alarms come once in a million times."""
    spec = hanabi(players=2, **SMALL)
    search, player, compared = searcher(SmartBot, spec), SmartBot(spec), 0
    for seed in range(12):
        for games in positions(search, seed, 0):
            row, size = rows_of(search.game, games)[0], len(own_hand(games))
            table = weights_of(search.belief(row[0]), size)
            if games[0]["moves"] < 4 or len(table) < 4:
                continue
            found = explained(player, search.game, row, 0, seed_streams(seed, 1), 400, 20_000, 1)
            assert found.mismatches == 0
            hands = [tuple(int(card) - 1 for card in world["hands"][0][:size]) for world in found.worlds]
            assert set(hands) <= set(table)
            counts = np.array([hands.count(hand) for hand in table])
            expected = np.array(list(table.values())) * len(hands) / sum(table.values())
            assert stats.chisquare(counts, expected).pvalue > 1e-8
            compared += 1
    assert 5 < compared < 100


def test_chooses_from_the_observation_alone():
    search = searcher(SmartBot, hanabi(**DAILY), rollouts=100)
    testing.check_no_leak(search.game, search.act, episodes=2)


def test_wrong_parameters_are_refused(monkeypatch):
    spec = hanabi(**DAILY)
    monkeypatch.setitem(registry.POLICIES.made, "smart-alec", SmartBot)
    with pytest.raises(ValueError, match=r"blueprint must be .* whose moves a search can foretell, .*: .*smart-alec"):
        BlueprintSearch(spec, "random")
    assert BlueprintSearch(spec, "smart-alec").seat == HanabiSearch(spec).seat == 1
    with pytest.raises(ValueError, match="seat must be"):
        searcher(SmartBot, spec, seat=2)
    with pytest.raises(ValueError, match="rollouts must be"):
        searcher(SmartBot, spec, rollouts=0)
    with pytest.raises(ValueError, match="threshold must be"):
        searcher(SmartBot, spec, threshold=-1)
    with pytest.raises(ValueError, match="needs a table of all hands, and hanabi:hand_size=6 has too many"):
        searcher(SmartBot, hanabi(hand_size=6))
    with pytest.raises(ValueError, match="HanabiSearch plays hanabi, not whist"):
        HanabiSearch("whist", "random")
    with pytest.raises(ValueError, match="there is no table of hands on 'Iggi'"):
        BlueprintSearch(spec, Iggi(spec)).belief(np.zeros(3, np.int8))
