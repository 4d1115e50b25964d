"""The view of a game that has a plain table (`cardenvs.contract.board`): its piles, numbers, names and tricks.

All of it comes from the viewer's boards. A spectator at a table of people sees what all seats see.
"""

from collections.abc import Sequence
from typing import Any

from cardenvs.contract.board import Board, Face, Note, Pile
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.outcome import Outcome
from cardenvs.play.seatview.board_log import OPEN, PUBLIC, PlayedCard, board_lines, board_log, has_tricks, viewed_board
from cardenvs.play.seatview.sight import Sight
from cardenvs.play.table import Table


def show_board(sight: Sight, state: dict[str, Any]) -> None:
    """Fills in ``phase``, ``board``, ``legal`` and the tricks of the message "state" for a game with a plain table."""
    table = sight.table
    state["phase"] = "playing" if table.over == RUNNING else "finished"
    board = viewed_board(table, table.state, OPEN if sight.open else PUBLIC if sight.you is None else sight.you)
    state["board"] = {
        "piles": [_pile_entry(pile) for pile in board.piles],
        "tallies": [
            {"owner": one.owner, "number": one.number, "name": one.name, "value": one.value} for one in board.tallies
        ],
        "teams": [list(team) for team in board.teams],
        "least": table.game.least,
        "chosen": [table.game.action_words(table.state[0], action).label for action in board.chosen],
        "tricks": has_tricks(board),
    }
    if board.spoken:
        state["board"]["last"] = next(reversed(board_lines(table, sight.you)), "")
    offers = {table.game.actions[offer.action]: offer for offer in board.offers}
    for move in state["legal"]:
        offer = offers.get(move["action"])
        move["at"] = None if offer is None or offer.card is None else list(offer.card)
        if offer is not None and offer.at:
            move |= {"on": [list(spot) for spot in offer.at], "short": offer.short}
    order = {name: number for number, name in enumerate(offers)}
    state["legal"].sort(key=lambda move: order.get(move["action"], len(order)))
    if has_tricks(board):
        _show_tricks(sight, board, state)


def _show_tricks(sight: Sight, board: Board, state: dict[str, Any]) -> None:
    """Fills in ``trick``, ``last_trick``, ``tricks``, the seats' ``tricks`` and ``cards``, and each pile's ``shown``."""
    log = board_log(sight.table)

    def card_entry(one: PlayedCard) -> dict[str, Any]:
        face = one.face if sight.known_action(one.event) >= 0 else None  # others have not seen the card
        name = None if face is None else face.name
        return {"seat": one.seat, "card": None if face is None else face.card, "name": name}

    for pile, told in zip(board.piles, state["board"]["piles"], strict=True):
        told["shown"] = "trick" if pile.trick else "number" if log.is_taken(pile) else "cards"
    state["trick"] = [card_entry(one) for one in log.current]
    state["tricks"] = [
        {"leader": one.cards[0].seat, "cards": [card_entry(each) for each in one.cards], "winner": one.winner}
        for one in log.complete
    ]
    state["last_trick"] = state["tricks"][-1] if state["tricks"] else None
    for seat in state["seats"]:
        seat["tricks"] = sum(one.winner == seat["seat"] for one in log.complete)
        held = (pile for pile in board.piles if (pile.owner, pile.number) == ("player", seat["seat"]))
        seat["cards"] = sum(len(pile.cards) for pile in held if not pile.trick and not log.is_taken(pile))


def _pile_entry(pile: Pile) -> dict[str, Any]:
    """Returns a pile for JSON; ``notes`` and ``touched`` only for a hand that its owner sees from behind."""
    told: dict[str, Any] = {
        "owner": pile.owner,
        "number": pile.number,
        "name": pile.name,
        "ordered": pile.ordered,
        "cards": [None if card is None else _face_entry(card) for card in pile.cards],
        "shown": "cards",
    }
    if pile.notes:
        told |= {"notes": [_note_entry(note) for note in pile.notes], "touched": list(pile.touched)}
    return told


def _face_entry(face: Face) -> dict[str, Any]:
    """Returns a face for JSON; ``sign`` and ``tint`` only if a sign is printed on the card."""
    printed = {"sign": face.sign, "tint": face.tint} if face.sign else {}
    return {"name": face.name, "card": face.card, **printed}


def _note_entry(note: Note) -> dict[str, Any]:
    """Returns a note for JSON; ``best`` and ``best_words`` are its viewer's best knowledge of the card."""
    return {
        "told": None if note.told is None else _face_entry(note.told),
        "lines": list(note.lines),
        "words": note.words,
        "best": list(note.own_lines or note.lines),
        "best_words": note.own_words or note.words,
    }


def ranking(table: Table, outcome: Outcome, sides: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the sides of a finished deal, the best first, with their points as people count them, and their ranks.

    It is empty in a game of one side. ``sides`` are the players of each side in words.
    """
    if table.game.one_sided:
        return []
    counted = table.game.counted(outcome.points)
    order = sorted(range(len(sides)), key=lambda side: -outcome.points[side])
    ranks = [1 + sum(points > own for points in outcome.points) for own in outcome.points]
    return [
        {
            "side": side,
            "name": sides[side],
            "points": counted[side],
            "rank": ranks[side],
            "place": f"{_ordinal(ranks[side])} of {len(sides)}",
        }
        for side in order
    ]


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
