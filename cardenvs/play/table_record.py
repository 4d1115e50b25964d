"""Tables as text: a record of the deals with their actions, and remarks with the numbers by which a table goes on exactly.

The text on disk names all cards. The text for a person names no card of an unfinished deal: such a deal leaves a remark, by
which its table finds it again. It has neither the table's secret, from which later deals follow, nor an unfinished deal's
seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cardenvs.contract.loops import RUNNING
from cardenvs.contract.record import Deal, seats_line
from cardenvs.contract.spec import GameSpec
from cardenvs.play.names import check_name, require_distinct
from cardenvs.play.players import HUMAN

_SECRET = "# secret:"
_SEED = "# seed:"
_REPEATABLE = "# repeatable:"
_VERSION = "# version:"
_DEALT = "# deals dealt:"
_NUMBER = "# deal:"
_NAMES = "# names:"
_UNDONE = "# decisions taken back:"
_SHEET = "# score sheet, deals:"
_DEAL_SEED = "# seed of the deal:"
_SAT = "# people in the deal:"
_TOLD = "# told after"
_LEFT = "# left unfinished:"
_RULES = "# rules:"


@dataclass(frozen=True)
class KeptDeal:
    """A deal of a table as the table's text has it."""

    number: int  # number of the deal at the table, from 1
    seats: tuple[str, ...]  # who played each seat
    seed: int | None  # the seed by which the deal was asked for; None if it was dealt otherwise
    line: str  # the deal with its actions as one line of text, which names all cards
    over: bool
    sat: tuple[int, ...] = ()  # seats that people held while the deal was played, ascending
    told: tuple[tuple[int, str], ...] = ()  # notices to all, each with the number of actions before it
    names: tuple[str | None, ...] = ()  # players' names by seat, None without a name; empty without any
    undone: int = 0  # number of decisions that were taken back

    @property
    def opening_line(self) -> str:
        return self.line.rpartition("actions=")[0]

    @property
    def num_actions(self) -> int:
        actions = self.line.rpartition("actions=")[2]
        return len(actions.split(",")) if actions else 0

    def _remark_lines(self, seed: bool) -> str:
        """Returns the lines before the deal in a record, with or without its seed."""
        players = f"{seats_line(self.seats)}\n" if self.seats else ""
        named = f"{_DEAL_SEED} {self.seed}\n" if seed and self.seed is not None else ""
        names = f"{_NAMES} {json.dumps(self.names, ensure_ascii=False)}\n" if any(self.names) else ""
        undone = f"{_UNDONE} {self.undone}\n" if self.undone else ""
        return f"{players}{names}{_NUMBER} {self.number}\n{undone}{named}"

    @property
    def record_text(self) -> str:
        """The deal in the table's own file: all remarks, then its line."""
        sat = f"{_SAT} {' '.join(map(str, self.sat))}\n"
        told = "".join(f"{_TOLD} {moves}: {sentence}\n" for moves, sentence in self.told)
        return f"{self._remark_lines(True)}{sat}{told}{self.line}\n"

    def spelled_out(self, seed: bool) -> str:
        """Returns the deal with its cards for a person, and with its seed only if ``seed`` and the deal is over."""
        return f"{self._remark_lines(seed and self.over)}{self.line}\n"

    def left_unfinished(self, game: GameSpec, key: str) -> str:
        """Returns the remarks of an unfinished deal without its cards and seed; ``key`` names the table."""
        return f"{self._remark_lines(False)}{_LEFT} {key} {self.number} {len(_decision_ends(game, self)) - 1}\n"


@dataclass(frozen=True)
class TableNumbers:
    """The numbers besides the deals that a table needs to go on exactly."""

    secret: str  # source of the deals and of the policies' random choices; the seed of a repeatable table
    repeatable: bool  # whether the secret is the seed of the first deal
    version: int
    dealt: int  # number of deals dealt

    @property
    def remark_lines(self) -> str:
        secret = f"{_SEED} {self.secret}\n{_REPEATABLE} yes\n" if self.repeatable else f"{_SECRET} {self.secret}\n"
        return f"{secret}{_VERSION} {self.version}\n{_DEALT} {self.dealt}\n"


def rules_line(game: GameSpec) -> str:
    """Returns the remark on the game's rules in a table's record; empty for a game without a description."""
    return f"{_RULES} {game.digest}\n" if game.digest else ""


def check_rules(text: str, game: GameSpec, source: str) -> None:
    """Raises ValueError if the file that describes the game was edited since a record was written."""
    noted = [line.removeprefix(_RULES).strip() for line in text.splitlines() if line.startswith(_RULES)]
    if noted and noted[-1] != game.digest:
        raise ValueError(f"{source}: {game.name} was edited since; its deals cannot be gone on with under other rules")


def full_text(numbers: TableNumbers | None, deals: Iterable[KeptDeal], sheet: Sequence[int] = ()) -> str:
    """Returns the record of a table with all cards; without ``numbers`` it does not reveal the cards to come."""
    written = f"{_SHEET} {' '.join(map(str, sheet))}\n" if sheet else ""
    return (numbers.remark_lines if numbers else "") + written + "".join(deal.record_text for deal in deals)


def sheet_deals(text: str) -> set[int]:
    """Returns the numbers of the earlier deals on the score sheet, by the remark in a table's record."""
    lines = [line.removeprefix(_SHEET) for line in text.splitlines() if line.startswith(_SHEET)]
    return {int(word) for word in lines[-1].split() if word.isdecimal() and len(word) < 10} if lines else set()


def _decision_ends(game: GameSpec, deal: KeptDeal) -> list[int]:
    """Returns the number of actions after each number of complete decisions, from 0 on."""
    begun = game.kernels.begun
    if begun is None:
        return list(range(deal.num_actions + 1))
    played = game.parse(deal.line)
    state, found = game.parse(game.text(played[0], actions=False)), [0]
    for number, name in enumerate(game.history(played[0]), 1):
        game.kernels.step(state, 0, game.action(name))
        found += [] if begun(state, 0) else [number]
    return found


def public_text(game: GameSpec, deals: Iterable[KeptDeal], key: str, *, seeds: bool) -> str:
    """Returns the record of a table without the cards of unfinished deals.

    ``key`` names the table in the remarks on these, for `unfinished_line`. Without ``seeds`` it names no seed of a finished
    deal.
    """
    return "".join(deal.spelled_out(seeds) if deal.over else deal.left_unfinished(game, key) for deal in deals)


def unfinished_line(game: GameSpec, text: str, deals: Iterable[KeptDeal], key: str) -> str | None:
    """Returns the line, cards and all, of the unfinished deal at the end of a text of `public_text`; None if there is none.

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
                start, _, actions = deal.line.rpartition("actions=")
                return f"{start}actions={','.join(actions.split(',')[: ends[decisions]])}"
    raise ValueError("that deal was left unfinished, and only the table that dealt it knows its cards: load it there")


def table_numbers(text: str, secret: str, deals: Sequence[KeptDeal]) -> TableNumbers:
    """Reads the numbers in the remarks of a record; ``secret`` is for a record that has none."""
    lines = text.splitlines()
    numbers = {_VERSION: 0, _DEALT: len(deals)}
    numbers |= {key: value for key, value in _numbered_remarks(lines).items() if key in numbers}
    head = {key: line.removeprefix(key).strip() for line in lines for key in (_SECRET, _SEED) if line.startswith(key)}
    repeatable = _SEED in head and any(line.startswith(_REPEATABLE) for line in lines)
    kept = head[_SEED] if repeatable else head.get(_SECRET) or secret
    return TableNumbers(kept, repeatable, numbers[_VERSION], max(numbers[_DEALT], *(deal.number for deal in deals)))


def kept_deals(text: str, deals: Sequence[Deal]) -> list[KeptDeal]:
    """Returns the deals of a record (`cardenvs.contract.record.parse_record`) with the remarks before each of them."""
    lines = text.splitlines()
    kept: list[KeptDeal] = []
    last = 0
    for deal in deals:
        before = lines[last : deal.number - 1]
        remarks = _numbered_remarks(before)
        last = deal.number
        kept.append(
            KeptDeal(
                number=remarks.get(_NUMBER, len(kept) + 1),
                seats=deal.players,
                seed=remarks.get(_DEAL_SEED),
                line=deal.line,
                over=bool(deal.state["over"][0] != RUNNING),
                sat=_read_people(before, deal),
                told=_read_notices(before),
                names=_read_names(before, deal.game.seats),
                undone=remarks.get(_UNDONE, 0),
            )
        )
    return kept


def _read_names(lines: Iterable[str], seats: int) -> tuple[str | None, ...]:
    """Returns the players' names in the remarks on a deal; empty if there are none that a table accepts."""
    named = [line.removeprefix(_NAMES) for line in lines if line.startswith(_NAMES)]
    try:
        names = json.loads(named[-1]) if named else []
        taken = tuple(None if name is None else check_name(name) for name in names)
        for seat, name in enumerate(taken):
            if name is not None:
                require_distinct(name, taken[:seat])
    except (ValueError, TypeError, RecursionError):
        return ()
    return taken if len(taken) == seats else ()


def _read_people(lines: Iterable[str], deal: Deal) -> tuple[int, ...]:
    """Returns the seats of people by the remark on a deal; without one, the seats of people in the record."""
    seats = [seat for seat, name in enumerate(deal.players) if name == HUMAN]
    for line in lines:
        if line.startswith(_SAT):
            words = line.removeprefix(_SAT).split()
            seats = [int(word) for word in words if word in map(str, range(deal.game.seats))]
    return tuple(sorted(set(seats)))


def _read_notices(lines: Iterable[str]) -> tuple[tuple[int, str], ...]:
    """Returns the notices to all in a deal, each with the number of actions before it."""
    told = []
    for line in lines:
        moves, colon, sentence = line.removeprefix(_TOLD).partition(":")
        if line.startswith(_TOLD) and colon and moves.strip().isdecimal() and len(moves) < 10:
            told.append((int(moves), sentence.strip()))
    return tuple(told)


def last_deal(deals: Sequence[Deal], source: str, game: GameSpec | None = None) -> Deal:
    """Returns the last deal of a record; raises ValueError if there is none, or if it is not of ``game``."""
    if not deals:
        raise ValueError(f"{source}: there is no deal in it")
    if game is not None and deals[-1].game.name != game.name:
        raise ValueError(f"{source}: it is a record of {deals[-1].game.name}; here {game.name} is played")
    return deals[-1]


def _numbered_remarks(lines: Iterable[str]) -> Mapping[str, int]:
    """Returns the numbers in the remarks ``key: number``; the last one of a key counts."""
    remarks = {}
    for line in lines:
        key, _, value = line.partition(":")
        number = value.strip()
        if number.isdecimal() and len(number) < 30:
            remarks[f"{key}:"] = int(number)
    return remarks
