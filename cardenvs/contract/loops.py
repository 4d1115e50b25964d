"""The loops that run any game, each made over a game's kernels: attributes of `cardenvs.contract.kernels.Kernels`.

A function here makes one for a game; the loop is made on first use and compiled on first call. ``words``, the number of
64-bit words in a set of actions, is a constant of the compiled loop. A loop works on games ``start`` to ``stop - 1`` of a
batch, so that several threads can share one.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, borrowed, lowest, popcount, write_bits
from cardenvs.compiled.jit import helper, inlined

Kernel = Callable[..., Any]

RUNNING, DEAL_OVER, EPISODE_OVER = 0, 1, 2
"""Values of a STATE's ``over``: in play; deal over, episode not; episode over."""

TRUNCATED = 3
"""Value that environments report for a truncated episode (``max_decisions``)."""

POINTS, TRICKS, WIN, SCORE = 0, 1, 2, 3
"""Kinds of reward, as `cardenvs.contract.spec.GameSpec.reward_kind` numbers them."""

GAINS = (POINTS, SCORE)
"""Kinds of reward that are paid step by step in a game with the kernel `Kernels.gained`."""

DECISIONS, WINNERS, LEGAL = 0, 1, 2
"""Columns of the data kept of each game of a batch, int64 (n, 2 + words): the actions so far in its episode, forced ones
included, -1 where it was truncated; the sides that won the episode with the latest finished deal, a bit each; from LEGAL on
the words of legal actions, out of others' reach."""

Arrays = tuple[Bytes, Bytes, Floats, Ints]
"""The arrays that the loops over a batch of n games write: the observations of the seats to act, int8 (n,
observation_size); their action masks, int8 (n, num_actions); the rewards, float32 (n, seats); and all ints, int64 in one
piece, which `split_ints` takes apart: a kernel is called the faster, the fewer its arguments are."""


def split_ints(ints: Any, rewards: Any, words: int) -> Any:
    """Returns the parts of the ints of n games, as views: the seats to act, (n,); what ended, RUNNING, DEAL_OVER,
    EPISODE_OVER or TRUNCATED, (n,); where a deal ended, the points of its sides, (n, sides), and the tricks of its seats,
    (n, seats); and the data kept of each game (`DECISIONS`)."""
    n, seats = rewards.shape
    sides = len(ints) // n - seats - words - 4
    second, third, fourth = 2 * n, (2 + sides) * n, (2 + sides + seats) * n
    points, tricks = ints[second:third].reshape(n, sides), ints[third:fourth].reshape(n, seats)
    return ints[:n], ints[n:second], points, tricks, ints[fourth:].reshape(n, words + 2)


_split_ints = helper(split_ints)


def batch_settings(
    start: int, stop: int, kind: int, share: float, restart: bool, skip_forced: bool, limit: int
) -> npt.NDArray[np.float64]:
    """Returns the settings of `batch_step`, float64 (7,): the first game and the one behind the last; the kind of reward;
    the ``team_share``; whether new episodes are dealt; whether forced actions are played; and the number of actions at
    which a running deal's episode is truncated, 0 for none."""
    return np.array([start, stop, kind, share, restart, skip_forced, limit], np.float64)


def loop_of(make: Callable[[Any], Kernel], inline: bool = False) -> cached_property[Kernel]:
    """Returns an attribute of `Kernels`: a function over a game's kernels, compiled for each game.

    Args:
        make: returns the function for a game's `Kernels`; its name is the attribute's.
        inline: whether it is compiled into the kernels that call it; if not, Python calls it.
    """

    def compiled(kernels: Any) -> Kernel:
        made = make(kernels)
        return helper(made) if inline else kernels.loop(make.__name__)(made)

    compiled.__doc__ = make.__doc__
    return cached_property(compiled)


def new_arrays(spec: Any, n: int) -> Arrays:
    """Returns the arrays of ``n`` games of a spec, all zeros."""
    observations, masks = np.zeros((n, spec.observation_size), np.int8), np.zeros((n, spec.num_actions), np.int8)
    ints = np.zeros(n * (spec.num_sides + spec.seats + spec.mask_words + 4), np.int64)
    return observations, masks, np.zeros((n, spec.seats), np.float32), ints


def pay_so_far(kernels: Any) -> Kernel:
    """Makes the function that pays a deal, finished or as it stands, zero-sum between the sides except for SCORE. A side's
    reward is its gain (its points, its tricks, or the win, 1, which several sides may share) less the mean gain of the
    others. A seat's own part is its side's gain, times the seat's share of the side's tricks and times the number of seats
    of the side, less the mean gain of the others. Summed over a side, rewards and parts are the same. SCORE pays a side's
    points as they are. A single side has no others: it is paid its gain, and 1 for a win. A deal under way is paid as if it
    stopped now: nothing without ``gained``, or if the reward is none of `GAINS`."""
    gained, outcome, side = kernels.gained and inlined(kernels.gained), kernels.outcome, inlined(kernels.any_side)

    def pay_so_far(kind: int, share: float, games: Any, i: int, points: Ints, tricks: Ints, rewards: Floats) -> int:
        """Writes every seat's reward to ``rewards[i]``, float32 (n, seats), and points and tricks as ``outcome`` does.
        ``share`` is 1 for the side's reward alone, 0 for the seat's own part alone, or a mixture between them. Returns the
        sides that have won the episode, a bit each."""
        points, tricks, rewards = borrowed(points), borrowed(tricks), borrowed(rewards)
        sides, seats = points.shape[1], tricks.shape[1]
        pays = games[i].over != RUNNING
        winners: Any = outcome(games, i, points, tricks) if pays else np.int64(0)
        if gained is not None:  # known when it is compiled
            if not pays and kind in GAINS:
                gained(games, i, points, tricks)
                pays = True
        if not pays:
            for seat in range(seats):
                rewards[i, seat] = 0.0
            return winners
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
        return winners

    return pay_so_far


@helper
def write_legal(actions: int, masks: Bytes, row: int, word: int) -> None:
    """Writes word ``word`` of a set of actions to a row of action masks, int8 (n, num_actions)."""
    write_bits(masks, row, 64 * word, actions, min(64, masks.shape[1] - 64 * word))


def emit(kernels: Any) -> Kernel:
    """Makes the function that writes what the seat to act in game ``i`` observes to row ``i``, and returns the seat. Zeros
    are written, and -1 returned, where the episode is over or truncated. The legal actions go to ``kept``, too; all bits
    are set there where the episode is over, as any action is accepted."""
    legal, words, view, observe = kernels.legal, kernels.words, inlined(kernels.view), inlined(kernels.observe)

    def emit(games: Any, i: int, scratch: Any, observations: Bytes, masks: Bytes, kept: Ints) -> int:
        seat = games[i].to_act
        cut_off = kept[i, DECISIONS] < 0
        if seat < 0 or cut_off:
            over = cut_off or games[i].over == EPISODE_OVER
            for k in range(observations.shape[1]):
                observations[i, k] = 0
            for word in range(words):
                kept[i, LEGAL + word] = np.int64(-1) if over else np.int64(0)
                write_legal(0, masks, i, word)
            return -1
        view(games, i, seat, scratch, 0)
        observe(scratch, 0, observations, i)
        for word in range(words):
            actions = legal(games, i, word)
            kept[i, LEGAL + word] = actions
            write_legal(actions, masks, i, word)
        return seat

    return emit


def batch_step(kernels: Any) -> Kernel:
    """Makes the loop that plays one action in each game and fills the arrays of `cardenvs.envs.batch.Batch`. A finished
    deal is paid and followed by the next deal; an episode that is finished or truncated is followed by a new one only with
    ``restart``. In a game that pays step by step, a step pays the change of what the deal would pay if it
    stopped there. With ``skip_forced``, subsequent actions without an alternative are played, too. Games whose action is
    negative or illegal, or whose episode is over, are skipped: a kernel that plays an illegal action may write anywhere."""
    deal, legal, step, words = kernels.deal, kernels.legal, kernels.step, kernels.words
    emit, pay_so_far, by_step = kernels.emit, kernels.pay_so_far, kernels.gained is not None

    def batch_step(
        games: Any,
        streams: Streams,
        actions: Ints,
        observations: Bytes,
        masks: Bytes,
        rewards: Floats,
        ints: Ints,
        settings: npt.NDArray[np.float64],
        scratch: Any,
    ) -> None:
        """Plays ``actions``, and writes the `Arrays`, as `batch_settings` say; ``scratch`` is work space for one view."""
        to_act, ended, points, tricks, kept = _split_ints(ints, rewards, words)
        start, stop, kind, share = int(settings[0]), int(settings[1]), int(settings[2]), settings[3]
        restart, skip_forced, limit = settings[4] != 0.0, settings[5] != 0.0, int(settings[6])
        if by_step:
            points_now, tricks_now, before = np.empty_like(points), np.empty_like(tricks), np.empty_like(rewards)
        games, streams, scratch, kept = borrowed(games), borrowed(streams), borrowed(scratch), borrowed(kept)
        observations, masks, rewards = borrowed(observations), borrowed(masks), borrowed(rewards)
        points, tricks, to_act, ended = borrowed(points), borrowed(tricks), borrowed(to_act), borrowed(ended)
        for i in range(start, stop):
            for seat in range(rewards.shape[1]):
                rewards[i, seat] = 0.0
            ended[i] = RUNNING
            action = actions[i]
            if action < 0 or games[i].over == EPISODE_OVER or kept[i, DECISIONS] < 0:
                continue
            if action >= masks.shape[1] or not kept[i, LEGAL + (action >> 6)] >> (action & 63) & 1:
                continue
            if by_step:
                pay_so_far(kind, share, games, i, points_now, tricks_now, before)
            step(games, i, action)
            made = kept[i, DECISIONS] + 1
            while skip_forced and made != limit:
                forced = -1  # the one legal action; -2 if there are several
                for word in range(words):
                    legal_here = legal(games, i, word)
                    if legal_here != 0:
                        several = forced != -1 or legal_here & (legal_here - 1) != 0
                        forced = -2 if several else 64 * word + lowest(legal_here)
                if forced < 0:
                    break
                step(games, i, forced)
                made += 1
            over = games[i].over
            if by_step and over == RUNNING:
                pay_so_far(kind, share, games, i, points_now, tricks_now, rewards)
            if over != RUNNING:
                ended[i] = over
                kept[i, WINNERS] = pay_so_far(kind, share, games, i, points, tricks, rewards)
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
            if by_step:
                for seat in range(rewards.shape[1]):
                    rewards[i, seat] -= before[i, seat]
            kept[i, DECISIONS] = made
            to_act[i] = emit(games, i, scratch, observations, masks, kept)

    return batch_step


def batch_deal(kernels: Any) -> Kernel:
    """Makes the loop that deals games (``fresh``) or takes them as they are, and writes what the seats to act observe."""
    deal, emit, words = kernels.deal, kernels.emit, kernels.words

    def batch_deal(
        games: Any,
        streams: Streams,
        start: int,
        stop: int,
        observations: Bytes,
        masks: Bytes,
        rewards: Floats,
        ints: Ints,
        scratch: Any,
        fresh: bool,
    ) -> None:
        to_act, _, _, _, kept = _split_ints(ints, rewards, words)
        for i in range(start, stop):
            if fresh:
                if games[i].over != DEAL_OVER:
                    kept[i, DECISIONS] = 0
                deal(games, i, streams, i)
            to_act[i] = emit(games, i, scratch, observations, masks, kept)

    return batch_deal


def batch_pay(kernels: Any) -> Kernel:
    """Makes the loop that pays deals, finished or as they stand, as `pay_so_far` does."""
    pay_so_far = kernels.pay_so_far

    def batch_pay(games: Any, kind: int, share: float, points: Ints, tricks: Ints, rewards: Floats) -> None:
        for i in range(len(games)):
            pay_so_far(kind, share, games, i, points, tricks, rewards)

    return batch_pay


def batch_multiplicities(kernels: Any) -> Kernel:
    """Makes the loop that writes the multiplicities of the legal actions of n views to int64 (n, num_actions); raises
    ValueError without `Kernels.multiplicity`."""
    multiplicity = kernels.multiplicity
    if multiplicity is None:
        raise ValueError(f"each action of {kernels.name} is one choice")

    def batch_multiplicities(views: Any, masks: Bytes, out: Ints) -> None:
        for i in range(len(views)):
            for action in range(masks.shape[1]):
                out[i, action] = multiplicity(views, i, action) if masks[i, action] else 0

    return batch_multiplicities


def batch_reveal(kernels: Any) -> Kernel:
    """Makes the loop that writes what the seat to act (0 if the episode is over) cannot see, from ``column`` on."""
    reveal = kernels.reveal

    def batch_reveal(games: Any, start: int, stop: int, out: Bytes, column: int) -> None:
        for i in range(start, stop):
            reveal(games, i, max(games[i].to_act, 0), out, i, column)

    return batch_reveal


def first_illegal(kernels: Any) -> Kernel:
    """Makes the function that returns the number of the first game whose action is illegal, or -1. Games whose episode is
    over take any action, all games take -1."""

    def first_illegal(games: Any, kept: Ints, actions: Ints, size: int) -> int:
        """``kept`` is the data of each game (`DECISIONS`), ``size`` the number of the game's actions."""
        for i in range(len(actions)):
            action = actions[i]
            if action < 0 or action >= size or not kept[i, LEGAL + (action >> 6)] >> (action & 63) & 1:
                if action != -1 and games[i].over != EPISODE_OVER and kept[i, DECISIONS] >= 0:
                    return i
        return -1

    return first_illegal


def first_flaw(kernels: Any) -> Kernel:
    """Makes the function that looks for records that are no states, or no views, of a game."""
    flaw = kernels.flaw

    def first_flaw(games: Any, whole: bool, where: Ints) -> bool:
        """Whether records are no states (``whole``) or no views; ``where``, int64 (2,), gets the first and its flaw."""
        for i in range(len(games)):
            part = flaw(games, i, whole)
            if part >= 0:
                where[0] = i
                where[1] = part
                return True
        return False

    return first_flaw


FLAWED_PART, NOT_TO_ACT, BAD_MASK = 0, 1, 2
"""Errors that `first_flawed_row` finds: a part of the observation; a seat that is not to act; an action of the mask."""


def first_flawed_row(kernels: Any) -> Kernel:
    """Makes the function that looks for rows that are no observations of a seat to act, and masks with illegal actions. An
    observation is valid if the view behind it is possible (`Kernels.flaw`) and is observed as the same row."""
    legal, observe, decode, words = kernels.legal, kernels.observe, kernels.decode, kernels.words
    flaw = kernels.flaw

    def first_flawed_row(rows: Bytes, masks: Bytes, views: Any, again: Bytes, starts: Ints, where: Ints) -> bool:
        """Returns whether some rows, or masks, are invalid; both may hold any int8. ``views`` and ``again`` are work space
        for a view and an observation, ``starts`` the first column of each part. ``where``, int64 (3,), gets the row, the
        error (FLAWED_PART, NOT_TO_ACT, BAD_MASK), and the part's or action's number."""
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

    return first_flawed_row


def observe_seat(kernels: Any) -> Kernel:
    """Makes the function that writes a seat's observation, and its legal actions as a mask, zeros out of turn."""
    legal, view, observe, words = kernels.legal, kernels.view, kernels.observe, kernels.words

    def observe_seat(games: Any, i: int, seat: int, scratch: Any, observation: Bytes, mask: Bytes) -> None:
        view(games, i, seat, scratch, 0)
        observe(scratch, 0, observation, 0)
        for word in range(words):
            write_legal(legal(games, i, word) if games[i].to_act == seat else 0, mask, 0, word)

    return observe_seat


def random_playouts(kernels: Any) -> Kernel:
    """Makes the loop that plays ``games[0]`` out at random ``repeats`` times in ``games[1]``, and counts the actions. With
    ``fresh`` each play-out is of a new deal. Dealing and playing share the random stream ``streams[0]``. A play-out ends
    after ``limit`` actions at most; 0 for no limit."""
    deal, step, random_action = kernels.deal, kernels.step, kernels.random_action

    def random_playouts(games: Any, repeats: int, fresh: bool, streams: Streams, limit: int) -> int:
        count = 0
        for _ in range(repeats):
            if fresh:
                deal(games, 0, streams, 0)
            games[1] = games[0]
            while games[1].over == RUNNING and (limit == 0 or games[1].moves < limit):
                step(games, 1, random_action(games, 1, streams, 0))
                count += 1
        return count

    return random_playouts
