"""The table in a text terminal: prompts and printed tables, nothing that moves, so that it works over any connection.

What is shown to a person comes from `cardenvs.play.seatview.seat_view` of that person's seat. Several people share the
terminal by turns: the screen is cleared, and the next one's hand waits until that one is there.
"""

from __future__ import annotations

import shlex
import signal
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import platformdirs
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from cardenvs.cards import EUCHRE_DECK, FULL_DECK, SUIT_NAMES, SUIT_SYMBOLS, SUITS
from cardenvs.drivers import DEAL_OVER
from cardenvs.files import write_whole
from cardenvs.play.advise import DEFAULT_POLICIES, bar, parse_cards
from cardenvs.play.seatview import seat_view
from cardenvs.play.table import PolicyFailed, Table
from cardenvs.policy import KINDS, Explanation

PAUSE = 1.0
"""Seconds between moves when nobody plays, so that they can be followed."""

_STYLES = {"c": "green", "d": "blue", "h": "red", "s": "default"}
_COVERED = "--"

HELP = """\
Play by the number beside a card, a call or a column, by the card (9c, 10 h, a d) or by the name of a call (pass, hearts).
Cards and calls that are legal now have a * behind them.
  hint [POLICY]    what a policy would do, from what you see
  last             the last trick
  seen             the cards that you have seen, and what is left
  voids            suits that players have shown out of, and what they can still hold
  log              the deal so far
  show             the table again
  new              a new deal
  next             the next deal of a game; the same as new where a deal is all
  same             this deal again from its beginning
  seed N           the deal of that seed
  deal LINE        a deal by its line of text
  save FILE        the deals played and this one as text
  load FILE        the last deal of such a file
  seat N POLICY    another policy for seat N, or human
  retry            a policy that failed tries again
  quit             end; the table is saved"""


class _Quit(Exception):
    """Somebody wants to leave."""


def default_path(game: str) -> Path:
    """A new file in the user's folder for what programs keep, named by the time."""
    folder = Path(platformdirs.user_state_dir("cardenvs", appauthor=False), "terminal")
    stem = f"{game}-{datetime.now():%Y%m%d-%H%M%S}"
    tries = [folder / f"{stem}{more}.txt" for more in ("", *(f"-{k}" for k in range(2, 100)))]
    return next((path for path in tries if not path.exists()), tries[-1])


def run_terminal(
    table: Table,
    *,
    pause: float = PAUSE,
    path: Path | None = None,
    again: Sequence[str] | None = None,
    console: Console | None = None,
    read: Callable[[], str] | None = None,
) -> int:
    """Plays at the terminal until somebody quits, the input ends or is interrupted.

    Args:
        table: what is played.
        pause: seconds after each move when no person plays.
        path: the file in which the table is kept; None is a new one in the user's folder.
        again: words of the command that goes on with the table, to which the file is added.
        console: where to print; None is standard output.
        read: gives a typed line, raises EOFError at the end; None is standard input.

    Returns:
        The exit status: 0, or 130 if interrupted.

    Raises:
        ValueError: a pause below 0.
        OSError: the file cannot be written.
    """
    if not pause >= 0:
        raise ValueError(f"pause must be a number of seconds, 0 or more, not {pause}")
    words = again if again is not None else ("cardenvs", "play", table.game.name, "--terminal", "--load")
    terminal = _Terminal(table, console or Console(), read or _read, pause, path or default_path(table.game.name))
    terminal.keep()
    status = 0
    try:
        terminal.run()
    except (EOFError, _Quit):
        pass
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    terminal.keep()
    terminal.say("")
    terminal.say(f"Saved. To go on: {shlex.join([*words, str(terminal.path)])}")
    return status


def _read() -> str:
    if sys.stdin.isatty():
        return input()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


class _Terminal:
    """Whose turn it is at the terminal, and what has been told to whom."""

    def __init__(self, table: Table, console: Console, read: Callable[[], str], pause: float, path: Path) -> None:
        self.table = table
        self.console = console
        self.path = path
        self._read = read
        self._pause = pause
        self._hint = DEFAULT_POLICIES.get(table.game.name, "random")
        self._deck = EUCHRE_DECK if table.game.name == "euchre" else FULL_DECK
        self._told: dict[int | None, int] = {}  # lines of the log, by who has read them
        self._present: int | None = None  # the person in front of a shared terminal
        try:
            SUIT_SYMBOLS.encode(console.encoding)
            self._symbols = dict(zip(SUITS, SUIT_SYMBOLS, strict=True))
        except (UnicodeEncodeError, LookupError):
            self._symbols = {suit: suit for suit in SUITS}

    # --- talking ---

    def say(self, text: str | Text = "") -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def ask(self, prompt: str) -> str:
        """A typed line, without blanks around it."""
        self.console.print(prompt, end=" ", markup=False, highlight=False, soft_wrap=True)
        typed = self._read()
        if not (self.console.is_terminal and sys.stdin.isatty()):
            self.say(typed.rstrip("\n"))  # so that a transcript reads as the game went
        return typed.strip()

    def keep(self) -> None:
        """Writes the table to its file."""
        write_whole(self.path, self.table.to_text())

    # --- the game ---

    def run(self) -> None:
        self.say(f"{self.table.game.title}. Type help for what can be typed. The table is kept in {self.path}.")
        if not self.table.people:
            self._show(None)
        while True:
            table, seat = self.table, self.table.to_act
            if seat is None:
                self._deal_over()
            elif seat in table.failed:
                self._attend(self._viewer(), f"{table.failed[seat]}. retry, seat {seat} POLICY, seat {seat} human or quit:")
            elif table.policy_to_act is not None:
                self._policy_moves()
            else:
                self._person_moves(seat)

    def _viewer(self) -> int | None:
        """Whose eyes the terminal has while policies move: the one person's, else nobody's."""
        people = self.table.people
        return people[0] if len(people) == 1 else None

    def _policy_moves(self) -> None:
        table, seat = self.table, self.table.to_act
        version = table.version
        try:
            if self.console.is_terminal:
                with self.console.status(f"{table.seats[seat or 0]} (player {seat}) thinks"):
                    mover, action = table.policy_move()
            else:
                mover, action = table.policy_move()
        except PolicyFailed:
            return  # which the table has noted, and `run` tells
        table.apply(version, mover, action)
        people = table.people
        if len(people) <= 1:  # else the next person reads of it
            self._tell(self._viewer())
        if not people:
            self.keep()
            time.sleep(self._pause)

    def _tell(self, viewer: int | None) -> None:
        """Prints what has happened since the viewer last read of it."""
        log = seat_view(self.table, viewer)["log"]
        for line in log[self._told.get(viewer, 0) :]:
            self.say(f"  {line}")
        self._told[viewer] = len(log)

    def _person_moves(self, seat: int) -> None:
        if len(self.table.people) > 1 and self._present != seat:
            self._clear()
            self.ask(f"Player {seat} is to move. Player {seat}, press Enter when only you look at the screen.")
            self._present = seat
        self._tell(seat)
        self._show(seat)
        version = self.table.version
        while self.table.version == version:
            self._attend(seat, self._prompt(seat), seat_to_move=seat)

    def _prompt(self, seat: int) -> str:
        view = seat_view(self.table, seat)
        who = f"Player {seat}" if len(self.table.people) > 1 else "You"
        if view["five_o"]:
            return f"{who}: column?"
        if view["phase"] == "discarding":
            return f"{who}: discard which card?"
        return f"{who}: which card?" if view["legal"][0]["card"] else f"{who}: what do you call?"

    def _deal_over(self) -> None:
        viewer = self._viewer()
        if self._present is not None:
            self._clear()
            self._present = None
        self._tell(viewer)
        self._show(viewer)
        self.keep()
        version = self.table.version
        while self.table.version == version:
            what = "the game's next deal" if self.table.over == DEAL_OVER else "another"
            self._attend(viewer, f"The deal is over. Enter for {what}, same, new, seed N, save FILE or quit:", empty="next")

    def _clear(self) -> None:
        if self.console.is_terminal:
            # The lines above, too: another person's hand may be among them.
            self.console.file.write("\x1b[3J")
            self.console.clear()
        else:
            self.console.rule("the screen is cleared", characters="-")

    # --- what is typed ---

    def _attend(self, viewer: int | None, prompt: str, *, seat_to_move: int | None = None, empty: str = "") -> None:
        """Asks once and does what is typed, or says why not."""
        typed = self.ask(prompt) or empty
        word, _, rest = typed.partition(" ")
        command = getattr(self, f"_do_{word.lower()}", None)
        try:
            if command is not None:
                command(viewer, rest.strip())
            elif seat_to_move is not None and typed:
                self.table.act(seat_to_move, self._meant(seat_to_move, typed))
                self._tell(seat_to_move)
                self.keep()
            elif typed:
                raise ValueError(f"{word!r} is nothing that can be typed here; help lists it all")
        except (ValueError, OSError) as error:
            self.say(f"No: {error}.")

    def _meant(self, seat: int, typed: str) -> str:
        """The action that a person means.

        Raises:
            ValueError: none, or an illegal one.
        """
        view = seat_view(self.table, seat)
        legal = [entry["action"] for entry in view["legal"]]
        if view["five_o"]:
            word = typed.lower().removeprefix("column").strip(" -")
            return self._number(word, [f"column-{k}" for k in range(1, 6)], legal, "column")
        if view["legal"][0]["card"]:
            if typed.isdecimal():
                return self._number(typed, view["hand"], legal, "card")
            try:
                cards = parse_cards(typed, self._deck)
            except ValueError as error:
                raise ValueError(f"{error}; or its number, or a command: help lists them") from None
            card = self._deck.text(cards[0])
            if len(cards) > 1 or card not in view["hand"]:
                raise ValueError(f"{self._deck.format(cards, ' ')}: not one card of your hand")
            return self._number(str(view["hand"].index(card) + 1), view["hand"], legal, "card")
        if typed.isdecimal():
            return self._number(typed, legal, legal, "call")
        word = "-".join(typed.lower().replace(",", " ").replace("-", " ").split())
        known = {entry["label"].replace(",", "").replace(" ", "-"): entry["action"] for entry in view["legal"]}
        known |= {action: action for action in legal}
        known |= {action.removeprefix("call-"): action for action in legal}
        found = {known[word]} if word in known else {known[name] for name in known if name.startswith(word)}
        plain = {action for action in found if not action.endswith("-alone")}
        if len(plain or found) != 1:
            raise ValueError(f"{typed!r} is no call now; the calls are {', '.join(legal)}")
        return (plain or found).pop()

    def _number(self, word: str, among: Sequence[str], legal: Sequence[str], what: str) -> str:
        if not word.isdecimal() or not 1 <= int(word) <= len(among):
            raise ValueError(f"{word!r} is none of the {what}s 1 to {len(among)}")
        action = among[int(word) - 1]
        if action not in legal:
            allowed = ", ".join(legal)
            why = "follow suit" if what == "card" else "a column that is longer than the shortest takes no card"
            raise ValueError(f"{action} is not legal ({why}); legal: {allowed}")
        return action

    # --- commands ---

    def _do_help(self, viewer: int | None, rest: str) -> None:
        self.say(HELP)

    def _do_quit(self, viewer: int | None, rest: str) -> None:
        raise _Quit

    _do_exit = _do_quit

    def _do_undo(self, viewer: int | None, rest: str) -> None:
        raise ValueError("nothing is taken back at this table; same deals this deal again")

    def _do_show(self, viewer: int | None, rest: str) -> None:
        self._show(viewer)

    def _do_log(self, viewer: int | None, rest: str) -> None:
        for line in seat_view(self.table, viewer)["log"] or ["nothing has happened yet"]:
            self.say(f"  {line}")

    def _do_hint(self, viewer: int | None, rest: str) -> None:
        if viewer is None or viewer != self.table.to_act:
            raise ValueError("hints are for who is to move")
        name = rest or self._hint
        if self.console.is_terminal:
            with self.console.status(f"{name} thinks"):
                explained = self._hints(viewer, name)
        else:
            explained = self._hints(viewer, name)
        self._hint = name
        self.say(f"  {name}: {KINDS[explained.kind]}")
        for (action, value), share in zip(explained, explained.percents, strict=True):
            number = f"  {value:+8.3f}" if explained.kind == "value" else ""
            line = Text("    ").append(self._card(action) if len(action) == 2 else Text(action))
            line.append(" " * max(1, 24 - line.cell_len) if len(action) > 2 else "  ")
            self.say(line.append(f"{share:5.1f} %{number}  {bar(share)}".rstrip()))

    def _hints(self, viewer: int, name: str) -> Explanation:
        try:
            return self.table.hint(viewer, name)
        except (ValueError, OSError):
            raise
        except Exception as error:  # a policy may fail in any way; the game goes on
            raise ValueError(f"{name} failed: {' '.join(str(error).split()) or type(error).__name__}") from error

    def _do_last(self, viewer: int | None, rest: str) -> None:
        view = seat_view(self.table, viewer)
        last = view["last_trick"]
        if not last:
            raise ValueError("no trick is complete yet" if not view["five_o"] else "Five-O has no tricks")
        line = Text("  ")
        for play in last["cards"]:
            line.append(f"player {play['seat']} ").append(self._card(play["card"])).append("  ")
        self.say(line.append(f"won by player {last['winner']}"))

    def _readouts(self, viewer: int | None) -> dict[str, Any]:
        readouts: dict[str, Any] | None = seat_view(self.table, viewer)["readouts"]
        if readouts is None:
            raise ValueError("that is for the people who play")
        return readouts

    def _do_seen(self, viewer: int | None, rest: str) -> None:
        readouts = self._readouts(viewer)
        self.say(Text("  seen    ").append(self._cards(readouts["seen"])))
        if "unseen" in readouts:
            self.say(Text("  unseen  ").append(self._cards(readouts["unseen"])))
        else:
            unseen = [card for card in self._all() if card not in readouts["seen"]]
            self.say(Text("  unseen  ").append(self._cards(unseen)))
            self.say(Text("  trumps left besides yours  ").append(self._cards(readouts["trumps_left"])))

    def _all(self) -> list[str]:
        return [self._deck.text(card) for card in range(self._deck.size)]

    def _do_voids(self, viewer: int | None, rest: str) -> None:
        readouts = self._readouts(viewer)
        if "voids" not in readouts:
            raise ValueError("nobody shows out of a suit in Five-O")
        for seat, suits in readouts["voids"].items():
            named = ", ".join(SUIT_NAMES[SUITS.index(suit)] for suit in suits)
            line = Text(f"  player {seat}: no {named}" if suits else f"  player {seat}: no void shown")
            held = readouts["could_hold"].get(seat)
            self.say(line.append("; can hold ").append(self._cards(held)) if held else line)

    def _do_new(self, viewer: int | None, rest: str) -> None:
        self.table.new_deal()
        self._begin("A new deal.")

    def _do_next(self, viewer: int | None, rest: str) -> None:
        self.table.next_deal()
        self._begin("The next deal.")

    def _do_same(self, viewer: int | None, rest: str) -> None:
        self.table.same_deal()
        self._begin("The same deal again.")

    def _do_seed(self, viewer: int | None, rest: str) -> None:
        if not rest.isdecimal():
            raise ValueError("seed N: a whole number, as in seed 7")
        self.table.new_deal(seed=int(rest))
        self._begin(f"The deal of seed {rest}.")

    def _do_deal(self, viewer: int | None, rest: str) -> None:
        if not rest:
            raise ValueError("deal LINE: a deal as the files have them, beginning with the game's name")
        self.table.new_deal(line=rest)
        self._begin("The deal given.")

    def _do_save(self, viewer: int | None, rest: str) -> None:
        if not rest:
            raise ValueError("save FILE: name a file")
        write_whole(Path(rest).expanduser(), self.table.to_text())
        self.say(f"Saved in {rest}. It names all cards.")

    def _do_load(self, viewer: int | None, rest: str) -> None:
        path = Path(rest).expanduser()
        if not rest or not path.is_file():
            raise ValueError(f"load FILE: there is no file {rest!r}")
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{rest!r} is no record of games: it is not text") from error
        self.table.load(text, repr(rest))
        self._begin(f"The last deal of {rest}.")

    def _do_seat(self, viewer: int | None, rest: str) -> None:
        number, _, name = rest.partition(" ")
        if not number.isdecimal() or not name.strip():
            raise ValueError("seat N POLICY: as in seat 2 hybrid, or seat 2 human")
        self.table.set_seat(int(number), name.strip())
        self.say(f"Seat {number} is {name.strip()}'s.")

    def _do_retry(self, viewer: int | None, rest: str) -> None:
        self.table.retry()

    def _begin(self, what: str) -> None:
        """After another deal has come to the table."""
        self._told = {}
        self._present = None
        self.say(what)
        self.keep()
        if not self.table.people:
            self._show(None)

    # --- showing ---

    def _card(self, card: str) -> Text:
        return Text(card[0].replace("T", "10") + self._symbols[card[1]], _STYLES[card[1]])

    def _cards(self, cards: Sequence[str | None]) -> Text:
        words = [self._card(card) if card else Text(_COVERED) for card in cards]
        return Text(" ").join(words) if words else Text("none")

    def _show(self, viewer: int | None) -> None:
        view = seat_view(self.table, viewer)
        self.say("")
        self.say(self._title(view))
        if view["five_o"]:
            self._show_columns(view)
        else:
            self._show_seats(view)
        if view["hands"] is not None and not view["five_o"]:
            self.say("The hands as they were dealt:" if view["deal_over"] else "The hands:")
            for seat, cards in view["hands"].items():
                self.say(Text(f"  player {seat}  ").append(self._cards(cards)))
        elif view["legal"]:
            self._show_choice(view)
        elif view["hand"] and not view["five_o"]:
            self.say(Text("  your hand  ").append(self._cards(view["hand"])))

    def _title(self, view: dict[str, Any]) -> Text:
        title = Text(view["title"], "bold").append(f" - {view['phase']}", "not bold")
        trump = view["trump"]
        if trump:
            title.append(f", trump {self._symbols[trump]} {SUIT_NAMES[SUITS.index(trump)]}")
        if view["maker"] is not None and view["options"].get("bidding") == "full":
            title.append(f" called by player {view['maker']}" + (", alone" if view["alone"] else ""))
        for key, name in (("turned", "turned up"), ("shown", "shown")):
            if view[key]:
                title.append(f", {name} ").append(self._card(view[key]))
        if view["turned"] and (view["picked_up"] or view["turned_down"]):
            title.append(" (picked up)" if view["picked_up"] else " (turned down)")
        if not view["five_o"]:
            title.append(f", tricks {view['side_tricks'][0]} : {view['side_tricks'][1]}")
        if view["score"]:
            title.append(f", score {view['score'][0]} : {view['score'][1]}")
        return title

    def _show_seats(self, view: dict[str, Any]) -> None:
        grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for name in ("", "player", "", "cards", "tricks", "on the table"):
            grid.add_column(name, justify="right" if name in ("cards", "tricks") else "left", no_wrap=True)
        laid = {play["seat"]: play["card"] for play in view["trick"]}
        calls: dict[int, list[str]] = {}
        for call in view["bids"]:
            calls.setdefault(call["seat"], []).append(call["label"])
        for seat in view["seats"]:
            k = seat["seat"]
            marks = (">" if k == view["to_act"] else " ") + ("D" if seat["dealer"] else " ")
            card = self._card(laid[k]) if k in laid else Text("")
            if k in laid and view["trick"][0]["seat"] == k:
                card.append(" leads", "default")
            if k == view["trick_winning"]:
                card.append(" wins so far", "default")
            if seat["sitting_out"]:
                card.append("sits out")
            if view["phase"] in ("ordering", "calling"):
                card = Text(", ".join(calls.get(k, [])))
            grid.add_row(marks, f"player {k}", seat["name"], str(seat["cards"]), str(seat["tricks"]), card)
        self.console.print(grid)

    def _show_choice(self, view: dict[str, Any]) -> None:
        """The hand with numbers, legal cards marked; calls with numbers. (Columns have theirs on the table.)"""
        if view["five_o"] is not None:
            return
        legal = {entry["action"] for entry in view["legal"]}
        by_card = bool(view["legal"][0]["card"])
        line = Text("  your hand  ")
        for k, card in enumerate(view["hand"], 1):
            if by_card:
                marked = card in legal
                line.append(f"{k}:", "dim").append(self._card(card)).append("*  " if marked else "   ", "bold")
            else:
                line.append(self._card(card)).append(" ")
        self.say(line)
        if not by_card:
            words = [f"{k}: {entry['label']}*" for k, entry in enumerate(view["legal"], 1)]
            self.say("  calls      " + "   ".join(words))

    def _show_columns(self, view: dict[str, Any]) -> None:
        board, you = view["five_o"], view["you"]
        open_columns = {entry["column"] for entry in view["legal"]}
        order = (1 - you, you) if you is not None else (0, 1)
        for seat in order:
            mark = ">" if seat == view["to_act"] else " "
            self.say(f"{mark} player {seat} ({view['seats'][seat]['name']})")
            columns = board["columns"][seat]
            for row in range(max(map(len, columns))):
                line = Text("    ")
                for column in columns:
                    cell = (self._card(column[row]) if column[row] else Text(_COVERED)) if row < len(column) else Text("")
                    line.append(cell).append(" " * (5 - cell.cell_len))
                self.say(line)
        marks = [f"{k + 1}{'*' if k in open_columns else ''}" for k in range(5)]
        self.say("    " + "".join(f"{mark:<5}" for mark in marks) + "columns" + (", * open" if open_columns else ""))
        if board["card"]:
            whose = "your card" if view["to_act"] == you else f"player {view['to_act']}'s card"
            self.say(Text(f"  {whose}: ").append(self._card(board["card"])).append(f", for row {board['row']}"))
        for k, result in enumerate(board["results"] or [], 1):
            won = "a tie" if result["winner"] is None else f"player {result['winner']}"
            self.say(f"  column {k}: {result['hands'][0]} - {result['hands'][1]}: {won}")
