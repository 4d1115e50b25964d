"""What the compiled kernels of described games call: moving cards, and collections that take more than a loop.

A game's record holds each place as a row of ``cards``, the numbers of its cards plus 1 from the bottom to the top and zeros
behind them, and in ``known`` which seats know each of these cards, a bit each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import _GOLDEN, _mix, drawn
from cardenvs.recycle.language.errors import Position, RecycleError

ON_TOP, AT_BOTTOM, AT_INDEX = 0, 1, 2
"""Where in a place a card is put."""
NOT_TOLD, PLACE_TOLD, INDEX_TOLD = range(3)
"""What everybody knows of where a card lies that is remembered."""
DRAW, KEEP_ORDERS, NOTE_ORDERS, PLAN_ORDERS = range(4)
"""What a state's ``ordering`` says of shuffles: they are drawn; they bring what ``orders`` asks for; what they bring is
noted there; it is noted where nothing is asked for."""

MOST_SAID = 64
"""The most tellings of an action that a STATE keeps for words."""


class GameError(RecycleError):
    """What happens in a game that the language does not allow, with its position in the description."""

    def __init__(self, message: str, line: int, column: int, name: str | None = None) -> None:
        super().__init__(message, Position(line, column), name or None)

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.line, self.column, self.name)


@dataclass(frozen=True)
class Faults:
    """What can happen in the games of a description that the language does not allow.

    Attributes:
        name: the name of the description's file, or the empty string.
        faults: by number, the message and the line and the column in the description.
        places: the names of the places.
    """

    name: str
    faults: list[tuple[str, int, int]]
    places: list[str]


MOST_LYING = 20
"""The most places of which an error tells how many cards lay there."""
FAULTS: dict[str, Faults] = {}
"""By the name of a description's module, what its kernels mean by the numbers of faults."""


class Fault(GameError):
    """As kernels raise it.

    Args:
        module: the name of the description's module.
        number: the number of the fault.
        sizes: how many cards lie in each place.
    """

    def __init__(self, module: str, number: int, sizes: Ints) -> None:
        known = FAULTS[module]
        message, line, column = known.faults[number]
        lying = [f"{size} in {place}" for place, size in zip(known.places, sizes.tolist(), strict=False)]
        more = ["..."] if len(lying) > MOST_LYING else []
        said = f"; cards lie {', '.join(lying[:MOST_LYING] + more)}" if lying else ""
        super().__init__(f"{message}{said}", line, column, known.name)

    def __reduce__(self) -> Any:
        return GameError, (self.message, self.line, self.column, self.name)


@helper
def mixed(key: Any, value: Any) -> Any:
    """A number that depends on a number and one more value."""
    return np.int64(_mix(np.uint64(key) ^ _mix(np.uint64(value) + _GOLDEN)) >> np.uint64(2))


# --- places ---------------------------------------------------------------------------------------------------------


@helper
def _insert(games: Any, i: Any, card: Any, place: Any, kind: Any, index: Any, known: Any) -> Any:
    """Puts a card into a place; False if there is no such index, or no room."""
    g = games[i]
    size = np.int64(g.sizes[place])
    at = np.int64(index)
    if kind == ON_TOP:
        at = size
    elif kind == AT_BOTTOM:
        at = np.int64(0)
    if at < 0 or at > size or size >= g.cards.shape[1]:
        return False
    for k in range(size, at, -1):
        g.cards[place, k] = g.cards[place, k - 1]
        g.known[place, k] = g.known[place, k - 1]
    g.cards[place, at] = card + 1
    g.known[place, at] = known
    g.sizes[place] = size + 1
    return True


@helper
def _remove(games: Any, i: Any, place: Any, at: Any) -> None:
    """Takes the card at an index out of a place."""
    g = games[i]
    size = np.int64(g.sizes[place])
    for k in range(at, size - 1):
        g.cards[place, k] = g.cards[place, k + 1]
        g.known[place, k] = g.known[place, k + 1]
    g.cards[place, size - 1] = 0
    g.known[place, size - 1] = 0
    g.sizes[place] = size - 1


@kernel
def move_card(
    games: Any,
    i: Any,
    card: Any,
    place: Any,
    kind: Any,
    index: Any,
    public: Any,
    seen_by: Ints,
    ordered: Ints,
    faces: Ints,
) -> Any:
    """Moves a card to a place; False if the place has no such index.

    Args:
        games: the games' states.
        i: the number of the game.
        card: the card's number.
        place: the place that it is put into.
        kind: ON_TOP, AT_BOTTOM or AT_INDEX.
        index: the index, from the bottom, with AT_INDEX.
        public: whether everybody knows at which index of its place the card was.
        seen_by: int64 (places + 1,), the seats that see the cards of each place, a bit each; all seats in the end.
        ordered: int64 (places,), whether it matters at which index of a place a card lies.
        faces: int64 (cards,), the face of each card.
    """
    g = games[i]
    home = np.int64(g.where[card])
    at = np.int64(0)
    while g.cards[home, at] != card + 1:
        at += 1
    known = np.int64(g.known[home, at])
    if not public and g.sizes[home] > 1:
        known = _lose_sight(games, i, home, at, seen_by[home], seen_by[place], ordered[home], faces)
    _remove(games, i, home, at)
    known |= seen_by[place]
    for word in range(g.barred.shape[1]):
        if known != seen_by[-1]:
            g.barred[place, word] = 0
        elif faces[card] // 63 == word:
            g.barred[place, word] &= ~(np.int64(1) << (faces[card] % 63))
    g.where[card] = place
    if g.watcher and known >> (g.watcher - 1) & 1:
        pin(games, i, card, faces)
    return _insert(games, i, card, place, kind, index, known)


@kernel
def trail(games: Any, i: Any, card: Any, place: Any, relative: Ints) -> None:
    """Notes for the seat that watches from where a card goes to where, as part of what it sees until the next decision.

    Args:
        games: the games' states.
        i: the number of the game.
        card: the card's number.
        place: the place that it goes to.
        relative: int64 (seats, places), each place as the seats count them.
    """
    g = games[i]
    seat = g.watcher - 1
    g.digest = mixed(mixed(g.digest, relative[seat, g.where[card]]), relative[seat, place])


@kernel
def _lose_sight(games: Any, i: Any, home: Any, at: Any, beside: Any, ahead: Any, ordered: Any, faces: Ints) -> Any:
    """Forgets what seats cannot tell any longer when a card leaves a place, nobody being told from which index.

    Who sees neither place knows only that of each face at most one has left: of the cards that it knew there, one of each
    face is forgotten. Who sees the goal alone knows the face that has left, but not which of several equal ones it was.

    Args:
        games: the games' states.
        i: the number of the game.
        home: the place.
        at: the index of the card that leaves it.
        beside: the seats that see the place, a bit each.
        ahead: the seats that see where the card goes.
        ordered: whether the index of a card in the place matters: who does not see it forgets all that it knew there.
        faces: int64 (cards,), the face of each card.

    Returns:
        The seats that know the card where it goes, but for those that see it there.
    """
    g = games[i]
    known, face = np.int64(g.known[home, at]), faces[g.cards[home, at] - 1]
    blind = ~(beside | ahead)
    _blur(games, i, home, ~beside)
    if g.watcher:
        _relabel(games, i, home, at, (beside | ahead) >> (g.watcher - 1) & 1, faces)
    for k in range(g.sizes[home] - 1, -1, -1):
        bits = np.int64(g.known[home, k])
        if k == at or bits & ~beside == 0:
            continue
        other = faces[g.cards[home, k] - 1]
        unsure = blind & ~known | ahead & ~beside & ~known if other == face else blind
        unsure = ~beside if ordered else unsure
        if bits & unsure == 0:
            continue
        for lower in range(0 if ordered else k):
            if lower != at and faces[g.cards[home, lower] - 1] == other:
                unsure &= ~np.int64(g.known[home, lower])
        g.known[home, k] = bits & ~unsure
    return known & ~blind


@kernel
def pin(games: Any, i: Any, card: Any, faces: Ints) -> None:
    """Notes for who watches where a card that it sees was put by the last shuffle, as far as it can tell."""
    g = games[i]
    label = np.int64(g.labels[card])
    if label >= 0 and _pinned(g.pins, label) == 0:
        g.pins[label // g.pins.shape[1], label % g.pins.shape[1]] = faces[card] + 1


@helper
def _pinned(pins: Any, label: Any) -> Any:
    """The face, plus 1, that is known to have been put somewhere by a shuffle; 0 for none."""
    return np.int64(pins[label // pins.shape[1], label % pins.shape[1]])


@kernel
def _count_faces(games: Any, i: Any, place: Any, faces: Ints) -> None:
    """Notes how many cards of each face a shuffle can have, for all that who watches knows of its place."""
    g = games[i]
    held = g.holds[g.shuffled]
    for face in range(len(held)):
        held[face] = 0
    known = np.int64(0)
    for k in range(g.sizes[place]):
        if g.known[place, k] >> (g.watcher - 1) & 1:
            held[faces[g.cards[place, k] - 1]] += 1
            known += 1
    if known < g.sizes[place]:
        for face in range(len(held)):
            held[face] = 0
        for k in range(len(faces)):
            held[faces[k]] += 1


@kernel
def _is_full(games: Any, i: Any, number: Any, face: Any) -> Any:
    """Whether it is known of all cards of a face where a shuffle has put them, as far as there can have been any."""
    g = games[i]
    copies, placed = np.int64(g.holds[number, face]), np.int64(0)
    for k in range(g.pins.shape[1]):
        placed += g.pins[number, k] == face + 1
    return placed >= copies


@helper
def _is_mixed(games: Any, i: Any, home: Any) -> Any:
    """Whether who watches knows more, or less, of a card of a place than where a shuffle has put it."""
    g = games[i]
    told = np.int64(0)
    for k in range(g.sizes[home]):
        label = np.int64(g.labels[g.cards[home, k] - 1])
        told += label < 0 or _pinned(g.pins, label) != 0
    return told > 0


@kernel
def _relabel(games: Any, i: Any, home: Any, at: Any, seen: Any, faces: Ints) -> None:
    """Gives the card that leaves a place from an unknown index the label that who watches takes it to have.

    If that seat sees its face and knows cards of that face there, it is the first of their labels, from the bottom; else
    the first of a card whose face it does not know, by a shuffle of which it has not seen all cards of that face. The
    others keep their order: cards that leave at the same time leave from the bottom to the top. If it does not see the
    face, and knows more of some of the cards there than of others, it can no longer tell of any of them which one it was.
    """
    g = games[i]
    if not seen and _is_mixed(games, i, home):
        for k in range(g.sizes[home]):
            g.labels[g.cards[home, k] - 1] = -1
        return
    first, best = np.int64(at), np.int64(3)
    face = faces[g.cards[home, at] - 1]
    kinds = np.full(g.sizes[home], 3, np.int64)
    for k in range(g.sizes[home]):
        card = np.int64(g.cards[home, k]) - 1
        label = np.int64(g.labels[card])
        if label >= 0:
            same = seen and g.known[home, k] >> (g.watcher - 1) & 1 and faces[card] == face
            free = _pinned(g.pins, label) == 0 and not (seen and _is_full(games, i, label // g.pins.shape[1], face))
            kinds[k] = 0 if same else 1 if free else 2
            if kinds[k] < best:
                first, best = np.int64(k), kinds[k]
    one = g.cards[home, at] - 1
    for k in range(at - 1 if kinds[at] == best else first, first - 1, -1):
        if kinds[k] == best:
            other = g.cards[home, k] - 1
            label = g.labels[one]
            g.labels[one] = g.labels[other]
            g.labels[other] = label


@kernel
def shuffle(games: Any, i: Any, place: Any, seen_by: Ints, ordered: Ints, faces: Ints) -> None:
    """Puts the cards of a place into a random order, or into the one that ``orders`` asks for.

    Args:
        games: the games' states.
        i: the number of the game.
        place: the place.
        seen_by: int64 (places,), the seats that see the cards of each place, a bit each.
        ordered: int64 (places,), whether it matters at which index of a place a card lies.
        faces: int64 (cards,), the face of each card.
    """
    g = games[i]
    size = np.int64(g.sizes[place])
    if g.watcher and g.shuffled < len(g.holds):
        _count_faces(games, i, place, faces)
    _blur(games, i, place, ~seen_by[place])
    for k in range(size):
        g.known[place, k] = seen_by[place]
    for k in range(size - 1, 0, -1):
        other = drawn(games, i, k + 1)
        card = g.cards[place, k]
        g.cards[place, k] = g.cards[place, other]
        g.cards[place, other] = card
    if g.ordering and g.shuffled < len(g.orders):
        _arrange(games, i, place, g.shuffled, faces)
    if g.watcher:
        seen = seen_by[place] >> (g.watcher - 1) & 1
        for k in range(size):
            told = g.shuffled < len(g.pins)
            at = _rank(games, i, place, k, faces) if seen and not ordered[place] else k
            g.labels[g.cards[place, k] - 1] = g.shuffled * g.pins.shape[1] + at if told else np.int64(-1)
            if seen:
                pin(games, i, np.int64(g.cards[place, k]) - 1, faces)
    g.shuffled += 1


@helper
def _rank(games: Any, i: Any, place: Any, k: Any, faces: Ints) -> Any:
    """Where a card of a place would lie if they lay there by their faces."""
    g = games[i]
    rank, face = np.int64(0), faces[g.cards[place, k] - 1]
    for other in range(g.sizes[place]):
        below = faces[g.cards[place, other] - 1]
        rank += below < face or (below == face and other < k)
    return rank


@kernel
def _arrange(games: Any, i: Any, place: Any, number: Any, faces: Ints) -> None:
    """Puts cards where the order of a shuffle asks for them, or, if orders are to be noted, notes the one that came out.

    A card that is not in the place is stood in for by one of its face, if there is one.
    """
    g = games[i]
    size = np.int64(g.sizes[place])
    order = g.orders[number]
    asked = False
    for k in range(size):
        asked = asked or order[k] != 0
    if g.ordering == NOTE_ORDERS or (g.ordering == PLAN_ORDERS and not asked):
        for k in range(size):
            order[k] = g.cards[place, k]
        return
    for k in range(size):
        for other in range(size):
            if order[k] != 0 and g.cards[place, k] != order[k] and g.cards[place, other] == order[k]:
                g.cards[place, other] = g.cards[place, k]
                g.cards[place, k] = order[k]
    for k in range(size):
        face = faces[order[k] - 1]
        for other in range(size):
            card = np.int64(g.cards[place, other])
            free = order[other] == 0 or faces[order[other] - 1] != faces[card - 1]
            if order[k] != 0 and faces[g.cards[place, k] - 1] != face and faces[card - 1] == face and free:
                g.cards[place, other] = g.cards[place, k]
                g.cards[place, k] = card


@kernel
def put_copy(
    games: Any, i: Any, card: Any, place: Any, kind: Any, index: Any, told: Any, seen_by: Ints, ordered: Ints, faces: Ints
) -> Any:
    """Puts a copy of a card into a ``mem``; False if there is no such index, or no room.

    Args:
        games: the games' states.
        i: the number of the game.
        card: the card's number.
        place: the ``mem``.
        kind: ON_TOP, AT_BOTTOM or AT_INDEX.
        index: the index, from the bottom, with AT_INDEX.
        told: what everybody knows of where the card lies: its index, PLACE_TOLD alone, or NOT_TOLD.
        seen_by: int64 (places,), the seats that see the cards of each place, a bit each.
        ordered: int64 (places,), whether it matters at which index of a place a card lies.
        faces: int64 (cards,), the face of each card.
    """
    g = games[i]
    home = np.int64(g.where[card])
    if home >= 0 and (told == INDEX_TOLD or (told == PLACE_TOLD and not ordered[home])):
        learning, at = seen_by[place], np.int64(-1)
        for k in range(g.sizes[home]):
            other = np.int64(g.cards[home, k]) - 1
            if other == card:
                at = np.int64(k)
            elif told == PLACE_TOLD and faces[other] == faces[card]:
                learning &= ~np.int64(g.known[home, k])  # for all that such a seat can tell, it was that one
        if g.watcher and learning >> (g.watcher - 1) & 1:
            if told == PLACE_TOLD and g.known[home, at] >> (g.watcher - 1) & 1 == 0:
                _relabel(games, i, home, at, 1, faces)
            pin(games, i, card, faces)
        g.known[home, at] |= learning
    return _insert(games, i, card, place, kind, index, seen_by[place])


@kernel
def drop_copy(games: Any, i: Any, card: Any, place: Any) -> Any:
    """Takes a copy of a card out of a ``mem``; False if there is none."""
    g = games[i]
    for k in range(g.sizes[place]):
        if g.cards[place, k] == card + 1:
            _remove(games, i, place, k)
            return True
    return False


@kernel
def make_deck(games: Any, i: Any, first: Any, count: Any, place: Any, seen_by: Ints) -> None:
    """Puts new cards on top of a place, numbered from ``first`` on."""
    g = games[i]
    for k in range(count):
        g.cards[place, g.sizes[place]] = first + k + 1
        g.known[place, g.sizes[place]] = seen_by[place]
        g.where[first + k] = place
        g.sizes[place] += 1


@helper
def following(turns: Any, queue: Any, depth: Any, count: Any) -> Any:
    """Whose turn is next: who is queued, or else who comes after the current one."""
    return np.int64(queue[depth]) if queue[depth] >= 0 else np.int64((turns[depth] + 1) % count)


@kernel
def fill_awards(games: Any, i: Any, scores: Any, base: Ints, spans: Ints, awards: Ints, keys: Ints, values: Ints) -> None:
    """Works out what every card scores, from the act that has set a map and the values that were noted then; 0 if none has.

    Args:
        games: the games' states.
        i: the number of the game.
        scores: the number of the map.
        base: ``MAP_BASE`` of `cardenvs.recycle.compiler.maps.map_tables`, which tells of the other tables, too.
        spans: ``MAP_AWARDS``.
        awards: ``AWARDS``.
        keys: ``AWARD_KEYS``.
        values: int64 (strings, cards), what each card has of each attribute.
    """
    g = games[i]
    act = g.map_made[scores] - 1
    for card in range(base.shape[1]):
        g.maps[scores, card] = base[act, card] if act >= 0 else 0
    if act < 0:
        return
    for award in range(spans[act, 0], spans[act, 0] + spans[act, 1]):
        points = g.map_values[scores, awards[award, 1]] if awards[award, 0] else awards[award, 1]
        first, behind = awards[award, 2], awards[award, 2] + awards[award, 3]
        attribute, value = _award_key(games, i, scores, keys, first)
        for card in range(base.shape[1]):
            if values[attribute, card] == value:
                fits = True
                for k in range(first + 1, behind):
                    other, wanted = _award_key(games, i, scores, keys, k)
                    fits = fits and values[other, card] == wanted
                if fits:
                    g.maps[scores, card] += points


@helper
def _award_key(games: Any, i: Any, scores: Any, keys: Ints, k: Any) -> Any:
    """The attribute that a card must have for an award, and which value of it."""
    g = games[i]
    attribute = g.map_values[scores, keys[k, 1]] if keys[k, 0] else keys[k, 1]
    value = g.map_values[scores, keys[k, 3]] if keys[k, 2] else keys[k, 3]
    return attribute, value


# --- what is told ---------------------------------------------------------------------------------------------------


@kernel
def _blur(games: Any, i: Any, place: Any, seats: Any) -> None:
    """Leaves of what seats were told of the cards of a place only what holds for each of them."""
    g = games[i]
    for seat in range(g.ruled.shape[0] if g.ruled.shape[1] > 1 else 0):
        for word in range(g.ruled.shape[2] if seats >> seat & 1 else 0):
            bits = np.int64(-1)
            for k in range(g.sizes[place]):
                bits &= g.ruled[seat, g.cards[place, k] - 1, word]
            for k in range(g.sizes[place]):
                g.ruled[seat, g.cards[place, k] - 1, word] = bits


@kernel
def rule_out(games: Any, i: Any, card: Any, heap: Ints, bars: Any, seats: Any, slotted: Ints) -> None:
    """Notes the faces that a card does not have, as some seats are told.

    Args:
        games: the games' states.
        i: the number of the game.
        card: the card's number.
        heap: the array ``H``.
        bars: where in it the faces begin, a bit each.
        seats: the seats that are told, a bit each.
        slotted: int64 (places,), whether what is told of the cards of a place is kept card by card.
    """
    g = games[i]
    for seat in range(g.ruled.shape[0] if g.where[card] >= 0 and slotted[g.where[card]] else 0):
        for word in range(g.ruled.shape[2] if seats >> seat & 1 else 0):
            g.ruled[seat, card, word] |= heap[bars + word]


@kernel
def rule_out_all(games: Any, i: Any, place: Any, heap: Ints, bars: Any, seats: Any, slotted: Ints, seen_by: Ints) -> None:
    """As `rule_out`, for each card of a place; where all are told, of the place, too."""
    g = games[i]
    for k in range(g.sizes[place]):
        rule_out(games, i, np.int64(g.cards[place, k]) - 1, heap, bars, seats, slotted)
    for word in range(g.barred.shape[1] if seats == seen_by[-1] else 0):
        g.barred[place, word] |= heap[bars + word]


@kernel
def note_told(games: Any, i: Any, number: Any, holds: Any, card: Any, seats: Any) -> None:
    """Notes what an act has told.

    Args:
        games: the games' states.
        i: the number of the game.
        number: the number of the act among those that tell.
        holds: whether its test holds.
        card: the card of which it tells; -1 if it tells of none, or of several.
        seats: the seats that are told, a bit each.
    """
    g = games[i]
    for seat in range(len(g.heard)):
        if seats >> seat & 1:
            g.heard[seat] = mixed(g.heard[seat], 2 * number + holds)
            g.told[seat, number] = 1 + holds
    if g.sayings < len(g.said):
        row = g.said[g.sayings]
        row[0], row[1], row[2], row[3], row[4] = number, holds, -1, -1, seats
        if card >= 0 and g.where[card] >= 0:
            row[2] = g.where[card]
            for k in range(g.sizes[row[2]]):
                if g.cards[row[2], k] == card + 1:
                    row[3] = k
        g.sayings += 1


# --- numbers --------------------------------------------------------------------------------------------------------

FIBONACCI = np.zeros(93, np.int64)
FIBONACCI[1] = 1
for _k in range(2, 93):
    FIBONACCI[_k] = FIBONACCI[_k - 1] + FIBONACCI[_k - 2]


@helper
def quotient(a: Any, b: Any) -> Any:
    """``a / b`` towards zero."""
    result = abs(a) // abs(b)
    return result if (a < 0) == (b < 0) else -result


@helper
def remainder(a: Any, b: Any) -> Any:
    """What is left of ``a`` after the division, with its sign."""
    return a - quotient(a, b) * b


@kernel
def power(a: Any, b: Any) -> Any:
    """``a`` to the power of ``b``, which is at least 0; -2**63 for what 64 bits do not hold."""
    result = np.int64(1)
    left = np.int64(b)
    if a in (-1, 0, 1) and left > 2:
        left = np.int64(2 + left % 2)
    for _ in range(min(left, np.int64(64))):
        if abs(float(result) * float(a)) >= 9.2e18:
            return np.int64(-(2**63))
        result *= a
    return result


# --- collections, pieces of H ---------------------------------------------------------------------------------------


@kernel
def copied(heap: Ints, top: Any, start: Any, count: Any) -> Any:
    """Copies a collection to ``top``; returns its count, -1 if there is no room."""
    if top + count > len(heap):
        return np.int64(-1)
    for k in range(count):
        heap[top + k] = heap[start + k]
    return np.int64(count)


@kernel
def taken_out(heap: Ints, start: Any, count: Any, index: Any) -> Any:
    """Takes an item out of a collection; returns the new count."""
    for k in range(index, count - 1):
        heap[start + k] = heap[start + k + 1]
    return np.int64(count - 1)


@kernel
def united(heap: Ints, top: Any, sets: Any, count: Any) -> Any:
    """Writes the cards of sets one behind the other to ``top``; returns their number, -1 if there is no room."""
    total = np.int64(0)
    for k in range(count):
        start, size = heap[sets + 2 * k], heap[sets + 2 * k + 1]
        if top + total + size > len(heap):
            return np.int64(-1)
        for j in range(size):
            heap[top + total + j] = heap[start + j]
        total += size
    return total


@helper
def _times(heap: Ints, sets: Any, count: Any, card: Any) -> Any:
    """In how many of some sets a card is."""
    times = np.int64(0)
    for k in range(count):
        start, size = heap[sets + 2 * k], heap[sets + 2 * k + 1]
        for j in range(size):
            if heap[start + j] == card:
                times += 1
                break
    return times


@kernel
def _in_sets(heap: Ints, top: Any, sets: Any, count: Any, wanted: Any) -> Any:
    """Writes the cards that are in just ``wanted`` sets to ``top``, each once; returns their number."""
    total = np.int64(0)
    for k in range(count):
        start, size = heap[sets + 2 * k], heap[sets + 2 * k + 1]
        for j in range(size):
            card = heap[start + j]
            seen = False
            for n in range(total):
                seen = seen or heap[top + n] == card
            if not seen and _times(heap, sets, count, card) == wanted:
                if top + total >= len(heap):
                    return np.int64(-1)
                heap[top + total] = card
                total += 1
    return total


@helper
def in_all(heap: Ints, top: Any, sets: Any, count: Any) -> Any:
    """Writes the cards that are in all sets to ``top``, in the order in which they are first seen."""
    return _in_sets(heap, top, sets, count, count)


@helper
def in_one(heap: Ints, top: Any, sets: Any, count: Any) -> Any:
    """Writes the cards that are in just one set to ``top``, in the order in which they are first seen."""
    return _in_sets(heap, top, sets, count, 1)


@kernel
def take_top(heap: Ints, top: Any, start: Any, count: Any, wanted: Any) -> Any:
    """Copies at most ``wanted`` cards to ``top``, the topmost first; returns their number, -1 if there is no room."""
    n = min(max(wanted, np.int64(0)), count)
    if top + n > len(heap):
        return np.int64(-1)
    for k in range(n):
        heap[top + k] = heap[start + count - 1 - k]
    return np.int64(n)


@kernel
def take_bottom(heap: Ints, top: Any, start: Any, count: Any, wanted: Any) -> Any:
    """Copies at most ``wanted`` cards to ``top``, the bottommost first; returns their number, -1 if there is no room."""
    return copied(heap, top, start, min(max(wanted, np.int64(0)), count))


@kernel
def sort_cards(maps: Any, scores: Any, heap: Ints, start: Any, count: Any) -> None:
    """Sorts cards by their scores, ascending; those of equal score stay in order."""
    for k in range(1, count):
        card = heap[start + k]
        j = k
        while j > 0 and maps[scores, heap[start + j - 1]] > maps[scores, card]:
            heap[start + j] = heap[start + j - 1]
            j -= 1
        heap[start + j] = card


@kernel
def tied_card(maps: Any, scores: Any, heap: Ints, start: Any, count: Any, best: Any, number: Any) -> Any:
    """Of the cards that score as ``best`` does, number ``number``."""
    left = number
    for k in range(count):
        card = heap[start + k]
        if maps[scores, card] == maps[scores, best]:
            if left == 0:
                return card
            left -= 1
    return np.int64(best)


@kernel
def end_run(maps: Any, scores: Any, heap: Ints, top: Any, start: Any, count: Any, least: Any, from_top: bool) -> Any:
    """Writes the longest run of ``least`` cards or more at an end to ``top``; returns its size, -1 for no room."""
    if top + count > len(heap):
        return np.int64(-1)
    size = np.int64(count)
    while size >= max(least, 1):
        for k in range(size):
            heap[top + k] = heap[start + count - 1 - k] if from_top else heap[start + k]
        sort_cards(maps, scores, heap, top, size)
        good = True
        for k in range(1, size):
            good = good and maps[scores, heap[top + k]] == maps[scores, heap[top + k - 1]] + 1
        if good:
            return size
        size -= 1
    return np.int64(0)


# --- sets -----------------------------------------------------------------------------------------------------------
# The entries of the sets are written first, so a pass counts the sets and a second one writes their cards.


@kernel
def partition(values: Any, attribute: Any, heap: Ints, top: Any, parts: Any, count: Any) -> Any:
    """Writes a set for each value of an attribute to ``top``; returns their number, -1 for no room, and the new ``top``."""
    start = top
    total = united(heap, top, parts, count)
    if total < 0 or top + 4 * total > len(heap):
        return np.int64(-1), np.int64(top)
    # The cards are moved behind the entries of as many sets as there can be.
    cards = start + 3 * total
    for k in range(total - 1, -1, -1):
        heap[cards + k] = heap[start + k]
    out = start + 2 * total
    found = np.int64(0)
    for k in range(total):
        value = values[attribute, heap[cards + k]]
        first = True
        for j in range(k):
            first = first and values[attribute, heap[cards + j]] != value
        if first:
            heap[start + 2 * found] = out
            size = np.int64(0)
            for j in range(k, total):
                if values[attribute, heap[cards + j]] == value:
                    heap[out + size] = heap[cards + j]
                    size += 1
            heap[start + 2 * found + 1] = size
            out += size
            found += 1
    return found, np.int64(out)


@kernel
def subsets(heap: Ints, top: Any, start: Any, count: Any) -> Any:
    """Writes all subsets of some cards to ``top``, in binary order; returns their number, -1 for no room, and the new
    ``top``."""
    if count > 16:
        return np.int64(-1), np.int64(top)
    total = np.int64(1) << count
    out = top + 2 * total
    if out + total * count > len(heap):
        return np.int64(-1), np.int64(top)
    for number in range(total):
        heap[top + 2 * number] = out
        size = np.int64(0)
        for k in range(count):
            if number >> k & 1:
                heap[out] = heap[start + k]
                out += 1
                size += 1
        heap[top + 2 * number + 1] = size
    return total, np.int64(out)


@helper
def _room_for_sets(heap: Ints, top: Any, total: Any, size: Any) -> Any:
    return top + 2 * total + total * size <= len(heap)


@kernel
def _next_combination(heap: Ints, at: Any, size: Any, count: Any) -> Any:
    """The next ascending choice of ``size`` numbers below ``count``, in order; False after the last."""
    k = size - 1
    while k >= 0 and heap[at + k] == count - size + k:
        k -= 1
    if k < 0:
        return False
    heap[at + k] += 1
    for j in range(k + 1, size):
        heap[at + j] = heap[at + j - 1] + 1
    return True


@kernel
def tuples(maps: Any, scores: Any, heap: Ints, top: Any, start: Any, count: Any, size: Any) -> Any:
    """Writes all ``size`` cards of one score to ``top`` as sets, by score; returns their number, -1 for no room, and the
    new ``top``."""
    if size <= 0 or size > count:
        return np.int64(0), np.int64(top)
    work = top
    chosen = work + count
    if chosen + size > len(heap):
        return np.int64(-1), np.int64(top)
    for k in range(count):
        heap[work + k] = heap[start + k]
    sort_cards(maps, scores, heap, work, count)
    total = np.int64(0)
    for writing in range(2):
        entries = chosen + size
        out = entries + 2 * total
        found = np.int64(0)
        if writing and out + total * size > len(heap):
            return np.int64(-1), np.int64(top)
        first = np.int64(0)
        while first < count:
            alike = np.int64(1)
            while first + alike < count and maps[scores, heap[work + first + alike]] == maps[scores, heap[work + first]]:
                alike += 1
            if alike >= size:
                for k in range(size):
                    heap[chosen + k] = k
                more = True
                while more:
                    if writing:
                        heap[entries + 2 * found] = out
                        heap[entries + 2 * found + 1] = size
                        for k in range(size):
                            heap[out + k] = heap[work + first + heap[chosen + k]]
                        out += size
                    found += 1
                    if found > 100_000:
                        return np.int64(-1), np.int64(top)
                    more = _next_combination(heap, chosen, size, alike)
            first += alike
        total = found
    # The entries begin where the caller expects them.
    return _moved_down(heap, top, chosen + size, total, out)


@kernel
def _moved_down(heap: Ints, top: Any, entries: Any, total: Any, out: Any) -> Any:
    """Moves sets that begin at ``entries`` down to ``top``; returns their number and the new ``top``."""
    shift = entries - top
    for k in range(out - entries):
        heap[top + k] = heap[entries + k]
    for k in range(total):
        heap[top + 2 * k] -= shift
    return np.int64(total), np.int64(out - shift)


@kernel
def runs(maps: Any, scores: Any, heap: Ints, top: Any, start: Any, count: Any, least: Any, every: bool) -> Any:
    """Writes the runs among some cards to ``top`` as sets; returns their number, -1 for no room, and the new ``top``.

    Args:
        maps: the game's point maps.
        scores: the number of the map that ranks the cards.
        heap: the array ``H``.
        top: where the sets go.
        start: where the cards begin.
        count: how many cards there are.
        least: the shortest run.
        every: all stretches of consecutive ranks; if not, the longest ones only.
    """
    work = top
    chosen = work + count
    if chosen + count > len(heap):
        return np.int64(-1), np.int64(top)
    for k in range(count):
        heap[work + k] = heap[start + k]
    sort_cards(maps, scores, heap, work, count)
    total, cards = np.int64(0), np.int64(0)
    entries = chosen + count
    out = entries
    for writing in range(2):
        out = entries + 2 * total
        if writing and out + cards > len(heap):
            return np.int64(-1), np.int64(top)
        found, used = np.int64(0), np.int64(0)
        first = np.int64(0)
        while first < count:
            rank = maps[scores, heap[work + first]]
            starts = every or first == 0 or maps[scores, heap[work + first - 1]] != rank - 1
            # How many ranks follow each other from here on.
            length, last, at = np.int64(1), first, rank
            while last < count and maps[scores, heap[work + last]] <= at + 1:
                if maps[scores, heap[work + last]] == at + 1:
                    at += 1
                    length += 1
                last += 1
            for size in range(max(least, np.int64(1)) if every else length, length + 1):
                if not starts or size < least:
                    continue
                for j in range(size):
                    heap[chosen + j] = 0
                more = True
                while more:
                    if writing:
                        heap[entries + 2 * found] = out
                        heap[entries + 2 * found + 1] = size
                        for j in range(size):
                            heap[out + j] = heap[
                                work + _first_of(maps, scores, heap, work, count, rank + j) + heap[chosen + j]
                            ]
                        out += size
                    found += 1
                    used += size
                    if found > 100_000:
                        return np.int64(-1), np.int64(top)
                    j = size - 1
                    while j >= 0:
                        heap[chosen + j] += 1
                        if heap[chosen + j] < _alike(maps, scores, heap, work, count, rank + j):
                            break
                        heap[chosen + j] = 0
                        j -= 1
                    more = j >= 0
            while first < count and maps[scores, heap[work + first]] == rank:
                first += 1
        total, cards = found, used
    return _moved_down(heap, top, entries, total, out)


@helper
def _first_of(maps: Any, scores: Any, heap: Ints, work: Any, count: Any, rank: Any) -> Any:
    """The first of the sorted cards that has a score."""
    k = np.int64(0)
    while maps[scores, heap[work + k]] != rank:
        k += 1
    return k


@helper
def _alike(maps: Any, scores: Any, heap: Ints, work: Any, count: Any, rank: Any) -> Any:
    """How many cards have a score."""
    found = np.int64(0)
    for k in range(count):
        found += maps[scores, heap[work + k]] == rank
    return found


# --- private bins ---------------------------------------------------------------------------------------------------


@kernel
def value_bit(games: Any, i: Any, secret: Any, slots: Ints, is_text: Ints, spans: Ints, pool: Ints) -> Any:
    """The bit of the value that a private bin has; 0 for a value that it cannot have."""
    g = games[i]
    value = np.int64(g.texts[slots[secret]]) if is_text[secret] else np.int64(g.numbers[slots[secret]])
    return bit_of(value, secret, spans, pool)


@kernel
def bit_of(value: Any, secret: Any, spans: Ints, pool: Ints) -> Any:
    """The bit of a value of a private bin; 0 for a value that it cannot have."""
    for k in range(spans[secret, 1]):
        if pool[spans[secret, 0] + k] == value:
            return np.int64(1) << k
    return np.int64(0)


@kernel
def touch(games: Any, i: Any, place: Any, reads: Ints) -> None:
    """Notes that cards have come or gone where the origins of private bins have looked."""
    g = games[i]
    for p in range(len(g.origin)):
        if reads[g.origin[p], p, place]:
            g.origin[p] = 0


@helper
def is_single(bits: Any) -> Any:
    """Whether there is one bit at most."""
    return bits & (bits - 1) == 0


# --- options --------------------------------------------------------------------------------------------------------


@helper
def choice_stream(games: Any, i: Any) -> Any:
    """The random stream inside the options of a decision: the same for each option, and whenever it is asked for."""
    g = games[i]
    return _mix(g.source + _GOLDEN * np.uint64(g.decisions + 1))


@helper
def draw_anew(games: Any, i: Any) -> None:
    """Changes the random stream where ``redrawn`` says so: behind so many actions there is another one."""
    g = games[i]
    if g.ordering == KEEP_ORDERS or g.ordering == PLAN_ORDERS:
        for k in range(len(g.redrawn)):
            if g.redrawn[k, 0] == g.moves:
                g.source = np.uint64(g.redrawn[k, 1])
                g.stream = g.source


@kernel
def next_path(heap: Ints, path: Any, depth: Any, most: Any) -> Any:
    """Goes to the next indices that ``any``s take; False after the last.

    Args:
        heap: the array ``H``, with the indices from ``path`` on and, ``most`` entries behind, how many items each has.
        path: where the indices begin.
        depth: how many ``any``s were met.
        most: the most ``any``s of an option.
    """
    while depth > 0 and heap[path + depth - 1] + 1 >= heap[path + most + depth - 1]:
        depth -= 1
    if depth == 0:
        return False
    heap[path + depth - 1] += 1
    for k in range(depth, most):
        heap[path + k] = 0
    return True


@kernel
def put_faces(faces: Ints, numbers: Ints, heap: Ints, at: Any, start: Any, size: Any) -> None:
    """Writes the numbers that the faces of a set's cards have to ``at``, ascending."""
    for k in range(size):
        number = numbers[faces[heap[start + k]]]
        j = k
        while j > 0 and heap[at + j - 1] > number:
            heap[at + j] = heap[at + j - 1]
            j -= 1
        heap[at + j] = number


@kernel
def sort_groups(heap: Ints, values: Any, groups: Any, count: Any) -> None:
    """Sorts those of the values, ``count`` of them, that are of one group among themselves; -1 is no group."""
    for k in range(1, count):
        for j in range(k):
            one, other = values + j, values + k
            if heap[groups + j] == heap[groups + k] >= 0 and heap[one] > heap[other]:
                heap[one], heap[other] = heap[other], heap[one]


@kernel
def alike(heap: Ints, one: Any, other: Any, size: Any) -> Any:
    """Whether two pieces of ``H`` are the same."""
    same = True
    for k in range(size):
        same = same and heap[one + k] == heap[other + k]
    return same


@kernel
def begins(chosen: Any, count: Any, heap: Ints, values: Any) -> Any:
    """Whether the values of an option begin with what has been chosen already."""
    same = True
    for k in range(count):
        same = same and heap[values + k] == chosen[k]
    return same


@kernel
def in_common(heap: Ints, values: Any, shared: Any, width: Any, count: Any) -> Any:
    """Keeps of ``shared``, of which ``count`` entries count, what an option has, too; all of it at first, when it is 0."""
    if count == 0:
        for k in range(width):
            heap[shared + k] = heap[values + k]
        return np.int64(width)
    same = np.int64(0)
    while same < count and heap[shared + same] == heap[values + same]:
        same += 1
    return same
