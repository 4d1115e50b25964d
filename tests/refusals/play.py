"""Wrong arguments of tables, of what is typed at them, and of what their pages and files may name."""

from cardenvs.contract.cards import EUCHRE_DECK, FULL_DECK
from cardenvs.contract.registry import get_game
from cardenvs.play import Adviser, Table
from cardenvs.play.names import split_names
from cardenvs.play.table_setup import table_of_record
from cardenvs.play.typed_input import parse_cards
from cardenvs.play.web import read_room
from cardenvs.play.web.policy_names import check_name
from tests.refusals import refuse

SEATS = ["human"] * 4


def text_of_a_table():
    return Table("euchre", SEATS, seed=1).to_text()


def damaged(old, new):
    return lambda: text_of_a_table().replace(old, new)


def read_kept(folder, content):
    path = folder / "euchre-x.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    read_room(path)


def play_on(folder, game, text):
    (folder / "record.txt").write_text(text)
    table_of_record(get_game(game), str(folder / "record.txt"))


def folder(tmp_path):
    return tmp_path


REFUSALS = [
    *(
        refuse(words, check_name, name)
        for name, words in (
            ("learned-search:worlds=3000000", "worlds may be 1000 at most"), ("pimc:worlds=1e12", "worlds may be 1000"),
            ("pimc:worlds=-1e12", "worlds may be 1000"), ("pimc:worlds=5,worlds=1001", "worlds may be 1000"),
            ("pimc:worlds=1_000_000", "worlds may be"), ("pimc:seconds=1e9", "seconds may be 10 s at most"),
            ("pimc:seconds=inf", "seconds may be"), ("pimc:seconds=nan", "seconds may be"), ("poe:worlds=1e400", "worlds"),
            ("pimc:exact-cards=13", "exact_cards may be 8"), ("expectiminimax:depth=9", "depth may be 4"),
            ("monte-carlo:samples=10000000", "samples may be 100000"), ("expectiminimax:decks=99999", "decks may be"),
            ("other:something=99999999999999999999999999", "something may be 100 at most"),
            ("pimc:worlds", "write key=value"), ("x" * 101, "no policy by name"), ("../x", "no policy by name"),
            ("split:calls=pimc:worlds=99999999", "no policy by name"), ("learned:policy=x.zip", "no policy by name"),
            ("pimc:worlds=" + "9" * 80, "worlds may be 1000 at most"),
        )
    ),
    *(
        refuse("as in 3 s, 10 h or a d", parse_cards, text, FULL_DECK)
        for text in ("", "  ", "3", "s", "1 s", "11 h", "3 x", "3ss", "three of spades", "3s x", "s3", "33s")
    ),
    refuse("unknown card '3s'", parse_cards, "3s", EUCHRE_DECK),
    *(
        refuse(words, Adviser.from_line, line)
        for line, words in (
            ("whist dealer=0", "begins with the words advise and the game"),
            ("advise bridge", "unknown game 'bridge'"),
            ("advise whist dealer", "words are key=value"),
            ("advise whist names=A/B/C/D dealer=0", "dealer, '0': what comes there is: Seats that the engine plays"),
            ("advise whist names=A/B/C/D engine=0 dealer=7", "dealer, '7': '7' is no seat"),
            ("advise whist colour=red", "unknown key in a session of whist: colour"),
            ("advise whist target=6", "target must be one of 5, 7, 10"),
            ("advise whist score=3", "a score is two numbers"),
            ("advise whist policy=nobody", "unknown policy 'nobody'"),
            ("advise whist names=A/B/C/D engine=none dealer=0 card=2h actions=2h", "actions, '2h': 2h is the pulled card"),
            ("advise euchre score=20-0", "score=20-0"),
        )
    ),
    refuse("nothing to take back", Adviser.undo, lambda: Adviser("euchre", policy="random")),
    refuse("euchre has 4 seats, not 3", Table, "euchre", SEATS[:3]),
    refuse("unknown policy 'nobody'", Table, "euchre", [*SEATS[:3], "nobody"]),
    refuse("unknown policy 'rollout'", Table, "euchre", [*SEATS[:3], "rollout"]),
    refuse("no line end and no", Table, "euchre", [*SEATS[:3], "a; b"]),
    refuse("needs the seed", Table, "euchre", SEATS, repeatable=True),
    refuse("0 to 3", Table, "whist", SEATS, names=["a", "b", "c", "d", "e"]),
    refuse("does not say who plays", Table.from_text, lambda: Table("euchre", SEATS, seed=3).line),
    refuse("mine, line 2", Table.from_text, "\neuchre what", source="mine"),
    refuse("mine: there is no deal", Table.from_text, "", source="mine"),
    *(
        refuse(words, split_names, text, ["human", "hybrid", "human", "high"])
        for text, words in (
            ("Anna", "1 names for 4 seats, 2 of them people's"), ("a,b,c,d,e", "5 names"), ("Anna,anna", "the same name"),
            ("Anna,ＡＮＮＡ", "the same name"), ("Anna,You", "could be taken"), ("Anna,7", "must not be a number"),
        )
    ),
    refuse("begins with", read_kept, folder, "nothing"),
    refuse("no deal in it", read_kept, folder, ""),
    refuse("no links", read_kept, folder, text_of_a_table),
    refuse("not text", read_kept, folder, b"\xff\xfe\x00"),
    *(
        refuse(words, Table.from_text, damaged(old, new), source="mine")
        for old, new, words in (
            ("}\n", "\n", "mine is damaged: it is no JSON"), ('"deals": [', '"deals": [3, ', "mine is damaged, deals: 3"),
            ('"version": 1', '"version": "1"', "damaged, version: '1'"), ('"log": []', '"log": [7]', "deals, log: 7"),
            ('"undone": 0', '"undone": true', "undone: True"), ('"log": []', '"log": ["fly"]', "mine, deal 1, line 2"),
            ('"log": []', '"log": ["pass\\neuchre"]', "mine, deal 1"), ('"deals"', '"deals": [], "x"', "no deal in it"),
        )
    ),
    refuse("record of euchre, not of whist", play_on, folder, "whist", text_of_a_table),
]  # fmt: skip
