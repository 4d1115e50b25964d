"""Reads a typed number, card, call or beginning of a call as an action."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from cardenvs.contract.cards import Deck
from cardenvs.play.terminal.board import offered_card
from cardenvs.play.typed_input import column_word, parse_cards


def parse_action(view: Mapping[str, Any], typed: str, deck: Deck) -> str:
    """Returns the name of the legal action that ``typed`` means to a person with this view; raises ValueError if none."""
    legal = [entry["action"] for entry in view["legal"]]
    if view["board"] is not None:
        return _parse_offer(view, typed, deck)
    if view["drawing"] is not None and (typed in legal or not typed.isdecimal()):
        return _parse_call(view["legal"], typed)
    if view["five_o"]:
        return _by_number(column_word(typed), [f"column-{k}" for k in range(1, 6)], legal, "column")
    if view["legal"][0]["card"]:
        return _parse_card(view["hand"], typed, deck, legal)
    return _by_number(typed, legal, legal, "call") if typed.isdecimal() else _parse_call(view["legal"], typed)


def _parse_offer(view: Mapping[str, Any], typed: str, deck: Deck) -> str:
    entries = view["legal"]
    legal = [entry["action"] for entry in entries]
    if typed in legal:
        return typed
    if typed.isdecimal():
        return _by_number(typed, legal, legal, "option")
    with contextlib.suppress(ValueError):
        cards = [deck.text(card) for card in parse_cards(typed, deck)]
        found = [entry["action"] for entry in entries if [(offered_card(view, entry) or {}).get("card")] == cards]
        if len(found) == 1:
            return str(found[0])
    matching = _actions_named({entry["label"]: entry["action"] for entry in entries}, typed)
    if len(matching) != 1:
        raise ValueError(f"{typed!r} is no option now; the options are {', '.join(entry['label'] for entry in entries)}")
    return matching.pop()


def _actions_named(known: Mapping[str, str], typed: str) -> set[str]:
    """Returns the action whose name in ``known`` is typed, or all whose names begin so."""
    word, folded = _fold_label(typed), {_fold_label(name): action for name, action in known.items()}
    return {folded[word]} if word in folded else {folded[name] for name in folded if name.startswith(word)}


def _fold_label(text: str) -> str:
    """Returns a label in lower case, without commas, its words joined by hyphens."""
    return "-".join(text.lower().replace(",", " ").replace("-", " ").split())


def _parse_card(hand: Sequence[str], typed: str, deck: Deck, legal: Sequence[str]) -> str:
    if typed.isdecimal():
        return _by_number(typed, hand, legal, "card")
    try:
        cards = parse_cards(typed, deck)
    except ValueError as error:
        raise ValueError(f"{error}; or its number, or a command: help lists them") from None
    card = deck.text(cards[0])
    if len(cards) > 1 or card not in hand:
        raise ValueError(f"{deck.format(cards, ' ')}: not one card of your hand")
    return _by_number(str(hand.index(card) + 1), hand, legal, "card")


def _parse_call(choices: Sequence[Mapping[str, Any]], typed: str) -> str:
    """Returns the call that an action's name, a button's label, or a unique beginning means."""
    legal = [entry["action"] for entry in choices]
    known = {entry["label"]: entry["action"] for entry in choices} | {action: action for action in legal}
    matching = _actions_named(known | {action.removeprefix("call-"): action for action in legal}, typed)
    plain = {action for action in matching if not action.endswith("-alone")}
    if len(plain or matching) != 1:
        raise ValueError(f"{typed!r} is no call now; the calls are {', '.join(legal)}")
    return (plain or matching).pop()


def _by_number(word: str, among: Sequence[str], legal: Sequence[str], what: str) -> str:
    if not word.isdecimal() or not 1 <= int(word) <= len(among):
        raise ValueError(f"{word!r} is none of the {what}s 1 to {len(among)}")
    action = among[int(word) - 1]
    if action not in legal:
        allowed = ", ".join(legal)
        why = "follow suit" if what == "card" else "a column that is longer than the shortest takes no card"
        raise ValueError(f"{action} is not legal ({why}); legal: {allowed}")
    return action
