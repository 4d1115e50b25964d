"""What Five-O's columns are called while they grow."""

from __future__ import annotations

import pytest

from cardenvs.contract.cards import FULL_DECK
from cardenvs.play.seatview import seat_view
from cardenvs.play.seatview.five_o import column_name
from tests.helpers.tables import played


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
