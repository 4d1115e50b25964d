"""Text to syntax tree: `parse` and `load`."""

import os
from pathlib import Path

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.cursor import Parts
from cardenvs.recycle.language.errors import Position, RecycleError
from cardenvs.recycle.language.expressions import Facts, Scope
from cardenvs.recycle.language.grammar import STATEMENTS, forms_of
from cardenvs.recycle.language.reader import MOST_CHARACTERS, Bracket, Page, read_page
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
    directives = parse_directives(page.directives)
    parts = Parts(page.game, GAME, taken=0)
    parts.take_word("game")
    script = Script(Facts(attributes=attributes_in(page.game)))
    setup = script.setup
    scope: Scope = {}
    declarations = []
    first = parts.take_bracket("(setup ..)")
    while first.head == "declare":
        declarations.append(setup.parse_declaration(first, scope))
        scope = with_constant(scope, declarations[-1])
        first = parts.take_bracket("(setup ..)")
    if first.head != "setup":
        meant = did_you_mean(first.head, ("setup", "declare"))
        raise RecycleError(
            f"(declare ..) or (setup ..) must stand here, not {first}: a game is written {GAME}{meant}", first.at
        )
    teams, decks = setup.parse_setup(first, scope)
    body: list[syntax.Statement] = [*option_acts(directives["options"])]
    scoring = None
    while scoring is None:
        if not parts.left:
            message = f"the game ends without (scoring ..): a game is written {GAME}."
            if page.text_follows:
                message += " Text follows the bracket that closes the game: is that bracket one too many?"
            raise RecycleError(message, page.game.closed)
        item = parts.take_item("a statement")
        head = item.head if isinstance(item, Bracket) else ""
        if head in ("declare", "setup"):
            usage = GAME if head == "declare" else SETUP
            raise RecycleError(f"({head} ..) stands before the script, and setup once: {usage}", item.at)
        if isinstance(item, Bracket) and head == "scoring":
            scoring = script.parse_form(item, SCORING, scope)
        elif not parts.left and head not in STATEMENTS and did_you_mean(head, ["scoring"]):
            raise RecycleError(f"{item} is no statement. Did you mean scoring?", item.at)
        else:
            body.append(script.parse_statement(item, scope))
    parts.expect_end()
    positional = (page.game.at, name, text, tuple(declarations), script.facts.players, teams, decks, tuple(body), scoring)
    return check_names(syntax.Description(*positional, **directives))
