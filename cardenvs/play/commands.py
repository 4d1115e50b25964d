"""The commands at a table: one table of names, arguments and checks for pages and the keyboard, and the effects of both."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from cardenvs.contract.loops import RUNNING
from cardenvs.play.players import HUMAN
from cardenvs.play.table import Table


class Refused(ValueError):
    """A command that is not obeyed; the error's text goes back to who asked."""


@dataclass(frozen=True)
class Command:
    """A command: a person at the keyboard types its name, a page sends it as a message of this type.

    Its effect is a method of the `Desk` that is asked, ``do_`` and its name.
    """

    argument: str = ""  # what is typed behind the name: N is a number, a word in brackets may be left out
    help: str | None = None  # for people at the keyboard; None if it is not typed
    fields: Mapping[str, type] | None = None  # of a page's message, `object` for any value or none; None: no message
    by: str = "table"  # whose pages may send it: "all", "person" (at a seat), "table" (those who may change the table)

    def read_fields(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the arguments in a page's message."""
        for name, kind in (self.fields or {}).items():
            if not isinstance(message.get(name), kind):
                raise Refused(f"{message['type']!r} needs {name!r}, {'text' if kind is str else 'true or false'}")
        return {name: message.get(name) for name in self.fields or {}}

    def read_typed(self, name: str, rest: str) -> list[Any]:
        """Returns the arguments typed behind the command's name."""
        words = self.argument.split()
        patterns = [r"(\d{1,80})" if word == "N" else "(.*)" if word.startswith("[") else r"(\S.*)" for word in words]
        found = re.fullmatch(r"\s+".join(patterns), rest)
        if words and found is None:
            raise Refused(f"{name} {self.argument}: {self.help}")
        return [
            int(text) if word == "N" else text for word, text in zip(words, found.groups() if found else (), strict=True)
        ]


COMMANDS: Mapping[str, Command] = {
    "act": Command(fields={"action": str, "version": object}, by="person"),
    "hint": Command("[POLICY]", "what a policy would do, from what you see", {"policy": str}, "person"),
    "undo": Command("", "take back your last decision and all after it, where only you play", {"version": object}),
    "last": Command("", "the last trick"),
    "tricks": Command("", "all tricks of the deal"),
    "sheet": Command("", "the score sheet: every deal of the game, and how it stands"),
    "review": Command("[all]", "after a deal: what the moves cost, from what each player could know", {}, "all"),
    "replay": Command(fields={}, by="all"),
    "at": Command("N", "after a deal: the table before move N, with open hands"),
    "seen": Command("", "the cards that you have seen, and what is left"),
    "voids": Command("", "suits that players have shown out of, and what they can still hold"),
    "log": Command("", "the deal so far"),
    "rules": Command("", "the rules of the game in brief"),
    "show": Command("", "the table again"),
    "new": Command("", "a new deal; in a game a new game", {"seed": object, "line": object}),
    "next": Command("", "the next deal of a game; the same as new where a deal is all", {}),
    "same": Command("", "this deal again from its beginning", {}),
    "seed": Command("N", "the deal of that seed, a whole number"),
    "deal": Command("LINE", "a deal by its line of text, as the files have them"),
    "save": Command("FILE", "the deals played and this one as text", {}),
    "load": Command("FILE", "the last deal of such a file", {"text": str}),
    "speed": Command(fields={"seconds": object}),
    "pause": Command(fields={"on": bool}),
    "step": Command(fields={}),
    "seat": Command("N POLICY", "another policy for seat N, or human", {"seat": object, "policy": str}),
    "name": Command("[NAME]", "what you are called", {"name": str}),
    "retry": Command("", "a policy that failed tries again", {}),
    "help": Command("", "what can be typed"),
    "quit": Command("", "end; the table is saved"),
}


@dataclass(eq=False)
class Asker:
    """A page, or the person at the keyboard, that asks; ``seat`` is None for a spectator."""

    seat: int | None


A = TypeVar("A", bound=Asker)


class Desk(Generic[A]):
    """Obeys commands at a table; its effects raise ValueError or OSError if they are refused.

    Here are the effects that pages and the keyboard share. ``key`` is the word that names the table in its records.
    """

    def __init__(self, table: Table, key: str = "") -> None:
        self.table, self.key = table, key

    def confirm_leaving(self, *, game: bool = True) -> None:
        """Asks, where the desk does, before an unfinished deal or ``game`` is left; raises `Refused` if it goes on."""

    def tell_all(self, asker: A, what: str) -> None:
        """Announces, where the desk does, what the asker did."""

    def answer(self, asker: A, sentence: str) -> None:
        """Tells, where the desk does, the asker what was done."""

    def follow_up_deal(self, asker: A, sentence: str) -> None:
        """Follows up another deal, which has begun."""

    def do_undo(self, asker: A, version: Any = None) -> None:
        self.table.undo(asker.seat)
        self.answer(asker, "Taken back; the record notes it.")

    def do_new(self, asker: A, seed: Any = None, line: Any = None) -> None:
        if line is not None:
            if not isinstance(line, str):
                raise Refused("line must be text")
            self.table.game.parse(line, **self.table.options)  # what is no deal is refused before anything is asked
        self.confirm_leaving()
        running = self.table.over == RUNNING and bool(self.table.events)
        self.table.new_deal(seed=seed, line=line)
        if running and self.table.people:
            self.tell_all(asker, "began a new deal; the one before was not over")
        asked = "The deal given." if line is not None else f"The deal of seed {seed}."
        self.follow_up_deal(asker, "A new deal." if seed is None and line is None else asked)

    def do_same(self, asker: A) -> None:
        self.confirm_leaving(game=False)
        self.table.same_deal()
        if self.table.people and not self.table.seen:
            self.tell_all(asker, "began the same deal again: what was seen of it is known")
        self.follow_up_deal(asker, "The same deal again.")

    def do_next(self, asker: A) -> None:
        self.table.next_deal()
        self.follow_up_deal(asker, "The next deal.")

    def do_load(self, asker: A, text: str, source: str = "record") -> None:
        self.confirm_leaving()
        taken_up = self.table.load(text, source, key=self.key)
        if taken_up and self.table.people and not self.table.seen:
            what = f"took a deal of this table up again after {self.table.decisions} moves"
            self.tell_all(asker, f"{what}: what was seen of it later is known")
        self.follow_up_deal(asker, f"The last deal of {source}.")

    def do_name(self, asker: A, name: str) -> None:
        if asker.seat is None or self.table.seats[asker.seat] != HUMAN:
            raise Refused("who looks on has no name; names are for people at the table, in their turn at a keyboard")
        self.table.set_name(asker.seat, name)
        self.answer(asker, f"You are {self.table.names[asker.seat] or 'without a name'}.")

    def do_retry(self, asker: A) -> None:
        self.table.retry()
