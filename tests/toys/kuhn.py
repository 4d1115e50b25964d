"""Kuhn poker: two seats, three cards, one bet.

Source: H. W. Kuhn, "A simplified two-person poker" (1950). Each seat antes a chip and is dealt one of jack, queen and king.
Seat 0 acts first. A seat passes or bets a chip; after a bet the other seat bets, too (calls), or passes (folds). After two
passes or two bets the better card wins what the other has put in. An episode is one deal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, read_bits, write_bits
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract import loops as drivers
from cardenvs.contract.fields import Games, Part
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.spec import GameSpec

ACTIONS = ("pass", "bet")
PASS, BET = 0, 1
CARDS = "JQK"

STATE = np.dtype(
    [
        ("first", np.int64),  # the seat that acts first: 0, or 1 in the other seat's view
        ("cards", np.int64, (2,)),  # each seat's card, 1 to 3; in views 0 for the other's while it is hidden
        ("chips", np.int64, (2,)),  # what each seat has put in, 1 or 2
        ("passed", np.int64),  # 1 once the first seat has passed, while the deal is on
        ("to_act", np.int64),  # seat, -1 when the deal is over
        ("over", np.int64),  # drivers.RUNNING or EPISODE_OVER
        ("moves", np.int64),  # actions so far
        ("history", np.int8, (3,)),  # these actions, in order
    ],
    align=True,
)

_SEATS = ("self", "other")
OBSERVATION = (
    Part("card", tuple(CARDS), "the own card"),
    Part("card_other", tuple(CARDS), "the other's card, once it is shown"),
    Part("bet", _SEATS, "who has put in a second chip"),
    Part("passed", ("yes",), "the first seat has passed, and the deal is on"),
    Part("first", _SEATS, "who acts first"),
    Part("to_act", _SEATS, "whose turn it is"),
    Part("episode_over", ("yes",), "the episode is over"),
)
RECALL = tuple(Part(f"act_{k}", ACTIONS, f"action {k} of the deal") for k in (1, 2, 3))
HIDDEN = (Part("card_hidden", tuple(CARDS), "the other's card"),)
_CARD, _CARD_OTHER, _BET, _PASSED, _FIRST, _TO_ACT, _OVER, _HISTORY = range(8)

# All positions: the chips of the first seat and the other, passed, and who is to act (0 the first seat), then the number of
# actions and these actions, in one or two orders.
_POSITIONS = np.array(
    [
        [1, 1, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0],
        [1, 1, 1, 1, 1, 0, 0, 0, -1, 0, 0, 0],
        [2, 1, 0, 1, 1, 1, 0, 0, -1, 0, 0, 0],
        [1, 2, 1, 0, 2, 0, 1, 0, -1, 0, 0, 0],
        [1, 1, 0, -1, 2, 0, 0, 0, -1, 0, 0, 0],
        [2, 1, 0, -1, 2, 1, 0, 0, -1, 0, 0, 0],
        [1, 2, 0, -1, 3, 0, 1, 0, -1, 0, 0, 0],
        [2, 2, 0, -1, 2, 1, 1, 0, 3, 0, 1, 1],
    ],
    np.int64,
)


@helper
def _open_deal(games: Any, i: int) -> None:
    """Sets all fields but the cards and the first seat for the start of a deal."""
    g = games[i]
    g.to_act = g.first
    g.over = drivers.RUNNING
    g.passed = 0
    g.moves = 0
    for k in range(2):
        g.chips[k] = 1
    for k in range(3):
        g.history[k] = 0


@kernel
def deal(games: Any, i: int, streams: Streams, s: int) -> None:
    """Deals each seat a card; seat 0 acts first."""
    g = games[i]
    g.first = 0
    g.cards[0] = 1 + below(streams, s, 3)
    g.cards[1] = 1 + (g.cards[0] + below(streams, s, 2)) % 3
    _open_deal(games, i)


@kernel
def legal(games: Any, i: int, word: int = 0) -> int:
    """Both actions while the deal is on."""
    return np.int64(0b11) if games[i].over == drivers.RUNNING else np.int64(0)


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Passes or bets for the seat to act."""
    g = games[i]
    seat = g.to_act
    g.history[g.moves] = action
    g.moves += 1
    facing = g.chips[1 - seat] == 2  # a bet that is to be called
    if action == BET:
        g.chips[seat] = 2
    if facing or (action == PASS and seat != g.first):
        g.passed = 0
        g.to_act = -1
        g.over = drivers.EPISODE_OVER
    else:
        if action == PASS:
            g.passed = 1
        g.to_act = 1 - seat


@kernel
def outcome(games: Any, i: int, points: Ints, tricks: Ints) -> int:
    """Writes the chips that the winner takes from the other seat; returns the winner as a set of sides."""
    g = games[i]
    winner = 0 if g.cards[0] > g.cards[1] else 1
    if g.chips[0] != g.chips[1]:  # somebody has folded
        winner = 0 if g.chips[0] > g.chips[1] else 1
    for seat in range(2):
        points[i, seat] = g.chips[1 - seat] if seat == winner else 0
        tricks[i, seat] = 0
    return np.int64(1) << winner


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Writes what ``seat`` knows to ``views[j]``, where ``seat`` is seat 0: the other's card only after a showdown."""
    g = games[i]
    v = views[j]
    shown = g.over != drivers.RUNNING and g.chips[0] == g.chips[1]
    v.cards[0] = g.cards[seat]
    v.cards[1] = g.cards[1 - seat] if shown else 0
    v.chips[0] = g.chips[seat]
    v.chips[1] = g.chips[1 - seat]
    v.first = g.first ^ seat
    v.passed = g.passed
    v.to_act = g.to_act ^ seat if g.to_act >= 0 else -1
    v.over = g.over
    v.moves = g.moves
    for k in range(3):
        v.history[k] = g.history[k]


@kernel
def flaw(games: Any, i: int, whole: bool) -> int:
    """What in a record of any content is not so in any position, see `cardenvs.contract.kernels.Kernels.flaw`."""
    g = games[i]
    if g.first < 0 or g.first > 1:
        return _FIRST
    if g.over != drivers.RUNNING and g.over != drivers.EPISODE_OVER:
        return _OVER
    if g.to_act < -1 or g.to_act > 1 or (g.to_act < 0) != (g.over != drivers.RUNNING):
        return _TO_ACT
    turn = g.to_act ^ g.first if g.to_act >= 0 else -1
    found = -1
    for k in range(len(_POSITIONS)):
        p = _POSITIONS[k]
        if g.chips[g.first] == p[0] and g.chips[1 - g.first] == p[1] and g.passed == p[2] and turn == p[3]:
            found = k
    if found < 0:
        return _BET
    shown = g.over != drivers.RUNNING and g.chips[0] == g.chips[1]
    if g.cards[0] < 1 or g.cards[0] > 3:
        return _CARD
    if g.cards[1] < (1 if whole or shown else 0) or g.cards[1] > (3 if whole or shown else 0) or g.cards[0] == g.cards[1]:
        return _CARD_OTHER
    if g.moves < 0 or g.moves > 3:
        return _HISTORY
    if g.moves == 0:
        return -1
    for start in (4, 8):
        same = g.moves == _POSITIONS[found, start]
        for k in range(g.moves):
            same = same and g.history[k] == _POSITIONS[found, start + 1 + k]
        if same:
            return -1
    return _HISTORY


@kernel
def redeal(views: Any, i: int, streams: Streams, s: int, games: Any, j: int) -> None:
    """Writes to ``games[j]`` a full state in which the other seat has either of the cards that it can have."""
    games[j] = views[i]
    g = games[j]
    if g.cards[1] == 0:
        g.cards[1] = 1 + (g.cards[0] + below(streams, s, 2)) % 3


@kernel
def observe(views: Any, i: int, out: Bytes, row: int) -> None:
    """Writes a view as int8 zeros and ones to ``out[row]``, part by part as listed in OBSERVATION."""
    v = views[i]
    one = np.int64(1)
    word = one << v.cards[0] >> 1 | one << v.cards[1] >> 1 << 3
    word |= (v.chips[0] - 1) << 6 | (v.chips[1] - 1) << 7 | v.passed << 8 | one << (9 + v.first)
    if v.over == drivers.RUNNING:
        word |= one << (11 + v.to_act)
    else:
        word |= one << 13
    write_bits(out, row, 0, word, 14)


@kernel
def decode(observations: Bytes, row: int, views: Any, j: int) -> None:
    """Writes the view behind an observation to ``views[j]``, without the history."""
    v = views[j]
    word = read_bits(observations, row, 0, 14)
    for k in range(2):
        card = word >> 3 * k & 7
        v.cards[k] = 1 + lowest(card) if card != 0 else 0
        v.chips[k] = 1 + (word >> (6 + k) & 1)
    v.passed = word >> 8 & 1
    v.first = word >> 10 & 1
    turn = word >> 11 & 3
    v.to_act = lowest(turn) if turn != 0 else -1
    v.over = drivers.EPISODE_OVER if word >> 13 & 1 else drivers.RUNNING
    v.moves = 0
    for k in range(3):
        v.history[k] = 0


@kernel
def recall(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
    """Writes the actions of a view in order to ``out[row, column:]``, part by part as listed in RECALL."""
    v = views[i]
    for k in range(3):
        column = write_bits(out, row, column, np.int64(1) << v.history[k] if k < v.moves else np.int64(0), 2)


@kernel
def recollect(observations: Bytes, row: int, column: int, views: Any, j: int) -> None:
    """Writes the actions that `recall` has written to ``views[j]``."""
    v = views[j]
    for k in range(3):
        bits = read_bits(observations, row, column + 2 * k, 2)
        if bits != 0:
            v.history[k] = lowest(bits)
            v.moves = k + 1


@kernel
def reveal(games: Any, i: int, seat: int, out: Bytes, row: int, column: int) -> None:
    """Writes the other's card to ``out[row, column:]``."""
    write_bits(out, row, column, np.int64(1) << (games[i].cards[1 - seat] - 1), 3)


def deal_text(state: Any) -> dict[str, str]:
    """A deal's start in text, by key; ``first`` only where seat 1 acts first, as in a re-deal for the second seat."""
    fields = {"first": "1"} if state["first"] else {}
    return fields | {"cards": "".join(CARDS[int(card) - 1] for card in state["cards"])}


def set_deal(games: Games, i: int, fields: Mapping[str, str]) -> None:
    """Sets game ``i`` to the start of the deal that `deal_text` wrote; ``first`` may be left out.

    Raises:
        ValueError: an unknown key, a first seat other than 0 and 1, or not two different cards.
    """
    if not {"cards"} <= set(fields) <= {"first", "cards"}:
        raise ValueError(f"a deal of kuhn has cards= and optionally first=, not {' '.join(sorted(fields)) or 'nothing'}")
    cards, first = fields["cards"], fields.get("first", "0")
    if first not in ("0", "1"):
        raise ValueError(f"first={first}: must be 0 or 1")
    if len(cards) != 2 or cards[0] == cards[1] or not set(cards) <= set(CARDS):
        raise ValueError(f"cards={cards}: must be two different ones of the cards J, Q and K")
    g = games[i]
    g["first"] = int(first)
    for seat in range(2):
        g["cards"][seat] = 1 + CARDS.index(cards[seat])
    _open_deal(games, i)


def drawing(state: Any, seat: int | None = None) -> str:
    """The position drawn in text for a person; with ``seat``, only what that seat may see."""
    shown = state["over"] != drivers.RUNNING and state["chips"][0] == state["chips"][1]
    lines = ["Kuhn poker" + ("" if state["over"] == drivers.RUNNING else ": finished")]
    for k in range(2):
        card = "-JQK"[int(state["cards"][k])] if shown or seat is None or seat == k else "-"
        lines.append(f"{'>' if k == state['to_act'] else ' '} player_{k}  {card}  chips {int(state['chips'][k])}")
    return "\n".join(lines)


def worst_loss(options: Mapping[str, Any], reward: str) -> float:
    """The greatest loss that an episode can bring a side, see `cardenvs.contract.spec.GameSpec.worst_loss`."""
    return 2 if reward == "points" else 1


SPEC = GameSpec(
    name="kuhn",
    title="Kuhn poker",
    module="kuhn_v0",
    sides=((0,), (1,)),
    actions=ACTIONS,
    dtype=STATE,
    options=(),
    rewards=("points", "win"),
    parts=OBSERVATION,
    hidden=HIDDEN,
    kernels=Kernels(
        deal=deal,
        legal=legal,
        step=step,
        outcome=outcome,
        view=view,
        redeal=redeal,
        observe=observe,
        decode=decode,
        reveal=reveal,
        flaw=flaw,
        recall=recall,
        recollect=recollect,
    ),
    max_steps=3,
    worst_loss=worst_loss,
    deal_text=deal_text,
    set_deal=set_deal,
    drawing=drawing,
    recall_parts=RECALL,
)
