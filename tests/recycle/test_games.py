"""The descriptions that ship with the package: what must come out of them, and what others have published.

Bounds of means are the published or measured figure and three or more joint standard errors; where only a hundred games
were published, theirs is the greater part. Each test states its samples; the seeds are fixed, so nothing changes by chance.
"""

import functools
import itertools
import math
import random
import re
import statistics
from fractions import Fraction
from pathlib import Path

import pytest

from cardenvs.recycle import load, parse, shipped
from tests.helpers.described import NAMES, described, played, sample
from tests.naive import euchre as naive_euchre
from tests.naive import whist as naive_whist
from tests.naive.recycle import Card, Game, Key, Seat, Side

ENCHERE = [seats for cards in range(12, 0, -1) for seats in [cards] * 3]
BUNDLES = [cards for _ in range(3) for cards in (4, 3, 2, 1) for _ in range(4)]


def quick(cases, *names):
    """Cases, of which only those of some names are in the quick tests."""
    return [pytest.param(*case, marks=() if case[0] in names else pytest.mark.slow) for case in cases]


def mean_options(name, games):
    """The mean number of options over all decisions of some games."""
    counts = [count for one in sample(described(name), games) for count in one.options]
    return sum(counts) / len(counts)


def test_all_descriptions_are_played():
    """The reference's 21, one of them with all its rounds, too, four forms of Beacon Relay, Hanabi, and Briscola."""
    assert len(NAMES) == 28
    assert "lama-full" in NAMES


@pytest.mark.parametrize("name", NAMES)
def test_they_say_what_they_are_and_where_their_rules_are_from(name):
    description = described(name)
    head = description.source.partition("(game")[0]
    assert head.startswith(";; ")
    assert len(re.findall("^;; Source: ", head, re.MULTILINE)) == 1
    assert head.count("\n") >= 4
    assert description.remarks == ()
    assert max(map(len, description.source.splitlines())) <= 124
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name)


@pytest.mark.parametrize("name", NAMES)
def test_they_play_to_their_end_and_seeds_decide(name):
    one, again, other = (played(described(name), seed) for seed in (3, 3, 4))
    assert one.options == again.options
    assert one.game.memory.numbers == again.game.memory.numbers
    assert {key: str(cards) for key, cards in one.game.memory.places.items()} != {
        key: str(cards) for key, cards in other.game.memory.places.items()
    }
    cards = sum(deck.copies * len(deck.create.faces) for deck in described(name).decks)
    for game in (one.game, other.game):
        lying = [card for (_, kind, _), place in game.memory.places.items() if kind != "mem" for card in place]
        assert len(lying) == len(set(lying)) == cards
        ranks = game.ranks() if game.over else [0]
        assert min(ranks) == 0 and max(ranks) < described(name).players


@pytest.mark.parametrize(
    ("name", "players", "options", "convergence"),
    [
        ("enchere", 3, ENCHERE, 0.6656370657), ("stealing-bundles", 4, BUNDLES, 0.5130264872),
        ("stealing-bundles", 2, None, 0.5065132435), ("stealing-bundles", 3, None, 0.5097698654),
        # five bets, five discards, five bets, in each of five deals
        ("poker", 5, ([10] * 5 + [26] * 5 + [10] * 5) * 5, None),
    ],
)  # fmt: skip
def test_options_of_games_in_which_they_are_always_as_many(name, players, options, convergence):
    for one in sample(described(name, players), 3):
        assert options is None or one.options == options
        assert convergence is None or one.convergence == pytest.approx(convergence, abs=1e-10)
        if name == "poker":  # each deal is led by the next seat
            assert one.seats[::15] == [0, 1, 2, 3, 4]
        elif options is BUNDLES:
            assert one.seats[::16] == [0, 1, 2]


def test_options_of_games_with_as_many_at_each_decision():
    assert all(set(one.options) == {2} for one in sample(described("pairs"), 5))
    assert all(set(one.options) == {4} for one in sample(described("ninety-eight"), 5))
    assert all(set(one.options) <= {2} for one in sample(described("kuhn-poker"), 5))


@pytest.mark.parametrize(
    ("name", "decisions", "sums"),
    [
        ("agram", 24, {1}), ("black-maria", 52, {26, -26}), ("briscola", 40, {120}), ("enchere", 36, {28}),
        ("enchere-avancee", 39, {10}), ("euchre", 20, {2, 4}), ("hearts", 52, {26, -26}), ("hearts-7q", 52, {20, -26}),
        ("hearts-no-moon", 52, {26}), ("hearts-omnibus", 52, {16, -36}), ("knaves", 51, None), ("kuhn-poker", None, {0}),
        ("ninety-eight", None, {-1}), ("ninety-eight-no-king", None, {-1}), ("poker", 75, {500}), ("polignac", 32, {5}),
        ("slobberhannes", 32, {3, 4}), ("stealing-bundles", 48, None), ("whist", 52, None),
    ],
)  # fmt: skip
def test_decisions_and_sums_of_scores(name, decisions, sums):
    for one in sample(described(name), 2 if name == "poker" or not sums else 4):
        assert decisions is None or (len(one.options) == decisions and one.game.over)
        assert sums is None or sum(one.game.scores()) in sums


def turned(game):
    """The card that sets trump in Knaves."""
    (card,) = game.place(None, "iloc", "STOCK")
    return card


def test_scores_of_knaves():
    """17 tricks less the jacks: 7, and what the jack costs that is not dealt."""
    for one in sample(described("knaves"), 20):
        card = turned(one.game)
        spared = {"HEARTS": 4, "DIAMONDS": 3, "CLUBS": 2, "SPADES": 1}[card.values["SUIT"]]
        assert sum(one.game.scores()) == 7 + (spared if card.values["RANK"] == "JACK" else 0)


def test_scores_of_hearts_count_what_was_taken():
    for one in sample(described("hearts"), 20):
        for seat, score in enumerate(one.game.scores()):
            taken = [repr(card) for card in one.game.place(seat, "vloc", "WON")]
            assert score == sum(card.endswith("HEARTS") for card in taken) + 13 * ("QUEEN.SPADES" in taken)


def shoot(name):
    """A game of Hearts in which seat 0 holds all hearts."""
    text = described(name).source
    # Unshuffled and dealt from the top, seat 0 gets the last 13 cards: with suits first, a whole suit.
    swapped, count = re.subn(r"(\(RANK [^)]*\)\))\s*\(SUIT [^)]*\)\)", r"(SUIT (CLUBS, DIAMONDS, SPADES, HEARTS)) \1", text)
    assert count == 1
    return parse(swapped.replace("(shuffle (game iloc STOCK))", "(turn pass)"))


@pytest.mark.parametrize(
    ("name", "scores"),
    [
        ("hearts", [-26, 0, 0, 0]),
        ("hearts-no-moon", [26, 0, 0, 0]),
        ("hearts-7q", [-26, 0, 0, 0]),
        ("black-maria", [-26, 0, 0, 0]),
        ("hearts-omnibus", [-36, 0, 0, 0]),  # the jack of diamonds counts beside a moon
    ],
)
def test_who_takes_everything(name, scores):
    """Seat 0 holds all hearts and leads them: everything falls to it."""
    assert played(shoot(name), 0).game.scores() == scores


@pytest.mark.parametrize("name", ["hearts", "black-maria"])
def test_leading_hearts(name):
    """In Hearts only once an earlier trick held one, or with nothing else; in Black Maria at any time."""
    restricted = 0
    for seed in range(10):
        game = Game(described(name), seed)
        broken = False
        while not game.over:
            hand = game.place(game.current, "iloc", "HAND")
            offered = [option.values[0] for option in game.options()]
            if all(not game.place(seat, "vloc", "TRICK") for seat in range(4)):
                won = [card for seat in range(4) for card in game.place(seat, "vloc", "WON")]
                broken = any(card.values["SUIT"] == "HEARTS" for card in won)
                others = [card for card in hand if card.values["SUIT"] != "HEARTS"]
                free = broken or not others or name == "black-maria"
                assert offered == (hand if free else others)
                restricted += offered != hand
            game.play(seed % len(offered))
    assert (restricted > 0) is (name == "hearts")


@functools.cache
def one_deal_of_poker():
    text = described("poker").source
    assert text.count("(end (== (game sto DEALS) 5))") == 1
    return parse(text.replace("(end (== (game sto DEALS) 5))", "(end (== (game sto DEALS) 1))"))


@pytest.mark.parametrize(
    ("hand", "value"),
    [
        ("2c 4d 7h 9s Kc", 11), ("2c 2d 7h 9s Kc", 1000), ("Ac Ad 7h 9s Kc", 1012), ("2c 2d 7h 7s Kc", 2065),
        ("Ac Ad Kh Ks 2c", 2167), ("8c 8d 8h 9s Kc", 3006), ("8c 9d Th Js Qc", 4010), ("Ac 2d 3h 4s 5c", 4003),
        ("Tc Jd Qh Ks Ac", 4012), ("Qc Kd Ah 2s 3c", 12), ("2c 4c 7c 9c Kc", 5011), ("8c 8d 8h 9s 9c", 6006),
        ("9c 9d 9h 8s 8c", 6007), ("9c 9d 9h 9s 8c", 7007), ("8c 9c Tc Jc Qc", 8010), ("Ac 2c 3c 4c 5c", 8003),
        ("Tc Jc Qc Kc Ac", 8012),
    ],
)  # fmt: skip
def test_values_of_poker_hands(hand, value):
    """Category times 1000, and the deciding card."""
    wanted = [f"{'BLACK' if card[1] in 'cs' else 'RED'}.{RANKS[card[0]]}.{SUITS[card[1]]}" for card in hand.split()]
    game = Game(one_deal_of_poker(), 0)
    for _ in range(5):
        game.play(0)
    cards = [card for place in game.memory.places.values() for card in place]
    cards.sort(key=lambda card: repr(card) not in wanted)
    assert {repr(card) for card in cards[:5]} == set(wanted)
    hands: dict[Key, list[Card]] = {(Seat(seat), "iloc", "HAND"): cards[5 * seat : 5 * seat + 5] for seat in range(5)}
    game.memory.places = hands | {(None, "iloc", "STOCK"): cards[25:]}
    while not game.over:
        game.play(0)  # stand pat, bet 1
    assert game.stored(Seat(0), "HAND") == value


def test_pots_of_poker():
    """The losers' bets are shared by the best hands, odd chips go to the first of them."""
    for seed in range(12):
        game = Game(one_deal_of_poker(), seed)
        stream = random.Random(seed)
        while not game.over:
            game.play(stream.randrange(len(game.options())))
        values = [game.stored(Seat(seat), "HAND") for seat in range(5)]
        bets = [game.stored(Seat(seat), "BET") for seat in range(5)]
        best = [seat for seat in range(5) if values[seat] == max(values)]
        pot = sum(bets[seat] for seat in range(5) if seat not in best)
        gains = [
            pot // len(best) + (pot % len(best) if seat == best[0] else 0) if seat in best else -bets[seat]
            for seat in range(5)
        ]
        assert game.scores() == [100 + gain for gain in gains]


def power(game, card, led):
    """The rank of a card in a trick by the rules: trumps, then the suit led, then the rank; 2 is lowest."""
    suit = card.values["SUIT"]
    order = game.description.decks[0].create.faces  # ranks from low to high, each in four suits
    ranks = list(dict.fromkeys(dict(face)["RANK"] for face in order))
    return suit == game.string_stored(None, "TRUMP"), suit == led, ranks.index(card.values["RANK"])


def test_a_draw_after_each_trick():
    """Who takes the trick gets the next card and leads, the other one gets the card behind; in the end none is left."""
    for seed in range(5):
        game, stream = Game(described("briscola"), seed), random.Random(seed)
        for trick in range(20):
            waiting = game.place(None, "iloc", "STOCK")[::-1]
            leader, held = game.current, [game.place(seat, "iloc", "HAND") for seat in (0, 1)]
            assert len(held[0]) == len(held[1]) == min(3, 20 - trick)
            cards = []
            for _ in range(2):
                options = [option.values[0] for option in game.options()]
                assert options == held[game.current]
                cards.append(options[index := stream.randrange(len(options))])
                game.play(index)
            led = cards[0].values["SUIT"]
            winner = leader if power(game, cards[0], led) > power(game, cards[1], led) else 1 - leader
            drawn = dict(zip((winner, 1 - winner), waiting, strict=False))
            for seat, before in enumerate(held):
                kept = [card for card in before if card not in cards]
                assert game.place(seat, "iloc", "HAND") == kept + [drawn[k] for k in drawn if k == seat]
            assert game.over or game.current == winner
        assert game.over and not waiting


RANKS = dict(
    zip(
        "23456789TJQKA",
        ["TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "JACK", "QUEEN", "KING", "ACE"],
        strict=True,
    )
)
SUITS = {"c": "CLUBS", "d": "DIAMONDS", "h": "HEARTS", "s": "SPADES"}


def short_name(card):
    """A card as the naive games write it."""
    rank = next(letter for letter, name in RANKS.items() if name == card.values["RANK"])
    return rank + card.values["SUIT"][0].lower()


def hands_of(game):
    """The four hands, as the naive games write them."""
    return [[short_name(card) for card in game.place(seat, "iloc", "HAND")] for seat in range(4)]


def play_both(game, seed, deal, state):
    """Plays a game and a naive deal at random to their end, as long as the seat to act and the legal cards are the same."""
    stream = random.Random(seed)
    while not game.over:
        cards = [short_name(option.values[0]) for option in game.options()]
        assert (game.current, sorted(cards)) == state(deal)
        index = stream.randrange(len(cards))
        deal.play(cards[index])
        game.play(index)


@pytest.mark.parametrize("games", [10, pytest.param(300, marks=pytest.mark.slow)])
def test_whist_is_the_whist_of_the_project(games):
    for seed in range(games):
        game = Game(described("whist"), seed)
        (shown,) = game.place(None, "mem", "SHOWN")
        deal = naive_whist.Deal(hands_of(game), 3, short_name(shown))
        play_both(game, seed, deal, lambda deal: (deal.seat, sorted(deal.legal)))
        assert deal.over
        sides = naive_whist.points(deal.tricks)
        assert game.scores() == [sides[seat % 2] for seat in range(4)]
        assert [game.stored(Side(side), "TRICKS") for side in (0, 1)] == [
            deal.tricks[side] + deal.tricks[side + 2] for side in (0, 1)
        ]


@pytest.mark.parametrize("games", [20, pytest.param(1000, marks=pytest.mark.slow)])
def test_euchre_is_the_forced_spades_of_the_project(games):
    for seed in range(games):
        game = Game(described("euchre"), seed)
        (shown,) = game.place(None, "vloc", "TURNED")
        kitty = [short_name(card) for card in game.place(None, "iloc", "STOCK")]
        deal = naive_euchre.Deal(hands_of(game), short_name(shown), kitty, 3, bidding="forced-spades")
        play_both(game, seed, deal, lambda deal: (deal.to_act, sorted(deal.legal())))
        assert game.scores() == [deal.points[seat % 2] for seat in range(4)]


def within(values, figure, error):
    """Whether the mean of some values is within three and a half joint standard errors of a figure."""
    joint = math.hypot(statistics.stdev(values) / math.sqrt(len(values)), error)
    return abs(statistics.mean(values) - figure) <= 3.5 * joint


DECISIONS = [
    # published at 100 games, whose standard errors are those of ours times the root of the games that we played
    ("lama", 2, [(6.0, 0.31), (5.7, 0.2)]),
    ("lama", 3, [(11.3, 0.64), (11.3, 0.3)]),
    ("lama", 4, [(17.0, 0.84), (17.2, 0.5)]),
    ("lama", 5, [(25.0, 1.16), (24.5, 0.6)]),
    ("lama", 6, [(33.8, 1.23), (34.1, 0.8)]),
    ("ninety-eight", 4, [(12.6, 0.85), (12.2, 0.5)]),
    ("ninety-eight-no-king", 4, [(35.7, 0.55), (35.89, 0.03)]),
    ("pairs", 4, [(16.1, 0.57), (16.0, 0.3)]),
]
"""Mean decisions of random games: name, seats, figures with their standard errors.

Random play of Ninety-Eight is a random order of the cards; without kings, 40,000 such orders pass 98 after 35.89 cards.
"""


@pytest.mark.parametrize("games", [40, pytest.param(600, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "players", "figures"), quick(DECISIONS, "agram", "pairs", "ninety-eight-no-king"))
def test_decisions_at_random(name, players, figures, games):
    lengths = [len(one.options) for one in sample(described(name, players), games)]
    for figure, error in figures:
        assert within(lengths, figure, error)


@pytest.mark.parametrize(
    ("name", "figure", "games"),
    quick(
        [
            ("agram", 2.40, 60), ("hearts", 3.60, 20), ("black-maria", 3.90, 20), ("polignac", 2.80, 30),
            ("knaves", 5.2, 20), ("lama", 2.6, 60), ("whist", 3.9, 20), ("enchere-avancee", 2.9, 20),
        ],
        "agram",
    ),
)  # fmt: skip
def test_mean_options_at_random(name, figure, games):
    """Within a tenth, which is two standard errors of the smallest sample or more, and a rounding."""
    assert abs(mean_options(name, games) - figure) < 0.15


CONVERGENCE = [
    ("agram", 0.56, 0.564), ("hearts", 0.54, 0.537), ("lama", 0.58, 0.586), ("stealing-bundles", 0.51, 0.513),
    ("pairs", 0.50, 0.500), ("ninety-eight", 0.50, 0.500), ("enchere-avancee", 0.537387, 0.537387),
]  # fmt: skip
"""Convergence of random games as it was published, and as it was measured where it was."""


@pytest.mark.parametrize("games", [40, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "published", "measured"), quick(CONVERGENCE, "agram", "pairs"))
def test_convergence_at_random(name, published, measured, games):
    """The published figures have two digits, LAMA's a standard error of .006, the others of .002."""
    found = [one.convergence for one in sample(described(name), games)]
    error = 0.006 if name == "lama" else 0.002
    rounding = 0 if name == "enchere-avancee" else 0.005
    own = statistics.stdev(found) / math.sqrt(games)
    assert abs(statistics.mean(found) - published) <= rounding + 3.5 * math.hypot(own, error)
    assert abs(statistics.mean(found) - measured) <= 0.0005 + 3.5 * math.hypot(own, error / 2)


LEADERS = [9.8, 9.0, 8.0, 7.1, 6.8, 6.6, 5.8, 5.4, 4.7, 4, 3, 2, 1]
FOLLOWERS = [3.3, 3.3, 3.4, 3.7, 3.6, 3.5, 3.3, 3.4, 3.1, 2.7, 2.3, 1.8, 1]


@pytest.mark.slow
def test_options_of_hearts_by_trick():
    """Published for 100 games; 200 games of ours are within .5, which is 3.5 standard errors of those."""
    found = list(sample(described("hearts"), 200))
    for trick in range(13):
        leader = statistics.mean(one.options[4 * trick] for one in found)
        others = statistics.mean(count for one in found for count in one.options[4 * trick + 1 : 4 * trick + 4])
        assert abs(leader - LEADERS[trick]) < 0.7
        assert abs(others - FOLLOWERS[trick]) < 0.5


def test_first_leads_of_hearts():
    """9.75 on average: the cards that are no hearts, or all hearts."""
    leads = [len(Game(described("hearts"), seed).options()) for seed in range(300)]
    assert within(leads, 9.75, 0)


def test_many_games_of_crazy_eights_are_broken_off():
    """About a quarter of upstream's, where an eight may be played as a plain card too."""
    found = list(sample(described("crazy-eights"), 6))
    assert all(one.game.over or len(one.options) == 500 for one in found)
    assert any(not one.game.over for one in found)
    assert any(one.game.over for one in found)


EXAMPLES = Path(__file__).parent / "examples"
KUHN = [load(EXAMPLES / "kuhn_poker.rcy"), shipped("kuhn-poker")]
CHECK, BET, FOLD, CALL = range(4)


class Draws:
    """Chance that was decided beforehand."""

    def __init__(self, draws):
        self.draws = iter(draws)

    def below(self, n):
        draw = next(self.draws)
        assert 0 <= draw < n
        return draw

    def of_decision(self, number):
        return Draws(())


def deals(description):
    """Kuhn poker after each of the six shuffles of its three cards."""
    for draws in itertools.product(range(3), range(2)):
        yield Game(description, Draws(draws))


def value(game, strategy):
    """Seat 0's score, how often it comes first, and the decisions still to come, when all follow a strategy."""
    if game.over:
        return Fraction(game.scores()[0]), Fraction(game.ranks()[0] == 0), Fraction(0)
    worth = (Fraction(0), Fraction(0), Fraction(1))
    options = game.options()
    chances = strategy(game, [option.alternative for option in options])
    assert sum(chances) == 1
    for index, chance in enumerate(chances):
        after = game.copy()
        after.play(index)
        worth = tuple(was + chance * more for was, more in zip(worth, value(after, strategy), strict=True))
    return worth


def mean_value(description, strategy):
    """Its mean over all deals."""
    found = [value(game, strategy) for game in deals(description)]
    assert len(found) == 6
    return tuple(sum(column) / 6 for column in zip(*found, strict=True))


def uniform(game, alternatives):
    return [Fraction(1, len(alternatives))] * len(alternatives)


def equilibrium(alpha):
    """Both seats' strategy, by how often seat 0 bets a jack (Kuhn 1950)."""
    third = Fraction(1, 3)
    leading = {"JACK": alpha, "QUEEN": 0, "KING": 3 * alpha}
    calling = [{"JACK": 0, "QUEEN": alpha + third, "KING": 1}, {"JACK": 0, "QUEEN": third, "KING": 1}]
    after_check = {"JACK": third, "QUEEN": 0, "KING": 1}

    def strategy(game, alternatives):
        (card,) = (repr(card) for card in game.place(game.current, "iloc", "HAND"))
        if alternatives == [CHECK, BET]:
            bold = Fraction((leading if game.decisions == 0 else after_check)[card])
        else:
            assert alternatives == [FOLD, CALL]
            bold = Fraction(calling[game.current][card])
        return [1 - bold, bold]

    return strategy


@pytest.mark.parametrize("description", KUHN, ids=["page", "shipped"])
@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 5), Fraction(1, 3)])
def test_kuhn_poker_is_worth_minus_an_eighteenth(description, alpha):
    assert mean_value(description, equilibrium(alpha))[0] == Fraction(-1, 18)


@pytest.mark.parametrize("description", KUHN, ids=["page", "shipped"])
def test_kuhn_poker_between_uniform_players(description):
    """+1/8 to the first player, who is ahead in 9/16, and 9/4 decisions."""
    assert mean_value(description, uniform) == (Fraction(1, 8), Fraction(9, 16), Fraction(9, 4))


def test_high_card():
    """Two decisions of two options; each seat wins half: the first of 500 games within four standard errors."""
    found = list(sample(load(EXAMPLES / "high_card.rcy"), 500))
    assert all(one.options == [2, 2] and sum(one.game.scores()) == 1 for one in found)
    assert abs(sum(one.game.scores()[0] for one in found) - 250) < 4 * (500 / 4) ** 0.5


def test_agram():
    """24 decisions, 2.4 options, convergence .56: 60 games within five standard errors."""
    found = list(sample(load(EXAMPLES / "agram.rcy"), 60))
    assert all(len(one.options) == 24 and sum(one.game.scores()) == 1 for one in found)
    assert abs(sum(sum(one.options) for one in found) / (24 * 60) - 2.4) < 0.1
    assert abs(sum(one.convergence for one in found) / 60 - 0.564) < 0.01
