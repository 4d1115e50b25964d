"""Text to syntax tree: `parse` and `load`."""

from __future__ import annotations

import os
from pathlib import Path

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.cursor import Parts
from cardenvs.recycle.language.errors import Position, RecycleError
from cardenvs.recycle.language.expressions import Facts, Scope
from cardenvs.recycle.language.grammar import STATEMENTS, forms_of
from cardenvs.recycle.language.reader import MOST_CHARACTERS, Atom, Bracket, Item, Page, read_page
from cardenvs.recycle.language.script import Script
from cardenvs.recycle.language.setup import SETUP, attributes_in, option_acts, parse_directives, with_constant
from cardenvs.recycle.language.validation import check_names

LONGEST_FILE = 4 * MOST_CHARACTERS  # the longest file that is read, in bytes; a character has up to four

SCORING = forms_of(syntax.Scoring)
GAME = "(game (declare VALUE 'X) .. (setup ..) STATEMENT .. (scoring max NUMBER))"


def parse(text: str, name: str | None = None) -> syntax.Description:
    """Parses a description.

    Args:
        text: the description.
        name: the name of the file, for messages.

    Raises:
        RecycleError: the text is no description; the error has line, column, what is wrong and what is allowed.
    """
    if not isinstance(text, str):
        raise ValueError(f"text must be a str, not {type(text).__name__}")
    try:
        return _build_description(read_page(text), text, name)
    except RecycleError as error:
        raise error.named(name) from None


def load(path: str | os.PathLike[str]) -> syntax.Description:
    """Parses the description in a file.

    Args:
        path: the path of a file in UTF-8.

    Raises:
        RecycleError: the file cannot be read, is not in UTF-8 or is no description; the error has the file's name.
    """
    if not isinstance(path, str | os.PathLike):
        raise ValueError(f"path must be a path, not {type(path).__name__}")
    name = os.fspath(path)
    try:
        with Path(name).open("rb") as file:
            content = file.read(LONGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecycleError(f"the file cannot be read: {reason}", Position(1, 1), name) from None
    if len(content) > LONGEST_FILE:
        raise RecycleError(f"the file is too long: more than {LONGEST_FILE} bytes", Position(1, 1), name)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start].decode().removeprefix("\ufeff")
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        where = Position(line, column)
        raise RecycleError(f"the file is not in UTF-8: the byte {content[error.start]:#04x}", where, name) from None
    return parse(text, name)


def _build_description(page: Page, text: str, name: str | None) -> syntax.Description:
    given = parse_directives(page.directives)
    parts = Parts(page.game, GAME, taken=0)
    parts.take_word("game")
    facts = Facts(attributes=attributes_in(page.game))
    script = Script(facts)
    setup = script.setup
    scope: Scope = {}
    declarations = []
    item = parts.take_bracket("(setup ..)")
    while _starts_with(item, "declare"):
        declarations.append(setup.parse_declaration(item, scope))
        scope = with_constant(scope, declarations[-1])
        item = parts.take_bracket("(setup ..)")
    if not _starts_with(item, "setup"):
        meant = did_you_mean(str(item.items[0]) if item.items else "", ("setup", "declare"))
        raise RecycleError(
            f"(declare ..) or (setup ..) must stand here, not {item}: a game is written {GAME}{meant}", item.at
        )
    teams, decks = setup.parse_setup(item, scope)
    body: list[syntax.Statement] = [*option_acts(given.options)]
    scoring = None
    while scoring is None:
        if not parts.left:
            extra = (
                " Text follows the bracket that closes the game: is that bracket one too many?" if page.text_follows else ""
            )
            raise RecycleError(f"the game ends without (scoring ..): a game is written {GAME}.{extra}", page.game.closed)
        following = parts.take_item("a statement")
        for word, usage in (("declare", GAME), ("setup", SETUP)):
            if _starts_with(following, word):
                raise RecycleError(f"({word} ..) stands before the script, and setup once: {usage}", following.at)
        if isinstance(following, Bracket) and _starts_with(following, "scoring"):
            scoring = script.parse_form(following, SCORING, scope)
        elif isinstance(following, Bracket) and parts.left == 0 and _nearly_starts_with(following, "scoring"):
            raise RecycleError(f"{following} is no statement. Did you mean scoring?", following.at)
        else:
            body.append(script.parse_statement(following, scope))
    parts.expect_end()
    description = syntax.Description(
        page.game.at,
        name,
        text,
        tuple(declarations),
        facts.players,
        teams,
        decks,
        tuple(body),
        scoring,
        given.private,
        500 if given.max_decisions is None else given.max_decisions,
        given.options,
        given.perfect,
        given.exclusive,
        given.tricks,
    )
    return check_names(description)


def _starts_with(item: Item, word: str) -> bool:
    return (
        isinstance(item, Bracket) and bool(item.items) and isinstance(item.items[0], Atom) and item.items[0].is_word(word)
    )


def _nearly_starts_with(bracket: Bracket, word: str) -> bool:
    head = bracket.items[0] if bracket.items else None
    return isinstance(head, Atom) and head.text not in STATEMENTS and bool(did_you_mean(head.text, [word]))
