"""What the seats of a table are called: people, whose names are text of strangers, and policies; columns of Five-O."""

import random
import sys

import pytest

from cardenvs.cli import main
from cardenvs.contract.cards import FULL_DECK
from cardenvs.play import Table, seat_view
from cardenvs.play.names import NAME_LENGTH, check_name, introduced_name, plain_policy, split_names
from cardenvs.play.seatview.five_o import column_name
from cardenvs.play.table_record import read_table
from tests.helpers.players import NO_IDEA, maker
from tests.helpers.tables import GAMES, HEURISTIC, old_text, people, play_on, played
from tests.refusals import check_refused

WRONG = [
    "", "   ", "x" * (NAME_LENGTH + 1), "x" * 100_000, "a\nb", "a\tb", "a\rb", "a\x00b", "a\x1b[31mb", "a\x7fb", "a\x85b",
    "a\u2028b", "\u202eevil", "a\u2066b", "a\u200fb", "a\u200bb", "a\ufeffb", "\u2060", "\u3164", "\u115f\u1160",
    "\u2800\u2800", "\u034f", "a\u034fb", "\ud800", "\ue000", "\U000e0041", "7", "٣", "You", "you", "YOU", "player",
    "player 3", "Player_1", "hybrid (left)", "a)b", "...", "\u0301", "Z" + "\u0335\u0336\u0337\u0338\u0321" * 3,
]  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_names_that_are_refused(name):
    with pytest.raises(ValueError, match=r"^(a name|'.*' could be taken)") as refusal:
        check_name(name)
    assert str(refusal.value).isprintable() and len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Anna", "Anna"), ("  Anna   Lena ", "Anna Lena"), ("O'Brien", "O'Brien"), ("<b>x</b>", "<b>x</b>"),
        ("[/b]", "[/b]"), ("e\u0301", "é"), ("אבא", "אבא"), ("🎴", "🎴"), ("❤\ufe0f", "❤"), ("นิด", "นิด"),
        ("Li; Wu", "Li; Wu"), ("x" * 24, "x" * 24),
    ],
)  # fmt: skip
def test_names_as_they_are_kept(typed, kept):
    assert check_name(typed) == kept


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("hybrid", "hybrid"), ("pimc:worlds=30,calling=random", "pimc:worlds=30,calling=random"),
        ("/home/ann/secret/policy.zip", "policy.zip"), ("runs/a/policy.zip:sample=yes", "policy.zip:sample=yes"),
        ("learned-search:network=/home/ann/x.safetensors,worlds=9", "learned-search:network=x.safetensors,worlds=9"),
        ("runs/\u202epiz.exe\x1b[2J.zip", "?piz.exe?[2J.zip"),
    ],
)  # fmt: skip
def test_policies_are_shown_without_folders(name, plain):
    assert plain_policy(name) == plain


def test_policies_are_called_by_where_they_sit_from_there():
    table = Table("euchre", ["human", "hybrid", "pimc:worlds=3", "human"], seed=1)

    def names(you):
        return [seat["name"] for seat in seat_view(table, you)["seats"]]

    assert names(0) == ["You", "hybrid (left)", "pimc (across)", "player 3"]
    assert names(3) == ["player 0", "hybrid (across)", "pimc (right)", "You"]
    assert names(1) == ["player 0", "hybrid (your seat)", "pimc (left)", "player 3"]
    assert names(None) == ["player 0", "hybrid (west)", "pimc (north)", "player 3"]
    assert [seat["policy"] for seat in seat_view(table, 0)["seats"]] == [None, "hybrid", "pimc:worlds=3", None]
    table.set_name(3, "Anna")
    table.set_name(1, "Ben")
    assert names(0) == ["You", "Ben (hybrid)", "pimc (across)", "Anna"] and names(3)[3] == "You"
    assert [seat["given"] for seat in seat_view(table, 3)["seats"]] == [None, "Ben", None, "Anna"]
    table.set_seat(3, "high")
    assert names(0)[3] == "high (right)"
    table.set_seat(3, "human")
    assert names(0)[3] == "player 3", "another person may have sat down"
    table.set_name(1, "")
    assert names(0)[1] == "hybrid (left)"
    five_o = Table("five-o", ["greedy2", "human"], seed=1)
    assert [seat["name"] for seat in seat_view(five_o, 1)["seats"]] == ["greedy2 (across)", "You"]
    assert [seat["name"] for seat in seat_view(five_o, None)["seats"]] == ["greedy2 (south)", "player 1"]


@pytest.mark.parametrize("game", GAMES)
def test_no_policy_is_a_player_with_a_number(game):
    seats = people(game)
    seats[1:] = [HEURISTIC[game]] * (len(seats) - 1)
    table = play_on(Table(game, seats, seed=8), choose=random.Random(3))
    for you in (*range(len(seats)), None):
        view = seat_view(table, you)
        told = [*view["log"], view["result"]["text"]]
        assert not [line for line in told if any(f"player {seat}" in line for seat in range(1, len(seats)))]
        names = tuple(f"{seat['name']} " for seat in view["seats"])
        assert all(line.startswith(names) for line in view["log"][:-1])
        assert sum(any(line.startswith(name) for line in told) for name in names) >= min(len(seats), 3)
    own = seat_view(table, 0)["log"]
    assert any(line.startswith("You p") for line in own)
    assert not [line for line in own if line.startswith(("You plays", "You puts", "You wins", "You passes"))]


def test_whose_turn_it_is_is_told_by_name():
    table = Table("euchre", ["human", "hybrid", "human", "human"], seed=1, names=[None, None, "Cleo", None])
    while table.to_act != 1:
        table.act(table.to_act, table.legal()[0])
    check_refused("it is the turn of hybrid (left), not yours", table.act, 0, "pass")
    check_refused("it is the turn of hybrid (right), not yours", table.hint, 2, "high")
    while table.to_act != 2:
        table.act(table.to_act, table.legal()[0])
    check_refused("it is the turn of Cleo, not yours", table.act, 3, "pass")


def test_a_policy_that_fails_is_named_without_its_folder():
    table = Table("euchre", ["/home/ann/bad.zip"] * 4, seed=1, make=maker(**{"/home/ann/bad.zip": NO_IDEA}))
    check_refused("no idea", table.policy_move, error=RuntimeError)
    assert list(table.failed.values()) == ["bad.zip failed: no idea at all"]


def test_names_are_split_by_seats_or_by_people():
    seats = ["human", "hybrid", "human", "high"]
    assert split_names("Anna, Ben", seats) == ["Anna", None, "Ben", None]
    assert split_names("Anna,Ben,,Dora", seats) == ["Anna", "Ben", None, "Dora"]


def test_a_name_is_told_to_a_table_once():
    table = Table("whist", people("whist"), seed=1, names=["Anna", None, None, None])
    version = table.version
    check_refused("0 to 3", table.set_name, 4, "x")
    check_refused("same name", table.set_name, 1, "ANNA")
    check_refused("control", table.set_name, 1, "\u202ea")
    check_refused("a name must be text, not int", table.set_name, 1, 3)
    assert (table.names, table.version) == (["Anna", None, None, None], version)
    table.set_name(0, "Anna")
    assert table.version > version


@pytest.mark.parametrize("game", GAMES)
def test_names_stay_with_the_deals_that_were_played_under_them(game):
    table = played(game, 4, moves=3, names=["Anna", 'Ben; "the" # 2'] + [None] * (len(people(game)) - 2))
    table.new_deal(seed=9)
    table.set_name(0, "Zoë")
    table.act(table.to_act, table.legal()[0])
    text = table.to_text()
    copy = Table.from_text(text)
    assert copy.to_text() == text and copy.names == table.names
    assert Table.from_text(old_text(text)).to_text() == text
    deals = read_table(text, "record")[1]["deals"]
    assert [deal.names[0] for deal in deals] == ["Anna", "Zoë"]
    assert 'Zoë", "Ben; ' in table.public_text("here")
    assert Table.from_text(text, people(game), names=["Cleo"]).names[0] == "Cleo"
    assert Table.from_text(text, [HEURISTIC[game]] * len(people(game))).names == [None] * len(people(game))


@pytest.mark.parametrize(
    "names",
    ['["Anna"]', '["a","b","c","\\u202e"]', "[[]]", "nonsense", '["a","A",null,null]', "[" * 9999, "[1,2,3,4]", "5"],
)
def test_names_in_a_record_that_no_table_would_take_are_left_out(names):
    text = f"# seats: human; human; human; human\n# names: {names}\n{played('whist', 3, moves=4).line}\n"
    assert Table.from_text(text).names == [None] * 4


def test_the_command_seats_people_by_name(monkeypatch, tmp_path):
    tables = []
    monkeypatch.setattr("cardenvs.play.command.run_terminal", lambda table: tables.append(table) or 0)
    assert main(["play", "euchre", "--terminal", "--names", "Anna"]) == 0
    assert main(["play", "euchre", "--terminal", "--names", "Anna,Ben,Cleo,Dora"]) == 0
    record = tmp_path / "record.txt"
    record.write_text(tables[0].to_text())
    assert main(["play", "euchre", "--terminal", "--load", str(record)]) == 0
    assert main(["play", "euchre", "--terminal", "--load", str(record), "--names", "Eva"]) == 0
    assert [table.names for table in tables] == [
        ["Anna", None, None, None], ["Anna", "Ben", "Cleo", "Dora"], ["Anna", None, None, None], ["Eva", None, None, None],
    ]  # fmt: skip
    assert tables[1].display_name(2, 0) == "Cleo (hybrid)"


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("my agent", "my agent"), ("  my\n agent\t", "my agent"), ("x" * 1000, "x" * NAME_LENGTH),
        ("\x1b[31mred", "[31mred"),
        ("\u202eevil", "evil"), ("hybrid (left)", "hybrid left"), ("Anna", "Anna 2"), ("\uff21nna", "\uff21nna 2"),
        ("You", None), ("player 3", None), ("7", None), ("", None), ("\u200b", None), (7, None), (None, None),
        (["a"], None),
        ("Z" + "\u0335\u0336\u0337" * 3, None),
    ],
)  # fmt: skip
def test_what_is_shown_of_a_name_that_a_program_gives_itself(told, shown):
    name = introduced_name(told, ["Anna", None, None])
    assert name == shown and (name is None or check_name(name) == name)


def test_a_number_fits_behind_a_long_name():
    long = "x" * NAME_LENGTH
    assert introduced_name(long, [long, None]) == "x" * (NAME_LENGTH - 2) + " 2"
    assert introduced_name("a", ["a", "A 2", "a 3"]) == "a 4"


AGENT = """import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "Deep\\x1b Anna (left)"}), flush=True)
    elif m["type"] == "decide":
        print(json.dumps({"action": m["legal"][0]}), flush=True)
"""


@pytest.fixture
def agent(tmp_path):
    """The name of a policy that is a program with a name of its own."""
    (tmp_path / "agent.py").write_text(AGENT)
    return f"exec:{sys.executable} {tmp_path / 'agent.py'}"


def test_a_program_is_called_by_its_own_name_from_its_first_decision(agent):
    table = Table("euchre", ["human", agent, agent, "hybrid"], seed=1, names=["Deep Anna left", None, None, None])
    assert table.display_name(1, 0) == "exec (left)"
    while {1, 2} - {event.seat for event in table.events}:
        if table.to_act == 0:
            table.act(0, table.legal()[0])
        else:
            assert table.apply(table.version, *table.policy_move())
    called = ["You", "Deep Anna left 2 (exec)", "Deep Anna left 3 (exec)", "hybrid (right)"]
    assert [seat["name"] for seat in seat_view(table, 0)["seats"]] == called
    first = [event.seat for event in table.events].index(1)
    assert seat_view(table, 0)["log"][first].startswith("Deep Anna left 2 (exec) ")
    deal = read_table(table.to_text(), "table")[1]["deals"][-1]
    assert deal.names == ("Deep Anna left", "Deep Anna left 2", "Deep Anna left 3", None)
    table.set_seat(1, "hybrid")
    assert table.display_name(1, 0) == "hybrid (left)"


def test_whoever_makes_the_table_names_programs(agent):
    table = Table("euchre", ["hybrid", agent, "hybrid", "hybrid"], seed=1, names=[None, "Ben", None, None])
    while table.to_act != 1:
        table.apply(table.version, *table.policy_move())
    table.apply(table.version, *table.policy_move())
    assert table.display_name(1) == "Ben (exec)"


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("9c", ""), ("9cKd", "king high"), ("9c9d", "pair"), ("2c7cKc", "flush draw"), ("2c7cKcAc", "flush draw"),
        ("2c7dKcAc", "ace high"), ("9cTdJh", "straight draw"), ("9cTdKh", "straight draw"), ("8cTdKh", "king high"),
        ("Ac2d5h", "straight draw"), ("Ac2d6h", "ace high"), ("TcJdQhAs", "straight draw"), ("KcAd2h", "ace high"),
        ("9cTcQc", "straight flush draw"), ("9c9dTh", "pair"), ("9c9dThTs", "two pair"), ("9c9d9h", "three of a kind"),
        ("9c9d9hKs", "three of a kind"), ("9c9d9h9s", "four of a kind"), ("9c9d9hKsKd", "full house"),
        ("9cTdJhQsKd", "straight"), ("2c7cKcAc9c", "flush"), ("2c7dKcAc9c", "ace high"),
    ],
)  # fmt: skip
def test_a_column_in_few_words(cards, name):
    assert column_name(FULL_DECK.parse_set(cards)) == name


def test_a_column_with_a_card_face_down_is_not_named():
    table = played("five-o", 3, moves=36)
    for you in (0, 1, None):
        shown = seat_view(table, you)["five_o"]
        for columns, names in zip(shown["columns"], shown["names"], strict=True):
            assert [bool(name) for name in names] == [None not in column for column in columns]
    hidden = [None in column for column in seat_view(table, 0)["five_o"]["columns"][1]]
    assert any(hidden)
