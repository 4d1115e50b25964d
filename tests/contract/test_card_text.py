"""Cards as people read them are written one way: 10 and the sign of the suit."""

from __future__ import annotations

import re

import pytest

from cardenvs.baselines.review.texts import action_text, hand_text
from cardenvs.contract.cards import card_text, rank_text
from tests.helpers.paths import ROOT


@pytest.mark.parametrize(("card", "text"), [("Th", "10♥"), ("As", "A♠"), ("2c", "2♣"), ("Jd", "J♦")])
def test_cards_for_people(card, text):
    assert card_text(card) == text
    assert rank_text(card) == text[:-1]
    assert action_text(card) == text


def test_hands_in_reviews_have_tens_too():
    assert hand_text(["9h", "Ts", "Ks"]) == "♠K10 ♥9"


def test_nobody_else_writes_tens():
    own = ROOT / "cardenvs" / "contract" / "cards.py"
    for folder in ("cardenvs", "baselines", "train"):
        for path in (ROOT / folder).rglob("*.py"):
            if path != own:
                assert not re.search(r"""replace\(["']T["'], ["']10["']\)""", path.read_text()), path
