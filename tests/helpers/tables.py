"""Tables for tests: people at all seats, and what a seat can know of a deal by the rules alone."""

import json
import random
import re

from cardenvs.contract.cards import EUCHRE_DECK, FULL_DECK, card_name
from cardenvs.contract.registry import get_game
from cardenvs.games import euchre, whist
from cardenvs.play import Table

GAMES = ("euchre", "whist", "five-o")
HEURISTIC = {"euchre": "hybrid", "whist": "hybrid", "five-o": "reflex2"}


def people(game):
    return ["human"] * get_game(game).seats


def played(game, seed, moves=None, **options):
    """A table of people in the middle of a deal (or at its end), played at random."""
    return play_on(Table(game, people(game), seed=seed, **options), 1000 if moves is None else moves, random.Random(seed))


def play_on(table, moves=1000, choose=None):
    """The table after moves of whoever sits there, the first legal ones or random ones, or at the end of its deal."""
    while table.to_act is not None and moves > 0:
        table.act(table.to_act, choose.choice(table.legal()) if choose else table.legal()[0])
        moves -= 1
    return table


def old_text(text):
    """A table's JSON as earlier versions kept it: a record with remarks."""
    notes = json.loads(text)
    lines = ["# a table of cardenvs play"]

    def remark(key, value, apart=None):
        if value not in (None, [], 0):
            lines.append(f"# {key}: {value if apart is None else apart.join(map(str, value))}")

    links = notes["links"] or dict.fromkeys(("table", "tokens", "port", "pause", "trusted", "coming"))
    for key, apart in (("table", None), ("tokens", " "), ("port", None), ("trusted", "; "), ("coming", " ")):
        remark(key, links[key], apart)
    lines += [] if links["pause"] is None else [f"# pause: {links['pause']}"]
    remark("rules", notes["rules"])
    remark("seed" if notes["repeatable"] else "secret", notes["secret"])
    remark("repeatable", "yes" if notes["repeatable"] else None)
    remark("version", notes["version"])
    remark("deals dealt", notes["dealt"])
    remark("score sheet, deals", notes["sheet"], " ")
    for deal in notes["deals"]:
        remark("seats", deal["seats"], "; ")
        remark("names", json.dumps(deal["names"]))
        remark("deal", deal["number"])
        remark("decisions taken back", deal["undone"])
        remark("seed of the deal", deal["seed"] or None)
        lines.append(f"# people in the deal: {' '.join(map(str, deal['sat']))}")
        actions = []
        for event in deal["log"]:
            if event.startswith("#"):
                remark(f"told after {len(actions)}", event[2:])
            else:
                actions.append(event)
        lines.append(f"{deal['cards']}actions={','.join(actions)}")
    return "\n".join([*lines, ""])


def human_turn(table):
    """Has policies play until a person is to move, True, or the deal is over, False."""
    while table.policy_to_act is not None:
        table.apply(table.version, *table.policy_move())
    return table.to_act is not None


CARD = re.compile(r"(?<![A-Za-z0-9])(?:[2-9TJQKA][cdhs])+(?![A-Za-z0-9])")


def cards_in(game, text):
    """All cards that a text names, by letters or in words, as a set."""
    deck = EUCHRE_DECK if game == "euchre" else FULL_DECK
    names = {word[k : k + 2] for word in CARD.findall(text) for k in range(0, len(word), 2)}
    names |= {deck.text(card) for card in range(deck.size) if card_name(deck.text(card)) in text}
    return {deck.card(card) for card in names}


def members(cards):
    """A set of cards as a Python set."""
    return {card for card in range(52) if int(cards) >> card & 1}


def knows(table, you):
    """The cards whose place ``you`` knows or has seen in this deal, from the full state: the rules' word on it."""
    s = table.state[0]
    if table.game.name == "five-o":
        known = set()
        for seat in (0, 1):
            for column in s["columns"][seat]:
                known |= members(column) - (set() if seat == you else members(s["down"][seat]))
        return known | (members(s["card"]) if you is not None and s["to_act"] == you else set())
    known = set().union(*(members(cards) for cards in s["played"]))
    known |= members(s["turned"]) if "turned" in s.dtype.names else members(s["shown"])
    if you is not None:
        known |= members(s["hands"][you])
        if table.game.name == "euchre" and s["dealer"] == you:
            known |= members(s["discard"])
    return known


def check_readouts(table, you, readouts):
    """Readouts name cards that the seat has not seen; those must be all that its knowledge leaves open."""
    s, known = table.state[0], knows(table, you)
    if table.game.name == "five-o":
        assert readouts == {
            "seen": [FULL_DECK.text(c) for c in range(52) if c in known],
            "unseen": [FULL_DECK.text(c) for c in range(52) if c not in known],
        }
        return
    deck = EUCHRE_DECK if table.game.name == "euchre" else FULL_DECK
    assert {deck.card(c) for c in readouts["seen"]} == known
    shown = members(s["turned"] if table.game.name == "euchre" else s["shown"])
    lies_open = table.game.name == "euchre" and not s["picked_up"]
    gone = set().union(*(members(cards) for cards in s["played"])) | members(s["hands"][you])
    if table.game.name == "euchre" and s["dealer"] == you:
        gone |= members(s["discard"])
    tables = euchre if table.game.name == "euchre" else whist
    trump = int(s["trump"])
    for seat in range(4):
        assert readouts["voids"][str(seat)] == ["cdhs"[k] for k in range(4) if s["voids"][seat] >> k & 1]
        if seat == you:
            assert str(seat) not in readouts["could_hold"]
            continue
        held = set(range(deck.size)) - gone - (shown if lies_open or seat != s["dealer"] else set())
        held = {card for card in held if not s["voids"][seat] >> int(tables.SUIT_OF[trump, card]) & 1}
        if not s["hands"][seat]:
            held = set()
        assert {deck.card(c) for c in readouts["could_hold"][str(seat)]} == held
    left = {c for c in range(deck.size) if trump < 4 and tables.SUIT_OF[trump, c] == trump} - gone
    assert {deck.card(c) for c in readouts["trumps_left"]} == left - (shown if lies_open else set())
