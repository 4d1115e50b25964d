"""The table in a terminal: whole deals by typing, commands and their errors, and nothing shown that a seat cannot know."""

import io
import random
import re

import pytest
from rich.console import Console

from cardenvs.contract.cards import FULL_DECK, SUIT_SYMBOLS, card_name
from cardenvs.contract.registry import get_game
from cardenvs.play import HUMAN, Table, run_terminal
from cardenvs.play.table_record import read_deals
from tests.helpers import tables
from tests.helpers.players import failing, maker
from tests.helpers.tables import GAMES, HEURISTIC, human_turn
from tests.refusals import check_refused

pytestmark = pytest.mark.compiled

CLEARED = "the screen is cleared"


def seated(game, people=(0,), seed=7, **options):
    seats = [HUMAN if seat in people else HEURISTIC[game] for seat in range(get_game(game).seats)]
    return Table(game, seats, seed=seed, **{"repeatable": True} | options)


class Keyboard:
    """Types what a script says, or what ``choose(table, prompt)`` says; keeps what was printed before each line."""

    def __init__(self, table, script, tmp_path, **console):
        self.table, self.script = table, script
        self.out = io.StringIO()
        self.console = Console(file=self.out, width=200, **console)
        self.chunks, self.at = [], 0
        self.path = tmp_path / "kept.txt"
        self.watch = lambda chunk: None

    def read(self):
        chunk = self.out.getvalue()[self.at :]
        self.at = len(self.out.getvalue())
        self.chunks.append(chunk)
        assert len(self.chunks) < 1000, "this script never ends"
        self.watch(chunk)
        typed = self.script(self.table, chunk) if callable(self.script) else next(self.script, None)
        if typed is None:
            raise EOFError
        if isinstance(typed, BaseException):
            raise typed
        return typed

    def run(self):
        self.status = run_terminal(self.table, pause=0, path=self.path, console=self.console, read=self.read)
        self.text = self.out.getvalue()
        return self


def at_terminal(table, script, tmp_path, **console):
    return Keyboard(table, iter(script) if isinstance(script, list) else script, tmp_path, **console).run()


def cards_in(game, text):
    """All cards that a text names, however it names them; the examples of how to type one are not meant."""
    text = text.replace("as in 3 s, 10 h or a d (also 3s, Th)", "")
    signs = dict(zip(SUIT_SYMBOLS, "cdhs", strict=True))
    signed = re.findall(rf"(10|[2-9JQKA])([{SUIT_SYMBOLS}])", text)
    return tables.cards_in(game, " ".join([text, *(f"{rank.replace('10', 'T')}{signs[suit]}" for rank, suit in signed)]))


class Player:
    """Types legal things by number, card or name, with commands and mistakes in between, and ``then`` other things."""

    def __init__(self, seed, commands=("hint", "last", "show", "log", "", "nonsense", "99", "0", "9 x"), then=()):
        self.random, self.commands, self.then = random.Random(seed), commands, iter(then)

    def __call__(self, table, chunk):
        if "press Enter when only you" in chunk:
            return ""
        if table.to_act is None:
            return next(self.then, None)
        if self.random.random() < 0.3:
            return self.random.choice(self.commands)
        name = table.game.actions[self.random.choice(table.legal())]
        if len(name) == 2:
            return self.random.choice([name, f"{name[0]} {name[1].upper()}".replace("T", "10")])
        return self.random.choice([name, name.replace("-", " "), name.removeprefix("column-").removeprefix("call-")])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_person_plays_a_deal_and_sees_what_that_seat_knows_and_no_more(game, seat, tmp_path):
    for seed in range(3):
        table = seated(game, [seat], seed=40 + seed)
        hint = {"euchre": "hint hybrid", "whist": "hint high", "five-o": "hint greedy2"}[game]
        keyboard = Keyboard(table, Player(seed, (hint, "last", "show", "log", "", "nonsense", "99", "0")), tmp_path)
        known, shown = set(), set()

        def watch(chunk, table=table, known=known, shown=shown):
            known |= tables.knows(table, seat)
            if table.to_act is not None:
                told = cards_in(game, chunk)
                assert told <= known, chunk
                shown |= told

        keyboard.watch = watch
        keyboard.run()
        assert keyboard.status == 0 and table.over
        assert len(shown) > 10  # the check has something to look at
        assert "The deal is over" in keyboard.text
        assert "win" in keyboard.text or "all passed" in keyboard.text or "a draw" in keyboard.text
        assert Table.from_text(keyboard.path.read_text()).line == table.line


@pytest.mark.parametrize(("game", "people"), [("euchre", (0, 1, 2, 3)), ("whist", (1, 2)), ("five-o", (0, 1))])
def test_people_at_one_terminal_do_not_see_each_others_hands(game, people, tmp_path):
    table = seated(game, people, seed=11)
    keyboard = Keyboard(table, Player(3), tmp_path)
    known, present = {seat: set() for seat in (*people, None)}, [None]

    def watch(chunk):
        for seat in known:
            known[seat] |= tables.knows(table, seat)
        if table.to_act is None:
            return
        before, *after = re.split(rf"-+ {CLEARED} -+", chunk)
        assert cards_in(game, before) <= known[present[0]], (present, before)
        if after:
            assert f"Player {table.to_act}, press Enter" in after[-1]
            assert not cards_in(game, after[-1])
            present[0] = table.to_act
        else:
            assert present[0] == table.to_act

    keyboard.watch = watch
    keyboard.run()
    assert table.over
    turns = [chunk for chunk in keyboard.chunks if "press Enter when only you" in chunk]
    assert len(turns) >= 10
    assert all(f"Player {event.seat} is to move" in keyboard.text for event in table.events if event.seat in people)


def test_the_screen_of_a_shared_terminal_is_cleared_with_what_scrolled_off(tmp_path):
    table = seated("whist", (0, 1, 2, 3), seed=1)
    keyboard = at_terminal(table, [""], tmp_path, force_terminal=True)
    assert keyboard.text.index("\x1b[3J") < keyboard.text.index("\x1b[2J") < keyboard.text.index("press Enter")


@pytest.mark.parametrize("game", GAMES)
def test_a_table_without_people_is_watched(game, tmp_path):
    table = seated(game, (), seed=5)
    keyboard = at_terminal(table, ["next"], tmp_path)
    assert keyboard.status == 0 and table.over and len(table.earlier) == 1
    deal = read_deals(keyboard.path)[0]
    last = deal.game.history(deal.state[0])[-1]
    word = f"in column {last[-1]}" if game == "five-o" else card_name(last) if len(last) == 2 else "passes"
    assert word in keyboard.text and keyboard.text.count("The deal is over") == 2


def test_the_pause_of_a_watched_table_is_kept(tmp_path, monkeypatch):
    slept = []
    monkeypatch.setattr("cardenvs.play.terminal.session.time.sleep", slept.append)
    table = seated("five-o", (), seed=5)
    out = Console(file=io.StringIO())
    read = Keyboard(table, iter([]), tmp_path).read
    run_terminal(table, pause=0.5, path=tmp_path / "kept.txt", console=out, read=read)
    assert slept == [0.5] * 40
    check_refused("pause must be a number of seconds", run_terminal, table, pause=-1, path=tmp_path / "kept.txt")


def test_legal_cards_are_marked_with_and_without_colour(tmp_path, monkeypatch):
    coloured = at_terminal(seated("whist", seed=3), [], tmp_path, force_terminal=True, color_system="standard").text
    assert re.search(r"\x1b\[[\d;]*3[1-7]m", coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    plain = at_terminal(seated("whist", seed=3), [], tmp_path, force_terminal=True, color_system="standard").text
    assert not re.search(r"\x1b\[[\d;]*(3[1-7]|4[1-7]|9\d)m", plain)
    text = at_terminal(table := seated("whist", seed=3), [], tmp_path).text
    hand = text[text.index("your hand") :].splitlines()[0]
    marked = {FULL_DECK.card(rank + suit) for rank, suit in re.findall(rf"\d+:(\w+)([{SUIT_SYMBOLS}])\*", hand)}
    assert marked == set(table.legal()) and len(re.findall(r"\d+:", hand)) == 13 > len(marked)


def test_a_terminal_without_suit_symbols_gets_letters(tmp_path):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    table = seated("whist", seed=3)
    keyboard = Keyboard(table, iter([]), tmp_path)
    run_terminal(table, path=keyboard.path, console=Console(file=out, width=120), read=keyboard.read)
    out.flush()
    text = out.buffer.getvalue().decode("ascii")
    assert re.search(r"\d:\w+[cdhs]\*", text)


def play_numbers(table, chunk):
    """The first legal choice by its number."""
    if table.to_act is None:
        return None
    if "your hand" not in chunk and "columns" not in chunk:
        return "show"
    shown = chunk[chunk.rindex("  calls " if "  calls " in chunk else "your hand") :]
    return re.search(r"(\d+):( [^*]+|[^* ]+)\*", shown)[1]


@pytest.mark.parametrize("game", ["euchre", "whist"])
def test_numbers_are_those_printed(game, tmp_path):
    table = seated(game, seed=8)
    keyboard = at_terminal(table, play_numbers, tmp_path)
    assert table.over and "No:" not in keyboard.text


def test_mistakes_are_told_with_the_reason(tmp_path):
    table, version = seated("whist", seed=3), []
    lines = iter([
        "99", "0", "4", "as", "3s 4s", "xyz", "last", "tricks", "undo", "seed x", "deal", "deal whist", "deal nonsense",
        "save", "load /no/such", "seat 9 low", "seat 1 nobody", "seat", "retry", "hint nobody", "review", "at 1",
    ])  # fmt: skip

    def script(table, chunk):
        version.append(table.version)
        return next(lines, None)

    text = at_terminal(table, script, tmp_path).text
    for reason in (
        "'99' is none of the cards 1 to 13", "'0' is none of the cards", "is not legal (follow suit)",
        "As: not one card of your hand", "3s 4s: not one card of your hand",
        "'xyz' is no card: type rank and suit", "no trick is complete yet", "there is no decision of yours",
        "seed N: the deal of that seed, a whole number", "deal LINE: a deal by its line", "a deal of whist has hands=",
        "save FILE: the deals played", "seat N POLICY: another policy for seat N, or human",
        "there is no file '/no/such'", "the seats of whist are 0 to 3", "unknown policy 'nobody'",
        "no policy has failed", "unknown policy 'nobody' for whist", "the deal is not over yet; then it can be reviewed.",
        "the deal is not over yet; then it can be looked at again.",
    ):  # fmt: skip
        assert f"No: {reason}" in text or reason in text, reason
    assert text.count("no trick is complete yet") == 2
    assert len(set(version)) == 1 and "(yes or no)" not in text  # none of it changed anything, nor was anything asked


def test_hints_readouts_and_help(tmp_path):
    table = seated("whist", seed=3)
    script = ["hint poe", "hint", "hint high", "seen", "voids", "help", "1", "last", "voids"]
    text = at_terminal(table, script, tmp_path).text
    assert text.count("poe: its share of the points in percent") == 2 and "high: its choice" in text
    assert "100.0 %" in text and re.search(r"unseen  (\S+ ){3}", text)
    assert "hybrid (right): no spades; can hold" in text
    assert "seed N           the deal of that seed" in text and "won by hybrid (left)" in text
    five = at_terminal(seated("five-o", seed=3), ["hint exact", "seen", "last", "voids"], tmp_path).text
    assert "exact: 0 % the worst legal move, 100 % the best" in five
    assert "No: Five-O has no tricks" in five and "No: nobody shows out" in five


def test_people_are_called_by_their_names(tmp_path):
    table = seated("whist", (0, 2), seed=3, names=["[/b]", None, None, None])
    script = ["", "name Cle\x1b[2Jo", "name [/B]", "name Cleo", "1", "", "1", "1", "1", "", "log"]
    text = at_terminal(table, script, tmp_path).text
    assert "No: a name has no control characters" in text
    assert "No: two players have the same name" in text
    assert text.count("\x1b") == 1, "as it was typed, and nowhere else"
    assert "You are Cleo." in text and "Cleo plays the" in text
    assert "[/b] is to move. [/b], press Enter" in text and not re.search(r"[Pp]layer [13]", text)


def test_hints_for_calls_are_in_words_and_tell_how_often_a_move_was_tried(tmp_path):
    hints = ["hint ismcts:simulations=40,paired=no", "hint pimc:worlds=5"]
    text = at_terminal(seated("euchre", seed=5), hints, tmp_path).text
    assert re.search(r"\n    order up, alone +\d", text) and "order-up" not in text
    counts = re.findall(r" %.*  tried (\d+) times$", text, re.MULTILINE)
    once = len(re.findall(r" %.*  tried once$", text, re.MULTILINE))
    assert counts and sum(map(int, counts)) + once == 40, text
    assert not re.search("tried", text[text.index("pimc:worlds=5: ") :])


def test_deals_by_seed_line_and_again(tmp_path):
    spec, table, lines = get_game("whist"), seated("whist", seed=3), []
    first = spec.text(table.opening[0])
    typed = iter(["1", "same", "seed 12", f"deal {first}", "new", "next"])

    def script(table, chunk):
        if chunk.rstrip().endswith("Leave it? (yes or no)"):
            return "yes"
        lines.append(spec.text(table.opening[0]))
        return next(typed, None)

    text = at_terminal(table, script, tmp_path).text
    assert lines[1] == lines[2] == first and lines[3] == spec.text(spec.deal(12)[0])
    assert lines[4] == first and lines[5] not in (first, lines[3])
    assert "No: the deal is not over yet" in text


def test_saved_and_loaded_and_gone_on_with(tmp_path):
    table = seated("euchre", seed=4, repeatable=False)
    script = Player(1, ("show",))
    count = iter(range(4))
    at_terminal(table, lambda table, chunk: script(table, chunk) if next(count, None) is not None else None, tmp_path)
    kept = tmp_path / "kept.txt"
    again = Table.from_text(kept.read_text())
    assert again.line == table.line and again.seats == table.seats
    copy = tmp_path / "copy.txt"
    keyboard = at_terminal(again, [f"save {copy}", "new", "y", f"load {copy}", "y"], tmp_path)
    assert again.line == table.line and f"Saved in {copy}" in keyboard.text
    assert again._secret in kept.read_text() and kept.stat().st_mode & 0o077 == 0, "it tells the deals to come"
    assert again._secret not in copy.read_text()
    assert keyboard.text.rstrip().endswith(f"To go on: cardenvs play euchre --terminal --load {kept}")


@pytest.mark.parametrize(("end", "status"), [(None, 0), ("quit", 0), (KeyboardInterrupt(), 130)])
def test_any_end_leaves_a_table_to_go_on_with(end, status, tmp_path):
    table = seated("whist", seed=3)
    keyboard = at_terminal(table, ["1", end], tmp_path)
    assert keyboard.status == status and "Saved. To go on:" in keyboard.text
    assert Table.from_text(keyboard.path.read_text()).line == table.line


def test_a_policy_that_fails_is_named_and_replaced(tmp_path):
    make = maker(sulks=failing(RuntimeError("will not")))
    table = Table("whist", ["human", "sulks", "hybrid", "hybrid"], seed=3, make=make)
    keyboard = at_terminal(table, ["1", "retry", "seat 1 low"], tmp_path)
    assert keyboard.text.count("sulks failed: will not. retry, seat 1 POLICY, seat 1 human or quit:") == 2
    assert "Seat 1 is low (left)'s now." in keyboard.text
    assert "low (left) wins the trick" in keyboard.text or table.events[-1].seat != 0


def test_a_game_goes_on_from_deal_to_deal(tmp_path):
    table = seated("whist", (), seed=3, episode="game", target=5)
    keyboard = at_terminal(table, [""] * 2, tmp_path)
    assert "Enter for the game's next deal" in keyboard.text
    assert re.search(r"score \d : \d", keyboard.text) and len(table.earlier) == 2


def test_cards_are_found_however_they_are_named():
    named = cards_in("whist", "K♠ 10♦* 3:9♣ the jack of hearts; As is, 2c.")
    assert named == set(FULL_DECK.parse("KsTd9cJhAs2c"))
    assert cards_in("whist", "seats 2 and 3, 4 columns") == set()
    table = seated("five-o")
    assert tables.knows(table, None) == {int(code) - 1 for code in table.state[0]["deck"][:10]}


@pytest.mark.parametrize("typed", ["new", "same", "seed 3", "deal LINE", "load FILE"])
def test_another_deal_in_a_running_one_is_asked_about_first(typed, tmp_path):
    table = seated("whist", seed=3)
    human_turn(table)
    record = tmp_path / "record.txt"
    line = table.game.text(table.game.deal(5)[0])
    record.write_text(line)
    typed = typed.replace("LINE", line).replace("FILE", str(record))
    before, lines = table.line, []
    script = iter([typed, "no", typed, "", typed, "Yes"])

    def keys(table, chunk):
        lines.append((len(table.earlier), table.line, chunk))
        return next(script, None)

    at_terminal(table, keys, tmp_path)
    assert [line[:2] for line in lines[:6]] == [(0, before)] * 6 and lines[6][0] == 1
    for at in (1, 3, 5):
        assert lines[at][2].rstrip().endswith("This deal is not over. Leave it? (yes or no)")
    for at in (2, 4):
        assert "No: it goes on." in lines[at][2]


def test_a_new_game_is_asked_about_between_its_deals(tmp_path):
    table = seated("euchre", seed=4, episode="game")
    while human_turn(table):
        table.act(0, table.legal()[0])
    score = "{} : {}".format(*table.state["score"][0])
    text = at_terminal(table, ["new", "n", "same", ""], tmp_path).text
    assert f"The game stands at {score}. Leave it? (yes or no)" in text
    assert "No: it goes on." in text
    assert "The same deal again." in text, "which ends no game"
    assert text.count("(yes or no)") == 1


def test_the_score_sheet_is_shown_after_each_deal_and_when_it_is_asked_for(tmp_path):
    table = seated("euchre", (1,), seed=3, episode="game", target=5)
    keyboard = at_terminal(table, Player(1, ("sheet",)), tmp_path)
    assert table.over
    last = keyboard.chunks[-1]
    sheet = table.sheet
    assert "They: hybrid (right) and hybrid (left). We: You and hybrid (across)." in last
    assert re.search(rf"\n +1  \w.* {sheet.rows[0].points[0]} +{sheet.rows[0].points[1]} +{sheet.rows[0].text} ", last)
    assert re.search(rf"\n +total +{sheet.total[0]} +{sheet.total[1]} +to 5", last)
    assert "The next dealer: " in last
    assert "total" in "".join(keyboard.chunks[:-1]), "asked for in the deal"
    assert "No: single deals are played here" in at_terminal(seated("euchre", seed=3), ["sheet"], tmp_path).text
    five = at_terminal(seated("five-o", seed=3), Player(1, ("show",)), tmp_path).text
    assert re.search(r"deal +dealer +You +reflex2 \(across\) +score", five)
    assert re.search(r"\n +1 +[01] +[01] +columns \d : \d +[01] : [01]", five)


def test_a_decision_is_taken_back_at_the_terminal_and_the_file_says_so(tmp_path):
    table = seated("euchre", seed=5)
    human_turn(table)
    before = table.line
    keyboard = at_terminal(table, ["pass", "undo", "undo"], tmp_path)
    assert table.line == before and "Taken back; the record notes it." in keyboard.text
    assert ", 1 taken back" in keyboard.text
    assert "No: there is no decision of yours to take back" in keyboard.text
    assert '"undone": 1' in keyboard.path.read_text()
    again = Table.from_text(keyboard.path.read_text())
    keyboard = at_terminal(again, ["pass", "undo"], tmp_path)
    assert again.line == before and '"undone": 2' in keyboard.path.read_text()
    shared = seated("whist", (0, 1, 2, 3), seed=5)
    assert "No: decisions are taken back only where one person" in at_terminal(shared, ["", "1", "", "undo"], tmp_path).text


def test_a_finished_deal_is_reviewed_and_looked_at_again(tmp_path):
    table = seated("euchre", seed=5)
    human_turn(table)
    asked = ["review", "at 1", "review all", "review", "at 2", "at 0", "at 99", "at x", "tricks", "review 3"]
    text = at_terminal(table, Player(1, ("show",), asked), tmp_path).text
    assert text.count("Reviewed by pimc:worlds=") == 3
    for name in ("You", "hybrid (left)", "hybrid (across)", "hybrid (right)"):
        assert re.search(rf"  {re.escape(name)}: cost \d.* in \d+ decisions?, \d+ of them without cost", text)
    assert "All moves that left a choice:" in text
    assert re.search(r"move +player +played +cost +better", text) and "The hands:" in text
    assert "  before: hybrid" in text
    moves = len(table.events)
    assert text.count(f"No: at N: the moves of the deal are 1 to {moves}, and {moves + 1} is its end.") == 2
    assert "No: at N: after a deal: the table before move N" in text
    assert "No: review, or review all" in text
    assert text.count("won by") >= 5 or not table.state["tricks"][0].any()


def test_a_review_that_is_stopped_leaves_the_table(tmp_path, monkeypatch):
    table = seated("five-o", seed=5)
    stops = iter([KeyboardInterrupt(), RuntimeError("no\nidea")])

    def stopped(deal, progress):
        raise next(stops)

    monkeypatch.setattr("cardenvs.play.terminal.commands.review_deal", stopped)
    text = at_terminal(table, Player(1, ("show",), ["review", "review", "new"]), tmp_path).text
    assert "No: the review was stopped." in text and "No: the review failed: no idea." in text
    assert "A new deal." in text
