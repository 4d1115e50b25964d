"""The adviser for a real deck: what it lets a seat know, what it refuses and why, sessions, the command."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from cardenvs import get_game
from cardenvs.advise import Adviser, advice_of, parse_cards
from cardenvs.cards import EUCHRE_DECK, FULL_DECK, members_of
from cardenvs.games import euchre
from cardenvs.policy import make

NAMES = "Ann, Bob, Cid, Dee"


def typed(rng, deck, card):
    """A card as one person or another types it."""
    rank, suit = deck.text(card)
    rank = "10" if rank == "T" and rng.random() < 0.5 else rank
    text = f"{rank}{' ' if rng.random() < 0.5 else ''}{suit}"
    return text.lower() if rng.random() < 0.5 else text


def set_up(spec, state, engine, rng, options, **more):
    """An adviser that has been told what the engine's seats may know of a fresh deal."""
    adviser = Adviser(spec, policy="random", **more, **options)
    deck = adviser.deck
    adviser.enter(NAMES if spec.seats == 4 else "Ann, Bob")
    adviser.enter(",".join(map(str, engine)) or "none")
    if spec.name == "five-o":
        for start in (0, 5):
            adviser.enter(" ".join(typed(rng, deck, int(code) - 1) for code in state[0]["deck"][start : start + 5]))
        return adviser
    up = int(state[0]["shown" if spec.name == "whist" else "turned"])
    adviser.enter(str(int(state[0]["dealer"])))
    adviser.enter(typed(rng, deck, members_of(up)[0]))
    for seat in engine:
        cards = [card for card in members_of(int(state[0]["hands"][seat])) if not up >> card & 1]
        rng.shuffle(cards)
        for card in cards[:2]:
            adviser.enter(typed(rng, deck, card))
        adviser.enter(" ".join(typed(rng, deck, card) for card in cards[2:]))
    return adviser


def compare(spec, adviser, state, engine):
    for seat in engine:
        np.testing.assert_array_equal(adviser.observation(seat), spec.observation(state, seat))


ENGINES = [(), (0,), (3,), (0, 2), (1, 2), (0, 1, 3), (0, 1, 2, 3)]
TRICK_GAMES = [
    ("whist", {}),
    ("whist", {"episode": "game", "target": 7}),
    ("euchre", {}),
    ("euchre", {"stick_the_dealer": True}),
    ("euchre", {"bidding": "forced-spades"}),
]


@pytest.mark.parametrize(("game", "options"), TRICK_GAMES)
def test_a_seat_observes_what_it_would_in_the_true_game(game, options):
    """The heart of it: from what is told at the table comes what a seat sees, at every decision of whole deals."""
    spec, rng = get_game(game), np.random.default_rng(5)
    seen = dict.fromkeys(("calling", "alone", "unknown discard", "known discard", "sat out", "void deal"), 0)
    for deal in range(42):
        engine = ENGINES[deal % len(ENGINES)]
        score = {"score": (3, 4)} if options.get("episode") == "game" else {}
        state = spec.deal(100 + deal, **options)
        for side, points in enumerate(score.get("score", ())):
            state[0]["score"][side] = points
        adviser = set_up(spec, state, engine, rng, options, **score)
        while state[0]["over"] == 0:
            unseen_discard = game == "euchre" and state[0]["phase"] == euchre.DISCARDING and state[0]["dealer"] not in engine
            if not unseen_discard:  # which nobody tells: the adviser is already past it
                compare(spec, adviser, state, engine)
            legal = members_of(int(spec.kernels.legal(state, 0)))
            weights = np.array([6.0 if a == euchre.PASS and game == "euchre" else 1.0 for a in legal])
            action, seat = int(rng.choice(legal, p=weights / weights.sum())), int(state[0]["to_act"])
            if unseen_discard:
                seen["unknown discard"] += 1
                spec.kernels.step(state, 0, action)
                continue
            question = adviser.question()
            assert (question.kind, question.seat, question.engine) == ("action", seat, seat in engine)
            if seat in engine:
                assert adviser.state[0]["to_act"] == seat
                assert int(spec.kernels.legal(adviser.state, 0)) == int(spec.kernels.legal(state, 0))
            if game == "euchre":
                seen["known discard"] += int(state[0]["phase"] == euchre.DISCARDING)
                seen["calling"] += int(state[0]["phase"] == euchre.CALLING)
            card = action < len(adviser.deck.ranks) * 4
            adviser.enter(typed(rng, adviser.deck, action) if card else spec.actions[action])
            spec.kernels.step(state, 0, action)
        compare(spec, adviser, state, engine)
        assert adviser.over
        result = adviser.result()
        assert result["tricks"] == state[0]["tricks"].tolist()
        assert (game == "euchre" or adviser.record() is not None) and adviser.record() in (None, spec.text(state[0]))
        if game == "euchre":
            seen["alone"] += int(state[0]["alone"])
            seen["sat out"] += int(state[0]["alone"] and (int(state[0]["maker"]) + 2) % 4 in engine)
            seen["void deal"] += int(state[0]["maker"] < 0)
        again = Adviser.from_line(adviser.line())
        assert again.line() == adviser.line()
        assert again.result() == result
    if game == "euchre" and not options:
        assert all(seen.values()), seen


@pytest.mark.parametrize("hidden_rows", range(5))
def test_a_five_o_player_observes_what_it_would_in_the_true_game(hidden_rows):
    spec, rng = get_game("five-o"), np.random.default_rng(6)
    options = {"hidden_rows": hidden_rows}
    for deal in range(8):
        engine = [(), (0,), (1,), (0, 1)][deal % 4]
        state = spec.deal(200 + deal, **options)
        adviser = set_up(spec, state, engine, rng, options)
        while state[0]["over"] == 0:
            seat, card = int(state[0]["to_act"]), members_of(int(state[0]["card"]))[0]
            column = int(rng.choice(members_of(int(spec.kernels.legal(state, 0))))) + 1
            for other in set(engine) - {seat}:
                compare(spec, adviser, state, (other,))
            if seat in engine:
                assert adviser.question().kind == "drawn"
                adviser.enter(typed(rng, FULL_DECK, card))
                assert adviser.question().engine
                compare(spec, adviser, state, engine)
                adviser.enter(f"column-{column}")
            elif state[0]["drawn"] > 50 - 10 * hidden_rows:
                assert adviser.question().kind == "column"
                assert not adviser.question().engine
                adviser.enter(str(column))
            else:
                adviser.enter(f"{typed(rng, FULL_DECK, card)} {column}")
            lying = [int(state[0]["down"][k]) for k in range(2)]
            spec.kernels.step(state, 0, column - 1)
            if adviser.state[0]["over"] == 0:
                continue
            lying[seat] |= (1 << card) if hidden_rows else 0
            for k in range(2):
                if k in engine:
                    continue
                for at in range(5):
                    cards = members_of(int(state[0]["columns"][k][at]) & lying[k])
                    if cards:
                        with pytest.raises(ValueError, match="the deal is not over"):
                            adviser.result()
                        question = adviser.question()
                        assert (question.kind, question.seat) == ("reveal", k)
                        adviser.enter(" ".join(typed(rng, FULL_DECK, c) for c in cards))
        compare(spec, adviser, state, engine)
        points, tricks = np.zeros((1, 2), np.int64), np.zeros((1, 2), np.int64)
        winner = spec.kernels.outcome(state, 0, points, tricks)
        assert adviser.result()["winner"] == winner
        assert adviser.result()["tricks"] == tricks[0].tolist()
        again = Adviser.from_line(adviser.line())
        assert again.line() == adviser.line()
        assert again.result() == adviser.result()
