"""Tables as text: a JSON object by which a table goes on exactly, and a record of its deals for people.

The JSON names all cards. It has the table's numbers and its deals, each with a log: the actions and, after ``#``, the
notices to all, in their order. The record names no card of an unfinished deal: such a deal leaves a remark, by which its
table finds it again. It has neither the table's secret, from which later deals follow, nor an unfinished deal's seed.
Earlier versions kept tables as records, too, with all numbers in remarks.
"""

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cardenvs.checks import short
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.record import Deal, parse_record, record_text, seats_line
from cardenvs.contract.spec import GameSpec
from cardenvs.play.names import check_name, require_distinct
from cardenvs.play.players import HUMAN

_ABOUT = "a table of cardenvs play; whoever can read this can see all cards and take every seat"
_LEFT = "# left unfinished:"
_DEAL_SHAPE: dict[str, Any] = {
    "number": (int,), "seats": [(str,)], "names": [(str, type(None))], "seed": (int, type(None)), "sat": [(int,)],
    "undone": (int,), "cards": (str,), "log": [(str,)],
}  # fmt: skip
_SHAPE: dict[str, Any] = {
    "rules": (str, type(None)), "secret": (str, type(None)), "repeatable": (bool,), "version": (int,), "dealt": (int,),
    "sheet": [(int,)], "links": (dict, type(None)), "deals": [_DEAL_SHAPE],
}  # fmt: skip
"""The shape of a table's JSON: by key a value's types, a list with the shape of its items, or the shape of an object."""


@dataclass(frozen=True)
class KeptDeal:
    """A deal of a table as the table's text has it."""

    number: int  # number of the deal at the table, from 1
    seats: tuple[str, ...]  # who played each seat
    names: tuple[str | None, ...]  # players' names by seat, None without a name; empty without any
    seed: int | None  # the seed by which the deal was asked for; None if it was dealt otherwise
    sat: tuple[int, ...]  # seats that people held while the deal was played, ascending
    undone: int  # number of decisions that were taken back
    cards: str  # the deal without its actions, the beginning of a line of text that names all cards
    log: tuple[str, ...]  # the events in order: an action by its name, or a notice to all after ``# ``
    over: bool

    @property
    def actions(self) -> list[str]:
        return [event for event in self.log if not event.startswith("#")]

    @property
    def told(self) -> list[tuple[int, str]]:
        """The notices to all, each with the number of actions before it."""
        places = (place for place, event in enumerate(self.log) if event.startswith("#"))
        return [(place - before, self.log[place].removeprefix("#").strip()) for before, place in enumerate(places)]

    @property
    def line(self) -> str:
        """The deal with its actions as one line of text."""
        return f"{self.cards}actions={','.join(self.actions)}"

    @cached_property
    def json_text(self) -> str:
        return json.dumps({key: getattr(self, key) for key in _DEAL_SHAPE})

    def record_text(self, game: GameSpec, key: str, seeds: bool) -> str:
        """Returns the deal for a person, with its seed only if ``seeds`` and the deal is over.

        The cards of a deal that is not over, and in which people sat, are left out for a remark in which ``key`` names the
        table.
        """
        lines = [seats_line(self.seats)] if self.seats else []
        lines += [f"# names: {json.dumps(self.names, ensure_ascii=False)}"] if any(self.names) else []
        lines += [f"# deal: {self.number}"]
        lines += [f"# decisions taken back: {self.undone}"] if self.undone else []
        lines += [f"# seed of the deal: {self.seed}"] if seeds and self.over and self.seed is not None else []
        open_to_all = self.over or not self.sat
        lines += [self.line if open_to_all else f"{_LEFT} {key} {self.number} {len(_decision_ends(game, self)) - 1}"]
        return "\n".join([*lines, ""])


def split_line(line: str, told: Iterable[tuple[int, str]] = ()) -> tuple[str, tuple[str, ...]]:
    """Returns the cards and the log (`KeptDeal`) of a deal's line; ``told`` are notices, with the actions before each."""
    cards, _, played = line.rpartition("actions=")
    actions = played.split(",") if played else []
    log = [(number, 1, action) for number, action in enumerate(actions)]
    log += [(min(moves, len(actions)), 0, f"# {sentence}") for moves, sentence in told]
    return cards, tuple(event for *_, event in sorted(log, key=lambda event: event[:2]))


def json_text(notes: Mapping[str, Any], deals: Iterable[KeptDeal]) -> str:
    """Returns a table's text, a line a deal; ``notes`` has the values of all other keys."""
    lines = ",\n".join(deal.json_text for deal in deals)
    return f'{json.dumps({"about": _ABOUT, **notes})[:-1]}, "deals": [\n{lines}\n]}}\n'


def _decision_ends(game: GameSpec, deal: KeptDeal) -> list[int]:
    """Returns the number of actions after each number of complete decisions, from 0 on."""
    begun = game.kernels.begun
    if begun is None:
        return list(range(len(deal.actions) + 1))
    played = game.parse(deal.line)
    state, found = game.parse(game.text(played[0], actions=False)), [0]
    for number, name in enumerate(game.history(played[0]), 1):
        game.kernels.step(state, 0, game.action(name))
        found += [] if begun(state, 0) else [number]
    return found


def unfinished_line(game: GameSpec, text: str, deals: Iterable[KeptDeal], key: str) -> str | None:
    """Returns the line, cards and all, of the unfinished deal at the end of a record for a person; None if there is none.

    It has as many decisions as the text counts. ``deals`` and ``key`` are those of the table that loads it; raises
    ValueError for a deal of another table.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or not lines[-1].startswith(_LEFT):
        return None
    words = lines[-1].removeprefix(_LEFT).split()
    if len(words) == 3 and words[0] == key and all(word.isdecimal() and len(word) < 10 for word in words[1:]):
        number, decisions = int(words[1]), int(words[2])
        for deal in deals:
            if deal.number == number and decisions < len(ends := _decision_ends(game, deal)):
                return f"{deal.cards}actions={','.join(deal.actions[: ends[decisions]])}"
    raise ValueError("that deal was left unfinished, and only the table that dealt it knows its cards: load it there")


def read_deals(path: str | os.PathLike[str], known: Collection[GameSpec] = ()) -> list[Deal]:
    """Returns the deals of a record's file or of a kept table's, as `cardenvs.contract.record.read_record` does."""
    text, source, folder = record_text(path), repr(os.fspath(path)), os.path.dirname(path)
    if not _is_json(text):
        return parse_record(text, source, known, folder)
    return read_table(text, source, known, folder)[0]


def read_table(
    text: str, source: str, known: Collection[GameSpec] = (), folder: str = ""
) -> tuple[list[Deal], dict[str, Any]]:
    """Returns the deals of a table's JSON or of any record, and all that the JSON has, its deals as `KeptDeal`.

    The arguments are those of `cardenvs.contract.record.parse_record`. Raises ValueError for what is neither, has no deal,
    or has a wrong one.
    """
    if not _is_json(text):
        deals = parse_record(text, source, known, folder)
        notes = _read_remarks(text, deals)
    else:
        try:
            notes = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(f"{source} is damaged: it is no JSON") from None
        check_shape(notes, _SHAPE, f"{source} is damaged")
        deals = []
        for count, entry in enumerate(notes["deals"], 1):
            players = f"{seats_line(entry['seats'])}\n" if entry["seats"] else ""
            actions = ",".join(event for event in entry["log"] if not event.startswith("#"))
            line = f"{players}{entry['cards']}actions={actions}"
            deals += parse_record(line, f"{source}, deal {count}", known, folder)
            if len(deals) != count:
                raise ValueError(f"{source}, deal {count} is damaged: {short(entry['cards'])}")
    if not deals:
        raise ValueError(f"{source}: there is no deal in it")
    kept = []
    for deal, entry in zip(deals, notes["deals"], strict=True):
        fields: dict[str, Any] = entry | {
            "seats": deal.players,
            "sat": [seat for seat in range(deal.game.seats) if seat in entry["sat"]],
            "names": _accepted_names(entry["names"], deal.game.seats),
            "over": bool(deal.state["over"][0] != RUNNING),
        }
        fields = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
        kept.append(KeptDeal(**fields))
    return deals, notes | {"deals": kept}


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def check_shape(value: Any, shape: Any, what: str) -> None:
    """Raises ValueError, which begins with ``what``, unless a value of JSON has a shape (`_SHAPE`); drops other keys."""
    if type(value) not in (shape if isinstance(shape, tuple) else (type(shape),)):
        raise ValueError(f"{what}: {short(value)}")
    if isinstance(shape, dict):
        for key in value.keys() - shape.keys():
            del value[key]
        for key, inner in shape.items():
            check_shape(value.setdefault(key, None), inner, f"{what}, {key}")
    elif isinstance(shape, list):
        for item in value:
            check_shape(item, shape[0], what)


def _read_remarks(text: str, deals: Sequence[Deal]) -> dict[str, Any]:
    """Reads the remarks of a record, such as those in the tables' files of earlier versions, as what the JSON has."""
    lines = [line.strip() for line in text.splitlines()]
    entries, first = [], 0
    for count, deal in enumerate(deals, 1):
        before, first = lines[first : deal.number - 1], deal.number
        noted = _remarks(before)
        told = [re.fullmatch(r"# told after (\d{1,9}): *(.*)", line) for line in before]
        cards, log = split_line(deal.line, [(int(notice[1]), notice[2]) for notice in told if notice])
        people = " ".join(str(seat) for seat, name in enumerate(deal.players) if name == HUMAN)
        try:
            names = json.loads(noted.get("names", "[]"))
        except (ValueError, RecursionError):
            names = []
        entries.append(
            {"number": _number(noted.get("deal"), count), "seed": _number(noted.get("seed of the deal"), None),
             "sat": _numbers(noted.get("people in the deal", people)), "names": names,
             "undone": _number(noted.get("decisions taken back"), 0), "cards": cards, "log": log}
        )  # fmt: skip
    head = _remarks(lines)
    repeatable = "seed" in head and "repeatable" in head
    links = None
    if "tokens" in head:
        port, pause = head.get("port", "0"), head.get("pause", "0.7")
        trusted = head["trusted"].split("; ") if "trusted" in head else deals[-1].players if deals else []
        links = {
            "table": head.get("table", ""), "tokens": head["tokens"].split(), "port": _number(port, port),
            "pause": float(pause) if re.fullmatch(r"\d+(\.\d+)?", pause) else pause,
            "trusted": [name for name in trusted if name],
            "coming": _numbers(head.get("coming", "")),
        }  # fmt: skip
    return {
        "rules": head.get("rules"), "secret": head["seed"] if repeatable else head.get("secret") or None,
        "repeatable": repeatable, "version": _number(head.get("version"), 0),
        "dealt": _number(head.get("deals dealt"), len(deals)), "sheet": _numbers(head.get("score sheet, deals", "")),
        "links": links, "deals": entries,
    }  # fmt: skip


def _remarks(lines: Iterable[str]) -> dict[str, str]:
    """Returns the values of the remarks ``# key: value``; the last one of a key counts."""
    found = (re.fullmatch(r"# ([a-z, ]+):(.*)", line) for line in lines)
    return {remark[1]: remark[2].strip() for remark in found if remark}


def _number(text: str | None, default: Any) -> Any:
    return int(text) if text is not None and text.isdecimal() and len(text) < 30 else default


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split() if word.isdecimal() and len(word) < 10]


def _accepted_names(names: Any, seats: int) -> tuple[str | None, ...]:
    """Returns the players' names of a deal; empty if they are not such as a table accepts."""
    try:
        taken = tuple(None if name is None else check_name(name) for name in names)
        for seat, name in enumerate(taken):
            if name is not None:
                require_distinct(name, taken[:seat])
    except (ValueError, TypeError):
        return ()
    return taken if len(taken) == seats else ()
