"""Layout of the pictures of a table, which all painters share. A picture is 800 units wide.

A seat's scene shows its view (`cardenvs.contract.kernels.Kernels.view`) and nothing else; without a seat
all cards are open, as in the position drawn in text (`cardenvs.contract.spec.GameSpec.drawing`).
"""

import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs.contract.board import Board, Pile, tally_text
from cardenvs.contract.cards import FULL_DECK, SUITS, members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre
from cardenvs.games.poker import hand_name, hand_value
from cardenvs.printing import printable

WIDTH, HEIGHT = 800, 600  # units of a scene
CARD_RATIO = 1.4  # height over width
_LONG = 90  # maximum number of characters of a line of text


@dataclass(frozen=True)
class Box:
    """A panel with rounded corners."""

    x: float  # left edge, in units of the scene, as all lengths here
    y: float  # upper edge
    width: float
    height: float
    kind: str = "seat"  # ``"seat"``, ``"turn"`` (the seat to act) or ``"won"`` (a column that was won)


@dataclass(frozen=True)
class CardItem:
    x: float  # left edge
    y: float  # upper edge
    width: float  # the height is `CARD_RATIO` times as much
    card: str | None  # two-letter name; None for a face-down card
    kind: str = ""  # ``""`` (plain), ``"dim"`` (shaded) or ``"mark"`` (ringed)


@dataclass(frozen=True)
class SuitItem:
    x: float  # left edge
    y: float  # upper edge
    size: float  # width and height
    suit: str  # letter


@dataclass(frozen=True)
class TextItem:
    x: float  # of the anchor
    y: float  # of the baseline
    text: str
    size: float = 16  # of the font as in CSS, in units of the scene
    anchor: str = "start"  # the part of the line at x: ``"start"``, ``"middle"`` or ``"end"``
    kind: str = ""  # ``""``, ``"quiet"``, ``"title"`` or ``"caption"``, for the colour


@dataclass(frozen=True)
class FaceItem:
    """A card that is not of the pack of 52, or its back with its holder's information."""

    x: float  # left edge
    y: float  # upper edge
    width: float  # the height is `CARD_RATIO` times as much
    sign: str  # printed on it; empty for nothing
    tint: str = ""  # one of `cardenvs.contract.board.TINTS`; empty for none
    back: bool = False  # whether it is seen from behind
    marked: bool = False  # whether it is ringed


Item = Box | CardItem | FaceItem | SuitItem | TextItem


@dataclass(frozen=True)
class Scene:
    """A picture before it is painted.

    Attributes:
        width: the picture's width, in units of the scene.
        height: the picture's height, in units of the scene.
        items: its parts, from the back to the front.
    """

    width: int
    height: int
    items: tuple[Item, ...]


def scene(
    game: GameSpec,
    state: Games,
    seat: int | None = None,
    *,
    names: Sequence[str] = (),
    marked: Collection[str] = (),
    caption: str = "",
) -> Scene:
    """Returns the scene of a position.

    Args:
        state: the full state, shape (1,).
        seat: the seat whose view is shown, at the bottom; None opens all hands, with seat 0 at the bottom.
        names: names of the seats; empty for ``player_0`` and so on.
        marked: names of cards to point out, in Five-O also of columns.
        caption: a line of text at the bottom; empty for none.
    """
    record = state[0]
    if seat is not None:
        views = game.new_games(1)
        game.kernels.view(state, 0, seat, views, 0)
        record = views[0]
    called = [printable(name) for name in names] or [f"player_{k}" for k in range(game.seats)]
    items: list[Item]
    tricks = game.trick_game
    if tricks is not None:
        items = _trick_game_items(game, tricks, record, seat, called, frozenset(marked))
    elif game.column_game is not None:
        items = _five_o_items(record, state[0], seat, called, frozenset(marked))
    else:
        board = None if game.board is None else game.board(state[0], seat)
        if board is not None and any(pile.notes for pile in board.piles):
            items = _behind_items(game.title, board, seat, int(state[0]["to_act"]), called, frozenset(marked))
        else:
            items = [*_text_items(game.drawing(state[0], seat))]
    if caption:
        items.append(TextItem(WIDTH / 2, HEIGHT - 10, printable(caption), 17, "middle", "caption"))
    return Scene(WIDTH, HEIGHT, tuple(items))


def _text_items(drawing: str) -> list[TextItem]:
    """Returns the lines of a drawing in text, as large as there is room; long ones are wrapped."""
    lines: list[str] = []
    for line in drawing.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        lines += (
            [line] if len(line) <= _LONG else textwrap.wrap(line, _LONG, subsequent_indent=indent, break_on_hyphens=False)
        )
    step = min(22, (HEIGHT - 70) / max(len(lines), 1))
    return [TextItem(24, 40 + step * k, line, min(16, 0.75 * step)) for k, line in enumerate(lines)]


# --- hands that their holders see from behind ---------------------------------------------------------------------


def _behind_items(
    title: str, board: Board, seat: int | None, turn: int, names: list[str], marked: frozenset[str]
) -> list[Item]:
    """Returns the items of a table with hands seen from behind: the game's piles, then a row for each hand."""
    items: list[Item] = [TextItem(20, 32, title, 24, "start", "title")]
    told = ", ".join(f"{tally.name} {tally_text(tally)}" for tally in board.tallies)
    items.append(TextItem(780, 30, told, 15, "end", "quiet"))
    y = 46.0
    for pile in board.piles:
        if pile.owner != "game":
            continue
        items.append(TextItem(20, y + 26, pile.name, 15, "start", "quiet"))
        step = min(36.0, 640 / max(len(pile.cards), 1))
        for k, face in enumerate(pile.cards):
            if face is not None:
                items.append(FaceItem(120 + step * k, y, 30, face.text, face.tint, marked=face.text in marked))
        y += 50
    hands = {pile.number: pile for pile in board.piles if pile.notes}
    count = len(names)
    turns = (((seat or 0) + k) % count for k in range(1, count + 1))
    order = [holder for holder in turns if holder in hands]
    room = min(120.0, (HEIGHT - 36 - y) / count)
    for row, holder in enumerate(order):
        items += _behind_row(hands[holder], _shorten(names[holder], 1), y + room * row, room, holder == turn, marked)
    return items


def _behind_row(pile: Pile, name: str, top: float, room: float, turn: bool, marked: frozenset[str]) -> list[Item]:
    """Returns the items of a hand seen from behind: each card, and beside it its holder's knowledge of it."""
    items: list[Item] = [Box(12, top + 2, 776, room - 6, "turn" if turn else "seat")]
    items.append(TextItem(24, top + 20, name, 14))
    step = 640 / max(len(pile.cards), 5)
    width = min((room - 24) / CARD_RATIO, step / 2.4)
    for k, (card, note) in enumerate(zip(pile.cards, pile.notes, strict=True)):
        x, y = 130 + step * k, top + 11
        told = note.told
        sign, tint = (card.text, card.tint) if card else (told.sign, told.tint) if told else ("?", "")
        items.append(FaceItem(x, y, width, sign, tint, card is None, k in pile.touched or sign in marked))
        lines = list(note.own_lines or note.lines)
        if card and told:
            lines.insert(0, f"told {told.sign}")
        size = min(13.0, (room - 14) / max(len(lines), 1), step / 10)
        items += [TextItem(x + width + 5, top + 8 + size * (line + 1), text, size) for line, text in enumerate(lines)]
    return items


# --- Euchre and Whist ----------------------------------------------------------------------------------------------

_CENTRES = ((400, 505), (128, 300), (400, 105), (672, 300))
"""Centres of the hands, from the lower one to the left around the table."""
_PLAYED = ((400, 348), (322, 300), (400, 252), (478, 300))  # centres of the cards of the trick, in the same order
_PHASES = {
    euchre.ORDERING: "first round of bidding",
    euchre.CALLING: "second round of bidding",
    euchre.DISCARDING: "the dealer discards",
    euchre.PLAYING: "play",
    euchre.FINISHED: "finished",
}


def _sort_hand(kind: TrickGame, cards: int, trump: int) -> list[int]:
    """Returns the cards of a set as in a hand: trumps first, the strongest card of each suit first."""
    order = [trump, *(s for s in (3, 2, 0, 1) if s != trump)] if trump < 4 else [3, 2, 0, 1]
    ranks = {suit: k for k, suit in enumerate(order)}
    return sorted(members_of(cards), key=lambda c: (ranks[int(kind.suit_of[trump, c])], -int(kind.strength[trump, c])))


def _num_held(kind: TrickGame, record: Any, k: int) -> int:
    """Returns the number of cards that a seat holds, which is public."""
    more = kind.bids and record["phase"] == euchre.DISCARDING and k == record["dealer"]
    return kind.dealt - int(record["played"][k]).bit_count() + int(more)


def _last_trick(kind: TrickGame, record: Any) -> tuple[list[int], int]:
    """Returns each seat's card, as a set, of a just completed trick and its winner; else zeros and -1."""
    cards, winner = [0] * 4, -1
    if any(int(card) for card in record["trick"]) or not int(np.sum(record["tricks"])):
        return cards, winner
    trump, moves = int(record["trump"]), int(record["moves"])
    size = 3 if kind.bids and record["alone"] else 4
    best = led = -1
    for action in map(int, record["history"][moves - size : moves]):
        suit, strength = int(kind.suit_of[trump, action]), int(kind.strength[trump, action])
        led = suit if led < 0 else led
        seat = next(k for k in range(4) if int(record["played"][k]) >> action & 1)
        cards[seat] = 1 << action
        if suit in (led, trump) and strength > best:
            best, winner = strength, seat
    return cards, winner


def _trick_game_items(
    game: GameSpec, kind: TrickGame, record: Any, seat: int | None, names: list[str], marked: frozenset[str]
) -> list[Item]:
    """Returns the items of a deal of Euchre or Whist: heading, hands, the trick under way or just completed."""
    deck = kind.deck
    first = seat or 0
    trump = int(record["trump"])
    over = record["over"] != RUNNING
    items: list[Item] = []
    _add_heading(game, kind, record, seat, names, items)
    for k in range(4):
        name = names[(first + k) % 4]
        away = kind.bids and bool(record["alone"]) and k == (int(record["maker"]) + 2) % 4
        number = _num_held(kind, record, k)
        shown = seat is None or k == 0
        cards: list[str | None] = [None] * number
        if shown:
            cards = [deck.text(card) for card in _sort_hand(kind, int(record["hands"][k]), trump)]
        _add_hand(k, cards, marked, away, items, k == int(record["to_act"]) and not over)
        marks = [name]
        if k == int(record["dealer"]):
            marks.append("deals")
        if kind.bids and k == int(record["maker"]) and trump < 4:
            marks.append("alone" if record["alone"] else "maker")
        if away:
            marks.append("sits out")
        marks.append(f"{int(record['tricks'][k])} won")
        x, y = _CENTRES[k]
        # A label lies below its panel, but the lowest panel's lies above.
        items.append(TextItem(x, y - 68 if k == 0 else y + 78, _shorten(" · ".join(marks), k), 15, "middle"))
    trick = [int(card) for card in record["trick"]]
    past, winner = _last_trick(kind, record)
    for k in sorted(range(4), key=lambda k: (k - int(record["leader"])) % 4):
        for cards_of, look in ((past, "dim"), (trick, "")):
            if cards_of[k]:
                x, y = _PLAYED[k]
                text = deck.text(cards_of[k].bit_length() - 1)
                tint = "mark" if text in marked else "" if k == winner else look
                items.append(CardItem(x - 28, y - 28 * CARD_RATIO, 56, text, tint))
    return items


def _shorten(text: str, around: int) -> str:
    """Cuts a line to the room beside the hand that lies ``around`` seats to the left of the lower hand."""
    most = 60 if around % 2 == 0 else 34
    return text if len(text) <= most else text[: most - 1] + "…"


def _add_hand(
    around: int, cards: list[str | None], marked: frozenset[str], away: bool, items: list[Item], turn: bool
) -> None:
    """Adds a hand around its centre: the lower hand large, a long hand at the left or right in two rows."""
    x, y = _CENTRES[around]
    room, width = ((560, 66), (232, 48), (420, 48), (232, 48))[around]
    rows = [cards]
    if around % 2 and len(cards) > 7:
        half = (len(cards) + 1) // 2
        rows = [cards[:half], cards[half:]]
    height = width * CARD_RATIO
    panel_width, panel_height = room + 16, (height + 18 if len(rows) == 1 else height + 18 + 34)
    items.append(Box(x - panel_width / 2, y - panel_height / 2, panel_width, panel_height, "turn" if turn else "seat"))
    for number, row in enumerate(rows):
        step = min(width + 6, (room - width) / max(len(row) - 1, 1))
        left = x - (width + step * (len(row) - 1)) / 2
        top = y - panel_height / 2 + 9 + 34 * number
        for k, card in enumerate(row):
            kind = "mark" if card in marked else "dim" if away else ""
            items.append(CardItem(left + k * step, top - (8 if kind == "mark" and around == 0 else 0), width, card, kind))


def _add_heading(
    game: GameSpec, kind: TrickGame, record: Any, seat: int | None, names: list[str], items: list[Item]
) -> None:
    """Adds the texts in the corners: game and phase, trump, the card turned up, tricks and points of the sides."""
    trump = int(record["trump"])
    phase = "play" if record["over"] == RUNNING else "finished"
    if kind.bids:
        phase = _PHASES[int(record["phase"])]
    items.append(TextItem(20, 32, game.title, 24, "start", "title"))
    items.append(TextItem(20, 56, phase, 16, "start", "quiet"))
    first = seat or 0
    ours = f"{names[first]} + {names[(first + 2) % 4]}"
    theirs = f"{names[(first + 1) % 4]} + {names[(first + 3) % 4]}"
    tricks = [int(record["tricks"][k] + record["tricks"][k + 2]) for k in (0, 1)]
    if len(ours) + len(theirs) > 40:
        ours, theirs = f"seats {first % 2} and {first % 2 + 2}", f"seats {1 - first % 2} and {3 - first % 2}"
    for at, (side, name) in enumerate(((0, ours), (1, theirs))):
        text = f"{name}: {tricks[side]} tricks"
        if record["episode"]:
            text += f", {int(record['score'][side])} points"
        items.append(TextItem(780, 30 + 22 * at, text, 15, "end", "quiet"))
    if trump < 4:
        items.append(TextItem(20, 92, "trump", 16, "start", "quiet"))
        items.append(SuitItem(72, 68, 32, SUITS[trump]))
    turned = int(record[kind.open_field])
    if turned == 0:
        return
    card = kind.deck.text(turned.bit_length() - 1)
    if kind.bids and record["phase"] in (euchre.ORDERING, euchre.CALLING):
        away = record["phase"] == euchre.CALLING
        items.append(CardItem(400 - 32, 300 - 32 * CARD_RATIO, 64, None if away else card))
        if away:
            items.append(TextItem(400, 364, f"{card} turned down", 15, "middle", "quiet"))
        return
    word = "picked up" if kind.bids and record["picked_up"] else kind.open_field
    items.append(TextItem(20, 130, word, 16, "start", "quiet"))
    items.append(CardItem(20, 138, 40, card))


# --- Five-O --------------------------------------------------------------------------------------------------------


def _column_names(cards: int, order: dict[int, int]) -> list[str]:
    return [FULL_DECK.text(card) for card in sorted(members_of(cards), key=lambda card: order[card])]


def _five_o_items(record: Any, full: Any, seat: int | None, names: list[str], marked: frozenset[str]) -> list[Item]:
    """Returns the items of a deal of Five-O with the cards of ``record``; ``full`` gives only their order."""
    order = {int(code) - 1: k for k, code in enumerate(full["deck"])}
    first = seat or 0
    over = record["over"] != RUNNING
    turn = int(record["to_act"])
    items: list[Item] = [TextItem(20, 32, "Five-O", 24, "start", "title")]
    row = 2 + (int(record["drawn"]) - 11) // 10
    items.append(TextItem(20, 56, "finished" if over else f"row {row}", 16, "start", "quiet"))
    values = [[int(hand_value(int(record["columns"][k][c]))) if over else 0 for c in range(5)] for k in range(2)]
    for k in range(2):
        top = 350 if k == 0 else 44
        name = names[(first + k) % 2]
        label = f"{name}: {sum(values[k][c] > values[1 - k][c] for c in range(5))} columns" if over else name
        if not over:
            items.append(Box(128, top - 8, 544, 226, "turn" if k == turn else "seat"))
        items.append(TextItem(400, 330 if k == 0 else 282, _shorten(label, 0), 15, "middle"))
        for c in range(5):
            x = 140 + 106 * c
            down = int(record["down"][k])
            cards: list[str | None] = list(_column_names(int(record["columns"][k][c]), order))
            cards += [None] * (int(record["covered"][k][c]) - (int(record["columns"][k][c]) & down).bit_count())
            if over:
                won = values[k][c] > values[1 - k][c]
                items.append(Box(x - 6, top - 8, 104, 226, "won" if won else "seat"))
                hand = hand_name(int(record["columns"][k][c]))
                items.append(TextItem(x + 46, top + 210, hand.split(",")[0], 13, "middle"))
            elif k == 0:
                number = f"column-{c + 1}"
                items.append(
                    TextItem(x + 46, top + 210, f"{c + 1}", 15, "middle", "caption" if number in marked else "quiet")
                )
            for at, card in enumerate(cards):
                lies_down = card is not None and down >> FULL_DECK.card(card) & 1
                kind = "mark" if card in marked else "dim" if lies_down else ""
                items.append(CardItem(x + 14, top + 26 * at, 64, card, kind))
    if turn >= 0:
        held = int(record["card"])
        text = FULL_DECK.text(held.bit_length() - 1) if held else None
        y = 400 if turn == 0 else 94
        items.append(TextItem(736, y - 12, "in hand", 15, "middle", "quiet"))
        items.append(CardItem(700, y, 72, text))
    return items
