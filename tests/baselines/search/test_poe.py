"""POE's agent: its vote against the naive version, its tie rules, what it explains."""

import json

import numpy as np
import pytest

from cardenvs import cli, get_game, policy
from cardenvs.baselines.search.trick import slots as worlds
from cardenvs.baselines.search.trick.poe import Poe, winning_moves
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import members_of
from cardenvs.games import euchre
from tests.helpers.positions import observation_of, rows_of
from tests.helpers.trick_positions import GAMES, cards_of, observed, positions_with_views
from tests.naive import poe as naive

pytestmark = pytest.mark.compiled


def naive_trick(game, view):
    """The current trick and the seats still to play after seat 0, as the naive version takes them."""
    trick = []
    if view["winner"] >= 0:
        order = [(int(view["leader"]) + k) % 4 for k in range(4)]
        trick = [(seat, game.DECK.format(int(view["trick"][seat]))) for seat in order if view["trick"][seat]]
    absent = (int(view["maker"]) + 2) % 4 if game is euchre and view["alone"] else None
    seats = [seat for seat in (1, 2, 3) if seat != absent and seat not in [s for s, _ in trick]]
    return trick, seats


def names(game, cards):
    return [game.DECK.text(card) for card in members_of(int(cards))]


@pytest.mark.parametrize("name", GAMES)
def test_winning_moves_are_those_of_the_full_search(name):
    """In open deals, every way to finish the trick tried."""
    game, slots, open_position, rules_of = GAMES[name]
    positions = worlds.new_positions()
    streams = seed_streams(4, 1)
    tried = 0
    for games, views in positions_with_views(name, 12, seed=8):
        v = views[0]
        trump = int(v["trump"])
        ways = open_position(views, 0, positions, 0)
        worlds.deal_hidden(positions, 0, *ways, streams, 0)
        own = worlds.to_slots(game.SPEC.kernels.legal(games, 0), trump, slots.slot)
        winning = cards_of(winning_moves(positions, 0, own, slots.same_suit), trump, slots)
        hands = {k: names(game, cards_of(int(positions[0]["hands"][k]), trump, slots)) for k in range(4)}
        trick, seats = naive_trick(game, v)
        rules = rules_of("cdhs"[trump])
        expected = {
            card
            for card in names(game, game.SPEC.kernels.legal(games, 0))
            if naive.value([*trick, (0, card)], hands, seats, rules) == 1
        }
        assert set(names(game, winning)) == expected, game.SPEC.text(games[0])
        tried += 1
    assert tried > 100


@pytest.mark.parametrize(("name", "options"), [("euchre", {}), ("euchre", {"bidding": "forced-spades"}), ("whist", {})])
def test_votes_are_those_of_the_naive_version(name, options):
    """The same worlds, drawn from the same stream: the same shares of the points, and the lowest of the best is played."""
    game, slots, open_position, rules_of = GAMES[name]
    n = 8
    player = Poe(name, worlds=n)
    positions = worlds.new_positions()
    tried = 0
    for k, (games, views) in enumerate(positions_with_views(name, 5 if name == "euchre" else 2, seed=3, **options)):
        v = views[0]
        trump = int(v["trump"])
        streams = seed_streams(k, 1)
        ways = open_position(views, 0, positions, 0)
        dealt = []
        for _ in range(n):
            worlds.deal_hidden(positions, 0, *ways, streams, 0)
            dealt.append({s: names(game, cards_of(int(positions[0]["hands"][s]), trump, slots)) for s in (1, 2, 3)})
        trick, seats = naive_trick(game, v)
        rules = rules_of("cdhs"[trump])
        legal = names(game, game.SPEC.kernels.legal(games, 0))
        votes = naive.votes(trick, legal, dealt, seats, rules)
        total = sum(votes.values())
        best = min(legal, key=lambda card: (-votes[card], rules.height(card)))
        rows, masks = rows_of(name, games)
        scores = player.scores(rows, masks, seed_streams(k, 1))[0]
        for card, points in votes.items():
            assert scores[game.DECK.card(card)] == pytest.approx(100 * points / total), game.SPEC.text(games[0])
        assert np.isnan(scores[masks[0] == 0]).all()
        assert game.DECK.text(int(player.act(rows, masks, seed_streams(k, 1))[0])) == best, game.SPEC.text(games[0])
        tried += 1
    assert tried > 60


WHIST = "dealer=3 shown=2s hands="


def test_the_lowest_of_sure_winners_is_played():
    """The last hand plays the lowest card that wins: every world gives it two points and the higher ones one."""
    line = WHIST + (
        "2c3c4c5c2d3d4d5d2h3h4h5h9s/6c7c8c9cTc6d7d8d9d6h7h8h9h/JcTdJdQdTh3s4s5s6s7s8sTsJs/QcKcAcKdAdJhQhKhAh2sQsKsAs"
    )
    observation = observed("whist", line + " actions=2c,Tc,Jc")
    explained = Poe("whist").explain(observation, np.random.default_rng(0))
    assert explained.kind == "percent"
    assert list(explained) == [("Qc", 50.0), ("Kc", 25.0), ("Ac", 25.0)]
    assert get_game("whist").actions[Poe("whist").act(observation)] == "Qc"


def test_the_lowest_card_is_thrown_where_none_can_win():
    """Every card loses to the ruff: the lowest is a discard, not a trump, of the lowest rank, of diamonds before hearts."""
    line = WHIST + (
        "2c3c4c5c6c7c8c9cTcJcQcKcAc/9dTdJdQdKdAd8s9sTsJsQsKsAs/3d4d5d6d7d8d3h4h5h3s4s5s6s/2d2h6h7h8h9hThJhQhKhAh2s7s"
    )
    for ruff in ("As", "8s"):
        explained = Poe("whist").explain(observed("whist", f"{line} actions=2c,{ruff}"), np.random.default_rng(0))
        assert explained[0] == ("3d", 100.0)
        assert [score for _, score in explained[1:]] == [0.0] * 4


def test_explains_the_five_best_moves_in_percent():
    spec = get_game("whist")
    observation = observation_of(spec, spec.deal(3))
    player = Poe("whist")
    explained = player.explain(observation, seed_streams(5, 1))
    assert len(explained) == 5
    scores = player.scores(observation["observation"][None], observation["action_mask"][None], seed_streams(5, 1))[0]
    legal = observation["action_mask"] == 1
    assert np.nansum(scores) == pytest.approx(100)
    assert [score for _, score in explained] == sorted(scores[legal], reverse=True)[:5]
    assert all(score == scores[spec.action(name)] for name, score in explained)
    assert explained[0][0] == spec.actions[player.act(observation, rng=seed_streams(5, 1))]


def test_bids_like_the_caller_it_is_given():
    spec = get_game("euchre")
    observation = observation_of(spec, spec.deal(3))
    for calling in ("standard", "three-trumps"):
        bid = policy.make("euchre", "coop-high-low", calling=calling).act(observation, rng=np.random.default_rng(0))
        player = policy.make("euchre", "poe", calling=calling)
        assert player.act(observation, rng=np.random.default_rng(0)) == bid
        assert player.explain(observation, rng=np.random.default_rng(0))[0] == (spec.actions[bid], 100.0)


def test_reproduce_reports_tricks_a_deal(tmp_path, capsys):
    report = tmp_path / "poe.md"
    assert cli.main(["reproduce", "poe", "--deals", "40", "--seed", "2", "--json", "--markdown", str(report)]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert [row["opponent"] for row in figures["results"]] == ["random", "low", "high-low", "coop-high-low"]
    for row in figures["results"]:
        own, other = row["tricks_per_deal"]
        assert own + other == pytest.approx(13)
        assert row["tricks_per_deal_ci95"][0] < own < row["tricks_per_deal_ci95"][1]
        assert row["mean_points"] == pytest.approx(row["points_per_deal"][0] - row["points_per_deal"][1])
        assert f"| {row['opponent']} | {own:.2f} : {other:.2f} " in report.read_text()
    assert "`cardenvs reproduce poe --deals 40 --worlds 100 --seed 2 --report FILE`" in report.read_text()


def test_reproduce_prints_a_table_and_names_unknown_opponents(capsys):
    assert cli.main(["reproduce", "poe", "--deals", "5", "--worlds", "3", "--opponent", "high"]) == 0
    assert "won, %" in capsys.readouterr().out
    assert cli.main(["reproduce", "poe", "--opponent", "high", "--opponent", "nobody"]) == 2
    assert "unknown policy 'nobody' for whist" in capsys.readouterr().err


def test_what_stands_behind_the_numbers_is_cut_with_the_moves(monkeypatch):
    spec = get_game("whist")
    observation = observation_of(spec, spec.deal(3))
    player = Poe("whist")
    plain = player.explain(observation, seed_streams(5, 1))
    assert (plain.errors, plain.visits) == ((), ())

    def weigh(*arguments):
        scores, chosen = player.evaluate(*arguments, False)
        return scores, chosen, np.arange(52.0)[None], np.arange(52)[None]

    monkeypatch.setattr(player, "weigh", weigh)
    explained = player.explain(observation, seed_streams(5, 1))
    actions = [spec.action(name) for name, _ in explained]
    assert list(explained) == list(plain) and len(actions) == 5
    assert explained.errors == tuple(map(float, actions)) and explained.visits == tuple(actions)
