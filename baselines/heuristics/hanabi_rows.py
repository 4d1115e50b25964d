"""The deal of an agent for Hanabi, carried on from one observation to the next.

An observation with the order of play has the whole past of a deal, which takes long to replay. Where it continues a deal
that was kept, only a move or two are new. The deal that is kept is a view with guesses for the own hand: each card that
seat 0 holds is some card that the same hints touch, and 0 in the deck.
"""

from typing import Any, NamedTuple

import numpy as np

from cardenvs.compiled.bits import Bytes, lowest, read_bits, read_octets
from cardenvs.compiled.jit import helper, kernel
from cardenvs.contract.spec import GameSpec
from cardenvs.games import hanabi


class Columns(NamedTuple):
    first: int  # who began
    knowledge: int  # what is known of each card by hints, own ones first
    drawn: int  # the cards in the order of drawing, those that the seat has seen
    acts: int  # the actions of the deal


def columns_of(game: GameSpec) -> Columns:
    return Columns(*(game.slices[name].start for name in ("first", "knowledge", "drawn_1", "act_1")))


@helper
def first_seat(observations: Bytes, row: int, columns: Columns, players: int) -> int:
    """The seat that began, seen from the seat of an observation."""
    return lowest(read_bits(observations, row, columns.first, players) | 1 << players - 1)


@helper
def _deck_card(observations: Bytes, row: int, columns: Columns, faces: int, k: int) -> int:
    """The card in place ``k`` of the deck, face + 1; 0 where the seat has not seen it."""
    bits = read_bits(observations, row, columns.drawn + k * faces, faces)
    return lowest(bits) + 1 if bits != 0 else 0


@kernel
def hide_own_cards(games: Any, j: int) -> None:
    """Takes the cards that seat 0 holds out of the deck of a deal that is to be kept."""
    g = games[j]
    for slot in range(g.sizes[0]):
        g.deck[g.places[0, slot] - 1] = 0


@kernel
def same_past(observations: Bytes, row: int, columns: Columns, games: Any, j: int) -> bool:
    """Whether an observation has the actions and the seen cards of a deal that was kept; False where none was."""
    g = games[j]
    if g.players == 0:
        return False
    faces = g.colours * g.ranks
    actions = 2 * g.hand_size + (g.players - 1) * (g.colours + g.ranks)
    same = observations[row, columns.first + g.first] != 0
    for k in range(g.moves):
        same &= observations[row, columns.acts + k * actions + g.history[k]] != 0
    for k in range(g.drawn):
        same &= g.deck[k] == 0 or observations[row, columns.drawn + k * faces + g.deck[k] - 1] != 0
    return same


@helper
def next_act(observations: Bytes, row: int, columns: Columns, games: Any, j: int, k: int) -> int:
    """Action ``k`` of the deal of an observation, -1 behind the last."""
    g = games[j]
    actions = 2 * g.hand_size + (g.players - 1) * (g.colours + g.ranks)
    bits = read_bits(observations, row, columns.acts + k * actions, actions)
    return lowest(bits) if bits != 0 else -1


@helper
def _remove_place(places: int, slot: int) -> int:
    """Places of cards, eight bits each, without that of a slot."""
    below = (1 << 8 * slot) - 1
    return places & below | places >> 8 & ~below


@kernel
def _own_places(observations: Bytes, row: int, columns: Columns, games: Any, j: int) -> tuple[int, int, int]:
    """The places in the deck of an observation's own cards, eight bits each; their number; the number of drawn cards."""
    g = games[j]
    held, cards = g.hand_size, hanabi.deck_size(games, j)
    places, count, drawn, seat = read_octets(g.places, 0, 0), g.sizes[0], g.drawn, g.to_act
    for k in range(g.moves, hanabi.longest(games, j)):
        action = next_act(observations, row, columns, games, j, k)
        if action < 0:
            break
        if action < 2 * held:
            if seat == 0 and count > 0:
                places, count = _remove_place(places, action % held), count - 1
            if drawn < cards:
                drawn += 1
                if seat == 0:
                    places |= drawn << 8 * count
                    count += 1
        seat = hanabi.seat_after(seat, 1, g.players)
    return places, count, drawn


@kernel
def lay_out(observations: Bytes, row: int, columns: Columns, games: Any, j: int) -> None:
    """Completes a deal that was kept with the cards of an observation that has the same past."""
    g = games[j]
    faces = g.colours * g.ranks
    places, count, drawn = _own_places(observations, row, columns, games, j)
    for k in range(g.drawn, drawn):
        g.deck[k] = _deck_card(observations, row, columns, faces, k)
    for slot in range(g.sizes[0]):
        k = g.places[0, slot] - 1
        g.deck[k] = _deck_card(observations, row, columns, faces, k)
    for slot in range(count):
        open_faces = read_bits(observations, row, columns.knowledge + slot * (faces + g.colours + g.ranks), faces)
        g.deck[(places >> 8 * slot & 255) - 1] = lowest(open_faces) + 1 if open_faces != 0 else 0
    for slot in range(g.sizes[0]):
        g.hands[0, slot] = g.deck[g.places[0, slot] - 1]


@kernel
def could_be(games: Any, j: int, action: int) -> bool:
    """Whether an action of seat 0 lays down a card that its hints allow."""
    g = games[j]
    if g.to_act != 0 or action >= 2 * g.hand_size:
        return True
    slot = action % g.hand_size
    card = np.int64(g.hands[0, slot])
    return bool(slot < g.sizes[0] and card > 0 and hanabi.may_be(games, j, 0, slot) >> (card - 1) & 1)


@kernel
def same_hints(observations: Bytes, row: int, columns: Columns, games: Any, j: int) -> bool:
    """Whether seat 0 of a deal has the hints on its cards that an observation shows."""
    g = games[j]
    faces = g.colours * g.ranks
    same = g.to_act == 0
    for slot in range(g.sizes[0]):
        column = columns.knowledge + slot * (faces + g.colours + g.ranks)
        same &= read_bits(observations, row, column, faces) == hanabi.may_be(games, j, 0, slot)
        for told, width in ((np.int64(g.told_colour[0, slot]), g.colours), (np.int64(g.told_rank[0, slot]), g.ranks)):
            column += width
            bits = read_bits(observations, row, column + faces - width, width)
            same &= bits == (np.int64(1) << told) >> 1
    return same
