"""Brackets taken apart, with messages that say what is missing, wrong or too many."""

from __future__ import annotations

from collections.abc import Iterable

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language.errors import Position, RecycleError
from cardenvs.recycle.language.reader import Atom, AtomKind, Bracket, Item


def listed(names: Iterable[str]) -> str:
    """Names for a message, at most twenty of them; ``none`` if there are none."""
    found = list(names)
    return ", ".join(found[:20]) + (" .." if len(found) > 20 else "") or "none"


class Parts:
    """The items of a bracket, taken one after the other.

    Args:
        bracket: the bracket.
        usage: how it is written, for messages: ``(inc (OWNER sto NAME) NUMBER)``.
        taken: how many items are known already; by default the first, its keyword.
    """

    def __init__(self, bracket: Bracket, usage: str, taken: int = 1) -> None:
        self.bracket = bracket
        self.usage = usage
        self.next_item = taken

    @property
    def left(self) -> int:
        """Number of items that are left."""
        return len(self.bracket.items) - self.next_item

    def peek(self) -> Item | None:
        """The next item, which is not taken; None if there is none."""
        return self.bracket.items[self.next_item] if self.left else None

    def take(self, what: str) -> Item:
        """The next item.

        Args:
            what: what it must be, for the message.

        Raises:
            RecycleError: there is none; the position is that of the closing bracket.
        """
        item = self.peek()
        if item is None:
            raise RecycleError(
                f"{self.bracket} ends where {what} is missing: it is written {self.usage}", self.bracket.closed
            )
        self.next_item += 1
        return item

    def word(self, *allowed: str) -> str:
        """The next item, one of some keywords.

        Raises:
            RecycleError: it is something else, or there is none.
        """
        item = self.take(" or ".join(allowed))
        if isinstance(item, Atom) and item.is_word(*allowed):
            return item.text
        raise self.wrong(item, " or ".join(allowed), allowed)

    def name(self, what: str = "a name") -> Atom:
        """The next item, a name in capital letters.

        Raises:
            RecycleError: it is something else, or there is none.
        """
        item = self.take(what)
        if isinstance(item, Atom) and item.kind is AtomKind.NAME:
            return item
        raise self.wrong(item, f"{what} in capital letters")

    def variable(self) -> Atom:
        """The next item, a variable that is bound here.

        Raises:
            RecycleError: it is something else, or there is none.
        """
        item = self.take("a variable")
        if isinstance(item, Atom) and item.kind is AtomKind.VARIABLE:
            return item
        hint = f". Did you mean '{item} ?" if isinstance(item, Atom) and item.kind is AtomKind.NAME else ""
        raise self.wrong(item, "a variable such as 'C", hint=hint)

    def brackets(self, what: str) -> Bracket:
        """The next item, a bracket.

        Raises:
            RecycleError: it is something else, or there is none.
        """
        item = self.take(what)
        if isinstance(item, Bracket):
            return item
        raise self.wrong(item, what)

    def mark(self, mark: str) -> None:
        """Takes the next item, ``:`` or ``..``.

        Raises:
            RecycleError: it is something else, or there is none.
        """
        item = self.take(mark)
        if not (isinstance(item, Atom) and item.is_mark(mark)):
            raise self.wrong(item, mark)

    def end(self) -> None:
        """Checks that nothing is left.

        Raises:
            RecycleError: something is.
        """
        item = self.peek()
        if item is not None:
            raise RecycleError(f"{item} is too much in {self.bracket}: it is written {self.usage}", item.at)

    def wrong(self, item: Item, needed: str, allowed: tuple[str, ...] = (), hint: str = "") -> RecycleError:
        """The error for an item that is not what must stand there."""
        meant = hint or (did_you_mean(str(item), allowed) if isinstance(item, Atom) else "")
        return RecycleError(f"{needed} must stand here, not {item}: it is written {self.usage}{meant}", item.at)


def commas(bracket: Bracket, kind: AtomKind, usage: str) -> list[Atom]:
    """The atoms of a list such as ``(A, B, C)``.

    Args:
        bracket: the list.
        kind: what its members must be.
        usage: how the list is written, for messages.

    Raises:
        RecycleError: it is empty, a member is something else, a comma is missing or too many.
    """
    members: list[Atom] = []
    comma_at: Position | None = None
    for item in bracket.items:
        separator = isinstance(item, Atom) and item.is_mark(",")
        if separator and (comma_at is not None or not members):
            raise RecycleError(f"a comma without {kind.value} before it: the list is written {usage}", item.at)
        if separator:
            comma_at = item.at
            continue
        if not isinstance(item, Atom) or item.kind is not kind:
            raise RecycleError(f"{kind.value} must stand here, not {item}: the list is written {usage}", item.at)
        if members and comma_at is None:
            raise RecycleError(f"a comma is missing before {item}: the list is written {usage}", item.at)
        comma_at = None
        members.append(item)
    if comma_at is not None:
        raise RecycleError(f"{kind.value} must follow the comma: the list is written {usage}", comma_at)
    if not members:
        raise RecycleError(f"the list is empty: it is written {usage}", bracket.at)
    return members
