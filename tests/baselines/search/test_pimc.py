"""PIMC: means over worlds that can be listed or dealt again, bids carried out step by step, budgets, strength."""

import functools

import numpy as np
import pytest

from cardenvs import get_game, policy, testing
from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER
from cardenvs.baselines.heuristics.trick_taking import CoopHighLow
from cardenvs.baselines.search.trick import dds, double_dummy
from cardenvs.baselines.search.trick.double_dummy import solve, solve_cards
from cardenvs.baselines.search.trick.pimc import Pimc
from cardenvs.baselines.search.trick.pimc_kernels import best_card
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import members_of
from cardenvs.contract.loops import POINTS, RUNNING, TRICKS
from cardenvs.games import euchre
from cardenvs.policy.replay import draw
from tests.helpers.hidden_cards import consistent_hands
from tests.helpers.positions import rows_of
from tests.helpers.trick_positions import FORCED, GAMES, STRONG, observed, positions_with_views
from tests.naive import euchre as naive_euchre
from tests.naive import whist as naive_whist

pytestmark = pytest.mark.compiled

needs_dds = pytest.mark.skipif(
    not dds.is_available(), reason="endplay is not installed: in a checkout: pip install '.[dds]'"
)
SOLVERS = ["numba", pytest.param("dds", marks=needs_dds)]


def gain(name, state, tricks):
    """What side 0 gains in the deal, less what the other does, with so many tricks more, by the rules."""
    total = int(state["tricks"][::2].sum()) + tricks
    if name == "whist":
        own, other = naive_whist.points([total, 13 - total, 0, 0])
        return own - other
    makers = total if state["maker"] % 2 == 0 else 5 - total
    made, lost = naive_euchre.points_of(makers, bool(state["alone"]))
    return made - lost if state["maker"] % 2 == 0 else lost - made


# --- cards ---------------------------------------------------------------------------------------------------------


@functools.cache
def endings(name, number, **options):
    """Positions with a choice and few possible deals: text, and for each card its worth in each deal (n, 2)."""
    game = GAMES[name][0]
    spec = game.SPEC
    examples = []
    for games, views in positions_with_views(name, 400, seed=12, **options):
        legal, v = spec.legal(games), views[0]
        held = int(v["hands"][0]).bit_count()
        unseen = game.DECK.size - int(np.bitwise_or.reduce(v["played"])).bit_count() - held
        if held not in (2, 3) or not legal & (legal - 1) or unseen > 9:
            continue
        hands = list(consistent_hands(name, games, views))
        if len(hands) > 1_000:
            continue
        worlds = spec.new_games(len(hands))
        worlds[:] = v
        worlds["hands"] = hands
        tricks = solve_cards(worlds)
        values = {
            card: np.array([(gain(name, world, taken), taken) for world, taken in zip(worlds, column, strict=True)])
            for card, column in enumerate(tricks.T.tolist())
            if legal >> card & 1
        }
        examples.append((spec.text(games[0]), values))
        if len(examples) == number:
            break
    return examples


@pytest.mark.parametrize(("name", "options"), [("euchre", {}), ("euchre", FORCED), ("whist", {})])
@pytest.mark.parametrize("goal", ["points", "tricks"])
def test_scores_are_the_exact_means_at_the_end(name, options, goal):
    """Every deal listed; 5 standard errors, fewer than 250 scores: 1 in 7,000 to fail. No spread: the very value."""
    drawn = 3_000
    player = Pimc(name, worlds=drawn, goal=goal)
    known = endings(name, 12, **options)
    assert len(known) == 12
    spread = exact = 0
    for k, (line, values) in enumerate(known):
        rows, masks = rows_of(name, get_game(name).parse(line))
        scores = player.scores(rows, masks, seed_streams(k, 1))[0]
        assert set(np.flatnonzero(masks[0])) == set(values)
        assert np.isnan(scores[masks[0] == 0]).all()
        for card, worth in values.items():
            worth = worth[:, 0 if goal == "points" else 1]
            error = worth.std() / np.sqrt(drawn)
            if error == 0:
                assert scores[card] == worth[0], line
                exact += 1
            else:
                assert abs(scores[card] - worth.mean()) < 5 * error, line
                spread += 1
    assert spread > 10 and exact > 0


def worlds_of(name, games, streams, n):
    """The worlds that the search deals from ``streams`` for the seat to act."""
    return draw(get_game(name), rows_of(name, games)[0], 0, streams, n)


@pytest.mark.parametrize("goal", ["points", "tricks"])
@pytest.mark.parametrize(("name", "solver"), [("euchre", "numba"), ("whist", "numba"), ("whist", "auto")])
def test_scores_are_means_over_the_worlds_that_are_dealt(name, solver, goal):
    n = 7
    player = Pimc(name, worlds=n, goal=goal, solver=solver)
    tried = 0
    for k, (games, _) in enumerate(positions_with_views(name, 8 if name == "euchre" else 6, seed=4)):
        if name == "whist" and int(games[0]["hands"][games[0]["to_act"]]).bit_count() > 7:
            continue
        dealt = worlds_of(name, games, seed_streams(k, 1), n)
        cards = solve_cards(dealt)
        rows, masks = rows_of(name, games)
        scores = player.scores(rows, masks, seed_streams(k, 1))[0]
        for card in np.flatnonzero(masks[0]):
            worth = cards[:, card].tolist()
            if goal == "points":
                worth = [gain(name, world, tricks) for world, tricks in zip(dealt, worth, strict=True)]
            assert scores[card] == pytest.approx(np.mean(worth)), get_game(name).text(games[0])
        tried += 1
    assert tried > 100


@needs_dds
@pytest.mark.parametrize("exact_cards", [3, 9])
def test_solvers_give_the_same_scores_and_choices(exact_cards):
    first, *others = (Pimc("whist", 5, exact_cards=exact_cards, solver=solver) for solver in ("numba", "dds", "auto"))
    for k, (games, _) in enumerate(positions_with_views("whist", 3, seed=5)):
        if int(games[0]["hands"][games[0]["to_act"]]).bit_count() > 9:
            continue
        rows, masks = rows_of("whist", games)
        expected = first.scores(rows, masks, seed_streams(k, 1))
        for other in others:
            assert np.array_equal(other.scores(rows, masks, seed_streams(k, 1)), expected, equal_nan=True)
            assert other.choose(rows, masks, seed_streams(k, 1)) == first.choose(rows, masks, seed_streams(k, 1))


@needs_dds
def test_solves_whole_hands_with_dds():
    spec, n = get_game("whist"), 5
    player = Pimc("whist", worlds=n, exact_cards=13)
    games = spec.deal(6)
    rows, masks = rows_of("whist", games)
    scores = player.scores(rows, masks, seed_streams(1, 1))[0]
    dealt = worlds_of("whist", games, seed_streams(1, 1), n)
    cards = dds.solve_cards(dealt)
    for card in np.flatnonzero(masks[0]):
        assert scores[card] == pytest.approx(np.mean([gain("whist", dealt[0], int(t)) for t in cards[:, card]]))


def test_plays_out_what_is_too_long_to_solve():
    """With one card more than is solved, a card is worth the tricks that coop-high-low takes after it.

    The mean over 4,000 worlds lies within 5 standard errors of play-outs in Python: 1 in 50,000 to fail.
    """
    spec, n = get_game("whist"), 300
    agent = CoopHighLow("whist")
    tried = 0
    for k, (games, _) in enumerate(positions_with_views("whist", 1, seed=7)):
        if int(games[0]["hands"][games[0]["to_act"]]).bit_count() != 5:
            continue
        rows, masks = rows_of("whist", games)
        scores = Pimc("whist", worlds=4_000, exact_cards=4, goal="tricks").scores(rows, masks, seed_streams(k, 1))[0]
        exact = Pimc("whist", worlds=200, exact_cards=5, goal="tricks").scores(rows, masks, seed_streams(k, 1))[0]
        assert np.isfinite(scores[masks[0] == 1]).all() and np.isfinite(exact[masks[0] == 1]).all()
        card = int(np.flatnonzero(masks[0])[0])
        dealt = worlds_of("whist", games, seed_streams(k + 100, 1), n)
        before = dealt["tricks"][:, ::2].sum(1)
        streams = seed_streams(k, n)
        for j in range(n):
            spec.kernels.step(dealt, j, card)
        while (running := np.flatnonzero(dealt["over"] == RUNNING)).size:
            seats = dealt["to_act"][running]
            seen = np.stack([spec.observation(dealt, int(s), int(j)) for j, s in zip(running, seats, strict=True)])
            legal = [int(spec.kernels.legal(dealt, int(j))) for j in running]
            allowed = np.array([[bits >> c & 1 for c in range(52)] for bits in legal], np.int8)
            part = streams[running]
            for j, action in zip(running, agent.choose(seen, allowed, part), strict=True):
                spec.kernels.step(dealt, int(j), int(action))
            streams[running] = part
        taken = dealt["tricks"][:, ::2].sum(1) - before
        error = taken.std() * np.sqrt(1 / n + 1 / 4_000) + 1e-9
        assert abs(scores[card] - taken.mean()) < 5 * error, spec.text(games[0])
        tried += 1
    assert tried == 4


# --- bids ----------------------------------------------------------------------------------------------------------


def contract(deal):
    """What a deal of Euchre is worth to seat 0's side when its cards are played; points, and the lead in tricks."""
    if deal[0]["over"] != RUNNING:
        return 0, 0
    tricks = int(solve(deal)[0, 0])
    return gain("euchre", deal[0], tricks), 2 * tricks - 5


def bids_slowly(games, n, streams, calling):
    """Each bid's mean points and lead in ``n`` worlds, by `step` and a rule; its own discard is best over all."""
    spec = get_game("euchre")
    rule = policy.make("euchre", "low", calling=calling)
    actions = members_of(spec.kernels.legal(games, 0))
    views, world, deal = spec.new_games(1), spec.new_games(1), spec.new_games(1)
    spec.kernels.view(games, 0, int(games[0]["to_act"]), views, 0)
    sums = {action: {None: 0} for action in actions}
    leads = {action: {None: 0} for action in actions}
    for _ in range(n):
        spec.kernels.redeal(views, 0, streams, 0, world, 0)
        for action in actions:
            deal[0] = world[0]
            spec.kernels.step(deal, 0, action)
            if deal[0]["phase"] == euchre.DISCARDING and deal[0]["to_act"] == 0:
                for card in members_of(deal[0]["hands"][0]):
                    final = deal.copy()
                    spec.kernels.step(final, 0, card)
                    points, lead = contract(final)
                    sums[action][card] = sums[action].get(card, 0) + points
                    leads[action][card] = leads[action].get(card, 0) + lead
                continue
            while deal[0]["over"] == RUNNING and deal[0]["phase"] != euchre.PLAYING:
                rows, masks = rows_of("euchre", deal)
                spec.kernels.step(deal, 0, int(rule.choose(rows, masks, streams)[0]))
            points, lead = contract(deal)
            sums[action][None] += points
            leads[action][None] += lead
    values = {}
    for action in actions:
        discards = [card for card in sums[action] if card is not None] or [None]
        best = max(discards, key=lambda card, a=action: (sums[a][card], leads[a][card]))
        values[action] = (sums[action][best] / n, leads[action][best] / n)
    return values


@pytest.mark.parametrize("calling", [DEFAULT_CALLER, "three-trumps"])
@pytest.mark.parametrize("options", [{}, {"stick_the_dealer": True}])
def test_bids_are_carried_out_step_by_step(calling, options):
    """Both rounds of bidding, all seats, the dealer's discard: the very scores, and the bid with the best is made."""
    spec, n = get_game("euchre"), 5
    player = Pimc("euchre", worlds=n, calling=calling, goal="tricks")
    seen = set()
    for k in range(48):
        # All pass up to here.
        games = spec.deal(k // 8, **options)
        for _ in range(k % 8):
            spec.kernels.step(games, 0, euchre.PASS)
        values = bids_slowly(games, n, seed_streams(k, 1), calling)
        rows, masks = rows_of("euchre", games)
        scores = player.scores(rows, masks, seed_streams(k, 1))[0]
        line = spec.text(games[0])
        assert np.flatnonzero(masks[0]).tolist() == list(values)
        assert [scores[action] for action in values] == pytest.approx([points for points, _ in values.values()]), line
        best = max(values, key=lambda action, values=values: (*values[action], -action))
        assert player.choose(rows, masks, seed_streams(k, 1))[0] == best, line
        position = (int(games[0]["to_act"]) - int(games[0]["dealer"])) % 4
        seen.add((int(games[0]["phase"]), position, best < euchre.ORDER_UP))
    assert len({(phase, position) for phase, position, _ in seen}) == 8
    assert {passed for *_, passed in seen} == {True, False}


def test_discards_are_worth_the_exact_contract():
    spec, n = get_game("euchre"), 9
    player = Pimc("euchre", worlds=n)
    tried = 0
    for k, games in enumerate(testing.random_positions(spec, 40, seed=9)):
        if games[0]["phase"] != euchre.DISCARDING:
            continue
        dealt = worlds_of("euchre", games, seed_streams(k, 1), n)
        rows, masks = rows_of("euchre", games)
        scores = player.scores(rows, masks, seed_streams(k, 1))[0]
        for card in np.flatnonzero(masks[0]):
            after = dealt.copy()
            for j in range(n):
                spec.kernels.step(after, j, int(card))
            assert scores[card] == pytest.approx(np.mean([contract(after[j : j + 1])[0] for j in range(n)]))
        tried += 1
    assert tried > 10


# --- choices -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_the_choice_is_the_best_score_and_the_weakest_of_equals(name):
    spec, strength = get_game(name), GAMES[name][0].STRENGTH
    players = {goal: Pimc(name, worlds=6, goal=goal) for goal in ("points", "tricks")}
    ties = 0
    for k, (games, views) in enumerate(positions_with_views(name, 6 if name == "euchre" else 3, seed=1)):
        rows, masks = rows_of(name, games)
        scores = {goal: player.scores(rows, masks, seed_streams(k, 1))[0] for goal, player in players.items()}
        trump = int(views[0]["trump"])
        for goal, other in (("points", "tricks"), ("tricks", "points")):
            player = players[goal]
            chosen = int(player.evaluate(rows, masks, seed_streams(k, 1), False)[1][0])
            legal = np.flatnonzero(masks[0])
            rank = {card: (scores[goal][card], scores[other][card], -strength[trump, card]) for card in legal}
            best = [card for card in legal if rank[card] == max(rank.values())]
            assert chosen in best, spec.text(games[0])
            ties += len(best) > 1
            explained = player.explain({"observation": rows[0], "action_mask": masks[0]}, seed_streams(k, 1))
            assert explained[0] == (spec.actions[chosen], scores[goal][chosen])
            assert [score for _, score in explained] == sorted(scores[goal][legal], reverse=True)
            assert len(explained) == len(legal)
            if len(legal) > 1:
                assert player.choose(rows, masks, seed_streams(k, 1))[0] == chosen
    assert ties > 1


def test_of_equal_sums_the_weakest_card_is_chosen_and_one_at_random_of_equally_weak_ones():
    """In Euchre's cards under spades; 4,000 draws at 5 standard errors: 1 in 1,000,000 to fail."""
    deck, strength = euchre.DECK, euchre.STRENGTH
    cards, sums, streams = deck.parse_set("9c9dTd9h9sAs"), np.zeros((2, 35, 2), np.int64), seed_streams(1, 1)
    drawn = [best_card(cards, sums, 1, POINTS, 3, strength, streams, 0) for _ in range(4_000)]
    names, counts = np.unique(drawn, return_counts=True)
    assert {deck.text(card) for card in names} == {"9c", "9d", "9h"}
    assert (np.abs(counts - 4_000 / 3) < 5 * np.sqrt(4_000 * 2 / 9)).all()
    sums[1, deck.card("As"), TRICKS] = 1
    assert deck.text(best_card(cards, sums, 1, POINTS, 3, strength, streams, 0)) == "As"
    sums[1, deck.card("Td"), POINTS] = 1
    assert deck.text(best_card(cards, sums, 1, POINTS, 3, strength, streams, 0)) == "Td"
    assert deck.text(best_card(cards, sums, 1, TRICKS, 3, strength, streams, 0)) == "As"
    sums[1, deck.card("9c"), POINTS] = -1
    weaker = cards & ~deck.parse_set("AsTd9d9h")
    assert deck.text(best_card(weaker, sums, 1, POINTS, 3, strength, streams, 0)) == "9s"


def test_cashes_top_trumps_before_anyone_ruffs():
    """Three top trumps and two aces: all five tricks are sure once the trumps are drawn, not if an ace is led."""
    line = "bidding=forced-spades dealer=0 hands=9sTs9dTd9h/JsJcAsAhAd/TcQcKcJdQd/QsKsTh9cAc turned=Jh"
    explained = Pimc("euchre", worlds=100, goal="tricks").explain(observed("euchre", line), seed_streams(2, 1))
    scores = dict(explained)
    assert explained[0][0] in ("Js", "Jc", "As")
    assert max(scores["Ah"], scores["Ad"]) < explained[0][1]


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_forced_card_costs_nothing_in_whist(solver):
    player = Pimc("whist", worlds=3, solver=solver)
    forced = [0, 0]
    for k, (games, _) in enumerate(positions_with_views("whist", 3, seed=10)):
        rows, masks = rows_of("whist", games)
        if masks.sum() == 1:
            streams = seed_streams(k, 1)
            assert masks[0, player.choose(rows, masks, streams)[0]]
            assert streams == seed_streams(k, 1)
            forced[int(games[0]["hands"][games[0]["to_act"]]).bit_count() > 7] += 1
    assert min(forced) > 0


@pytest.mark.parametrize(("name", "parameters"), [("euchre", {}), ("whist", {}), ("whist", {"exact_cards": 9})])
def test_company_does_not_matter(name, parameters):
    """More rows than are searched in one call, cards and bids mixed, in any order: the same scores and choices."""
    player = Pimc(name, worlds=3, **parameters)
    rows, masks = [], []
    for k, games in enumerate(testing.random_positions(get_game(name), 8 if name == "euchre" else 3, seed=11)):
        if games[0]["over"] == RUNNING and (name == "euchre" or k % 2):
            one = rows_of(name, games)
            rows.append(one[0])
            masks.append(one[1])
    rows, masks = np.concatenate(rows), np.concatenate(masks)
    n = len(rows)
    assert n > 70
    scores, chosen = player.scores(rows, masks, seed_streams(5, n)), player.choose(rows, masks, seed_streams(5, n))
    streams = seed_streams(5, n)
    order = np.random.default_rng(0).permutation(n)
    assert np.array_equal(player.scores(rows[order], masks[order], streams[order]), scores[order], equal_nan=True)
    assert (player.choose(rows[order], masks[order], streams[order]) == chosen[order]).all()
    for i in range(0, n, 9):
        assert player.choose(rows[i : i + 1], masks[i : i + 1], streams[i : i + 1].copy())[0] == chosen[i]


# --- budgets and parameters ----------------------------------------------------------------------------------------


def test_scores_under_a_budget_are_means():
    """A hand that takes all five tricks in every world is worth as much however many worlds there was time for."""
    for seconds in (1e-9, 0.05):
        explained = Pimc("euchre", seconds=seconds).explain(observed("euchre", STRONG), seed_streams(0, 1))
        assert dict(explained)["order-up-alone"] == 4.0 and dict(explained)["order-up"] == 2.0


def test_the_own_solver_takes_its_most_cards():
    assert policy.make("whist", "pimc", solver="numba", exact_cards=double_dummy.MAX_CARDS).game.name == "whist"
