"""Deals as lines of text: written, parsed and checked.

Functions with a ``game`` are methods of `cardenvs.contract.spec.GameSpec`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from cardenvs.checks import is_int, short
from cardenvs.contract.checked import legal_set
from cardenvs.contract.fields import Games
from cardenvs.contract.options import show
from cardenvs.contract.outcome import ActionWords

if TYPE_CHECKING:
    from cardenvs.contract.spec import GameSpec


def text(game: GameSpec, state: Any, actions: bool = True) -> str:
    """Returns a line that describes the deal exactly: game, options, cards and, with ``actions``, the actions."""
    state = game.record(state)
    words = [game.word] + [f"{o.name}={show(o.decode(state[o.name]))}" for o in game.options]
    words += [f"{key}={value}" for key, value in game.deal_text(state).items()]
    if actions:
        words.append("actions=" + ",".join(game.history(state)))
    return " ".join(words)


def history(game: GameSpec, state: Any) -> list[str]:
    """Returns the names of the deal's actions in order."""
    state = game.record(state)
    if game.history_text is not None:
        return game.history_text(state)
    return [game.actions[int(a)] for a in state["history"][: int(state["moves"])]]


def action_words(game: GameSpec, state: Any, action: int) -> ActionWords:
    """Returns an action of the seat to act in words.

    Args:
        state: the full state or view before the action; a view reveals only what its seat knows.
        action: 0 to ``num_actions - 1``; in Euchre also `cardenvs.games.euchre.HIDDEN_DISCARD`.

    Raises:
        ValueError: no state or view of the game, or no action of it.
    """
    if not is_int(action) or action not in (range(game.num_actions) if game.words is None else range(-1, game.num_actions)):
        raise ValueError(f"action must be an int from 0 to {game.num_actions - 1}, not {short(action)}")
    if game.words is None:
        return ActionWords(game.actions[action], game.actions[action])
    return game.words(state, action)


def parse(game: GameSpec, line: str, **options: Any) -> Games:
    """Returns the state that a line of `text` describes, shape (1,), with the line's actions played.

    Args:
        line: a line as `text` returns it; options that it leaves out are taken from ``options`` or are the defaults.
        options: rule options, by name.

    Raises:
        ValueError: another game, an unknown key, a missing or repeated card, or an illegal action; says which.
    """
    if not isinstance(line, str):
        raise ValueError(f"a deal of {game.name} is a line of text, not {short(line)}")
    words = line.split()
    if not words or words[0] != game.word:
        raise ValueError(f"a deal of {game.name} begins with the word {game.word!r}, not {' '.join(words[:1])!r}")
    given = key_values(words[1:], f"a deal of {game.name}")
    chosen = dict(options)
    for o in game.options:
        if o.name in given:
            chosen[o.name] = o.parse(given.pop(o.name))
    actions = given.pop("actions", "")
    games = game.new_games(1, **chosen)
    game.set_deal(games, 0, given)
    for k, name in enumerate(part for part in actions.split(",") if part):
        if game.max_decisions is not None and k >= game.max_steps:
            raise ValueError(f"actions: a deal of {game.name} has at most {game.max_steps} of them")
        action, legal = game.action(name), legal_set(game, games)
        if not legal >> action & 1:
            raise ValueError(f"action {k + 1}, {name!r}, is illegal there: legal are {game.legal_names(legal)}")
        game.kernels.step(games, 0, action)
    return games


def illegal_answer(game: GameSpec, games: Games, i: int, action: int, deal: int | None = None) -> str:
    """Returns the message that a policy's action is illegal in game ``i``, with the position and the deal's number."""
    number = "" if deal is None else f"deal {deal}, "
    return f"{game.illegal_message(games, i, action)}; {number}position: {game.text(games[i])}"


def named_in(word: str) -> str:
    """Returns the name of the game in the first word of a deal's line; the inverse of `GameSpec.word`."""
    return unquote(word)


def key_values(words: Sequence[str], where: str) -> dict[str, str]:
    """Returns the values by key of words ``key=value``; raises ValueError, with ``where``, for others or a repeated key."""
    fields: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key in fields:
            raise ValueError(f"{word!r} in {where}: words are key=value, each key once")
        fields[key] = value
    return fields


def check_piles(
    game: str, piles: Sequence[tuple[str, int, int]], hands: int, deck: int, format_cards: Callable[[int], str]
) -> None:
    """Checks that every card of ``deck`` lies in exactly one pile and that each pile has its number of cards.

    Args:
        game: the game's name, for messages.
        piles: name, card set and required number of cards of each pile; the names of hands begin with ``"hand "``.
        hands: required number of hands.
        deck: the set of all cards.
        format_cards: returns the text of a card set.

    Raises:
        ValueError: another number of hands, a pile with too many or too few cards, a repeated or missing card.
    """
    if sum(name.startswith("hand ") for name, _, _ in piles) != hands:
        raise ValueError(f"hands= in a deal of {game} has {hands} hands with / between them")
    seen = 0
    for name, cards, _ in piles:
        if seen & cards:
            raise ValueError(f"the card {format_cards(seen & cards)} is twice in this deal of {game} (again in {name})")
        seen |= cards
    for name, cards, size in piles:
        if cards.bit_count() != size:
            plural = "" if size == 1 else "s"
            raise ValueError(f"{name} must have {size} card{plural} in a deal of {game}, not {cards.bit_count()}")
    if deck & ~seen:
        raise ValueError(f"the card {format_cards(deck & ~seen)} is missing in this deal of {game}")


def int_field(fields: Mapping[str, str], key: str, allowed: range) -> int:
    """Returns the int in ``fields[key]``, 0 without that key; raises ValueError outside of ``allowed``."""
    text = fields.get(key, "0")
    if not text.isdecimal() or int(text) not in allowed:
        raise ValueError(f"{key}={text}: must be {allowed[0]} to {allowed[-1]}")
    return int(text)


def score_field(fields: Mapping[str, str], limit: int) -> tuple[int, int]:
    """Returns the two points in ``fields["score"]``, such as ``3-7``; raises ValueError outside of 0 to ``limit``."""
    text = fields.get("score", "0-0")
    parts = text.split("-")
    if len(parts) != 2 or not all(part.isdecimal() for part in parts):
        raise ValueError(f"score={text}: must be two numbers with - between them")
    score = int(parts[0]), int(parts[1])
    if max(score) > limit:
        raise ValueError(f"score={text}: before a deal of this game each side has 0 to {limit} points")
    return score
