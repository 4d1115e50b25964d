"""The loops that run any game: functions over a game's kernels, which `cardenvs.contract.kernels` compiles for each game.

See `cardenvs.contract.kernels.Kernels` for what each kernel does; ``words`` is the number of words that a game's sets of
actions have, a constant of the compiled loop. A loop works on games ``start`` to ``stop - 1`` of a batch, so that several
threads can share one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.compiled.bits import borrowed, lowest, nth, popcount, write_bits
from cardenvs.compiled.jit import driver
from cardenvs.compiled.streams import below

RUNNING, DEAL_OVER, EPISODE_OVER = 0, 1, 2
"""Values of a STATE's ``over``: in play; deal over but the game goes on; episode over."""

TRUNCATED = 3
"""Value that environments report for an episode that they have cut off (``max_decisions``)."""

POINTS, TRICKS, WIN, SCORE = 0, 1, 2, 3
"""Kinds of reward, as `cardenvs.contract.spec.GameSpec.reward_kind` numbers them."""

GAINS = (POINTS, SCORE)
"""Kinds of reward that are paid step by step in a game with the kernel `cardenvs.contract.kernels.Kernels.gained`."""

DECISIONS, WINNERS, LEGAL = 0, 1, 2
"""Columns of the data kept of each game of a batch, int64 (n, 2 + words): the actions so far in its episode, forced ones
included, -1 where it was cut off; the sides that won the episode with the latest finished deal, a bit each; from LEGAL on
the words of legal actions, where nobody else can change them."""


@driver
def pay(side: Any, kind: Any, share: Any, winners: Any, games: Any, points: Any, tricks: Any, i: Any, rewards: Any) -> None:
    """Writes every seat's reward for a finished deal to ``rewards[i]`` (seats), zero-sum between the sides but for SCORE.

    A side's reward is what it has gained (its points, its tricks, or the win, 1, which several sides may share) less what
    the others have gained in the mean. A seat's own part is what its side gained, times the seat's share of the side's
    tricks and times the number of seats of the side, less what the others gained in the mean. Summed over a side, rewards
    and parts are the same. SCORE pays a side's points as they are, and takes nothing off for the others. Where there is one
    side, there are no others: it is paid what it has gained, and 1 for a win.

    Args:
        side: the game's kernel `cardenvs.contract.kernels.Kernels.any_side`.
        kind: POINTS, TRICKS, WIN or SCORE.
        share: 1 for the side's reward alone, 0 for the seat's own part alone, or a mixture between them.
        winners: the sides that have won the episode, a bit each.
        games: the games' states, a structured array of shape (n,).
        points: int64 (n, sides), of which row ``i`` has the points of each side in the deal.
        tricks: int64 (n, seats), of which row ``i`` has the tricks of each seat.
        i: the number of the game.
        rewards: float32 (n, seats), of which row ``i`` is written.
    """
    sides, seats = points.shape[1], tricks.shape[1]
    total = 0.0
    if kind == POINTS:
        for which in range(sides):
            total += points[i, which]
    elif kind == TRICKS:
        for seat in range(seats):
            total += tricks[i, seat]
    elif winners != 0:
        total = 1.0
    for seat in range(seats):
        which = side(games, i, seat)
        size = 0
        taken = 0.0
        if kind == TRICKS or share != 1.0:
            for other in range(seats):
                if side(games, i, other) == which:
                    size += 1
                    taken += tricks[i, other]
        mine = 0.0
        if kind == POINTS or kind == SCORE:
            mine = points[i, which] * 1.0
        elif kind == TRICKS:
            mine = taken
        elif winners >> which & 1:
            mine = 1.0 / popcount(winners)
        theirs = (total - mine) / max(sides - 1, 1) if kind != SCORE else 0.0
        own = (size * mine * tricks[i, seat] / taken if taken > 0.0 else mine) - theirs
        rewards[i, seat] = share * (mine - theirs) + (1.0 - share) * own


@driver
def pay_under_way(
    gained: Any, side: Any, kind: Any, share: Any, games: Any, i: Any, points: Any, tricks: Any, rewards: Any
) -> None:
    """Writes all that a deal under way has paid every seat so far to ``rewards[i]``: what it would pay if it stopped now.

    That is nothing in a game without the kernel `cardenvs.contract.kernels.Kernels.gained` (None), and where the reward is
    none of `GAINS`. Other arguments as of `pay`; the rows ``i`` of ``points`` and ``tricks`` are overwritten.
    """
    points, tricks, rewards = borrowed(points), borrowed(tricks), borrowed(rewards)
    for seat in range(rewards.shape[1]):
        rewards[i, seat] = 0.0
    if gained is not None:  # known when it is compiled
        if kind in GAINS:
            gained(games, i, points, tricks)
            pay(side, kind, share, 0, games, points, tricks, i, rewards)


@driver
def pay_so_far(
    gained: Any,
    outcome: Any,
    side: Any,
    kind: Any,
    share: Any,
    games: Any,
    i: Any,
    points: Any,
    tricks: Any,
    rewards: Any,
) -> None:
    """Writes all that a deal has paid every seat, up to its end or to where it stands, to ``rewards[i]``.

    Other arguments as of `pay_under_way`.
    """
    if games[i].over != RUNNING:
        winners = outcome(games, i, points, tricks)
        pay(side, kind, share, winners, games, points, tricks, i, rewards)
    else:
        pay_under_way(gained, side, kind, share, games, i, points, tricks, rewards)


@driver
def write_legal(words: Any, actions: Any, masks: Any, row: Any, word: Any) -> None:
    """Writes word ``word`` of a set of actions to a row of action masks, int8 (n, num_actions)."""
    if words == 1:
        write_bits(masks, row, 0, actions, masks.shape[1])
    else:
        write_bits(masks, row, 64 * word, actions, min(64, masks.shape[1] - 64 * word))


@driver
def only_action(legal: Any, words: Any, games: Any, i: Any) -> Any:
    """The one legal action in game ``i``; -1 if there are several, or none."""
    found = -1
    for word in range(words):
        actions = legal(games, i, word)
        if actions != 0:
            several = found != -1 or actions & (actions - 1) != 0
            found = -2 if several else 64 * word + lowest(actions)
    return max(found, -1)


@driver
def random_action(legal: Any, words: Any, games: Any, i: Any, streams: Any, s: Any) -> Any:
    """A random legal action in game ``i``, every one equally likely; -1 if there is none."""
    if words == 1:
        actions = legal(games, i, 0)
        return nth(actions, below(streams, s, popcount(actions))) if actions != 0 else -1
    count = count_actions(legal, words, games, i)
    return nth_action(legal, words, games, i, below(streams, s, count)) if count != 0 else -1


@driver
def count_choices(legal: Any, multiplicity: Any, words: Any, games: Any, i: Any) -> Any:
    """Number of choices of the seat to act in game ``i``: the sum of its legal actions' multiplicities."""
    count = 0
    for word in range(words):
        actions = legal(games, i, word)
        while actions != 0:
            count += multiplicity(games, i, 64 * word + lowest(actions))
            actions &= actions - 1
    return count


@driver
def nth_choice(legal: Any, multiplicity: Any, words: Any, games: Any, i: Any, n: Any) -> Any:
    """The action that choice ``n`` in game ``i`` is merged into; choices are counted from 0, action by action."""
    left = n
    found = -1
    for word in range(words):
        actions = legal(games, i, word)
        while actions != 0 and found < 0:
            action = 64 * word + lowest(actions)
            left -= multiplicity(games, i, action)
            if left < 0:
                found = action
            actions &= actions - 1
    return found


@driver
def count_actions(legal: Any, words: Any, games: Any, i: Any) -> Any:
    """Number of legal actions in game ``i``."""
    count = 0
    for word in range(words):
        count += popcount(legal(games, i, word))
    return count


@driver
def nth_action(legal: Any, words: Any, games: Any, i: Any, n: Any) -> Any:
    """Legal action ``n`` in game ``i``; actions are counted from 0, ascending."""
    left = n
    found = -1
    for word in range(words):
        actions = legal(games, i, word)
        here = popcount(actions)
        if found < 0 and left < here:
            found = 64 * word + nth(actions, left)
        left -= here
    return found


@driver
def emit(
    legal: Any,
    view: Any,
    observe: Any,
    words: Any,
    games: Any,
    i: Any,
    scratch: Any,
    observations: Any,
    masks: Any,
    kept: Any,
) -> Any:
    """Writes the observation and the action mask of the seat to act in game ``i`` to row ``i``; returns that seat.

    Zeros are written, and -1 returned, where the episode is over or has been cut off. The legal actions go to ``kept``,
    too; all bits are set there where the episode is over, as any action will do.
    """
    seat = games[i].to_act
    cut_off = kept[i, DECISIONS] < 0
    if seat < 0 or cut_off:
        over = cut_off or games[i].over == EPISODE_OVER
        for k in range(observations.shape[1]):
            observations[i, k] = 0
        for word in range(words):
            kept[i, LEGAL + word] = np.int64(-1) if over else np.int64(0)
            write_legal(words, 0, masks, i, word)
        seat = -1
    else:
        view(games, i, seat, scratch, 0)
        observe(scratch, 0, observations, i)
        for word in range(words):
            actions = legal(games, i, word)
            kept[i, LEGAL + word] = actions
            write_legal(words, actions, masks, i, word)
    return seat


@driver
def batch_step(
    deal: Any,
    legal: Any,
    step: Any,
    outcome: Any,
    view: Any,
    observe: Any,
    side: Any,
    gained: Any,
    words: Any,
    games: Any,
    streams: Any,
    start: Any,
    stop: Any,
    actions: Any,
    observations: Any,
    masks: Any,
    to_act: Any,
    rewards: Any,
    ended: Any,
    points: Any,
    tricks: Any,
    scratch: Any,
    kind: Any,
    share: Any,
    restart: Any,
    skip_forced: Any,
    kept: Any,
    limit: Any,
) -> None:
    """Plays one action in each game, and writes what `cardenvs.envs.batch.Batch` says of its arrays.

    A finished deal is paid and followed by the game's next deal; a finished episode, or one that is cut off, is followed by
    a new one only with ``restart``. In a game that pays step by step (``gained``), a step pays what the deal would pay if
    it stopped behind the step, less what it would have paid before: all steps of a deal add up to what it pays. With
    ``skip_forced``, actions without an alternative that follow in the deal are played, too. Games whose action is negative
    or whose episode is over are passed over, and so are those whose action is illegal: a kernel that plays an illegal
    action may write anywhere.

    Args:
        deal: the game's kernel `cardenvs.contract.kernels.Kernels.deal`.
        legal: the game's kernel `cardenvs.contract.kernels.Kernels.legal`.
        step: the game's kernel `cardenvs.contract.kernels.Kernels.step`.
        outcome: the game's kernel `cardenvs.contract.kernels.Kernels.outcome`.
        view: the game's kernel `cardenvs.contract.kernels.Kernels.view`.
        observe: the game's kernel `cardenvs.contract.kernels.Kernels.observe`.
        side: the game's kernel `cardenvs.contract.kernels.Kernels.any_side`.
        gained: the game's kernel `cardenvs.contract.kernels.Kernels.gained`, or None.
        words: how many words a set of actions has.
        games: the games' states, a structured array of shape (n,).
        streams: uint64 (n,), the random stream of each game.
        start: the first game to step.
        stop: the number behind the last game to step.
        actions: int64 (n,).
        observations: int8 (n, observation_size), written.
        masks: int8 (n, num_actions), the action masks, written.
        to_act: int64 (n,), written.
        rewards: float32 (n, seats), written.
        ended: int64 (n,), written: RUNNING, DEAL_OVER, EPISODE_OVER or TRUNCATED.
        points: int64 (n, sides), written where a deal ends.
        tricks: int64 (n, seats), written where a deal ends.
        scratch: work space for one view, a structured array of shape (1,).
        kind: the kind of reward: POINTS, TRICKS, WIN or SCORE.
        share: the ``team_share``, 0 to 1.
        restart: whether a new episode is dealt where one ends.
        skip_forced: whether forced actions are played at once.
        kept: int64 (n, 2 + words), what is kept of each game (`DECISIONS`, `WINNERS`, `LEGAL`); read and written.
        limit: the number of actions at which an episode that is not over is cut off; 0 for none. It is looked at while a
            deal is in play.
    """
    if gained is not None:
        points_now, tricks_now, before = np.empty_like(points), np.empty_like(tricks), np.empty_like(rewards)
    games, streams, scratch, kept = borrowed(games), borrowed(streams), borrowed(scratch), borrowed(kept)
    observations, masks, rewards = borrowed(observations), borrowed(masks), borrowed(rewards)
    points, tricks = borrowed(points), borrowed(tricks)
    for i in range(start, stop):
        for seat in range(rewards.shape[1]):
            rewards[i, seat] = 0.0
        ended[i] = RUNNING
        action = actions[i]
        if action < 0 or games[i].over == EPISODE_OVER or kept[i, DECISIONS] < 0:
            continue
        if action >= masks.shape[1] or not kept[i, LEGAL + (action >> 6)] >> (action & 63) & 1:
            continue
        if gained is not None:
            pay_under_way(gained, side, kind, share, games, i, points_now, tricks_now, before)
        step(games, i, action)
        made = kept[i, DECISIONS] + 1
        if skip_forced:
            forced = only_action(legal, words, games, i)
            while forced >= 0 and made != limit:
                step(games, i, forced)
                made += 1
                forced = only_action(legal, words, games, i)
        over = games[i].over
        if gained is not None:
            if over == RUNNING:
                pay_under_way(gained, side, kind, share, games, i, points_now, tricks_now, rewards)
        if over != RUNNING:
            ended[i] = over
            winners = outcome(games, i, points, tricks)
            pay(side, kind, share, winners, games, points, tricks, i, rewards)
            kept[i, WINNERS] = winners
            if over == EPISODE_OVER:
                made = 0
            if restart or over == DEAL_OVER:
                deal(games, i, streams, i)
        elif limit > 0 and made >= limit:
            ended[i] = TRUNCATED
            kept[i, WINNERS] = 0
            made = -1
            if restart:
                deal(games, i, streams, i)
                made = 0
        if gained is not None:
            for seat in range(rewards.shape[1]):
                rewards[i, seat] -= before[i, seat]
        kept[i, DECISIONS] = made
        to_act[i] = emit(legal, view, observe, words, games, i, scratch, observations, masks, kept)


@driver
def batch_deal(
    deal: Any,
    legal: Any,
    view: Any,
    observe: Any,
    words: Any,
    games: Any,
    streams: Any,
    start: Any,
    stop: Any,
    observations: Any,
    masks: Any,
    to_act: Any,
    scratch: Any,
    fresh: Any,
    kept: Any,
) -> None:
    """Deals every game (``fresh``) or takes them as they stand, and writes what the seats to act observe."""
    for i in range(start, stop):
        if fresh:
            if games[i].over != DEAL_OVER:
                kept[i, DECISIONS] = 0
            deal(games, i, streams, i)
        to_act[i] = emit(legal, view, observe, words, games, i, scratch, observations, masks, kept)


@driver
def batch_multiplicities(multiplicity: Any, views: Any, masks: Any, out: Any) -> None:
    """Writes how many choices each legal action stands for in each of n views to ``out``, int64 (n, num_actions)."""
    for i in range(len(views)):
        for action in range(masks.shape[1]):
            out[i, action] = multiplicity(views, i, action) if masks[i, action] else 0


@driver
def batch_reveal(reveal: Any, games: Any, start: Any, stop: Any, out: Any, column: Any) -> None:
    """Writes what the seat to act cannot see to ``out``, from ``column`` on; seat 0 stands in where the episode is over."""
    for i in range(start, stop):
        reveal(games, i, max(games[i].to_act, 0), out, i, column)


@driver
def first_illegal(games: Any, kept: Any, actions: Any, size: Any) -> Any:
    """The first game whose action is illegal, or -1. Games whose episode is over take any action, all games take -1.

    Args:
        games: the games' states, a structured array of shape (n,).
        kept: int64 (n, 2 + words), what is kept of each game (`DECISIONS`, `LEGAL`).
        actions: int64 (n,).
        size: the number of the game's actions.
    """
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= size or not kept[i, LEGAL + (action >> 6)] >> (action & 63) & 1:
            if action != -1 and games[i].over != EPISODE_OVER and kept[i, DECISIONS] >= 0:
                return i
    return -1


@driver
def first_flaw(flaw: Any, games: Any, whole: Any, where: Any) -> Any:
    """Whether some of the records are no states (``whole``) or no views of the game.

    Args:
        flaw: the game's kernel `cardenvs.contract.kernels.Kernels.flaw`.
        games: records of the game's STATE with any content, a structured array of shape (n,).
        whole: whether the records are to be states; if not, views.
        where: int64 (2,), gets the number of the first such record and what `flaw` says of it.
    """
    for i in range(len(games)):
        part = flaw(games, i, whole)
        if part >= 0:
            where[0] = i
            where[1] = part
            return True
    return False


FLAWED_PART, NOT_TO_ACT, BAD_MASK = 0, 1, 2
"""Flaws that `first_flawed_row` finds: a part of the observation; a seat that is not to act; an action of the mask."""


@driver
def first_flawed_row(
    legal: Any,
    observe: Any,
    decode: Any,
    flaw: Any,
    words: Any,
    rows: Any,
    masks: Any,
    views: Any,
    again: Any,
    starts: Any,
    where: Any,
) -> Any:
    """Whether some rows are no observations of a seat to act, or have masks with other than legal actions.

    An observation is one that the view behind it is observed as; what that view tells must be possible (`flaw`).

    Args:
        legal: the game's kernel `cardenvs.contract.kernels.Kernels.legal`.
        observe: the game's kernel `cardenvs.contract.kernels.Kernels.observe`.
        decode: the game's kernel `cardenvs.contract.kernels.Kernels.decode`.
        flaw: the game's kernel `cardenvs.contract.kernels.Kernels.flaw`.
        rows: int8 (n, observation_size), of any numbers.
        masks: int8 (n, num_actions), of any numbers.
        views: work space for a view, a structured array of shape (1,).
        again: work space for an observation, int8 (1, observation_size).
        starts: int64 (parts,), the column at which each part of an observation begins.
        where: int64 (3,), gets the number of the first such row, what is wrong (FLAWED_PART, NOT_TO_ACT, BAD_MASK), and
            the part's or the action's number.
    """
    for i in range(len(rows)):
        where[0] = i
        where[1] = FLAWED_PART
        for column in range(rows.shape[1]):
            if rows[i, column] & ~1:
                where[2] = np.searchsorted(starts, column, side="right") - 1
                return True
        decode(rows, i, views, 0)
        part = flaw(views, 0, False)
        if part >= 0:
            where[2] = part
            return True
        observe(views, 0, again, 0)
        for column in range(rows.shape[1]):
            if rows[i, column] != again[0, column]:
                where[2] = np.searchsorted(starts, column, side="right") - 1
                return True
        if views[0].over != RUNNING or views[0].to_act != 0:
            where[1] = NOT_TO_ACT
            return True
        count = 0
        for word in range(words):
            actions = legal(views, 0, word)
            for action in range(64 * word, min(64 * word + 64, masks.shape[1])):
                allowed = masks[i, action]
                count += allowed
                if allowed & ~1 or (allowed and not actions >> (action & 63) & 1):
                    where[1] = BAD_MASK
                    where[2] = action
                    return True
        if count == 0:
            where[1] = BAD_MASK
            where[2] = -1
            return True
    return False


@driver
def observe_seat(
    legal: Any,
    view: Any,
    observe: Any,
    words: Any,
    games: Any,
    i: Any,
    seat: Any,
    scratch: Any,
    observation: Any,
    mask: Any,
) -> None:
    """Writes what ``seat`` observes to ``observation[0]`` and its legal actions to ``mask[0]``, zeros out of turn."""
    view(games, i, seat, scratch, 0)
    observe(scratch, 0, observation, 0)
    for word in range(words):
        write_legal(words, legal(games, i, word) if games[i].to_act == seat else 0, mask, 0, word)


@driver
def random_playouts(
    deal: Any, legal: Any, step: Any, words: Any, games: Any, repeats: Any, fresh: Any, streams: Any, limit: Any
) -> Any:
    """Plays ``games[0]`` out at random ``repeats`` times in ``games[1]``; returns the number of actions.

    With ``fresh`` each play-out is of a new deal. Dealing and playing draw from one random stream, ``streams[0]``. A
    play-out ends when the deal has ``limit`` actions and is not over by then; 0 for no such limit.
    """
    count = 0
    for _ in range(repeats):
        if fresh:
            deal(games, 0, streams, 0)
        games[1] = games[0]
        while games[1].over == RUNNING and (limit == 0 or games[1].moves < limit):
            step(games, 1, random_action(legal, words, games, 1, streams, 0))
            count += 1
    return count
