"""Commands at a terminal's table besides plays: hints, cards seen, other deals, files, seats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.text import Text

from cardenvs.contract.cards import SUIT_NAMES, SUITS
from cardenvs.contract.record import Deal, parse_record
from cardenvs.files import write_whole
from cardenvs.play.hints import default_adviser, hint_figures
from cardenvs.play.names import plain_policy
from cardenvs.play.reviewers import ReviewedDeal, review_deal
from cardenvs.play.seatview import action_label, replay_views, review_view, seat_view
from cardenvs.play.table import Table
from cardenvs.play.terminal.board import trick_text
from cardenvs.play.terminal.screen import Screen, is_plain
from cardenvs.play.typed_input import deck_of
from cardenvs.policy.explanation import KINDS, Explanation
from cardenvs.printing import error_text

HELP = """\
Play by the number beside a card, a call or a column, by the card (9c, 10 h, a d) or by the name of a call (pass, hearts).
Cards and calls that are legal now have a * behind them.
  hint [POLICY]    what a policy would do, from what you see
  undo             take back your last decision and all after it, where only you play; the record notes it
  last             the last trick
  tricks           all tricks of the deal
  sheet            the score sheet: every deal of the game, and how it stands
  review [all]     after a deal: what the moves cost, by a search from what each player could know
  at N             after a deal: the table before move N, with open hands
  seen             the cards that you have seen, and what is left
  voids            suits that players have shown out of, and what they can still hold
  log              the deal so far
  rules            the rules of the game in brief
  show             the table again
  new              a new deal; in a game a new game
  next             the next deal of a game; the same as new where a deal is all
  same             this deal again from its beginning
  seed N           the deal of that seed
  deal LINE        a deal by its line of text
  save FILE        the deals played and this one as text
  load FILE        the last deal of such a file
  seat N POLICY    another policy for seat N, or human
  name NAME        what you are called
  retry            a policy that failed tries again
  quit             end; the table is saved"""


def _no_trick(view: dict[str, Any]) -> str:
    if view["five_o"]:
        return "Five-O has no tricks"
    known = not is_plain(view) or (view["board"] is not None and view["board"]["tricks"])
    return "no trick is complete yet" if known else f"the table does not know the tricks of {view['title']}"


class Quit(Exception):
    """A person wants to leave the table."""


class Commands:
    """The commands at a table: methods ``(viewer, text behind the command's word)``, for a seat or a spectator (None).

    ``begun`` is called with a sentence when another deal is on the table; ``ask`` asks a question and returns the typed
    answer.
    """

    def __init__(self, table: Table, screen: Screen, begun: Callable[[str], None], ask: Callable[[str], str]) -> None:
        self._table, self._screen, self._begun, self._ask = table, screen, begun, ask
        self._reviewed: tuple[str, ReviewedDeal] | None = None  # the last review, and the line of its deal
        self._adviser = default_adviser(table.game)
        self._deck = deck_of(table.game)

    def find_command(self, word: str) -> Callable[[int | None, str], None] | None:
        """Returns the command named ``word``, or None. It raises ValueError or OSError if refused, `Quit` to end."""
        command: Callable[[int | None, str], None] | None = getattr(self, f"_do_{word.lower()}", None)
        return command

    def _do_help(self, viewer: int | None, rest: str) -> None:
        self._screen.print_line(HELP)

    def _do_rules(self, viewer: int | None, rest: str) -> None:
        if not self._table.game.rules:
            raise ValueError(f"nobody has written down the rules of {self._table.game.title}")
        self._screen.print_line(self._table.game.rules)

    def _do_quit(self, viewer: int | None, rest: str) -> None:
        raise Quit

    _do_exit = _do_quit

    def _do_undo(self, viewer: int | None, rest: str) -> None:
        if viewer is None:
            raise ValueError("decisions are taken back only where one person plays and all others are policies")
        self._table.undo(viewer)
        self._screen.print_line("Taken back; the record notes it.")

    def _do_show(self, viewer: int | None, rest: str) -> None:
        self._screen.show_view(seat_view(self._table, viewer))

    def _do_log(self, viewer: int | None, rest: str) -> None:
        for line in seat_view(self._table, viewer)["log"] or ["nothing has happened yet"]:
            self._screen.print_line(f"  {line}")

    def _do_hint(self, viewer: int | None, rest: str) -> None:
        if viewer is None or viewer != self._table.to_act:
            raise ValueError("hints are for the player who is to move")
        name = rest or self._adviser
        with self._screen.thinking(name):
            explained = self._ask_hint(viewer, name)
        self._adviser = name
        self._screen.print_line(f"  {plain_policy(name)}: {KINDS[explained.kind]}")
        entries = [action_label(self._table, action) for action in self._table.legal()]
        labels = {entry["action"]: entry["label"] for entry in entries}
        cards = {entry["action"] for entry in entries if entry["card"]}
        for k, ((action, number), percent) in enumerate(zip(explained, explained.percents, strict=True)):
            line = Text("    ").append(self._screen.card_text(action) if action in cards else labels.get(action, action))
            line.append("  " if action in cards else " " * max(1, 24 - line.cell_len))
            self._screen.print_line(line.append(hint_figures(explained.kind, percent, number, explained.tried(k))))

    def _ask_hint(self, viewer: int, name: str) -> Explanation:
        """Returns a policy's hint; raises ValueError if the policy fails in any way."""
        try:
            return self._table.hint(viewer, name)
        except (ValueError, OSError):
            raise
        except Exception as error:  # a policy may fail in any way; the game goes on
            raise ValueError(f"{name} failed: {error_text(error)}") from error

    def _do_last(self, viewer: int | None, rest: str) -> None:
        view = seat_view(self._table, viewer)
        last = view["last_trick"]
        if not last:
            raise ValueError(_no_trick(view))
        self._screen.print_line(Text("  ").append(trick_text(view, last, self._screen.card_text)))

    def _do_tricks(self, viewer: int | None, rest: str) -> None:
        view = seat_view(self._table, viewer)
        if not view["tricks"]:
            raise ValueError(_no_trick(view))
        for number, trick in enumerate(view["tricks"], 1):
            self._screen.print_line(Text(f"  {number:>2}  ").append(trick_text(view, trick, self._screen.card_text)))

    def _do_sheet(self, viewer: int | None, rest: str) -> None:
        view = seat_view(self._table, viewer)
        if view["sheet"] is None:
            raise ValueError("single deals are played here, without a score sheet; -o episode=game plays games")
        self._screen.show_sheet(view)

    _do_score = _do_sheet

    def _do_review(self, viewer: int | None, rest: str) -> None:
        if rest not in ("", "all"):
            raise ValueError("review, or review all for every move")
        line = self._table.line
        if self._reviewed is None or self._reviewed[0] != line:
            self._reviewed = line, self._review_deal(parse_record(line, known=[self._table.game])[0])
        self._screen.show_review(review_view(self._table, viewer, self._reviewed[1]), rest == "all")

    def _review_deal(self, deal: Deal) -> ReviewedDeal:
        """Returns the review of a deal; raises ValueError if it is interrupted or fails."""
        try:
            if not self._screen.console.is_terminal:
                return review_deal(deal, lambda done, total: None)
            with self._screen.console.status("The review begins; Ctrl-C stops it") as status:
                return review_deal(deal, lambda done, total: status.update(f"{done} of {total} decisions; Ctrl-C stops it"))
        except KeyboardInterrupt:
            raise ValueError("the review was stopped") from None
        except (ValueError, OSError):
            raise
        except Exception as error:  # a reviewer may fail in any way; the game goes on
            raise ValueError(f"the review failed: {error_text(error)}") from error

    def _do_at(self, viewer: int | None, rest: str) -> None:
        views = replay_views(self._table, viewer)
        if not rest.isdecimal() or len(rest) > 9 or not 1 <= int(rest) <= len(views):
            raise ValueError(f"at N: the moves of the deal are 1 to {len(views) - 1}, and {len(views)} is its end")
        view = views[int(rest) - 1]
        self._screen.show_view(view)
        if view["told"]:
            self._screen.print_line(f"  before: {view['told']}")

    def _check_leaving(self, *, game: bool = True) -> None:
        """Asks for confirmation before an unfinished deal or game is left; raises ValueError if it is refused."""
        table, sheet = self._table, self._table.sheet
        left = ["This deal is not over"] if table.deal_running else []
        if game and table.game_running and sheet is not None:
            left.append("the game stands at {} : {}".format(*sheet.total))
        if left:
            question = ", and ".join(left)
            if self._ask(f"{question[0].upper()}{question[1:]}. Leave it? (yes or no)").lower() not in ("y", "yes"):
                raise ValueError("it goes on")

    def _readouts(self, viewer: int | None) -> dict[str, Any]:
        """Returns the ``readouts`` of the viewer's view; raises ValueError if there are none."""
        readouts: dict[str, Any] | None = seat_view(self._table, viewer)["readouts"]
        if readouts is None and self._table.game.board is not None:
            raise ValueError("what has been seen is worked out for Whist, Euchre and Five-O alone; log tells what happened")
        if readouts is None:
            raise ValueError("that is for the people who play")
        return readouts

    def _do_seen(self, viewer: int | None, rest: str) -> None:
        readouts = self._readouts(viewer)
        self._screen.print_line(Text("  seen    ").append(self._screen.cards_text(readouts["seen"])))
        unseen = [card for card in map(self._deck.text, range(self._deck.size)) if card not in readouts["seen"]]
        self._screen.print_line(Text("  unseen  ").append(self._screen.cards_text(readouts.get("unseen", unseen))))
        if "trumps_left" in readouts:
            self._screen.print_line(
                Text("  trumps left besides yours  ").append(self._screen.cards_text(readouts["trumps_left"]))
            )

    def _do_voids(self, viewer: int | None, rest: str) -> None:
        view, readouts = seat_view(self._table, viewer), self._readouts(viewer)
        if "voids" not in readouts:
            raise ValueError("nobody shows out of a suit in Five-O")
        for seat, suits in readouts["voids"].items():
            named = ", ".join(SUIT_NAMES[SUITS.index(suit)] for suit in suits)
            name = view["seats"][int(seat)]["name"]
            line = Text(f"  {name}: no {named}" if suits else f"  {name}: no void shown")
            held = readouts["could_hold"].get(seat)
            self._screen.print_line(line.append("; can hold ").append(self._screen.cards_text(held)) if held else line)

    def _do_new(self, viewer: int | None, rest: str) -> None:
        self._check_leaving()
        self._table.new_deal()
        self._begun("A new deal.")

    def _do_next(self, viewer: int | None, rest: str) -> None:
        self._table.next_deal()
        self._begun("The next deal.")

    def _do_same(self, viewer: int | None, rest: str) -> None:
        self._check_leaving(game=False)
        self._table.same_deal()
        self._begun("The same deal again.")

    def _do_seed(self, viewer: int | None, rest: str) -> None:
        if not rest.isdecimal():
            raise ValueError("seed N: a whole number, as in seed 7")
        self._check_leaving()
        self._table.new_deal(seed=int(rest))
        self._begun(f"The deal of seed {rest}.")

    def _do_deal(self, viewer: int | None, rest: str) -> None:
        if not rest:
            raise ValueError("deal LINE: a deal as the files have them, beginning with the game's name")
        self._table.game.parse(rest, **self._table.options)  # what is no deal is refused before anything is asked
        self._check_leaving()
        self._table.new_deal(line=rest)
        self._begun("The deal given.")

    def _do_save(self, viewer: int | None, rest: str) -> None:
        if not rest:
            raise ValueError("save FILE: name a file")
        write_whole(Path(rest).expanduser(), self._table.to_text(secret=False))
        self._screen.print_line(f"Saved in {rest}. It names all cards.")

    def _do_load(self, viewer: int | None, rest: str) -> None:
        path = Path(rest).expanduser()
        if not rest or not path.is_file():
            raise ValueError(f"load FILE: there is no file {rest!r}")
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{rest!r} is no record of games: it is not text") from error
        self._check_leaving()
        self._table.load(text, repr(rest))
        self._begun(f"The last deal of {rest}.")

    def _do_seat(self, viewer: int | None, rest: str) -> None:
        number, _, name = rest.partition(" ")
        if not number.isdecimal() or not name.strip():
            raise ValueError("seat N POLICY: as in seat 2 hybrid, or seat 2 human")
        self._table.set_seat(int(number), name.strip())
        self._screen.print_line(f"Seat {number} is {self._table.display_name(int(number), viewer)}'s now.")

    def _do_name(self, viewer: int | None, rest: str) -> None:
        if viewer is None:
            raise ValueError("names are told by players whose turn it is" if self._table.people else "nobody plays here")
        self._table.set_name(viewer, rest)
        self._screen.print_line(f"You are {self._table.names[viewer] or 'without a name'}.")

    def _do_retry(self, viewer: int | None, rest: str) -> None:
        self._table.retry()
