"""Judging: values of decisions beside matches, an interval for any time, stopping at it, kinds of decisions."""

import copy
import json
import math

import numpy as np
import pytest
from scipy import stats

from cardenvs import get_game, policy
from cardenvs.baselines.judge import judge, judge_settings
from cardenvs.baselines.judge.results import results_of
from cardenvs.baselines.judge.settings import FIRST_LOOK
from cardenvs.baselines.judge.valuing import Valuer, kind_of_decision, table_of
from cardenvs.baselines.match import Side, play_deals
from cardenvs.baselines.reports.statistics import anytime_interval, interval
from cardenvs.baselines.review.replay import moves_of
from cardenvs.baselines.runs.pairings import play_all
from cardenvs.compiled.streams import random_member, seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.games import euchre, hanabi
from cardenvs.policy import replay
from cardenvs.policy.registry import POLICIES
from tests.helpers.players import Named, quitting
from tests.helpers.positions import rows_of
from tests.naive import hanabi_belief, hanabi_smart


def decisions(game, name, reference, deals=2, worlds=8, whole=False):
    """The valued decisions of a policy in some deals, deal by deal."""
    plan = judge_settings(game, [name], reference=reference, deals=deals, worlds=worlds, seed=3, whole_side=whole)
    first, *second = [policy.make(plan.spec, one) for one in (name, *[reference] * (not plan.spec.one_sided))]
    side = [first, *[policy.make(plan.spec, reference)] * (len(plan.spec.sides[0]) - 1)]
    played = plan.play(Side(plan.spec, side), Side(plan.spec, second) if second else None, range(deals))
    return [json.loads(text) for text in played.told], played


@pytest.mark.compiled
def test_the_reference_itself_gains_nothing():
    """To the bit, whatever its values are worth."""
    result = judge("euchre", ["learned", "coop-high-low"], deals=6, worlds=20, seed=1)
    own = next(one for one in result.policies if one.policy == "learned")
    assert own.points.mean == own.match.mean == 0.0
    assert own.decisions > 20 and own.loss.mean < 0.1
    assert {kind.kind for kind in own.by_kind.values()} <= {"bid", "discard", "lead", "follow", "last to play"}
    assert result.judge["policy"] == "learned" and len(result.judge["hash"]) == 16


@pytest.mark.compiled
def test_values_agree_with_the_match():
    """The points by the values and those made in the same deals differ by no more than four standard errors, which a right
    judge exceeds once in 16,000 times; and they scatter less."""
    result = judge("euchre", ["low"], deals=40, worlds=30, seed=5)
    (low,) = result.policies
    assert low.points.mean < -0.2
    assert abs(low.bias.mean) < 2 * low.bias.half_width
    assert low.fewer_deals > 2


@pytest.mark.parametrize("game", ["euchre", "hanabi:tiny"])
def test_kinds_of_decisions(game):
    spec = get_game(game)
    name = "random"
    states = []
    other = None if spec.one_sided else name
    play_deals(spec, name, other, range(8), seed=2, observer=lambda games, owners: states.extend(games.copy()[:, None]))
    kinds = set()
    for state in states:
        before, actions, _ = moves_of(spec, state)
        for k, action in enumerate(actions):
            kind = kind_of_decision(spec, before, k, action)
            kinds.add(kind)
            if game == "euchre" and before[k]["phase"] == euchre.PLAYING:
                assert kind in ("lead", "follow", "last to play")
                assert (kind == "lead") == (not before[k]["trick"].any())
    assert kinds == (
        {"bid", "discard", "lead", "follow", "last to play"} if game == "euchre" else {"play", "discard", "tell"}
    )


@pytest.mark.compiled
def test_a_judgement_ends_at_its_precision(tmp_path):
    """And goes on the same way where it was stopped."""
    plan = judge_settings("euchre", ["low"], reference="high-low", deals=600, worlds=2, seed=1, until=0.4)
    store = play_all(plan, tmp_path / "out", workers=1)
    done = int(store.done.sum())
    assert FIRST_LOOK <= done < 600 and done in plan.looks
    result = results_of(store)
    assert result.policies[0].deals == done and result.policies[0].points.half_width <= 0.4
    chunks = sorted((tmp_path / "out" / "chunks").glob("*.npz"))
    chunks[-1].unlink()
    assert results_of(play_all(plan, tmp_path / "out", workers=1)).as_dict() == result.as_dict()


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, n: rng.normal(size=n),
        lambda rng, n: np.where(rng.random(n) < 0.1, rng.normal(size=n), 0.0),  # most deals alike
        lambda rng, n: np.where(rng.random(n) < 0.1, np.where(rng.random(n) < 0.2, -0.4, 0.1), 0.0),  # rare and dear ones
    ],
)
def test_an_interval_that_may_be_looked_at_at_any_time(draw):
    """Of 1,000 matches of equals, looked at after every 100 deals, at most 5% end with a winner: more than 70 do so once in
    300 times. A plain interval finds a winner in every fifth."""
    rng, looks = np.random.default_rng(7), range(FIRST_LOOK, 1500, 100)
    wrong = {anytime_interval: 0, interval: 0}
    for number in range(1000):
        values = draw(rng, 1500)
        for made in wrong if number < 60 else [anytime_interval]:
            wrong[made] += any(0.0 not in made(values[:n]) for n in looks)
    assert wrong[anytime_interval] <= 70
    assert wrong[interval] >= 5  # of 60
    assert anytime_interval(np.zeros(50)).half_width == math.inf


@pytest.mark.compiled
@pytest.mark.parametrize("until", [None, 2.0])
def test_finished_deals_of_a_policy_that_cannot_go_on_are_judged(until, tmp_path, monkeypatch):
    """As where a budget has ended; another policy may have ended early by then."""
    monkeypatch.setattr(POLICIES, "entries", dict(POLICIES.entries) | {"quits": Named(quitting(60))})
    plan = judge_settings("euchre", ["low", "quits"], reference="high-low", deals=160, worlds=2, seed=1, until=until)
    store = play_all(plan, tmp_path / "out", workers=1)
    result = results_of(store)
    judged = {one.policy: one for one in result.policies}
    (forfeit,) = result.forfeits
    assert forfeit.sides[0].startswith("quits")
    assert judged["quits"].deals == forfeit.deals == int(store.done[1].sum()) > 0
    assert (judged["low"].deals == 160) == (until is None)
    assert "are judged above" in result.markdown()


def test_streams_are_shared_by_policies():
    """In the same position two policies are valued in the same worlds."""
    found = [decisions("euchre", name, "random", deals=2, worlds=2)[0] for name in ("high", "low")]
    first = [deal[0] for deal in found[0]]
    for own, other in zip(first, (deal[0] for deal in found[1]), strict=True):
        if (own["move"], own["chosen"]) == (other["move"], other["chosen"]):
            assert own["advantage"] == other["advantage"]


def test_values_of_worlds_without_beliefs():
    """A reference whose acts tell nothing is believed nothing of: worlds are uniform."""
    spec = get_game("euchre")
    assert Valuer(spec, policy.make(spec, "random"), 4, 10, 0)._believes is None


@pytest.mark.parametrize(
    ("deals", "draws"), [(1, 40), pytest.param(8, 1000, marks=[pytest.mark.compiled, pytest.mark.slow])]
)
def test_worlds_of_a_table_explain_the_partner(deals, draws):
    """In all of them it acts as it did, whatever the judged seat has done. Hands come as often as by trying every one, with
    a false alarm once in 10,000 times, and moves bring what they bring where plain Python plays on."""
    spec, compared, uniform = get_game("hanabi:tiny"), 0, 0
    player = policy.make(spec, "smartbot")
    table = table_of(spec, player)
    for seed in range(deals):
        games, streams = spec.deal(seed), seed_streams(seed, 1)
        while games[0]["over"] == RUNNING:
            row, mask = rows_of(spec.recalling, games)
            action = int(player.act(row, mask)[0])
            if games[0]["to_act"] == 0:
                legal, size = np.flatnonzero(mask[0]), int(games[0]["sizes"][0])
                worlds, points = table.draw_and_value(row, legal, streams, draws)
                assert not replay.judge(player, spec, worlds, seed_streams(seed, draws)).mismatches.any()
                known = {one.hand: one for one in hanabi_belief.worlds(spec, games, 0, hanabi_smart.Bot)}
                hands = [tuple((world["hands"][0][:size] - 1).tolist()) for world in worlds]
                counts = np.array([hands.count(hand) for hand in known])
                weights = np.array([one.weight for one in known.values()])
                expected = weights * draws / weights.sum()
                assert counts.sum() == draws and (len(counts) < 2 or stats.chisquare(counts, expected).pvalue > 1e-6)
                for k in range(3):
                    known[hands[k]].games[0]["deck"] = worlds[k]["deck"]
                    played = [hanabi_belief.value(copy.deepcopy(known[hands[k]]), int(move)) for move in legal]
                    assert points[k].tolist() == played
                candidates = replay.draw(spec.recalling, row, 0, streams, 100)
                uniform += int(replay.judge(player, spec, candidates, seed_streams(seed, 100)).mismatches.any())
                action = random_member(streams, 0, hanabi.legal(games, 0))
                compared += 1
            hanabi.step(games, 0, action)
    assert 2.5 * deals < compared < 12.5 * deals and uniform > 1.25 * deals  # where uniform worlds do not explain it


@pytest.mark.compiled
@pytest.mark.slow
def test_values_of_a_table_agree_with_the_match():
    """As those of Euchre's beliefs do. Other references have no table."""
    result = judge("hanabi:tiny", ["smartbot", "iggi"], reference="smartbot", deals=100, worlds=40, seed=2)
    own, iggi = result.policies
    assert (own.policy, own.points.mean, own.match.mean) == ("smartbot", 0.0, 0.0)
    assert iggi.points.mean < -0.3 and abs(iggi.bias.mean) < 2 * iggi.bias.half_width
    assert result.judge["candidates"] == 0
    assert judge_settings("hanabi:tiny", ["smartbot"], reference="iggi").candidates > 0
    assert judge_settings("hanabi:hand_size=6", ["iggi"], reference="smartbot").candidates > 0


def end_of_deal(spec, left, seed, hidden):
    """A position of random play in which a seat that leads has ``left`` cards and the dealer's discard is hidden or not."""
    for k in range(200):
        games, streams = spec.deal(1000 * seed + k), seed_streams(k, 1)
        while games[0]["over"] == RUNNING:
            g = games[0]
            if (
                int(g["hands"][g["to_act"]]).bit_count() == left
                and not g["trick"].any()
                and spec.trick_game.playing(games, 0)
            ):
                if not hidden or (g["picked_up"] and g["dealer"] != g["to_act"] and g["alone"] == 0):
                    return games
            spec.kernels.step(games, 0, int(random_member(streams, 0, spec.legal(games))))
    raise AssertionError("no such position")


@pytest.mark.parametrize(("game", "cards"), [("whist", 2), ("euchre", 1)])
def test_steps_of_a_chain_keep_the_chances_of_worlds(game, cards):
    """Each card lies in each place as often as by weighing every world: a false alarm once in 10,000 times. In Euchre the
    dealer has put a card away that the seat does not know."""
    spec = get_game(game).recalling
    states = end_of_deal(spec, cards, 7, game == "euchre")
    row, streams = spec.observation(states, int(states[0]["to_act"]))[None], seed_streams(7, 1)
    every = np.unique(replay.draw(spec, row, 0, streams, 4000))

    def piles(worlds):  # what lies where the seat does not see it
        out = [worlds["discard"]] if game == "euchre" else []
        return np.stack([*worlds["hands"][:, 1:].T, *out], 1)

    def places(worlds):
        return (piles(worlds)[:, :, None] >> np.arange(52) & 1).reshape(len(worlds), -1)

    liked = np.random.default_rng(7).normal(size=places(every).shape[1])

    def likelihood(worlds):
        return places(worlds) @ liked

    expected = np.average(places(every), 0, np.exp(likelihood(every)))
    start = replay.draw(spec, row, 0, streams, 600)
    moved = replay.mix(spec, start, likelihood(start), seed_streams(7, 600), likelihood, 20)
    assert np.isin(moved, every).all()
    errors = np.sqrt(expected * (1 - expected) / 600) + 1e-9
    apart = np.abs(places(moved).mean(0) - expected) / errors
    assert len(every) > 30 and apart.max() < 4.5
    assert (np.abs(places(start).mean(0) - expected) / errors).max() > 8  # uniform worlds are others
    with pytest.raises(ValueError, match="trick games alone, not of five-o"):
        replay.mix(get_game("five-o"), start, likelihood(start), streams, likelihood, 1)


@pytest.mark.compiled
@pytest.mark.slow
def test_moved_worlds_of_whist_agree_with_the_match():
    """And the points scatter less. In Euchre enough of the candidates are likely, and nothing is moved."""
    result = judge("whist", ["learned:sample=yes"], deals=60, worlds=60, seed=2)
    (one,) = result.policies
    assert abs(one.bias.mean) < 2 * one.bias.half_width and one.fewer_deals > 2 and result.judge["steps"] > 0
    assert judge_settings("euchre", ["low"]).steps == judge_settings("whist", ["low"], reference="random").steps == 0
