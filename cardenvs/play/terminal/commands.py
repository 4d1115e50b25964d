"""Commands typed at a table (`cardenvs.play.commands`), and the terminal's answers to them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from rich.text import Text

from cardenvs.contract.cards import SUIT_NAMES, SUITS
from cardenvs.contract.record import Deal, parse_record, record_text
from cardenvs.files import write_whole
from cardenvs.play.commands import COMMANDS, Asker, Desk
from cardenvs.play.hints import default_adviser, hint_figures
from cardenvs.play.names import plain_policy
from cardenvs.play.reviewers import ReviewedDeal, review_deal
from cardenvs.play.seatview import action_label, replay_views, review_view, seat_view
from cardenvs.play.table import Table
from cardenvs.play.terminal.board import trick_text
from cardenvs.play.terminal.screen import Screen, is_plain
from cardenvs.play.typed_input import deck_of
from cardenvs.policy.explanation import KINDS
from cardenvs.printing import error_text

T = TypeVar("T")

_ALIASES = {"exit": "quit", "score": "sheet"}
_HELP = """\
Play by the number beside a card, a call or a column, by the card (9c, 10 h, a d) or by the name of a call (pass, hearts).
Cards and calls that are legal now have a * behind them."""


def _no_trick(view: dict[str, Any]) -> str:
    if view["five_o"]:
        return "Five-O has no tricks"
    known = not is_plain(view) or (view["board"] is not None and view["board"]["tricks"])
    return "no trick is complete yet" if known else f"the table does not know the tricks of {view['title']}"


def _attempt(what: str, work: Callable[[], T]) -> T:
    """Returns the result of work of others; raises ValueError or OSError if it fails in any way, as the game goes on."""
    try:
        return work()
    except (ValueError, OSError):
        raise
    except Exception as error:
        raise ValueError(f"{what} failed: {error_text(error)}") from error


class Quit(Exception):
    """A person wants to leave the table."""


class Commands(Desk[Asker]):
    """The commands that are typed at a table.

    ``begun`` is called with a sentence when another deal is on the table; ``ask`` asks a question and returns the typed
    answer.
    """

    def __init__(self, table: Table, screen: Screen, begun: Callable[[str], None], ask: Callable[[str], str]) -> None:
        super().__init__(table)
        self._screen, self._begun, self._ask = screen, begun, ask
        self._reviewed: tuple[str, ReviewedDeal] | None = None  # the last review, and the line of its deal
        self._adviser = default_adviser(table.game)
        self._deck = deck_of(table.game)

    def find_command(self, word: str) -> Callable[[int | None, str], None] | None:
        """Returns the command named ``word``, or None. It raises ValueError or OSError if refused, `Quit` to end.

        It takes the viewer, a seat or None for a spectator, and the text behind the command's word.
        """
        name = _ALIASES.get(word.lower(), word.lower())
        command = COMMANDS.get(name)
        if command is None or command.help is None:
            return None
        return lambda viewer, rest: getattr(self, f"do_{name}")(Asker(viewer), *command.read_typed(name, rest))

    def answer(self, asker: Asker, sentence: str) -> None:
        self._screen.print_line(sentence)

    def follow_up_deal(self, asker: Asker, sentence: str) -> None:
        self._begun(sentence)

    def do_help(self, asker: Asker) -> None:
        self._screen.print_line(_HELP)
        for name, command in COMMANDS.items():
            if command.help is not None:
                self._screen.print_line(f"  {f'{name} {command.argument}':<15}  {command.help}")

    def do_rules(self, asker: Asker) -> None:
        if not self.table.game.rules:
            raise ValueError(f"nobody has written down the rules of {self.table.game.title}")
        self._screen.print_line(self.table.game.rules)

    def do_quit(self, asker: Asker) -> None:
        raise Quit

    def do_show(self, asker: Asker) -> None:
        self._screen.show_view(seat_view(self.table, asker.seat))

    def do_log(self, asker: Asker) -> None:
        for line in seat_view(self.table, asker.seat)["log"] or ["nothing has happened yet"]:
            self._screen.print_line(f"  {line}")

    def do_hint(self, asker: Asker, name: str) -> None:
        seat = asker.seat
        if seat is None or seat != self.table.to_act:
            raise ValueError("hints are for the player who is to move")
        name = name or self._adviser
        with self._screen.thinking(name):
            explained = _attempt(name, lambda: self.table.hint(seat, name))
        self._adviser = name
        self._screen.print_line(f"  {plain_policy(name)}: {KINDS[explained.kind]}")
        entries = [action_label(self.table, action) for action in self.table.legal()]
        labels = {entry["action"]: entry["label"] for entry in entries}
        cards = {entry["action"] for entry in entries if entry["card"]}
        for k, ((action, number), percent) in enumerate(zip(explained, explained.percents, strict=True)):
            line = Text("    ").append(self._screen.card_text(action) if action in cards else labels.get(action, action))
            line.append("  " if action in cards else " " * max(1, 24 - line.cell_len))
            self._screen.print_line(line.append(hint_figures(explained.kind, percent, number, explained.tried(k))))

    def do_last(self, asker: Asker) -> None:
        view = seat_view(self.table, asker.seat)
        last = view["last_trick"]
        if not last:
            raise ValueError(_no_trick(view))
        self._screen.print_line(Text("  ").append(trick_text(view, last, self._screen.card_text)))

    def do_tricks(self, asker: Asker) -> None:
        view = seat_view(self.table, asker.seat)
        if not view["tricks"]:
            raise ValueError(_no_trick(view))
        for number, trick in enumerate(view["tricks"], 1):
            self._screen.print_line(Text(f"  {number:>2}  ").append(trick_text(view, trick, self._screen.card_text)))

    def do_sheet(self, asker: Asker) -> None:
        view = seat_view(self.table, asker.seat)
        if view["sheet"] is None:
            raise ValueError("single deals are played here, without a score sheet; -o episode=game plays games")
        self._screen.show_sheet(view)

    def do_review(self, asker: Asker, which: str) -> None:
        if which not in ("", "all"):
            raise ValueError("review, or review all for every move")
        line = self.table.line
        if self._reviewed is None or self._reviewed[0] != line:
            [deal] = parse_record(line, known=[self.table.game])
            self._reviewed = line, _attempt("the review", lambda: self._review_deal(deal))
        self._screen.show_review(review_view(self.table, asker.seat, self._reviewed[1]), which == "all")

    def _review_deal(self, deal: Deal) -> ReviewedDeal:
        """Returns the review of a deal; raises ValueError if it is interrupted."""
        try:
            if not self._screen.console.is_terminal:
                return review_deal(deal, lambda done, total: None)
            with self._screen.console.status("The review begins; Ctrl-C stops it") as status:
                return review_deal(deal, lambda done, total: status.update(f"{done} of {total} decisions; Ctrl-C stops it"))
        except KeyboardInterrupt:
            raise ValueError("the review was stopped") from None

    def do_at(self, asker: Asker, move: int) -> None:
        views = replay_views(self.table, asker.seat)
        if not 1 <= move <= len(views):
            raise ValueError(f"at N: the moves of the deal are 1 to {len(views) - 1}, and {len(views)} is its end")
        view = views[move - 1]
        self._screen.show_view(view)
        if view["told"]:
            self._screen.print_line(f"  before: {view['told']}")

    def confirm_leaving(self, *, game: bool = True) -> None:
        table, sheet = self.table, self.table.sheet
        left = ["This deal is not over"] if table.deal_running else []
        if game and table.game_running and sheet is not None:
            left.append("the game stands at {} : {}".format(*sheet.total))
        if left:
            question = ", and ".join(left)
            if self._ask(f"{question[0].upper()}{question[1:]}. Leave it? (yes or no)").lower() not in ("y", "yes"):
                raise ValueError("it goes on")

    def _readouts(self, asker: Asker) -> dict[str, Any]:
        """Returns the ``readouts`` of the viewer's view; raises ValueError if there are none."""
        readouts: dict[str, Any] | None = seat_view(self.table, asker.seat)["readouts"]
        if readouts is None and self.table.game.board is not None:
            raise ValueError("what has been seen is worked out for Whist, Euchre and Five-O alone; log tells what happened")
        if readouts is None:
            raise ValueError("that is for the people who play")
        return readouts

    def do_seen(self, asker: Asker) -> None:
        readouts = self._readouts(asker)
        self._screen.print_line(Text("  seen    ").append(self._screen.cards_text(readouts["seen"])))
        unseen = [card for card in map(self._deck.text, range(self._deck.size)) if card not in readouts["seen"]]
        self._screen.print_line(Text("  unseen  ").append(self._screen.cards_text(readouts.get("unseen", unseen))))
        if "trumps_left" in readouts:
            self._screen.print_line(
                Text("  trumps left besides yours  ").append(self._screen.cards_text(readouts["trumps_left"]))
            )

    def do_voids(self, asker: Asker) -> None:
        view, readouts = seat_view(self.table, asker.seat), self._readouts(asker)
        if "voids" not in readouts:
            raise ValueError("nobody shows out of a suit in Five-O")
        for seat, suits in readouts["voids"].items():
            named = ", ".join(SUIT_NAMES[SUITS.index(suit)] for suit in suits)
            name = view["seats"][int(seat)]["name"]
            line = Text(f"  {name}: no {named}" if suits else f"  {name}: no void shown")
            held = readouts["could_hold"].get(seat)
            self._screen.print_line(line.append("; can hold ").append(self._screen.cards_text(held)) if held else line)

    def do_seed(self, asker: Asker, seed: int) -> None:
        self.do_new(asker, seed)

    def do_deal(self, asker: Asker, line: str) -> None:
        self.do_new(asker, line=line)

    def do_save(self, asker: Asker, file: str) -> None:
        write_whole(Path(file).expanduser(), self.table.to_text(secret=False))
        self._screen.print_line(f"Saved in {file}. It names all cards.")

    def do_load(self, asker: Asker, file: str, source: str = "") -> None:
        path = Path(file).expanduser()
        if not path.is_file():
            raise ValueError(f"load FILE: there is no file {file!r}")
        super().do_load(asker, record_text(path), source=repr(file))

    def do_seat(self, asker: Asker, seat: int, name: str) -> None:
        self.table.set_seat(seat, name)
        self._screen.print_line(f"Seat {seat} is {self.table.display_name(seat, asker.seat)}'s now.")
