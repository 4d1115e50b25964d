"""The clauses of ``docs/rules/euchre.md``: random games against `naive.euchre`, what these do not show, lines of text."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import SUITS
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER
from cardenvs.envs.batch import Batch
from cardenvs.games.euchre import DECK, PHASES, SPEC, dealt_hands
from tests.helpers.positions import view_of
from tests.naive import euchre as naive

pytestmark = pytest.mark.compiled

# Seat 0 deals. Under hearts seat 0 has the left bower and seat 2 the right one, seat 3 has no trump.
BASE = "euchre hands=9cTdJdAhKs/JcQdThKhAs/TcKcAdJhQs/QcAc9dKd9s turned=Qh"


def at(*actions: str, deal: str = BASE, **options: Any) -> Games:
    """The position after ``actions``."""
    return SPEC.parse(f"{deal} actions={','.join(actions)}", **options)


def legal(games: Games) -> set[str]:
    """The names of the legal actions."""
    actions = SPEC.legal(games)
    return {name for k, name in enumerate(SPEC.actions) if actions >> k & 1}


def cards(cards: Any) -> set[str]:
    """A card set as the naive version writes it."""
    return set(naive.cards_of(DECK.format(int(cards))))


def test_e2_every_card_and_pair_of_cards_lies_everywhere_as_often_as_it_should() -> None:
    """48 tests at 1e-6 each: a correct deal would fail a seed in twenty thousand."""
    n = 20_000
    streams = seed_streams(2, n)
    games = SPEC.new_games(n)
    for i in range(n):
        SPEC.kernels.deal(games, i, streams, i)
    piles = np.stack([*games["hands"].T, games["turned"], games["kitty"]])
    where = np.array([((piles >> card & 1) * np.arange(6)[:, None]).sum(0) for card in range(24)])
    assert ((piles[:, None] >> np.arange(24)[:, None] & 1).sum(0) == 1).all(), "each card in one pile"
    sizes = np.array([5, 5, 5, 5, 1, 3])
    assert all(((piles[k][:, None] >> np.arange(24) & 1).sum(1) == sizes[k]).all() for k in range(6))
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    for card in range(24):
        assert chisquare(np.bincount(where[card], minlength=6), n * sizes / 24).pvalue > 1e-6
        counts = np.bincount(where[card] * 6 + where[card - 1], minlength=36)
        possible = pairs.ravel() > 0
        assert not counts[~possible].any()
        assert chisquare(counts[possible], n * pairs.ravel()[possible] / (24 * 23)).pvalue > 1e-6


@pytest.mark.parametrize("bidding", ["full", "forced-spades"])
def test_e3_e34_the_first_dealer_is_random(bidding: str) -> None:
    """Both at 1e-6."""
    n = 4000
    games = Batch(SPEC, n, seed=3, bidding=bidding).games
    assert chisquare(np.bincount(games["dealer"], minlength=4)).pvalue > 1e-6


def test_e13_only_the_dealer_sees_the_discard() -> None:
    """The turned card is kept in one game and discarded in the other, and nobody but the dealer can tell."""
    one, two = at("order-up", "9c"), at("order-up", "Qh")
    for seat in (1, 2, 3):
        assert (SPEC.observation(one, seat) == SPEC.observation(two, seat)).all()
        assert view_of(SPEC, one, seat).tobytes() == view_of(SPEC, two, seat).tobytes()
        assert SPEC.history(view_of(SPEC, one, seat)[0]) == ["order-up", "?"]
    assert SPEC.history(view_of(SPEC, one, 0)[0]) == ["order-up", "9c"]
    where = SPEC.slices["discard"]
    assert SPEC.observation(two, 0)[where].nonzero()[0].tolist() == [DECK.card("Qh")]


def test_e15_the_card_that_is_not_picked_up_is_out_of_play() -> None:
    games = at("pass", "order-up-alone", "Kh", "Jh", "Ac")
    for seat in range(4):
        row = SPEC.observation(games, seat)
        for other in ("left", "partner", "right"):
            assert not row[SPEC.slices[f"could_hold_{other}"]][DECK.card("Qh")]


def test_e17_the_seat_that_sits_out_keeps_its_cards_and_shares_the_points() -> None:
    (line,) = (line for line, _, points in GOLDEN if points == (4, 0))
    g = SPEC.parse(line)[0]
    assert g["alone"] and g["maker"] == 0 and len(cards(g["hands"][2])) == 5 and not g["played"][2]
    batch = Batch(SPEC, 1, seed=0)
    finish(batch, line)
    assert batch.rewards[0].tolist() == [4, -4, 4, -4]


GOLDEN: list[tuple[str, tuple[int, ...], tuple[int, int]]] = [
    # nobody calls
    ("euchre hands=9cTdJdAhKs/JcQdThKhAs/TcKcAdJhQs/QcAc9dKd9s turned=Qh dealer=2 "
     "actions=pass,pass,pass,pass,pass,pass,pass,pass",
     (0, 0, 0, 0), (0, 0)),
    # the dealer discards the card that it picked up; three tricks
    ("euchre dealer=1 hands=TcJcKdThJs/Qd9hKhQsAs/TdJdAdQhAh/9cQcKcAcJh turned=Ts "
     "actions=order-up,Kh,Ah,Jh,Th,9h,Ad,Kc,Kd,Qd,Td,Qc,Jc,Qs,Tc,As,Jd,Ac,Ts,Qh,9c,Js",
     (2, 1, 2, 0), (1, 0)),
    # called in the second round; three tricks
    ("euchre dealer=2 hands=TcAcQhKhJs/Kc9dTdKdTs/JcQdThQsAs/9cJdAd9hAh turned=Ks "
     "actions=pass,pass,pass,pass,call-diamonds,9h,Kh,Ts,Th,Js,Td,As,Jd,Ah,Qh,Kc,Qd,Jc,9c,Ac,Kd,9d,Qs,Ad,Tc",
     (1, 1, 1, 2), (0, 1)),
    # a march
    ("euchre dealer=0 hands=9hThJhAhJs/9dKh9sKsAs/9cKcJdQdAd/JcQcAcTdKd turned=Qh "
     "actions=pass,pass,pass,order-up,9h,9s,Ad,Qc,Js,Qh,Kh,Jd,Ac,Kc,Jc,Th,As,Jh,9d,Qd,Kd,Ah,Ks,9c,Td",
     (4, 0, 1, 0), (2, 0)),
    # euchred
    ("euchre dealer=3 hands=Ad9hJhKhAs/9cKc9dQhAh/TcJcAcQdKd/JdTh9sTsJs turned=Qc "
     "actions=pass,pass,pass,order-up,Jd,As,9d,Tc,Ts,Jc,Js,Kh,9c,Ac,Qc,9h,Kc,Qd,Th,Ad,Qh,Jh,Ah,Kd,9s",
     (1, 1, 3, 0), (2, 0)),
    # a lone march by the dealer
    ("euchre dealer=0 hands=JcKcKdKhKs/9cTcTdQhQs/Ac9dQdTh9s/Ad9hJhTsJs turned=Qc "
     "actions=pass,pass,pass,order-up-alone,Ks,Tc,Js,Jc,Qc,9c,Jh,Kh,Qh,9h,Kc,Qs,Ad,Kd,Td,Ts",
     (5, 0, 0, 0), (4, 0)),
    # a lone march with the dealer sitting out
    ("euchre dealer=1 hands=9cTdAdKhQs/TcJcKcQdTh/9dJd9h9sTs/AcAhJsKsAs turned=Qc "
     "actions=pass,order-up-alone,9h,Ah,Kh,Ks,Qs,Ts,As,Ad,9s,Js,9c,Jd,Ac,Td,9d",
     (0, 0, 0, 5), (0, 4)),
    # alone, left of the dealer sits out; four tricks
    ("euchre dealer=1 hands=QcAcTdAdJh/JcQd9hThQh/Tc9dJsQsKs/9cKcJdKhTs turned=Kd "
     "actions=pass,pass,order-up-alone,Qh,9c,Qc,Jc,Ac,Qd,Kc,9h,Kh,Td,Ad,Kd,Jd,Ts,Jh,Th",
     (3, 1, 0, 1), (1, 0)),
    # alone and euchred
    ("euchre dealer=3 hands=Ac9hQh9sJs/TcJcKcTdKh/9cAdAhTsQs/Qc9dKdThKs turned=As "
     "actions=pass,pass,pass,order-up-alone,9d,Ac,9c,Qc,Qh,Ah,Th,Ad,Kd,9h,Ts,Ks,9s,As,Js,Qs",
     (2, 0, 2, 1), (2, 0)),
    # forced spades, the dealer's side makes it
    ("euchre bidding=forced-spades dealer=1 hands=KcAcTdQdAs/AdThJh9sJs/QcJdQhKhKs/Jc9d9hAhTs turned=Tc "
     "actions=Qh,9h,Qd,Th,Kh,Ah,Kc,Jh,Jc,As,9s,Ks,9d,Td,Ad,Jd,Js,Qc,Ts,Ac",
     (0, 2, 1, 2), (0, 1)),
    # forced spades, the dealer's side is euchred
    ("euchre bidding=forced-spades dealer=2 hands=KcQdThTsAs/Jd9hJhJsQs/9dTdAdKhAh/TcJcQcAcQh turned=9s "
     "actions=Qh,Th,Jh,Ah,Ad,Jc,Qd,Jd,Qc,Kc,Qs,9d,Js,Td,Ac,Ts,9h,Kh,Tc,As",
     (1, 2, 1, 1), (0, 2)),
]  # fmt: skip
"""Whole deals: the line, the tricks of each seat, the points of each side."""


def finish(batch: Batch, line: str) -> None:
    """Puts the batch before the last action of ``line``, and plays that."""
    start, _, last = line.rpartition(",")
    batch.set_games(SPEC.parse(start, **batch.options))
    batch.step(np.array([SPEC.action(last)]))


@pytest.mark.parametrize(("line", "tricks", "points"), GOLDEN)
def test_golden_lines(line: str, tricks: tuple[int, ...], points: tuple[int, int]) -> None:
    games = SPEC.parse(line)
    outcome = SPEC.outcome(games)
    assert outcome.tricks == tuple(games[0]["tricks"]) == tricks
    assert outcome.points == tuple(games[0]["score"]) == points
    deal = naive.read(line)
    assert (tuple(deal.tricks), tuple(deal.points)) == (tricks, points)
    assert line.split()[-1] == SPEC.text(games[0]).split()[-1]


@pytest.mark.parametrize("maker", range(4))
@pytest.mark.parametrize(
    ("makers_tricks", "alone", "makers", "defenders"),
    [
        (3, 0, 1, 0),  # [E24]
        (4, 0, 1, 0),
        (5, 0, 2, 0),  # [E25]
        (5, 1, 4, 0),  # [E26]
        (3, 1, 1, 0),  # [E27]
        (4, 1, 1, 0),
        *((tricks, alone, 0, 2) for tricks in (0, 1, 2) for alone in (0, 1)),  # [E28]
    ],
)
def test_e24_to_e28_points(maker: int, makers_tricks: int, alone: int, makers: int, defenders: int) -> None:
    """Who took how many tricks is made up; that the score follows is seen in the random games below."""
    games = SPEC.parse(GOLDEN[2][0])
    g = games[0]
    g["maker"], g["alone"], g["tricks"] = maker, alone, 0
    g["tricks"][maker] = makers_tricks
    g["tricks"][(maker + 1) % 4] = 5 - makers_tricks
    points, tricks = np.zeros((1, 2), np.int64), np.zeros((1, 4), np.int64)
    assert SPEC.kernels.outcome(games, 0, points, tricks) == 1 << (maker % 2 if makers else 1 - maker % 2)
    assert (points[0, maker % 2], points[0, 1 - maker % 2]) == (makers, defenders)
    assert naive.points_of(makers_tricks, bool(alone)) == (makers, defenders)


@pytest.mark.parametrize("target", [5, 7, 10, 11, 15])
def test_e29_first_to_the_target(target: int) -> None:
    march = GOLDEN[6][0]  # 4 points for side 1
    for other, mine in itertools.product((0, target - 1), (0, target - 5, target - 4, target - 1)):
        line = f"{march} episode=game target={target} score={other}-{mine}"
        games = SPEC.parse(line)
        won = mine + 4 >= target
        assert SPEC.outcome(games).winners == ((1,) if won else ())
        assert games[0]["over"] == (EPISODE_OVER if won else DEAL_OVER)
        assert tuple(games[0]["score"]) == (other, mine + 4), "points beyond the target are kept"
        SPEC.kernels.deal(games, 0, seed_streams(1, 1), 0)
        assert tuple(games[0]["score"]) == ((0, 0) if won else (other, mine + 4))


def test_e32_the_turned_card_is_out_of_play_and_seen() -> None:
    games = at(bidding="forced-spades")
    assert not games[0]["picked_up"] and not any(hand & games[0]["turned"] for hand in games[0]["hands"])
    for seat in range(4):
        row = SPEC.observation(games, seat)
        assert row[SPEC.slices["turned"]].nonzero()[0].tolist() == [DECK.card("Qh")]
        assert not row[SPEC.slices["could_hold_left"]][DECK.card("Qh")]


def test_e35_e36_a_view_holds_what_is_public_and_the_own_hand() -> None:
    games = at("pass", "order-up", "Td", "Kh", "Jh", "9s", "Jd", "Qs", deal=f"{BASE} score=3-7")
    g = games[0]
    for seat in range(4):
        v = view_of(SPEC, games, seat)[0]
        left = np.roll(np.arange(4), -seat)
        assert v["hands"].tolist() == [g["hands"][seat], 0, 0, 0]
        assert v["discard"] == (g["discard"] if seat == 0 else 0) and v["kitty"] == 0
        for name in ("played", "trick", "tricks", "voids"):
            assert v[name].tolist() == g[name][left].tolist()
        for name in ("dealer", "maker", "to_act", "leader", "winner"):
            assert v[name] == (g[name] - seat) % 4
        for name in ("turned", "trump", "alone", "picked_up", "passes", "phase", "over"):
            assert v[name] == g[name]
        assert v["score"].tolist() == ([3, 7] if seat % 2 == 0 else [7, 3])
        hidden = ["pass", "order-up", "Td" if seat == 0 else "?", "Kh", "Jh", "9s", "Jd", "Qs"]
        assert SPEC.history(v) == hidden


def test_e36_nothing_is_shown_when_the_deal_is_over() -> None:
    for line, _, _ in GOLDEN:
        games = SPEC.parse(line)
        for seat in range(4):
            v = view_of(SPEC, games, seat)[0]
            assert not v["kitty"] and not v["hands"][1:].any()
            assert not v["discard"] or seat == games[0]["dealer"]


def test_e37_not_following_shows_a_void() -> None:
    games = at("order-up", "Qh", "Qd", "Ad", "9d", "Td", "Jh", "9s", "Ah", "Th")
    for seat in range(3):
        could = SPEC.observation(games, seat)[SPEC.slices[f"could_hold_{('right', 'partner', 'left')[seat]}"]]
        held = {DECK.text(int(card)) for card in could.nonzero()[0]}
        assert not {card for card in held if naive.effective_suit(card, "h") == "h"}
        assert "9c" in held or seat == 0, "the nine of clubs may be anywhere unless it is one's own"


@pytest.mark.parametrize(("score", "ends"), [("0-0", False), ("9-6", True), ("9-5", False)])
def test_e38_e39_only_the_end_of_a_game_pays_for_a_win(score: str, ends: bool) -> None:
    batch = Batch(SPEC, 1, seed=0, reward="win", episode="game", restart=False)
    finish(batch, f"{GOLDEN[6][0].replace('actions', f'score={score} actions')}")
    assert batch.ended[0] == (EPISODE_OVER if ends else DEAL_OVER)
    assert batch.rewards[0].tolist() == ([-1, 1, -1, 1] if ends else [0, 0, 0, 0])
    assert batch.points[0].tolist() == [0, 4] and batch.tricks[0].tolist() == [0, 0, 0, 5]


@pytest.mark.parametrize(
    ("reward", "share", "golden", "rewards"),
    [
        ("points", 1.0, 3, (2, -2, 2, -2)), ("points", 1.0, 6, (-4, 4, -4, 4)), ("tricks", 1.0, 3, (5, -5, 5, -5)),
        ("tricks", 1.0, 8, (3, -3, 3, -3)), ("win", 1.0, 3, (1, -1, 1, -1)), ("win", 1.0, 6, (-1, 1, -1, 1)),
        *((reward, 1.0, 0, (0, 0, 0, 0)) for reward in ("points", "tricks", "win")),
        ("points", 0.0, 3, (3.2, -2, 0.8, -2)),  # tricks 4 and 1: 2 * 2 * 4/5 and 2 * 2 * 1/5
        ("points", 0.5, 3, (2.6, -2, 1.4, -2)), ("points", 0.0, 8, (2, -2, 2, -2)), ("tricks", 0.0, 8, (3, -4, 3, -2)),
        ("tricks", 0.25, 8, (3, -3.75, 3, -2.25)), ("win", 0.0, 6, (-1, 0, -1, 2)), ("points", 0.0, 0, (0, 0, 0, 0)),
    ],
)  # fmt: skip
def test_e38_to_e40_rewards_of_a_deal(reward: str, share: float, golden: int, rewards: tuple[float, ...]) -> None:
    batch = Batch(SPEC, 1, seed=0, reward=reward, team_share=share, restart=False)
    finish(batch, GOLDEN[golden][0])
    assert batch.ended[0] == EPISODE_OVER
    assert batch.rewards[0].tolist() == pytest.approx(rewards)


def sort_of(deal: naive.Deal, action: str) -> tuple[str, int, str]:
    """The phase of an action, before it is done, how far from the dealer its seat is, and of what sort it is."""
    assert deal.to_act is not None
    last = action.rpartition("-")[2]
    if deal.phase == "playing":
        assert deal.trump is not None
        left, holds = "J" + naive.SAME_COLOUR[deal.trump], len(deal.hands[deal.to_act])
        return deal.phase, 0, "left bower" if action == left and len(deal.legal()) < min(holds, 2) else "card"
    sort = {"pass": "pass", "alone": "alone", deal.turned: "turned"}.get(last, "other")
    return deal.phase, (deal.to_act - deal.dealer) % 4, sort


def choose(actions: set[str], rng: random.Random) -> str:
    """A random action that passes four times out of five, so that the second round is bid as well."""
    if "pass" in actions and rng.random() < 0.8:
        return "pass"
    return rng.choice(sorted(actions))


def compare(games: Games, deal: naive.Deal) -> None:
    """Every field that follows from the rules."""
    g = games[0]
    line = SPEC.text(g)
    assert legal(games) == deal.legal(), line
    assert g["to_act"] == (-1 if deal.to_act is None else deal.to_act), line
    assert PHASES[g["phase"]] == deal.phase, line
    assert [cards(hand) for hand in g["hands"]] == [set(hand) for hand in deal.hands], line
    assert cards(g["discard"]) == ({deal.discard} if deal.discard else set()), line
    assert (g["trump"] == 4) if deal.trump is None else (SUITS[g["trump"]] == deal.trump), line
    assert g["maker"] == (-1 if deal.maker is None else deal.maker), line
    assert (bool(g["alone"]), bool(g["picked_up"])) == (deal.alone, deal.picked_up), line
    assert g["tricks"].tolist() == deal.tricks, line
    trick = dict(deal.trick)
    assert [cards(card) for card in g["trick"]] == [{trick[k]} if k in trick else set() for k in range(4)], line
    played: list[set[str]] = [set(), set(), set(), set()]
    for seat, card in itertools.chain(deal.trick, *deal.past_tricks):
        played[seat].add(card)
    assert [cards(bits) for bits in g["played"]] == played, line
    if deal.trick:
        assert deal.trump is not None
        assert (g["leader"], g["winner"]) == (deal.trick[0][0], naive.trick_winner(deal.trick, deal.trump)), line
    else:
        assert (g["leader"], g["winner"]) == (deal.to_act if deal.phase == "playing" else -1, -1), line
    voids = [{SUITS[suit] for suit in range(4) if bits >> suit & 1} for bits in g["voids"]]
    assert voids == naive.shown_voids(deal), line
    assert [cards(hand) for hand in dealt_hands(g)] == [
        {card for card in deck_part if card != deal.turned}
        for deck_part in (
            set(deal.hands[k]) | played[k] | ({deal.discard} if k == deal.dealer and deal.discard else set())
            for k in range(4)
        )
    ], line


@pytest.mark.parametrize(
    ("deals", "options"),
    [
        (250, {}), (150, {"stick_the_dealer": True}), (40, {"bidding": "forced-spades"}), (60, {"episode": "game"}),
        (40, {"episode": "game", "target": 5, "stick_the_dealer": True}), (30, {"episode": "game", "target": 7}),
        (30, {"episode": "game", "target": 11, "bidding": "forced-spades"}), (30, {"episode": "game", "target": 15}),
    ],
    ids=str,
)  # fmt: skip
def test_random_games_agree_with_the_naive_rules(deals: int, options: dict[str, Any]) -> None:
    """What the clauses speak of comes up in them: [E3 to E12], [E14 to E16], [E18 to E23], [E30 to E34], [E37]."""
    rng, seen = random.Random(str(options)), set[tuple[str, int, str]]()
    streams = seed_streams(11, 1)
    games = SPEC.new_games(1, **options)
    game = naive.Game(options.get("target", 10), options.get("episode", "deal"))
    dealer = None
    for _ in range(deals):
        SPEC.kernels.deal(games, 0, streams, 0)
        g = games[0]
        assert dealer is None or g["dealer"] == dealer
        hands = [naive.cards_of(DECK.format(int(hand))) for hand in g["hands"]]
        kitty = naive.cards_of(DECK.format(int(g["kitty"])))
        rules = options.get("bidding", "full"), options.get("stick_the_dealer", False)
        deal = naive.Deal(hands, DECK.format(int(g["turned"])), kitty, int(g["dealer"]), *rules)
        while True:
            compare(games, deal)
            assert g["score"].tolist() == game.score
            if deal.to_act is None:
                break
            action = choose(deal.legal(), rng)
            seen.add(sort_of(deal, action))
            SPEC.kernels.step(games, 0, SPEC.action(action))
            deal.play(action)
            if deal.to_act is None:
                game.add(deal.points)
        outcome, winner = SPEC.outcome(games), game.winner(deal.points)
        assert (list(outcome.points), list(outcome.tricks)) == (deal.points, deal.tricks)
        assert outcome.winners == (((0, 1) if game.over() else ()) if winner is None else (winner,))
        assert g["over"] == (EPISODE_OVER if game.over() else DEAL_OVER)
        dealer = None if game.over() else (deal.dealer + 1) % 4
        if game.over():
            game.score = [0, 0]
    if options in ({}, {"stick_the_dealer": True}):
        kinds = ("pass", "alone", "other")
        bids = {(phase, k, kind) for phase in ("ordering", "calling") for k in range(4) for kind in kinds}
        others = {
            ("discarding", 0, "turned"),
            ("discarding", 0, "other"),
            *(("playing", 0, x) for x in ("left bower", "card")),
        }
        assert seen == (bids | others) - ({("calling", 0, "pass")} if options else set())


def test_e41_a_line_in_full() -> None:
    games = at("pass", "order-up-alone", "Kh", deal=f"{BASE} score=3-7", stick_the_dealer=True)
    assert SPEC.text(games[0]) == (
        "euchre bidding=full stick_the_dealer=yes episode=deal target=10 score=3-7 dealer=0 "
        "hands=9cTdJdAhKs/JcQdThKhAs/TcKcAdJhQs/QcAc9dKd9s turned=Qh kitty=9hTsJs actions=pass,order-up-alone,Kh"
    )


def test_e42_what_may_be_left_out() -> None:
    g = SPEC.parse(BASE)[0]
    assert (g["dealer"], g["score"].tolist(), cards(g["kitty"])) == (0, [0, 0], {"9h", "Ts", "Js"})
    assert SPEC.options_of(g) == {"bidding": "full", "stick_the_dealer": False, "episode": "deal", "target": 10}
    one = SPEC.parse(f"{BASE} target=7 dealer=2")
    two = SPEC.parse("euchre dealer=2 target=7 " + BASE.removeprefix("euchre "))
    assert one.tobytes() == two.tobytes()


def test_illegal_actions_are_named_with_what_is_legal() -> None:
    batch = Batch(SPEC, 1, seed=0, validate=True)
    batch.set_games(at("order-up", "9c", "Kh"))
    with pytest.raises(ValueError, match=r"illegal action 10 \(Kd\) for player_2 in euchre: legal are 14 \(Jh\)"):
        batch.step(np.array([SPEC.action("Kd")]))
    with pytest.raises(ValueError, match=r"illegal action 35 for player_2"):
        batch.step(np.array([35]))
