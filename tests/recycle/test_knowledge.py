"""What a seat knows of hidden cards: what it has seen where they lie, no more, until they may have gone from there."""

from typing import Any

import numpy as np
import pytest

from cardenvs import testing, worlds
from cardenvs.compiled.streams import seed_streams
from cardenvs.policy import replay
from cardenvs.recycle import parse, shipped
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.game import compiled
from tests.helpers.described import Position, place_of, position_after
from tests.helpers.positions import redealt, view_of

SETUP = """(setup (create players 3)
  (create deck (game iloc STOCK) (deck (RANK (A, B, C, D))))
  (create deck (game iloc STOCK) (deck (RANK (A)))))"""
"""Three players, and the cards A, B, C, D, A, which are not shuffled: the last is on top."""

HAND = "((0 player) iloc HAND)"


def known(found: Position, seat: int, place: str, owner: int = 0) -> str:
    """The ranks of the cards that a seat knows in a place, in the order of the alphabet."""
    spec, layout, games = found
    views = spec.new_games(1)
    spec.kernels.view(games, 0, seat, views, 0)
    number = place_of(layout, place, seat, owner)
    cards = [int(card) for card in views[0]["cards"][number] if card > 0]
    return "".join(sorted(dict(layout.faces[layout.face_of[card - 1]][1])["RANK"] for card in cards))


def show(times: int, to: str = HAND) -> str:
    """Acts that put cards of the stock on the table, and then into a place."""
    return " ".join(["(move (top (game iloc STOCK)) (top (game vloc TABLE)))"] * times) + (
        f" (repeat all (move (top (game vloc TABLE)) (top {to})))"
    )


def lay(rank: str, to: str) -> str:
    """An act that puts a card of a rank from the hand of player 0 somewhere."""
    return f"(move (max (filter {HAND} 'X (== (cardatt RANK 'X) {rank})) using (game points NONE)) (top {to}))"


UNSEEN, SEEN = "(game hloc AWAY)", "(game vloc OPEN)"


@pytest.mark.parametrize(
    ("acts", "left", "gone"),
    [
        ((show(2),), "AD", ""),  # known where they went
        ((show(1), lay("A", UNSEEN)), "", "A"),  # it was the only card there
        ((show(3), lay("D", UNSEEN)), "", ""),  # any of them may have gone
        ((show(3), lay("D", SEEN)), "AC", ""),  # it is seen which one has
        ((show(5), lay("A", UNSEEN)), "A", ""),  # of two equal ones, one has stayed
        ((show(5), lay("A", SEEN)), "ABCD", ""),
        ((show(4), f"(move (top (game iloc STOCK)) (top {HAND}))", lay("A", SEEN)), "BCD", ""),  # the other may be the one
        ((show(2), f"(all {HAND} 'C (move 'C (top {UNSEEN})))"), "", "AD"),  # all of a place go one by one
        ((show(3), f"(shuffle {HAND})"), "", ""),
    ],
)
def test_what_is_known_of_a_hand_until_it_may_have_left(acts: tuple[str, ...], left: str, gone: str) -> None:
    found = position_after(SETUP, *acts)
    for seat in (1, 2):
        assert known(found, seat, "HAND") == left
        if UNSEEN in " ".join(acts):
            assert known(found, seat, "AWAY") == gone


def test_who_sees_a_place_keeps_what_it_sees() -> None:
    found = position_after(SETUP, show(3), lay("D", UNSEEN))
    assert known(found, 0, "HAND") == "AC"
    assert known(found, 0, "AWAY") == "D"


def test_a_card_that_is_remembered_is_known_where_it_lies() -> None:
    """Among the cards that a variable stands for, the place alone is told."""
    deal = "(repeat 2 (move (top (game iloc STOCK)) (top ((1 player) iloc HAND))))"
    for remember, rank in (
        ("(remember (top ((1 player) iloc HAND)) (top (game mem SHOWN)))", "D"),
        ("(let (union ((1 player) iloc HAND) (game iloc STOCK)) 'U (remember (top 'U) (top (game mem SHOWN))))", ""),
    ):
        assert known(position_after(SETUP, deal, remember), 2, "HAND", 1) == rank


def test_the_turned_up_trump_of_described_whist_stays_with_the_dealer() -> None:
    spec = compiled(shipped("whist"), "whist.rcy")
    layout = Layout(shipped("whist"))
    games = spec.deal(5)
    hand = next(
        k for k, (one, seat) in enumerate(layout.places) if one.storage == "iloc" and (one.owner, seat) == ("player", 2)
    )
    turned = next(int(games["cards"][0][k][0]) for k, (one, _) in enumerate(layout.places) if one.storage == "mem")
    worlds = redealt(spec, view_of(spec, games, 1), seed_streams(3, 1), 30)
    assert all(turned in dealt["cards"][0][hand] for dealt in worlds)


OWN, PILE = "((current player) iloc HAND)", "(game vloc PILE)"
FITS = f"(filter {OWN} 'X (== (cardatt RANK 'X) (cardatt RANK (top {PILE}))))"
PLAY = f"(move 'C (top {PILE}))"


@pytest.mark.parametrize(
    "alternatives",
    [
        # another alternative can be the one, and tells nothing
        f"((== (game sto N) 1) (do ((any {OWN} 'C {PLAY}) (inc (game sto N) 1))))",
        # what may be chosen has a name
        f"(let (filter {OWN} 'X (== (game sto N) 1)) 'F (any 'F 'C {PLAY}))",
        # asked only where there is a pile
        f"""((> (size {PILE}) 0) (any {FITS} 'C {PLAY}))
            ((and (> (size {PILE}) 0) (== (size {FITS}) 0)) (any {OWN} 'C {PLAY}))""",
    ],
)
def test_nothing_is_learned_that_is_not_so(alternatives: str) -> None:
    text = f"""(game (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (A, B, C)) (SUIT (X, Y)))))
     (do ((shuffle (game iloc STOCK)) (all player 'P (repeat 3 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
     (stage player (end (all player 'P (== (size ('P iloc HAND)) 0))) (choice (
      ((== (game sto N) 0) (any {OWN} 'C (do ({PLAY} (inc (game sto N) 1)))))
      {alternatives}
      ((> (game sto N) 1) (any {OWN} 'C {PLAY}))))) (scoring max 0))"""
    description = parse(text)
    spec, layout = compiled(description, "parts"), Layout(description)
    face_of = np.array([0, *layout.face_of])
    for games in testing.random_positions(spec, 20):
        state: Any = games[0]
        barred = state["barred"][:, 0][:, None] >> face_of[np.maximum(state["cards"], 0)] & 1
        assert not (barred.astype(bool) & (state["cards"] > 0)).any(), spec.text(state)


def test_a_world_that_is_not_found_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = compiled(shipped("kuhn-poker"), "kuhn")
    monkeypatch.setattr(
        replay, "redeal_loop", lambda _: lambda known, n, streams, out, start, stop: out.__setitem__(0, known[0])
    )
    object.__setattr__(spec.kernels, "fits", lambda games, k: 0)
    with pytest.raises(worlds.NoWorldError, match="no world of kuhn was found that fits row 0"):
        worlds.redeal(spec, spec.observation(spec.deal(1), 0), 1)


def test_a_card_that_is_remembered_twice_is_told_twice() -> None:
    remember = "(remember (top (game iloc STOCK)) (top (game mem SEEN)))"
    spec, layout, games = position_after(
        SETUP, *[remember] * 3, "(move (top (game iloc STOCK)) (top (game vloc TABLE)))", remember
    )
    views = spec.new_games(1)
    spec.kernels.view(games, 0, 1, views, 0)
    told = spec.decode(spec.observation(games, 1)[None])
    place = next(k for k, (one, _) in enumerate(layout.places) if one.storage == "mem")
    assert told[0]["sizes"][place] == 4 == views[0]["sizes"][place]
    assert (told[0]["cards"][place] == views[0]["cards"][place]).all()
