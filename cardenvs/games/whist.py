"""Whist: two partnerships, 52 cards, thirteen tricks; the last card dealt is shown and its suit is trump.

The rules are the numbered clauses of ``docs/rules/whist.md``, cited here as [W..]. Sources: classic Whist as described
under Hoyle's name and by Pagat; the single deal without a score kept is that of POE, the Whist engine (Diamond, 2019).

Options: ``episode`` (deal, game), ``target`` points of a game.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, popcount, read_bits, write_bits
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract import loops
from cardenvs.contract.cards import FULL_DECK, SUIT_NAMES, SUIT_SYMBOLS, card_name
from cardenvs.contract.definition import define_game
from cardenvs.contract.fields import Games, Part
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.lines import check_piles, int_field
from cardenvs.contract.options import Option
from cardenvs.contract.outcome import ActionWords
from cardenvs.contract.sources import BitSet, OneHot
from cardenvs.games import tricks
from cardenvs.games._view_audit import Pile, Sights, false_claim, hands_by

# --- actions -------------------------------------------------------------------------------------------------------

DECK = FULL_DECK
ACTIONS = tuple(DECK.text(card) for card in range(52))
"""Plays a card: action and card have the same number."""

# --- the state -----------------------------------------------------------------------------------------------------

MAX_STEPS = 52

OPTIONS = (
    Option("episode", ("deal", "game"), "an episode is one deal, or deals until a side reaches the target"),
    Option("target", (5, 7, 10), "points that win a game"),
)
_MAX_SCORE = 10

STATE = np.dtype(
    [
        # options
        ("episode", np.int64),  # 0 deal, 1 game
        ("target", np.int64),  # points that win a game
        # the game
        ("score", np.int64, (2,)),  # points of each side at the start of the deal, and after it once it is over
        ("dealer", np.int64),  # seat
        # the deal
        ("hands", np.int64, (4,)),  # card set each seat holds now
        ("shown", np.int64),  # the dealer's last card, as a set; it stays here when it is played
        ("trump", np.int64),  # the suit of the shown card
        # play
        ("to_act", np.int64),  # seat, -1 when the deal is over
        ("leader", np.int64),  # seat that leads the current trick, -1 when the deal is over
        ("winner", np.int64),  # seat whose card is winning the current trick, -1 if that is empty
        ("trick", np.int64, (4,)),  # each seat's card in the current trick, as a set
        ("played", np.int64, (4,)),  # all cards each seat has played
        ("voids", np.int64, (4,)),  # a bit for each suit that the seat has shown out of
        ("tricks", np.int64, (4,)),  # tricks each seat has won
        ("over", np.int64),  # loops.RUNNING, DEAL_OVER or EPISODE_OVER
        # history
        ("moves", np.int64),  # actions so far in this deal; fewer where the first are not known
        ("history", np.int8, (56,)),  # these actions, in order
    ],
    align=True,
)

_ALL_CARDS = np.int64(DECK.all)
_LOOKUPS = tricks.suit_lookups(DECK, bowers=False)
SUIT_SETS, SUIT_OF, STRENGTH = _LOOKUPS
_VOID_SETS = tricks.void_sets(_LOOKUPS)

# --- rules ---------------------------------------------------------------------------------------------------------


@kernel
def _open_deal(games: Any, i: int) -> None:
    """Sets all fields except cards, dealer, score and options for the start of a deal."""
    g = games[i]
    g.trump = SUIT_OF[0, lowest(g.shown)]  # [W5]
    tricks.open_table(g)  # [W6]
    g.leader = g.to_act


@kernel
def deal(games: Any, i: int, streams: Streams, s: int) -> None:
    """Deals the next deal of an unfinished game, else a new episode [W3 W4 W5]."""
    g = games[i]
    tricks.choose_dealer(g, streams, s)
    cards = np.arange(52)
    for k in range(39):
        other = k + below(streams, s, 52 - k)
        cards[k], cards[other] = cards[other], cards[k]
    for k in range(4):
        hand = np.int64(0)
        for card in cards[13 * k : 13 * k + 13]:
            hand |= np.int64(1) << card
        g.hands[(g.dealer + 1 + k) & 3] = hand
    # The dealer's thirteen are what is left, unshuffled: any of them is the last one dealt.
    g.shown = np.int64(1) << cards[39 + below(streams, s, 13)]
    _open_deal(games, i)


@kernel
def legal(games: Any, i: int, word: int = 0) -> int:
    """Returns the legal actions of the seat to act, a bit each [W7 W8]."""
    g = games[i]
    if g.over != loops.RUNNING:
        return np.int64(0)
    return tricks.playable_cards(g, SUIT_SETS, SUIT_OF)


@kernel
def points_for(tricks: int) -> int:
    """Returns the points of a side by its tricks: one for each above six [W12]."""
    return max(tricks - 6, 0)


@kernel
def margin(tricks: int) -> int:
    """Returns the points of a side by its tricks, less those of the other side."""
    return points_for(tricks) - points_for(13 - tricks)


@helper
def _side_points(games: Any, i: int, side: int) -> int:
    g = games[i]
    return points_for(g.tricks[side] + g.tricks[side + 2])


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Plays a legal action of the seat to act."""
    g = games[i]
    g.history[g.moves] = action
    g.moves += 1
    complete = tricks.play_card(g, action, -1, SUIT_OF, STRENGTH)  # [W9 W10]
    if complete and g.tricks[0] + g.tricks[1] + g.tricks[2] + g.tricks[3] == 13:  # [W11]
        tricks.end_deal(g, _side_points(games, i, 0), _side_points(games, i, 1))  # [W14 W15]


@kernel
def outcome(games: Any, i: int, points: Ints, tricks: Ints) -> int:
    """Writes the points and tricks of a finished deal; returns the sides that have won the episode, a bit each."""
    g = games[i]
    for seat in range(4):
        tricks[i, seat] = g.tricks[seat]
    points[i, 0] = _side_points(games, i, 0)
    points[i, 1] = _side_points(games, i, 1)
    if g.over != loops.EPISODE_OVER:
        return 0
    # Thirteen tricks are never shared evenly, and the side that reaches a target does it by this deal's points.
    return 1 if points[i, 0] > points[i, 1] else 2


# --- views and re-deals --------------------------------------------------------------------------------------------


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Writes the view of ``seat`` to ``views[j]``, turned so that it is seat 0; what it cannot know is 0 [W17 W18]."""
    g = games[i]
    v = views[j]
    tricks.view_table(g, seat, v)
    v.shown = g.shown


@helper
def unseen_cards(views: Any, i: int) -> int:
    """Returns the cards in the other hands of a view, with the shown card while another dealer holds it."""
    v = views[i]
    return _ALL_CARDS & ~(v.hands[0] | v.played[0] | v.played[1] | v.played[2] | v.played[3])


@helper
def could_hold(views: Any, i: int, seat: int, unseen: int) -> int:
    """Returns those of the ``unseen`` cards that ``seat`` (1 to 3 of a view) could still hold [W19 W20]."""
    v = views[i]
    if popcount(v.played[seat]) == 13:
        return np.int64(0)
    unseen &= ~_VOID_SETS[v.trump, v.voids[seat]]
    if seat != v.dealer:
        unseen &= ~v.shown
    return unseen


@kernel
def _redeal_constraints(views: Any, i: int) -> Any:
    """Returns constraints on a re-deal to the other hands of a view: ``suits``, ``barred`` and ``sizes`` of `count_deals`,
    without the shown card and with nothing out of play; and the cards that each hand is known to hold, int64 (4,)."""
    v = views[i]
    suits = np.empty(4, np.int64)
    barred = np.zeros(4, np.int64)
    sizes = np.zeros(4, np.int64)
    hands = np.zeros(4, np.int64)
    unseen = unseen_cards(views, i)
    for seat in range(1, 4):
        sizes[seat - 1] = 13 - popcount(v.played[seat])
        barred[seat - 1] = v.voids[seat]
    if unseen & v.shown != 0:  # another seat deals and has not played the shown card
        unseen ^= v.shown
        sizes[v.dealer - 1] -= 1
        hands[v.dealer - 1] = v.shown
    for suit in range(4):
        suits[suit] = unseen & SUIT_SETS[v.trump, suit]
    return suits, barred, sizes, hands


@kernel
def redeal(views: Any, i: int, streams: Streams, s: int, games: Any, j: int) -> None:
    """Writes to ``games[j]`` a full state drawn uniformly from all hidden hands consistent with a view [W21]."""
    games[j] = views[i]
    g = games[j]
    suits, barred, sizes, hands = _redeal_constraints(views, i)
    ways = tricks.count_deals(suits, barred, sizes)
    tricks.draw_deal(suits, barred, sizes, ways, streams, s, hands)
    for seat in range(1, 4):
        g.hands[seat] = hands[seat - 1]


# --- the observation -----------------------------------------------------------------------------------------------


OBSERVATION = (
    *tricks.card_parts(__name__, ACTIONS, could_hold, unseen_cards),
    Part("shown", ACTIONS, "the dealer's card that was shown", source=BitSet("shown")),
    Part("trump", SUIT_NAMES, "the trump suit", source=OneHot("trump")),
    tricks.seat_part("dealer", "who dealt", none=None),
    *tricks.turn_parts(),
    *tricks.score_parts(13, _MAX_SCORE - 1 + 7),  # one point short, then all thirteen tricks
    *tricks.episode_parts(OPTIONS[1].choices),
)

HIDDEN = tricks.other_hands(ACTIONS)


@kernel
def reveal(games: Any, i: int, seat: int, out: Bytes, row: int, column: int) -> None:
    """Writes what ``seat`` cannot see to ``out[row, column:]``, in the order of HIDDEN."""
    tricks.reveal_hands(games[i], seat, out, row, column, 52)


_NAMES = [part.name for part in OBSERVATION]
_FLAW_PARTS = tricks.flaw_parts(_NAMES)
_HISTORY, _SHOWN, _TRUMP = len(_NAMES), _NAMES.index("shown"), _NAMES.index("trump")


@kernel
def flaw(games: Any, i: int, whole: bool) -> int:
    """Returns an impossible part of a record whose numbers are in range, -1 if none (`Kernels.flaw`)."""
    g = games[i]
    if popcount(g.shown) != 1:
        return _SHOWN
    if g.trump != SUIT_OF[0, lowest(g.shown)]:
        return _TRUMP
    running = g.over == loops.RUNNING
    bad = tricks.play_flaw(g, whole, (g.dealer + 1) & 3, -1, running, 13, SUIT_SETS, SUIT_OF, STRENGTH)
    if bad < 0:
        bad = tricks.score_flaw(g, _side_points(games, i, 0), _side_points(games, i, 1), _MAX_SCORE)
    if bad >= 0:
        return _FLAW_PARTS[bad]
    seen = g.played[0] | g.played[1] | g.played[2] | g.played[3]
    for seat in range(4):
        hand = g.hands[seat]
        known = whole or seat == 0
        if hand & seen or popcount(hand) != (13 - popcount(g.played[seat]) if known else 0):
            return _FLAW_PARTS[tricks.HAND_FLAW + seat]
        seen |= hand
        holds_shown = g.shown & (hand | g.played[seat]) != 0
        if seat == g.dealer:
            could = not known and popcount(g.played[seat]) < 13 and not g.voids[seat] >> g.trump & 1
            if not holds_shown and not could:
                return _SHOWN
        elif holds_shown:
            return _SHOWN
    if g.moves > tricks.count_played(g):
        return _HISTORY
    if not whole:
        suits, barred, sizes, _ = _redeal_constraints(games, i)
        if tricks.count_deals(suits, barred, sizes)[0, sizes[0], sizes[1], sizes[2]] == 0:
            return _FLAW_PARTS[tricks.HAND_FLAW + 1]
    return -1


_MOVE = (*tricks.SEATS, *SUIT_NAMES, "rank+1", "rank+2", "rank+4", "rank+8")
RECALL = tuple(
    Part(f"move_{k}", _MOVE, "in the order of play: who played a card, its suit, its rank (1 for a two to 13 for an ace)")
    for k in range(1, MAX_STEPS + 1)
)

# A move in a recalling observation is twelve bits, of which these eight tell the card. There are 64 of them, so that six
# bits of anything find one.
_MOVE_BITS = len(_MOVE)
_CARD_BITS = np.array([1 << (4 + card // 13) | (card % 13 + 1) << 8 for card in range(52)] + [0] * 12, np.int64)
_TURN_BITS = np.array([sum(1 << ((k + n) & 3) + _MOVE_BITS * n for n in range(4)) for k in range(4)], np.int64)
"""The seats in the four moves of a trick, by its leader."""


@helper
def _recalled_trick(views: Any, i: int, first: int, moves: int, odd: int, high: int) -> int:
    """Returns the bits of the moves ``first`` to ``first + 3`` of a view, which are a trick; 0 for those not made yet.
    ``moves`` have been made; ``odd`` and ``high`` are the cards played by seats 1 and 3, and by seats 2 and 3."""
    history = views[i].history
    lead = np.int64(history[first]) & 63
    word = _TURN_BITS[(odd >> lead & 1) | (high >> lead & 1) << 1]
    for k in range(4):
        word |= _CARD_BITS[np.int64(history[first + k]) & 63] << (_MOVE_BITS * k)
    return word & ((np.int64(1) << _MOVE_BITS * min(moves - first, 4)) - 1)


@kernel
def recall(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
    """Writes the order of the played cards to ``out[row, column:]``, in the order of RECALL. Zeros are written where the
    first moves of the deal are unknown."""
    v = views[i]
    odd = v.played[1] | v.played[3]
    high = v.played[2] | v.played[3]
    moves = v.moves if v.moves == popcount(v.played[0] | odd | high) else np.int64(0)
    # A trick fills 48 of the 64 columns written at once; the next one overwrites the other sixteen.
    for first in range(0, 48, 4):
        word = _recalled_trick(views, i, first, moves, odd, high) if first < moves else np.int64(0)
        column = write_bits(out, row, column, word, 64) - 16
    word = _recalled_trick(views, i, 48, moves, odd, high) if moves > 48 else np.int64(0)
    write_bits(out, row, column, word, 48)


@kernel
def recollect(observations: Bytes, row: int, column: int, views: Any, j: int) -> None:
    """Sets the history of ``views[j]``, which `decode` has written, from what `recall` wrote."""
    v = views[j]
    v.moves = tricks.count_played(v)
    for k in range(v.moves):
        word = read_bits(observations, row, column + _MOVE_BITS * k + 4, 8)
        v.history[k] = 13 * lowest(word & 15 | 8) + (word >> 4) - 1


@kernel
def rewind(games: Any, i: int, starts: Any, j: int, actions: Ints) -> int:
    """Writes a deal's start to ``starts[j]``, and the actions since to ``actions`` (`Kernels.rewind`)."""
    g = games[i]
    if g.moves != tricks.count_played(g):
        return -1
    starts[j] = games[i]
    tricks.take_back(starts[j], _side_points(games, i, 0), _side_points(games, i, 1))
    for k in range(g.moves):
        actions[k] = g.history[k]
    _open_deal(starts, j)
    return g.moves


# --- for agents and searches ---------------------------------------------------------------------------------------


@helper
def _playing(games: Any, i: int) -> bool:
    """Returns true: there are no bids."""
    return True


@helper
def _sitting_out(games: Any, i: int) -> int:
    """Returns -1: all seats play."""
    return -1


@helper
def _unseen_by(games: Any, i: int, seat: int) -> int:
    """Returns the cards that ``seat`` has not seen, with the shown card while another dealer holds it."""
    g = games[i]
    return _ALL_CARDS & ~(g.hands[seat] | g.played[0] | g.played[1] | g.played[2] | g.played[3])


@helper
def _taken(games: Any, i: int) -> int:
    """Returns the card that only the dealer can hold, as a set."""
    return games[i].shown


@helper
def _margin(games: Any, i: int, tricks: int) -> int:
    return margin(tricks)


# --- text [W22] ----------------------------------------------------------------------------------------------------


def dealt_hands(state: Any) -> list[int]:
    """Returns the card sets of the four hands as they were dealt."""
    return [int(state["hands"][seat]) | int(state["played"][seat]) for seat in range(4)]


def deal_text(state: Any) -> dict[str, str]:
    """Returns a deal's start in text, by key: the score, the dealer and the cards."""
    won = state["tricks"]
    points = [int(points_for(int(won[side] + won[side + 2]))) for side in (0, 1)]
    return tricks.deal_fields(DECK, state, points, dealt_hands(state), "shown")


def set_deal(games: Games, i: int, fields: Mapping[str, str]) -> None:
    """Sets game ``i`` to the start of a deal of `deal_text`; ``dealer`` and ``score`` may be left out."""
    tricks.check_keys("whist", fields, ("hands", "shown"), ("dealer", "score"))
    hands = [DECK.parse_set(text) for text in fields["hands"].split("/")]
    piles = [(f"hand {seat}", hand, 13) for seat, hand in enumerate(hands)]
    check_piles("whist", piles, 4, DECK.all, DECK.format)
    dealer = int_field(fields, "dealer", range(4))
    shown = DECK.parse_set(fields["shown"])
    if shown.bit_count() != 1 or not shown & hands[dealer]:
        raise ValueError(
            f"shown={fields['shown']}: must be one of the dealer's cards, and player_{dealer} deals "
            f"with {DECK.format(hands[dealer])}"
        )
    tricks.set_table(games[i], fields, hands, _MAX_SCORE)
    games[i]["shown"] = shown
    _open_deal(games, i)


def set_dealer(games: Games, i: int, dealer: int) -> None:
    """Changes the dealer of a deal without actions. The shown card is the dealer's, so the hands turn with the deal: the
    dealer, its left neighbour and so on hold what they held before."""
    g = games[i]
    hands = [int(hand) for hand in g["hands"]]
    shift = dealer - int(g["dealer"])
    for seat in range(4):
        g["hands"][seat] = hands[(seat - shift) % 4]
    g["dealer"] = dealer
    _open_deal(games, i)


def in_words(action: int, by_dealer: bool = False) -> ActionWords:
    """Returns the play of card ``action`` (0 to 51) in words."""
    del by_dealer
    card = card_name(DECK.text(action))
    return ActionWords(f"play the {card}", f"plays the {card}")


def drawing(state: Any, seat: int | None = None) -> str:
    """Returns the position in text for people; with ``seat``, only what that seat may see."""
    s = state
    phase = "playing" if s["over"] == loops.RUNNING else "finished"
    lines = [f"Whist: {phase}, trump {SUIT_SYMBOLS[int(s['trump'])]}"]
    lines.append(f"shown {DECK.format(int(s['shown']))} (player_{int(s['dealer'])} deals)")
    return "\n".join(lines + tricks.table_lines(DECK, s, seat, 38))


def worst_loss(options: Mapping[str, Any], reward: str) -> float:
    """Returns the greatest loss of a side in an episode (`GameSpec.worst_loss`)."""
    if reward == "win":
        return 1
    most = 7 if reward == "points" else 13
    if options.get("episode") != "game":
        return most
    # The others are a point short, and then take all. A deal of p points, at most seven, has 2p - 1 tricks more for them.
    short = options.get("target", OPTIONS[1].default) - 1
    return short + most if reward == "points" else 2 * short - -(-short // 7) + most


RULES = """\
Four players in two partnerships, seats 0 and 2 against 1 and 3, with 52 cards, thirteen each; ace is high. The last
card dealt, the dealer's, is shown to all, and its suit is trump. The seat to the dealer's left leads; the suit led
must be followed, and who cannot may play anything. The highest trump, or else the highest card of the suit led, takes
the trick, and who took it leads to the next. The side with more than six tricks scores a point for each above six."""
"""The rules in brief, for `GameSpec.prompt`."""

# --- for checks ----------------------------------------------------------------------------------------------------


def _new_sight(state: Any, seat: int) -> tuple[int, Any]:
    """Returns the new cards and facts that a seat sees: first its hand and the shown card [W5 W19], then each card."""
    if state["moves"]:
        action = int(state["history"][state["moves"] - 1])
        return 1 << action, action
    score = int(state["score"][seat & 1]), int(state["score"][1 - (seat & 1)])
    return int(state["hands"][seat] | state["shown"]), (int(state["hands"][seat]), (int(state["dealer"]) - seat) & 3, score)


def _card_piles(state: Any, seat: int) -> list[Pile]:
    """Returns the piles: hands, then played cards, from a seat on."""
    return [int(state[name][(seat + k) & 3]) for name in ("hands", "played") for k in range(4)]


def _false_claim(state: Any, seat: int, view: Any) -> str:
    """Returns a false claim about cards in a view decoded from an observation of ``seat``; empty if there is none."""
    return false_claim(_card_piles(state, seat), _card_piles(view, 0), hands_by(SPEC, view, unseen_cards, could_hold))


def _make_sights() -> Sights:
    return Sights(SPEC, DECK, _new_sight, _card_piles)


SPEC = define_game(
    "whist",
    seats=4,
    sides=((0, 2), (1, 3)),
    actions=ACTIONS,
    state=STATE,
    observation=OBSERVATION,
    hidden=HIDDEN,
    ranges={"hands": (0, DECK.all)},
    options=OPTIONS,
    rewards=("points", "tricks", "win"),
    max_steps=MAX_STEPS,
    deal=deal,
    legal=legal,
    step=step,
    outcome=outcome,
    view=view,
    redeal=redeal,
    reveal=reveal,
    flaw=flaw,
    recall=recall,
    recollect=recollect,
    recall_parts=RECALL,
    rewind=rewind,
    worst_loss=worst_loss,
    deal_text=deal_text,
    set_deal=set_deal,
    drawing=drawing,
    words=lambda state, action: in_words(action),
    set_dealer=set_dealer,
    sights=_make_sights,
    untrue=_false_claim,
    rules=RULES,
    kind=TrickGame(
        DECK,
        13,
        SUIT_SETS,
        SUIT_OF,
        STRENGTH,
        "shown",
        "pulled",
        bids=False,
        in_words=in_words,
        playing=_playing,
        sitting_out=_sitting_out,
        unseen=_unseen_by,
        taken=_taken,
        margin=_margin,
    ),
)
decode = SPEC.kernels.decode
