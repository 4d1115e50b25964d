"""Knowledge of cards out of sight in a described game: the places where seats lost them, and shuffles.

A card is lost if it was known in a place that its seat does not see, and may have left it. ``traces`` of a record has the
possible places of each lost card for each seat, as bits, and 0 for all other cards.

What the watching seat (``watcher`` of a record, its number plus 1) knows stands in three tables. In a picture: each
shuffle lays its cards into a row of numbered boxes with the lids closed, and a card carries the number of its box as
its *label* from then on. The seat follows the cards from place to place without seeing their faces; when it sees one,
it opens the box of that label and writes the face into it (*pin*). Where it loses track of which card is which, as when
another player plays a card of a hand, the card that shows takes the lowest label that it may have, and the boxes that
it may be confused with are marked (*lie*). For example, of the first shuffle of a deck of four, dealt from the top:

    index    0     1     2     3       label of a card: shuffle * number of cards + index
    pins     .     .     .     9       the seat has seen a 9 dealt from index 3
    pins     .     K     .     9       a hand, dealt from 1 and 2, has played a K; the seat cannot tell which one it was,
    lies     .     hand  hand  .       so 1, of the lower card, is a guess, and either label may be the other card's

- ``labels[card]`` is the card's index in its last shuffle, as the seat would take it, or -1 for none.
- ``pins[shuffle, index]`` is the face, plus 1, that the seat takes to have been there, or 0.
- ``lies[shuffle, index]`` is not 0 where the label may be another card's: the place, plus 1, in which it became unclear. (A
  view with recall also has there where the cards of labels without a pin lie, see `cardenvs.recycle.running.remembering`.)
- ``holds[shuffle, face]`` is the number of cards of the face that the shuffle had, or can have had at most.

All kernels here keep to this:

1. No two cards have the same label. A shuffle gives its cards new ones; else labels only change hands among the cards of a
   place that one of them leaves, and one that is lost does not come back.
2. A pin is written once, and never changed or removed; a lie is never removed.
3. Where there is no lie, a pin is true: this face was there.
4. The tables depend on nothing but what the seat has seen. So two deals that look the same to it have the same pins and
   lies, whichever cards lie behind, and a view with recall can show them. In particular the cards that stay in a place keep
   the order of their labels, and cards that leave it at once leave it from the bottom to the top.
"""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import helper, kernel

SURE, FREE, LOST, GUESSED, PINNED, OTHER = range(6)
"""Resemblances of a card to the one that a seat sees leave a place, see `_resemblance`."""


@kernel
def pin_face(games: Any, i: Any, card: Any, faces: Ints) -> None:
    g = games[i]
    label = np.int64(g.labels[card])
    if label >= 0 and _pinned_face(g.pins, label) == 0:
        g.pins[label // g.pins.shape[1], label % g.pins.shape[1]] = faces[card] + 1


@helper
def _pinned_face(pins: Any, label: Any) -> Any:
    return np.int64(pins[label // pins.shape[1], label % pins.shape[1]])


@kernel
def count_faces(games: Any, i: Any, place: Any, faces: Ints) -> None:
    g = games[i]
    held = g.holds[g.shuffled]
    held.fill(0)
    known = np.int64(0)
    for k in range(g.sizes[place]):
        if g.known[place, k] >> (g.watcher - 1) & 1:
            held[faces[g.cards[place, k] - 1]] += 1
            known += 1
    if known < g.sizes[place]:
        held.fill(0)
        for k in range(len(faces)):
            held[faces[k]] += 1


@kernel
def _unpinned_resemblance(games: Any, i: Any, number: Any, face: Any) -> Any:
    """Returns the resemblance of a card with an unpinned label to one of this face."""
    g = games[i]
    placed, guessed = np.int64(0), False
    for k in range(g.pins.shape[1]):
        if g.pins[number, k] == face + 1:
            placed += 1
            guessed = guessed or g.lies[number, k] != 0
    full = GUESSED if guessed else OTHER
    return full if placed >= g.holds[number, face] else FREE


@kernel
def _resemblance(games: Any, i: Any, home: Any, k: Any, face: Any, faces: Ints) -> Any:
    """Returns the resemblance of a card to one of this face that the watching seat sees leave the place.

    SURE: it has the face. FREE: it may have it, and its label is unpinned. LOST: it may have it, and has no label. GUESSED:
    its label is unpinned, and all cards of the face are pinned elsewhere. PINNED: its label is pinned by a guess, and it
    may have this face. The last two are guesses that may be wrong. OTHER: it has another face.
    """
    g = games[i]
    card = np.int64(g.cards[home, k]) - 1
    label, known = np.int64(g.labels[card]), g.known[home, k] >> (g.watcher - 1) & 1 != 0
    if known and faces[card] != face:
        return OTHER
    if label < 0:
        return LOST
    pinned = _pinned_face(g.pins, label)
    if pinned == 0:
        return _unpinned_resemblance(games, i, label // g.pins.shape[1], face)
    guessed = g.lies[label // g.pins.shape[1], label % g.pins.shape[1]] != 0
    if pinned == face + 1:
        return SURE if known or not guessed else PINNED
    return PINNED if known or guessed else OTHER


@helper
def _has_uneven_knowledge(games: Any, i: Any, home: Any) -> Any:
    """Whether the watching seat knows more, or less, of a place's cards than their labels."""
    g = games[i]
    told = np.int64(0)
    for k in range(g.sizes[home]):
        label = np.int64(g.labels[g.cards[home, k] - 1])
        told += label < 0 or _pinned_face(g.pins, label) != 0
    return told > 0


@kernel
def _pass_label(games: Any, i: Any, home: Any, at: Any, chosen: Any, among: Any) -> None:
    """Gives a card the label of a chosen one of its place; the cards ``among`` both get the remaining labels, in order."""
    g = games[i]
    labels, count = np.empty(g.sizes[home], np.int64), np.int64(0)
    for k in range(g.sizes[home]):
        if among[k] and k != chosen:
            labels[count] = g.labels[g.cards[home, k] - 1]
            count += 1
    g.labels[g.cards[home, at] - 1] = g.labels[g.cards[home, chosen] - 1]
    count = np.int64(0)
    for k in range(g.sizes[home]):
        if among[k] and k != at:
            g.labels[g.cards[home, k] - 1] = labels[count]
            count += 1


@kernel
def transfer_label(games: Any, i: Any, home: Any, at: Any, seen: Any, faces: Ints) -> None:
    """Transfers the label that the watching seat takes a card to have to the card that leaves the place.

    If the seat sees the face, this is the first label, from the bottom, of a card that surely has it; else the first
    unpinned one that may have it; else none, as guesses were wrong. The other cards keep the order of their labels, so that
    nothing shows which card left: cards that leave at the same time leave from the bottom to the top. ``lies`` gets the
    place, plus 1, at each label that may be another card's. If the seat does not see the face, and knows more of some cards
    than of others, all labels are lost.
    """
    g = games[i]
    size, width = np.int64(g.sizes[home]), g.pins.shape[1]
    if not seen and _has_uneven_knowledge(games, i, home):
        for k in range(size):
            g.labels[g.cards[home, k] - 1] = -1
        return
    face, chosen = faces[g.cards[home, at] - 1], np.int64(-1)
    kinds, among = np.full(size, FREE, np.int64), np.zeros(size, np.bool_)
    for k in range(size):
        if seen:
            kinds[k] = _resemblance(games, i, home, k, face, faces)
        better = chosen < 0 or kinds[k] < kinds[chosen]
        if chosen >= 0 and kinds[k] == kinds[chosen] == PINNED:
            better = g.labels[g.cards[home, k] - 1] < g.labels[g.cards[home, chosen] - 1]
        if kinds[k] != OTHER and better:
            chosen = np.int64(k)
    if chosen < 0:
        return
    copies, loose, rivals = np.int64(0), np.int64(0), np.int64(0)
    for card in range(len(faces)):
        copies += faces[card] == face
    sure = kinds[chosen] == SURE
    for k in range(size):
        label = np.int64(g.labels[g.cards[home, k] - 1])
        among[k] = label >= 0 and _pinned_face(g.pins, label) == 0
        loose += among[k]
        rivals += k != chosen and kinds[k] != OTHER and (not sure or (among[k] and copies > 1))
    for k in range(size if rivals > 0 and (loose > 1 or not sure) else 0):
        if among[k]:
            label = np.int64(g.labels[g.cards[home, k] - 1])
            g.lies[label // width, label % width] = home + 1
    ordered = among[at]
    for k in range(size):
        if kinds[at] == SURE:
            among[k] = kinds[k] == SURE
        else:
            among[k] = (among[k] and ordered) or k == at or k == chosen
    _pass_label(games, i, home, at, chosen, among)
    label = np.int64(g.labels[g.cards[home, at] - 1])
    if kinds[chosen] >= GUESSED and _pinned_face(g.pins, label) != face + 1:
        g.labels[g.cards[home, at] - 1] = -1


@helper
def note_lost(games: Any, i: Any, home: Any, k: Any, seats: Any, places: Any) -> None:
    """Sets the possible places, as bits, of a card that seats lose sight of."""
    g = games[i]
    for seat in range(len(g.traces) if g.traces.shape[1] > 1 else 0):
        if seats >> seat & 1:
            g.traces[seat, g.cards[home, k] - 1] = places


@kernel
def update_traces(games: Any, i: Any, card: Any, home: Any, place: Any, known: Any, found: Any, faces: Ints) -> None:
    """Updates the possible places of lost cards behind a card's move.

    ``known`` are the seats that know the card at its new place, as bits, ``found`` those that did not know it before. A
    seat that finds a card may have lost this one or another of its face: it is no longer sure of one of them.
    """
    g = games[i]
    for seat in range(len(g.traces)):
        row, lost, places = g.traces[seat], np.int64(card), np.int64(0)
        for other in range(len(row)):
            if known >> seat & 1 == 0:
                row[other] |= (row[other] >> home & 1) << place
            elif found >> seat & 1 and faces[other] == faces[card] and row[other] >> home & 1:
                places |= row[other]
                lost = np.int64(other) if row[card] == 0 else lost
        for other in range(len(row) if places else 0):
            row[other] = places if faces[other] == faces[card] and row[other] >> home & 1 else row[other]
        if found >> seat & 1:
            row[lost] = 0
        for other in range(len(row) if g.sizes[home] == 0 else 0):
            row[other] &= ~(np.int64(1) << home)
