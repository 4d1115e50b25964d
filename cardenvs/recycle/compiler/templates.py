"""The text that the modules of all described games have in common."""

HEAD = '''"""Compiled from a description in ReCYCLE. Written by cardenvs.recycle; not to be edited."""

import numpy as np

from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import drawn, new_stream
from cardenvs.recycle.running import dealing as described
from cardenvs.recycle.running.claims import *
from cardenvs.recycle.running.collections import *
from cardenvs.recycle.running.faults import Fault
from cardenvs.recycle.running.places import *
from cardenvs.recycle.running.values import *

MODULE = __name__
'''
"""The head of a module: its docstring and its imports."""

STOP = '''
@kernel
def stuck(games, i, number):
    """Stops a game that cannot go on, except an imagined one."""
    if games[i].imagined == 0:
        raise Fault(MODULE, number, games[i].sizes.copy())


@kernel
def halt(games, i, number):
    """Stops a game that cannot go on, or ends it, if it is imagined."""
    stuck(games, i, number)
    described.give_up(games, i, LAST_POINT)


@kernel
def fill_map(games, i, m):
    """Works out what every card scores, from the act that has set a map and the values that were noted then."""
    fill_awards(games, i, m, MAP_BASE, MAP_AWARDS, AWARDS, AWARD_KEYS, VALUES)

'''
"""The kernels that the game's own functions call, between its tables and them."""

LEARN = """    for k in range(len(EFFECTS)):
        owner = EFFECTS[k, 2]
        if EFFECTS[k, 0] != site or (owner >= 0 and owner != actor):
            continue
        bits, kept = np.int64(0), False
        for one in range(EFFECT_ROWS.shape[1]):
            if open >> one & 1:
                bits |= EFFECT_ROWS[k, one, 0]
                kept |= EFFECT_ROWS[k, one, 1] != 0
        if kept:
            bits |= g.maybe[EFFECTS[k, 1]]
        g.maybe[EFFECTS[k, 1]] = bits"""
"""The loop over the effects of a choice on private bins, in a game that has any."""

TAIL = '''
@kernel
def _refresh(games, i, H):
    """Who is to act, and what is legal."""
    described.clear_heap(H, WORDS + ACTIONS)
    g = games[i]
    if g.over == 0:
        listed = options(games, i, H, np.int64(-1))
        if listed == 0:
            stuck(games, i, STUCK[g.site])
        if listed <= 0:
            described.give_up(games, i, LAST_POINT)
    described.set_options(games, i, H, DEPTHS, WORDS, MOST_COUNT)
    for secret in range(PRIVATE_COUNT):
        if value_bit(games, i, secret, PRIVATE_SLOTS, PRIVATE_IS_TEXT, PRIVATE_POOL, POOL) == 0:
            stuck(games, i, UNTOLD[g.site])


@kernel
def restart(games, i, chance):
    """Sets a game to the start of the deal of a random stream."""
    H = np.empty(HEAP, np.int64)
    described.start_game(games, i, chance, DECK_PLACES, SETUP_CARDS, SEEN_BY, PRIVATE_FIRST)
    run(games, i, H)
    _refresh(games, i, H)


@kernel
def resume(games, i):
    """Works out again what is legal in a position."""
    H = np.empty(HEAP, np.int64)
    _refresh(games, i, H)


@kernel
def deal(games, i, streams, s):
    """Deals a new game."""
    described.forget_orders(games, i)
    games[i].zero = 0
    restart(games, i, new_stream(streams, s))


@kernel
def legal(games, i, word=0):
    """The legal actions, as they were worked out when the game came here."""
    return games[i].legal_words[word]


@kernel
def fits(games, i):
    """Whether a world that was drawn fits what its seat can do."""
    return np.int64(games[i].imagined != described.UNFIT)


@kernel
def multiplicity(views, i, action):
    """How many options an action stands for."""
    return np.int64(views[i].counts[action])


@kernel
def seen(games, i, seat, action):
    """What a seat sees of an action: nothing of what is chosen in secret."""
    g = games[i]
    return np.int64(action) if seat == g.to_act or VISIBLE[g.site, action] else np.int64(-1)


@kernel
def begun(games, i):
    """Whether the seat to act goes on with an option of which it has chosen a part."""
    return np.int64(games[i].partial > 0)


@kernel
def completed(games, i, action, out):
    """Writes the values of the option that an action completes, to the last but a "done"; returns how many, 0 for none."""
    H = np.empty(HEAP, np.int64)
    tried = np.empty_like(games[i : i + 1])
    tried[0] = games[i]
    if options(tried, 0, H, np.int64(action)) == 2:
        return np.int64(0)
    out[0] = action
    count = np.int64(1)
    chosen = tried[0].chosen
    for k in range(len(chosen)):
        if chosen[k] >= 0 and IS_DONE[chosen[k]] == 0:
            count = np.int64(k + 1)
    for k in range(count if chosen[0] >= 0 else 0):
        out[k] = chosen[k]
    return count


@kernel
def whole(games, i, action, out):
    """Writes the values of the option that an action completes, and returns how many they are; 0 where it does not."""
    values = np.empty(len(games[i].chosen), np.int64)
    listed, count = completed(games, i, action, values), np.int64(0)
    for k in range(listed):
        if IS_DONE[values[k]] == 0 or listed == 1:
            out[count] = values[k]
            count += 1
    return count


@kernel
def step(games, i, action):
    """Takes an option that an action stands for, and goes on to the next choice or to the end."""
    H = np.empty(HEAP, np.int64)
    g = games[i]
    site, actor = g.site, g.to_act
    clear_tellings(games, i)
    open = may(games, i, H, np.int64(action)) if g.partial == 0 else np.int64(-1)
    if g.partial == 0:
        infer(games, i, H, np.int64(action))
    taken = options(games, i, H, np.int64(action))
    if g.moves < len(g.history):
        g.history[g.moves] = action
    g.moves += 1
    if taken < 0:
        described.give_up(games, i, LAST_POINT)
    elif taken == 1:
        described.complete_option(games, i)
        learn(games, i, site, actor, open)
        g.point = POINTS_BEHIND[site]
        draw_anew(games, i)
        run(games, i, H)
    _refresh(games, i, H)


@kernel
def side(games, i, seat):
    """The team of a seat, where teams do not stay the same when seats are turned."""
    return TEAM_OF[(seat - games[i].zero) % SEATS]


@kernel
def outcome(games, i, points, tricks):
    """Writes the scores of the sides; returns the sides with the best one, as bits."""
    H = np.empty(HEAP, np.int64)
    best = np.int64(0)
    for side in range(points.shape[1]):
        points[i, side] = -(1 << 62)
    for seat in range(SEATS):
        side = TEAM_OF[seat] if SIDES_TURN else TEAM_OF[(seat - games[i].zero) % SEATS]
        points[i, side] = max(points[i, side], score(games, i, seat, H))
        tricks[i, seat] = 0
    winners = np.int64(0)
    for side in range(points.shape[1]):
        best = points[i, side] if side == 0 else max(best, points[i, side])
    for side in range(points.shape[1]):
        if points[i, side] == best and (HAS_PERFECT == 0 or best == PERFECT):
            winners |= np.int64(1) << side
    return winners
'''
"""The kernels of the contract, behind the game's own functions, which they call."""
