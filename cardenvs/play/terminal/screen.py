"""Prints a seat's view of a table: coloured cards, the hand with numbers, columns."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from cardenvs.contract.cards import SUIT_NAMES, SUIT_SYMBOLS, SUITS, rank_text
from cardenvs.play.terminal.board import board_rows, offer_rows, ranking_rows

_STYLES = {"c": "green", "d": "blue", "h": "red", "s": "default"}
_COVERED = "--"


def name_in_sentence(view: Mapping[str, Any], seat: int) -> str:
    name: str = view["seats"][seat]["name"]
    return "you" if name == "You" else name


def is_plain(view: Mapping[str, Any]) -> bool:
    return view["board"] is not None or view["drawing"] is not None


class Screen:
    """Prints text, cards and `cardenvs.play.seatview.seat_view`; without suit symbols in the encoding it prints letters."""

    def __init__(self, console: Console) -> None:
        self.console = console
        try:
            SUIT_SYMBOLS.encode(console.encoding)
            self._symbols = dict(zip(SUITS, SUIT_SYMBOLS, strict=True))
        except (UnicodeEncodeError, LookupError):
            self._symbols = {suit: suit for suit in SUITS}

    def thinking(self, name: str) -> AbstractContextManager[Any]:
        """Shows on a terminal that a player thinks."""
        return self.console.status(Text(f"{name} thinks")) if self.console.is_terminal else nullcontext()

    def print_line(self, text: str | Text = "") -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def clear_screen(self) -> None:
        """Clears the screen and the lines scrolled off it; on a device without that, draws a line across."""
        if self.console.is_terminal:
            # The lines above, too: another person's hand may be among them.
            self.console.file.write("\x1b[3J")
            self.console.clear()
        else:
            self.console.rule("the screen is cleared", characters="-")

    def card_text(self, card: str) -> Text:
        """Returns a card, by its two-letter name, in the colour of its suit."""
        return Text(rank_text(card) + self._symbols[card[1]], _STYLES[card[1]])

    def cards_text(self, cards: Sequence[str | None]) -> Text:
        """Returns cards, by their names, in one line; None is a face-down card, no card is ``none``."""
        words = [self.card_text(card) if card else Text(_COVERED) for card in cards]
        return Text(" ").join(words) if words else Text("none")

    def show_view(self, view: dict[str, Any]) -> None:
        """Prints a whole view: the title, the players or columns, and the hand or the hands."""
        self.print_line("")
        self.print_line(self._title_line(view))
        if is_plain(view):
            self._show_plain(view)
            return
        if view["five_o"]:
            self._show_columns(view)
        else:
            self._show_seats(view)
        if view["hands"] is not None and not view["five_o"]:
            self.print_line("The hands as they were dealt:" if view["deal_over"] else "The hands:")
            width = max(cell_len(seat["name"]) for seat in view["seats"])
            for seat, cards in view["hands"].items():
                name = view["seats"][int(seat)]["name"]
                self.print_line(Text(f"  {name}{' ' * (width - cell_len(name))}  ").append(self.cards_text(cards)))
        elif view["legal"]:
            self._show_choice(view)
        elif view["hand"] and not view["five_o"]:
            self.print_line(Text("  your hand  ").append(self.cards_text(view["hand"])))

    def show_sheet(self, view: dict[str, Any]) -> None:
        """Prints the score sheet of a view: the finished deals, the score after each, and the next dealer."""
        sheet, you = view["sheet"], view["you"]
        heads = ["side 0", "side 1"] if you is None else ["We" if side == you % 2 else "They" for side in (0, 1)]
        if view["five_o"] or is_plain(view):
            heads = sheet["sides"]
        else:
            self.print_line(f"{heads[0]}: {sheet['sides'][0]}. {heads[1]}: {sheet['sides'][1]}.")
        grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for name in ("deal", "dealer", *heads, "", "score"):
            grid.add_column(Text(name), justify="right" if name in ("deal", *heads) else "left", overflow="fold")
        if any(sheet["brought"]):
            grid.add_row("", "before", *map(str, sheet["brought"]), "", "")
        for deal in sheet["deals"]:
            dealer = "" if deal["dealer"] is None else view["seats"][deal["dealer"]]["name"]
            score = " : ".join(map(str, deal["score"]))
            grid.add_row(str(deal["number"]), Text(dealer), *map(str, deal["points"]), deal["text"], score)
        grid.add_row("", "total", *map(str, sheet["total"]), "", "" if sheet["target"] is None else f"to {sheet['target']}")
        self.console.print(grid)
        if sheet["next_dealer"] is not None and view["deal_over"]:
            self.print_line(f"The next dealer: {name_in_sentence(view, sheet['next_dealer'])}.")

    def show_review(self, review: Mapping[str, Any], every: bool) -> None:
        """Prints a `review_view`: the players' costs, then every move with a choice, or the dearest ones only."""
        self.print_line(review["text"])
        for player in review["players"]:
            free = f"{player['decisions']} decision{'s' * (player['decisions'] != 1)}"
            self.print_line(
                f"  {player['name']}: cost {player['said']} in {free}, {player['without_cost']} of them without cost"
            )
        moves = [move for move in review["moves"] if not move["forced"]]
        shown = moves if every else [review["moves"][index] for index in review["dearest"]]
        if not shown:
            self.print_line("No move cost anything.")
            return
        self.print_line("All moves that left a choice:" if every else "The dearest moves:")
        grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for name in ("move", "player", "played", "cost", "better"):
            grid.add_column(name, justify="right" if name == "move" else "left", no_wrap=True)
        for move in shown:
            better = move["best"] if move["cost"] else ""
            cells = [str(move["index"] + 1), move["name"], self._replace_suits(move["label"]), move["said"]]
            grid.add_row(*map(Text, [*cells, self._replace_suits(better)]))
        self.console.print(grid)
        self.print_line("at N shows the table before move N; review all lists every move.")

    def _replace_suits(self, text: str) -> str:
        """Replaces suit symbols by letters if the console has no symbols."""
        return "".join(self._symbols[SUITS[SUIT_SYMBOLS.index(sign)]] if sign in SUIT_SYMBOLS else sign for sign in text)

    def _title_line(self, view: dict[str, Any]) -> Text:
        title = Text(view["title"], "bold").append(f" - {view['phase']}", "not bold")
        trump = view["trump"]
        if trump:
            title.append(f", trump {self._symbols[trump]} {SUIT_NAMES[SUITS.index(trump)]}")
        if view["maker"] is not None and view["options"].get("bidding") == "full":
            title.append(f" called by {name_in_sentence(view, view['maker'])}" + (", alone" if view["alone"] else ""))
        for key, name in (("turned", "turned up"), ("shown", "shown")):
            if view[key]:
                title.append(f", {name} ").append(self.card_text(view[key]))
        if view["turned"] and (view["picked_up"] or view["turned_down"]):
            title.append(" (picked up)" if view["picked_up"] else " (turned down)")
        if not view["five_o"] and not is_plain(view):
            title.append(f", tricks {view['side_tricks'][0]} : {view['side_tricks'][1]}")
        if view["score"]:
            title.append(f", score {view['score'][0]} : {view['score'][1]} to {view['options']['target']}")
        if view["undone"]:
            title.append(f", {view['undone']} taken back")
        return title

    def _show_seats(self, view: dict[str, Any]) -> None:
        """Prints the players of a trick game, one a row, each with calls or with the card of the trick."""
        grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for name in ("", "seat", "player", "cards", "tricks", "on the table"):
            grid.add_column(name, justify="right" if name in ("seat", "cards", "tricks") else "left", no_wrap=True)
        laid = {play["seat"]: play["card"] for play in view["trick"]}
        calls: dict[int, list[str]] = {}
        for call in view["bids"]:
            calls.setdefault(call["seat"], []).append(call["label"])
        for seat in view["seats"]:
            k = seat["seat"]
            marks = (">" if k == view["to_act"] else " ") + ("D" if seat["dealer"] else " ")
            card = self.card_text(laid[k]) if k in laid else Text("")
            if k in laid and view["trick"][0]["seat"] == k:
                card.append(" leads", "default")
            if k == view["trick_winning"]:
                card.append(" wins so far", "default")
            if seat["sitting_out"]:
                card.append("sits out")
            if view["phase"] in ("ordering", "calling"):
                card = Text(", ".join(calls.get(k, [])))
            grid.add_row(marks, str(k), Text(seat["name"]), str(seat["cards"]), str(seat["tricks"]), card)
        self.console.print(grid)

    def _show_choice(self, view: dict[str, Any]) -> None:
        """Prints the hand, with numbers if a card is to be chosen, or the calls with numbers; nothing in Five-O."""
        if view["five_o"] is not None:
            return
        legal = {entry["action"] for entry in view["legal"]}
        by_card = bool(view["legal"][0]["card"])
        line = Text("  your hand  ")
        for k, card in enumerate(view["hand"], 1):
            if by_card:
                marked = card in legal
                line.append(f"{k}:", "dim").append(self.card_text(card)).append("*  " if marked else "   ", "bold")
            else:
                line.append(self.card_text(card)).append(" ")
        self.print_line(line)
        if not by_card:
            words = [f"{k}: {entry['label']}*" for k, entry in enumerate(view["legal"], 1)]
            self.print_line("  calls      " + "   ".join(words))

    def _show_plain(self, view: dict[str, Any]) -> None:
        """Prints the position of a game that is drawn in text or has a plain table, the options, and the ranking."""
        drawn = [Text(f"  {line}") for line in (view["drawing"] or "").splitlines()]
        rows = board_rows(view, self.card_text) if view["board"] else drawn
        rows += offer_rows(view, self.card_text, self.console.width) if view["legal"] else []
        for row in rows + (ranking_rows(view) if view["board"] else []):
            self.print_line(row)

    def _show_columns(self, view: dict[str, Any]) -> None:
        """Prints the columns of both players of Five-O, the card in hand, and at the end the columns' winners."""
        board, you = view["five_o"], view["you"]
        open_columns = {entry["column"] for entry in view["legal"]}
        order = (1 - you, you) if you is not None else (0, 1)
        for seat in order:
            mark = ">" if seat == view["to_act"] else " "
            self.print_line(f"{mark} {view['seats'][seat]['name']}")
            columns = board["columns"][seat]
            for row in range(max(map(len, columns))):
                line = Text("    ")
                for column in columns:
                    cell = (
                        (self.card_text(column[row]) if column[row] else Text(_COVERED)) if row < len(column) else Text("")
                    )
                    line.append(cell).append(" " * (5 - cell.cell_len))
                self.print_line(line)
        marks = [f"{k + 1}{'*' if k in open_columns else ''}" for k in range(5)]
        self.print_line("    " + "".join(f"{mark:<5}" for mark in marks) + "columns" + (", * open" if open_columns else ""))
        if board["card"]:
            whose = "your card" if view["to_act"] == you else f"the card of {name_in_sentence(view, view['to_act'])}"
            self.print_line(Text(f"  {whose}: ").append(self.card_text(board["card"])).append(f", for row {board['row']}"))
        for k, result in enumerate(board["results"] or [], 1):
            won = "a tie" if result["winner"] is None else name_in_sentence(view, result["winner"])
            self.print_line(f"  column {k}: {result['hands'][0]} - {result['hands'][1]}: {won}")
