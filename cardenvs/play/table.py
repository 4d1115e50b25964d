"""A table: a game whose seats are people and policies, without any interface.

The web server and the terminal stand on it. It deals, takes people's actions, computes those of policies in any thread, and
is written to text and read exactly (`cardenvs.play.table_record`). `cardenvs.play.seatview` is the view of a seat.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cardenvs import policy
from cardenvs.checks import check_seed
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, RUNNING
from cardenvs.contract.record import seats_line
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.play import table_record
from cardenvs.play.players import MakePolicy
from cardenvs.play.score_sheet import ScoreSheet, SheetRow, sheet_row
from cardenvs.play.seating import SeatedDeal
from cardenvs.play.table_record import KeptDeal

_EARLIER = 5000  # maximum number of earlier deals: the file is written with every move


class Table(SeatedDeal):
    """A game being played.

    One thread changes the table; `policy_move` and `hint` may run in others meanwhile. Its current deal
    has the attributes of `cardenvs.play.deal.DealInPlay`, and who sits there those of `cardenvs.play.seating.SeatedDeal`.

    Args:
        seats: who plays each seat: ``"human"`` or a policy's name.
        seed: seed of the first deal, the same deal as every environment's first one for that seed. It reveals that deal,
            but no later randomness. None deals unpredictably.
        line: the first deal as a line of text instead of a seed; the line's actions are played.
        repeatable: whether all later randomness comes from the seed, too, so that the seed reveals all deals; everybody
            at the table is notified.
        make: makes the policy of a name.
        names: the players' names by seat, None for a seat without one; None for no names at all.
        deal: whether the first deal is dealt at once; if not, all arguments but a line are checked, and `open` deals.
            Before that there is nothing to look at.
        options: rule options, by name.

    Attributes:
        earlier: the earlier deals with any action, unfinished ones included.
        undone: number of decisions taken back in the current deal.
        repeatable: whether the later deals come from the seed of the first.
        given: origin of the current deal: ``"seed"``, ``"line"``, or ``""`` for the table's own.
        again: whether the current deal was begun before at this table and its cards were never open to everybody.
        seen: whether all cards of the current deal were open to everybody before, as the same deal was played to its end.
        told: notices to all in the current deal (`tell`), each with the number of events before it.

    Raises:
        ValueError: a seat without a player, an unknown policy or option, a wrong line, a repeatable table without a seed,
            or a name that `cardenvs.play.names.check_name` refuses.
        OSError: a policy's file cannot be read.
    """

    def __init__(
        self,
        game: str | GameSpec,
        seats: Sequence[str],
        *,
        seed: int | None = None,
        line: str | None = None,
        repeatable: bool = False,
        make: MakePolicy = policy.make,
        names: Sequence[str | None] | None = None,
        deal: bool = True,
        **options: Any,
    ) -> None:
        spec, options = form_of(game, options, type(self))
        super().__init__(spec, seats, make)
        if seed is not None and line is not None:
            raise ValueError("a deal is given by a seed or by a line of text, not by both")
        if repeatable and seed is None:
            raise ValueError("a repeatable table needs the seed of its first deal")
        seats_line(seats)
        for name in seats:
            self.check_player(name)
        for seat, told in enumerate(names or ()):
            if told:
                self.set_name(seat, told)
        self._options = dict(options)
        self.repeatable = repeatable
        if repeatable:
            self._secret = str(seed)
        self._deal_seed: int | None = None
        self.earlier: list[KeptDeal] = []
        self.undone = 0
        self._sheet: list[SheetRow] = []  # of the game's deals before the current one
        self.given = ""
        self.again = self.seen = False
        self.told: list[tuple[int, str]] = []
        if seed is not None:
            check_seed(seed)
        self.game.new_games(1, **options)
        self._first = seed, line
        if deal:
            self.open()

    def open(self) -> None:
        """Deals the first deal, unless it was dealt; on a machine that is new to the game this compiles its rules.

        Raises:
            ValueError: a line that is no deal, or a game that cannot be dealt.
        """
        if not self.is_open:
            with self._lock:
                self._open_deal(*self._first)

    # --- what is going on ---

    @property
    def is_open(self) -> bool:
        """Whether the first deal was dealt."""
        return self._dealt > 0

    @property
    def deal_running(self) -> bool:
        """Whether the deal has a decision and is not over, so that another deal would leave it unfinished."""
        return self.decisions > 0 and self.over == RUNNING

    @property
    def game_running(self) -> bool:
        """Whether a game of several deals is unfinished, so that a new deal would end it."""
        if self.options.get("episode") != "game" or self.over == EPISODE_OVER:
            return False
        scored = "score" in (self.game.dtype.names or ()) and self.opening["score"].any()
        return bool(self.events or self._sheet or scored)

    @property
    def sheet(self) -> ScoreSheet | None:
        """The score sheet, with the current deal if that is over; None at a table of single deals."""
        options = self.options
        sides = range(self.game.num_sides)
        if options.get("episode") == "deal" or self.game.kernels.side is not None:
            return None  # where sides are dealt, no side has points for more than a deal
        rows, names = tuple(self._sheet_rows()), self.game.dtype.names or ()
        if "episode" not in options or "score" not in names:
            return ScoreSheet(rows, (0,) * len(sides), None, None)
        before = self.opening["score"][0].tolist()
        brought = tuple(before[side] - sum(row.points[side] for row in self._sheet) for side in sides)
        dealer = None
        if self.over != EPISODE_OVER and "dealer" in names:
            dealer = (int(self.state["dealer"][0]) + 1) % self.game.seats
        return ScoreSheet(rows, brought, options.get("target"), dealer)

    def _sheet_rows(self) -> list[SheetRow]:
        finished = self.over in (DEAL_OVER, EPISODE_OVER)
        return self._sheet + ([sheet_row(self.game, self._dealt, self.state)] if finished else [])

    # --- actions ---

    def may_undo(self, seat: int) -> bool:
        """Whether `undo` is possible for a seat."""
        try:
            self._last_decision(seat)
        except ValueError:
            return False
        return True

    def _last_decision(self, seat: int | None) -> int:
        """Returns the number, from 0, of the seat's last unforced move; raises ValueError if it may not be undone."""
        if self.people != [seat]:
            raise ValueError("decisions are taken back only where one person plays and all others are policies")
        if self.over != RUNNING:
            raise ValueError("the deal is over; nothing of it is taken back")
        if self.sat != {seat}:
            raise ValueError("somebody else has sat in this deal; nothing of it is taken back")
        for move in reversed(range(len(self.events))):
            if self.events[move].seat == seat and not self.events[move].forced:
                return move
        raise ValueError("there is no decision of yours to take back in this deal")

    def undo(self, seat: int | None) -> None:
        """Takes back the last decision (a move with a choice) of the only person at the table and all that followed.

        The cards stay as dealt, and the policies may answer as they did. `undone` counts it, and so does the record.

        Raises:
            ValueError: several people play, or have played in this deal, the seat is no person's, the deal is over, or
                there is no decision.
        """
        with self._lock:
            move = self._last_decision(seat)
            self._policies.discard_remembering()
            self._replay_actions(self.game.history(self.state[0])[:move])
            self.failed = {}
            self.told = [(min(moves, move), sentence) for moves, sentence in self.told]
            self.undone += 1
            self._raise_version()

    def tell(self, sentence: str) -> None:
        """Adds a sentence, without a line end, to the notices to all on the current deal, in the log and in the file."""
        with self._lock:
            notice = len(self.events), " ".join(sentence.split())
            if notice not in self.told[-1:]:  # decisions may be taken back without end
                self.told.append(notice)

    def positions(self) -> Iterator[Table]:
        """Yields the table before the deal's first move and after each of its moves.

        It is the same read-only copy of this table each time, which goes on with each step.
        """
        past = copy.copy(self)
        past.failed, past.told = {}, []
        past._replay_actions([])
        yield past
        for name in self.game.history(self.state[0]):
            past._play_action(self.game.action(name))
            yield past

    # --- deals ---

    def new_deal(self, seed: int | None = None, line: str | None = None) -> None:
        """Begins a new deal, in games of several deals a new game, and keeps the current deal with the earlier ones.

        Args:
            seed: seed of the deal, 0 to 2**256 - 1: the deal that every environment deals first for this seed; None takes
                the table's next deal.
            line: the deal as a line of text instead, whose actions are played; rule options that the line names become
                the table's.

        Raises:
            ValueError: both arguments, a wrong seed, or a line that is no deal. Nothing has changed then.
        """
        if seed is not None and line is not None:
            raise ValueError("a deal is given by a seed or by a line of text, not by both")
        with self._lock:
            rows = self._sheet_rows()
            self._replace_deal(seed=seed, line=line)
            self._sheet = [] if "episode" in self.options else rows

    def same_deal(self) -> None:
        """Begins the current deal again from its first action; if it was over, it leaves the score sheet."""
        self._replace_deal(line=self.game.text(self.state[0], actions=False), seed_of_line=self._deal_seed)
        self.given = ""

    def next_deal(self) -> None:
        """Begins the next deal of a game of several deals, the score kept; after a game's last deal, a new game.

        Raises:
            ValueError: the deal is not over.
        """
        if self.over == RUNNING:
            raise ValueError("the deal is not over yet")
        if self.over != DEAL_OVER:
            self.new_deal()
            return
        with self._lock:
            following = self.state.copy()
            self._keep_deal(self._current_record())
            self._sheet = self._sheet_rows()
            self._deal_seed, self.given = None, ""
            self.game.kernels.deal(following, 0, seed_streams(self._derive_seed("deal", self._dealt), 1), 0)
            self._begin_deal(following)
            self._raise_version()

    def _replace_deal(self, seed: int | None = None, line: str | None = None, seed_of_line: int | None = None) -> None:
        """Begins another deal as `_open_deal` does, and keeps the current one with the earlier ones."""
        with self._lock:
            left = self._current_record()
            self._open_deal(seed, line, seed_of_line)
            self._keep_deal(left)

    def _open_deal(self, seed: int | None = None, line: str | None = None, seed_of_line: int | None = None) -> None:
        """Begins a deal: by its seed, as a line of text that was dealt by ``seed_of_line``, or the table's next one."""
        given = "seed" if seed is not None else ""
        if line is not None:
            state, deal_seed, given = self.game.parse(line, **self._options), seed_of_line, "line"
        else:
            deal_seed = None if seed is None else check_seed(seed)
            dealt_by = self._derive_seed("deal", self._dealt) if deal_seed is None else deal_seed
            state = self.game.deal(dealt_by, **self._options)
        self._begin_deal(state)
        self._deal_seed, self.given = deal_seed, given
        self._options = self.options
        self._raise_version()

    def _begin_deal(self, state: Games) -> None:
        """Makes a state the current deal, in which no policy has failed yet."""
        cards = self.game.text(state[0], actions=False).strip()
        before = [*self.earlier, self._current_record()] if self._dealt else []
        same = [deal for deal in before if deal.cards.strip() == cards]
        if same:
            self._policies.discard_remembering()
        super()._begin_deal(state)
        self.failed, self.told, self.undone = {}, [], 0
        # Cards that were open to everybody stay so; else the seats of people in the same deal still count.
        self.seen = any(deal.over or not deal.sat for deal in same)
        self.again = bool(same) and not self.seen
        self.sat = set(self.people)
        if not self.seen:
            self.sat.update(seat for deal in same for seat in deal.sat)
        self._dealt += 1

    def _current_record(self) -> KeptDeal:
        cards, log = table_record.split_line(self.line, self.told)
        return KeptDeal(
            number=self._dealt,
            seats=tuple(self.seats),
            names=tuple(self.names),
            seed=self._deal_seed,
            sat=tuple(sorted(self.sat)),
            undone=self.undone,
            cards=cards,
            log=log,
            over=self.over != RUNNING,
        )

    def _keep_deal(self, deal: KeptDeal) -> None:
        """Adds a deal with any action to `earlier`, and drops the oldest of very many."""
        if deal.actions:
            self.earlier.append(replace(deal, log=tuple(deal.actions)))
            del self.earlier[:-_EARLIER]

    # --- text ---

    def to_text(self, *, secret: bool = True, links: Mapping[str, Any] | None = None) -> str:
        """Returns the table as JSON (`cardenvs.play.table_record`), the current deal last. It names all cards.

        Args:
            secret: whether the text reveals the later deals, by which a table can go on exactly.
            links: notes of the table's server that are kept with it.
        """
        notes = {
            "rules": self.game.digest or None,
            "secret": self._secret if secret else None,
            "repeatable": self.repeatable and secret,
            "version": self.version,
            "dealt": self._dealt,
            "sheet": [row.deal for row in self._sheet],
            "links": links,
        }
        return table_record.json_text(notes, (*self.earlier, self._current_record()))

    def public_text(self, key: str = "") -> str:
        """Returns the record for a person: the deals that are over, with remarks on those that are not.

        A deal in which no person has sat is spelled out even if it is not over. The record has the seeds of finished
        deals, unless the table is repeatable and they would reveal later ones.

        Args:
            key: a word that names the table in the remarks on unfinished deals, for `load`.
        """
        deals = (*self.earlier, self._current_record())
        return "".join(deal.record_text(self.game, key, seeds=not self.repeatable) for deal in deals)

    @classmethod
    def from_text(
        cls,
        text: str,
        seats: Sequence[str] | None = None,
        *,
        source: str = "record",
        names: Sequence[str | None] | None = None,
        exactly: bool = True,
        game: GameSpec | None = None,
    ) -> Table:
        """Returns the table that `to_text` wrote, to go on exactly, or a table with the last deal of any record.

        Args:
            text: the record's text.
            seats: who plays each seat; None takes the players of the record.
            source: the name of the text in error messages.
            names: the players' names by seat; None takes those of the record.
            exactly: whether the text is the table's own file, whose secret gives the same later deals; if not, they are
                unpredictable.
            game: a game that the record may be of besides those that go by name, such as one that a file describes.

        Raises:
            ValueError: the record has no deal or a wrong line, no players are named, a policy is unknown, a name
                is refused, or the file that describes the game was edited since.
        """
        deals, notes = table_record.read_table(text, source, known=[] if game is None else [game])
        last, kept = deals[-1], notes["deals"]
        if notes["rules"] not in (None, last.game.digest):
            raise ValueError(f"{source}: {last.game.name} was edited since; its deals cannot go on under other rules")
        players = list(seats) if seats is not None else list(last.players)
        if not players:
            raise ValueError(f"{source}: it does not say who plays; name the seats")
        if names is None and players == list(last.players):
            names = kept[-1].names
        table = cls(last.game, players, line=last.line, names=names)
        for deal, record in zip(kept[:-1], deals[:-1], strict=True):
            if record.game.name == table.game.name:
                table._keep_deal(deal)
                if deal.over and deal.number in notes["sheet"]:
                    table._sheet.append(sheet_row(table.game, deal.number, record.state))
        table.undone, table._deal_seed = kept[-1].undone, kept[-1].seed
        table._dealt = max(notes["dealt"], *(deal.number for deal in kept))
        table.version = max(table.version, notes["version"])
        if exactly:
            table._secret, table.repeatable = notes["secret"] or table._secret, notes["repeatable"]
            table.sat.update(kept[-1].sat)
            table.told = kept[-1].told
        return table

    def load(self, text: str, source: str = "record", key: str = "") -> bool:
        """Goes on with a record's last deal at this table, which keeps its players and its own earlier deals.

        Args:
            text: any record, or a text of `public_text`.
            source: the name of the text in error messages.
            key: the word that names this table, as it was given to `public_text`.

        Returns:
            Whether the deal is an unfinished one of this table, which the text does not spell out.

        Raises:
            ValueError: the text has no deal or a wrong line, or its last deal is of another game or an unfinished one of
                another table. Nothing has changed then.
        """
        line = table_record.unfinished_line(self.game, text, (*self.earlier, self._current_record()), key)
        taken_up = line is not None
        if line is None:
            last = table_record.read_table(text, source, [self.game])[0][-1]
            if last.game.name != self.game.name:
                raise ValueError(f"{source}: it is a record of {last.game.name}; here {self.game.name} is played")
            line = last.line
        self.new_deal(line=line)
        self.given = "" if taken_up else "line"
        return taken_up
