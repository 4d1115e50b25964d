"""The loops that run any game: functions over a game's kernels, inlined into the two-line wrappers of each game file.

``kernels`` arguments come in the order ``deal, legal, step, outcome, view, observe``; see `cardenvs.spec` for what each
one does. A driver works on games ``start`` to ``stop - 1`` of a batch, so that several threads can share one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.cards import lowest, random_member, write_bits
from cardenvs.jit import driver

RUNNING, DEAL_OVER, EPISODE_OVER = 0, 1, 2
"""Values of a STATE's ``over``: in play; deal over but the game goes on; episode over."""

POINTS, TRICKS, WIN = 0, 1, 2
"""Kinds of reward, as `cardenvs.spec.GameSpec.reward_kind` numbers them."""


@driver
def pay(kind: Any, share: Any, winner: Any, points: Any, tricks: Any, i: Any, rewards: Any) -> None:
    """Writes every seat's reward for a finished deal to ``rewards[i]`` (seats), zero-sum between the two sides.

    A side's reward is its points (or tricks) less the other side's, or +1, -1 or 0 for the episode. A seat's own part is
    what its side won, times the seat's share of the side's tricks and times the number of seats of the side, less what the
    other side won. Summed over a side, rewards and parts are the same.

    Args:
        kind: POINTS, TRICKS or WIN.
        share: 1 for the side's reward alone, 0 for the seat's own part alone, or a mixture between them.
        winner: the side that has won the episode, or -1.
        points: int64 (n, 2), of which row ``i`` has the points of each side in the deal.
        tricks: int64 (n, seats), of which row ``i`` has the tricks of each seat.
        i: the number of the game.
        rewards: float32 (n, seats), of which row ``i`` is written.
    """
    seats = tricks.shape[1]
    taken0 = 0.0
    taken1 = 0.0
    for seat in range(seats):
        if seat & 1:
            taken1 += tricks[i, seat]
        else:
            taken0 += tricks[i, seat]
    if kind == POINTS:
        gain0, gain1 = points[i, 0] * 1.0, points[i, 1] * 1.0
    elif kind == TRICKS:
        gain0, gain1 = taken0, taken1
    else:
        gain0, gain1 = 1.0 if winner == 0 else 0.0, 1.0 if winner == 1 else 0.0
    for seat in range(seats):
        mine, theirs, taken = (gain1, gain0, taken1) if seat & 1 else (gain0, gain1, taken0)
        own = (seats // 2) * mine * tricks[i, seat] / taken - theirs if taken > 0.0 else mine - theirs
        rewards[i, seat] = share * (mine - theirs) + (1.0 - share) * own


@driver
def emit(
    legal: Any,
    view: Any,
    observe: Any,
    games: Any,
    i: Any,
    scratch: Any,
    observations: Any,
    masks: Any,
    allowed: Any,
) -> Any:
    """Writes the observation and the action mask of the seat to act in game ``i`` to row ``i``; returns that seat.

    Zeros are written, and -1 returned, where the episode is over. The legal actions go to ``allowed[i]``, too, a bit each;
    all bits are set where the episode is over, as any action will do there.
    """
    seat = games[i].to_act
    if seat < 0:
        allowed[i] = np.int64(-1) if games[i].over == EPISODE_OVER else np.int64(0)
        for k in range(observations.shape[1]):
            observations[i, k] = 0
        write_bits(masks, i, 0, 0, masks.shape[1])
    else:
        view(games, i, seat, scratch, 0)
        observe(scratch, 0, observations, i)
        actions = legal(games, i)
        allowed[i] = actions
        write_bits(masks, i, 0, actions, masks.shape[1])
    return seat


@driver
def batch_step(
    deal: Any,
    legal: Any,
    step: Any,
    outcome: Any,
    view: Any,
    observe: Any,
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
    allowed: Any,
) -> None:
    """Plays one action in each game, and writes what `cardenvs.envs.batch.Batch` says of its arrays.

    A finished deal is paid and followed by the game's next deal; a finished episode is followed by a new one only with
    ``restart``. With ``skip_forced``, actions without an alternative that follow in the deal are played, too. Games whose
    action is negative or whose episode is over are passed over, and so are those whose action is illegal: a kernel that
    plays an illegal action may write anywhere.

    Args:
        deal: the game's kernel `cardenvs.spec.Kernels.deal`.
        legal: the game's kernel `cardenvs.spec.Kernels.legal`.
        step: the game's kernel `cardenvs.spec.Kernels.step`.
        outcome: the game's kernel `cardenvs.spec.Kernels.outcome`.
        view: the game's kernel `cardenvs.spec.Kernels.view`.
        observe: the game's kernel `cardenvs.spec.Kernels.observe`.
        games: the games' states, a structured array of shape (n,).
        streams: uint64 (n,), the random stream of each game.
        start: the first game to step.
        stop: the number behind the last game to step.
        actions: int64 (n,).
        observations: int8 (n, observation_size), written.
        masks: int8 (n, num_actions), the action masks, written.
        to_act: int64 (n,), written.
        rewards: float32 (n, seats), written.
        ended: int64 (n,), written: RUNNING, DEAL_OVER or EPISODE_OVER.
        points: int64 (n, 2), written where a deal ends.
        tricks: int64 (n, seats), written where a deal ends.
        scratch: work space for one view, a structured array of shape (1,).
        kind: the kind of reward: POINTS, TRICKS or WIN.
        share: the ``team_share``, 0 to 1.
        restart: whether a new episode is dealt where one ends.
        skip_forced: whether forced actions are played at once.
        allowed: int64 (n,), the legal actions of each game, a bit each, as `emit` wrote them; read and written.
    """
    for i in range(start, stop):
        for seat in range(rewards.shape[1]):
            rewards[i, seat] = 0.0
        ended[i] = RUNNING
        if actions[i] < 0 or games[i].over == EPISODE_OVER:
            continue
        if actions[i] >= masks.shape[1] or not allowed[i] >> actions[i] & 1:
            continue
        step(games, i, actions[i])
        if skip_forced:
            forced = legal(games, i)
            while forced != 0 and forced & (forced - 1) == 0:
                step(games, i, lowest(forced))
                forced = legal(games, i)
        over = games[i].over
        if over != RUNNING:
            ended[i] = over
            winner = outcome(games, i, points, tricks)
            pay(kind, share, winner, points, tricks, i, rewards)
            if restart or over == DEAL_OVER:
                deal(games, i, streams, i)
        to_act[i] = emit(legal, view, observe, games, i, scratch, observations, masks, allowed)


@driver
def batch_deal(
    deal: Any,
    legal: Any,
    view: Any,
    observe: Any,
    games: Any,
    streams: Any,
    start: Any,
    stop: Any,
    observations: Any,
    masks: Any,
    to_act: Any,
    scratch: Any,
    fresh: Any,
    allowed: Any,
) -> None:
    """Deals every game (``fresh``) or takes them as they stand, and writes what the seats to act observe."""
    for i in range(start, stop):
        if fresh:
            deal(games, i, streams, i)
        to_act[i] = emit(legal, view, observe, games, i, scratch, observations, masks, allowed)


@driver
def batch_reveal(reveal: Any, games: Any, start: Any, stop: Any, out: Any, column: Any) -> None:
    """Writes what the seat to act cannot see to ``out``, from ``column`` on; seat 0 stands in where the episode is over."""
    for i in range(start, stop):
        reveal(games, i, max(games[i].to_act, 0), out, i, column)


@driver
def first_illegal(allowed: Any, actions: Any, size: Any) -> Any:
    """The first game whose action is illegal, or -1. Games whose episode is over take any action, all games take -1.

    Args:
        allowed: int64 (n,), the legal actions of each game as `emit` wrote them.
        actions: int64 (n,).
        size: the number of the game's actions.
    """
    for i in range(len(actions)):
        action = actions[i]
        if action != -1 and allowed[i] != -1:
            if action < 0 or action >= size or not allowed[i] >> action & 1:
                return i
    return -1


@driver
def first_flaw(flaw: Any, games: Any, whole: Any, where: Any) -> Any:
    """Whether some of the records are no states (``whole``) or no views of the game.

    Args:
        flaw: the game's kernel `cardenvs.spec.Kernels.flaw`.
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
"""What `first_flawed_row` finds wrong: a part of the observation; a seat that is not to act; an action of the mask."""


@driver
def first_flawed_row(
    legal: Any, observe: Any, decode: Any, flaw: Any, rows: Any, masks: Any, views: Any, again: Any, starts: Any, where: Any
) -> Any:
    """Whether some rows are no observations of a seat to act, or have masks with other than legal actions.

    An observation is one that the view behind it is observed as; what that view tells must be possible (`flaw`).

    Args:
        legal: the game's kernel `cardenvs.spec.Kernels.legal`.
        observe: the game's kernel `cardenvs.spec.Kernels.observe`.
        decode: the game's kernel `cardenvs.spec.Kernels.decode`.
        flaw: the game's kernel `cardenvs.spec.Kernels.flaw`.
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
        actions = legal(views, 0)
        count = 0
        for action in range(masks.shape[1]):
            allowed = masks[i, action]
            count += allowed
            if allowed & ~1 or (allowed and not actions >> action & 1):
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
    legal: Any, view: Any, observe: Any, games: Any, i: Any, seat: Any, scratch: Any, observation: Any, mask: Any
) -> None:
    """Writes what ``seat`` observes to ``observation[0]`` and its legal actions to ``mask[0]``, zeros out of turn."""
    view(games, i, seat, scratch, 0)
    observe(scratch, 0, observation, 0)
    write_bits(mask, 0, 0, legal(games, i) if games[i].to_act == seat else 0, mask.shape[1])


@driver
def random_playouts(deal: Any, legal: Any, step: Any, games: Any, repeats: Any, fresh: Any, streams: Any) -> Any:
    """Plays ``games[0]`` out at random ``repeats`` times in ``games[1]``; returns the number of actions.

    With ``fresh`` each play-out is of a new deal. Dealing and playing draw from one random stream, ``streams[0]``.
    """
    count = 0
    for _ in range(repeats):
        if fresh:
            deal(games, 0, streams, 0)
        games[1] = games[0]
        while games[1].over == RUNNING:
            actions = legal(games, 1)
            step(games, 1, random_member(streams, 0, actions))
            count += 1
    return count
