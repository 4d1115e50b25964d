"""Parsers of single brackets, with messages that say what is missing, wrong or superfluous."""

from collections.abc import Iterable

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.reader import Atom, AtomKind, Bracket, Item


def list_names(names: Iterable[str]) -> str:
    """Joins at most twenty names for a message; ``none`` if there are none."""
    found = list(names)
    return ", ".join(found[:20]) + (" .." if len(found) > 20 else "") or "none"


class Parts:
    """The items of a bracket, taken one after the other. Each ``take_`` method raises a RecycleError for any other item.

    ``usage`` is its syntax, for messages; ``taken`` items are skipped, by default the first, its keyword.
    """

    def __init__(self, bracket: Bracket, usage: str, taken: int = 1) -> None:
        self.bracket = bracket
        self.usage = usage
        self.next_item = taken

    @property
    def left(self) -> int:
        return len(self.bracket.items) - self.next_item

    def peek(self) -> Item | None:
        """Returns the next item without taking it; None at the end."""
        return self.bracket.items[self.next_item] if self.left else None

    def take_item(self, what: str) -> Item:
        """Takes the next item; ``what`` names it in the error, whose position is that of the closing bracket."""
        item = self.peek()
        if item is None:
            raise RecycleError(
                f"{self.bracket} ends where {what} is missing: it is written {self.usage}", self.bracket.closed
            )
        self.next_item += 1
        return item

    def take_word(self, *allowed: str) -> str:
        """Takes one of some keywords, operators or marks; returns it."""
        item = self.take_item(" or ".join(allowed))
        if str(item) not in allowed:
            raise self.mismatch_error(item, " or ".join(allowed), allowed)
        return str(item)

    def take_name(self, what: str = "a name") -> Atom:
        """Takes a name in capital letters."""
        item = self.take_item(what)
        if isinstance(item, Atom) and item.kind is AtomKind.NAME:
            return item
        raise self.mismatch_error(item, f"{what} in capital letters")

    def take_variable(self) -> Atom:
        """Takes a variable that is bound here."""
        item = self.take_item("a variable")
        if isinstance(item, Atom) and item.kind is AtomKind.VARIABLE:
            return item
        hint = f". Did you mean '{item} ?" if isinstance(item, Atom) and item.kind is AtomKind.NAME else ""
        raise self.mismatch_error(item, "a variable such as 'C", hint=hint)

    def take_bracket(self, what: str) -> Bracket:
        item = self.take_item(what)
        if isinstance(item, Bracket):
            return item
        raise self.mismatch_error(item, what)

    def expect_end(self) -> None:
        """Raises a RecycleError if an item is left."""
        item = self.peek()
        if item is not None:
            raise RecycleError(f"{item} is too much in {self.bracket}: it is written {self.usage}", item.at)

    def mismatch_error(self, item: Item, needed: str, allowed: tuple[str, ...] = (), hint: str = "") -> RecycleError:
        meant = hint or (did_you_mean(str(item), allowed) if isinstance(item, Atom) else "")
        return RecycleError(f"{needed} must stand here, not {item}: it is written {self.usage}{meant}", item.at)


def split_commas(bracket: Bracket, kind: AtomKind, usage: str) -> list[Atom]:
    """Returns the atoms, all of one kind, of a list such as ``(A, B, C)``, else raises a RecycleError."""
    members: list[Atom] = []
    for index, item in enumerate(bracket.items):
        if str(item) == ",":
            if index % 2 == 0:
                raise RecycleError(f"a comma without {kind.value} before it: the list is written {usage}", item.at)
        elif not isinstance(item, Atom) or item.kind is not kind:
            raise RecycleError(f"{kind.value} must stand here, not {item}: the list is written {usage}", item.at)
        elif index % 2:
            raise RecycleError(f"a comma is missing before {item}: the list is written {usage}", item.at)
        else:
            members.append(item)
    if not members:
        raise RecycleError(f"the list is empty: it is written {usage}", bracket.at)
    if len(bracket.items) % 2 == 0:
        raise RecycleError(f"{kind.value} must follow the comma: the list is written {usage}", bracket.items[-1].at)
    return members
