"""What a seat remembers of a deal, by playing its line of text again with the slow versions of the games.

A move is the set of the labels that its part of an observation shows: who, what, which card.
"""

from tests.naive import euchre, five_o, whist

FOUR_SEATS = ("self", "left", "partner", "right")

Move = set[str]


def number(name: str, value: int) -> Move:
    """The labels of a number in binary."""
    return {f"{name}+{bit}" for bit in (1, 2, 4, 8) if value & bit}


def card_labels(card: str, ranks: str) -> Move:
    """The labels of a card."""
    return {euchre.SUIT_NAMES[card[1]], *number("rank", ranks.index(card[0]) + 1)}


def fields(line: str) -> dict[str, str]:
    """The words of a line of text by their keys."""
    return dict(word.split("=") for word in line.split()[1:])


def whist_moves(line: str, observer: int) -> list[Move]:
    """What a seat remembers of a deal of Whist."""
    deal, moves = whist.read(line), []
    for card in filter(None, fields(line)["actions"].split(",")):
        moves.append({FOUR_SEATS[(deal.seat - observer) % 4], *card_labels(card, whist.RANKS)})
        deal.play(card)
    return moves


def euchre_moves(line: str, observer: int) -> list[Move]:
    """What a seat remembers of a deal of Euchre."""
    moves = []
    for seat, phase, action in euchre.read(line).log:
        move = {FOUR_SEATS[(seat - observer) % 4]}
        if phase == "discarding":
            move.add("discard")
            if seat == observer:
                move |= card_labels(action, euchre.RANKS)
        elif phase == "playing":
            move |= card_labels(action, euchre.RANKS)
        elif action == "pass":
            move.add("pass")
        else:
            words = action.split("-")
            move.add("order-up" if words[0] == "order" else "call")
            move |= {word for word in words if word in (*euchre.SUIT_NAMES.values(), "alone")}
        moves.append(move)
    return moves


def five_o_moves(line: str, observer: int) -> list[Move]:
    """What a seat remembers of a deal of Five-O."""
    words = fields(line)
    deck = words["columns"].replace("/", "") + words["deck"]
    deal = five_o.Deal([deck[k : k + 2] for k in range(0, 104, 2)], int(words["hidden_rows"]))
    placed = []
    for action in filter(None, words["actions"].split(",")):
        column = int(action.removeprefix("column-"))
        placed.append((deal.seat, column, deal.card))
        deal.put(column)
    moves = []
    for seat, column, card in placed:
        move = {"self" if seat == observer else "other", *number("column", column)}
        if seat == observer or card not in deal.face_down(seat, column):
            move |= card_labels(card, five_o.RANKS)
        moves.append(move)
    return moves


MOVES = {"whist": whist_moves, "euchre": euchre_moves, "five-o": five_o_moves}
"""By the name of a game: what a seat remembers of the deal that a line of text describes."""
