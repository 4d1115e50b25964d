"""How policies are asked: with copies, and with answers that are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cardenvs.checks import (
    check_ints,
    short,
)
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.streams import RandomSource
from cardenvs.policy.explanation import Explanation

if TYPE_CHECKING:
    from cardenvs.policy.contract import Policy


def wanted_columns(player: Policy, observations: Bytes) -> Bytes:
    """The columns of observations that a policy wants: with the order of play behind the others, or without.

    Args:
        player: the policy; it recalls if its game (`Policy.game`) is one of `GameSpec.recalling`.
        observations: int8 (n, d), contiguous, with the order of play if the policy wants it.

    Returns:
        int8 (n, observation_size of the policy's game), contiguous.

    Raises:
        ValueError: the policy wants the order of play, which the observations lack.
    """
    size = player.game.observation_size
    if observations.shape[1] < size:
        raise ValueError(f"the policy {player.name!r} wants the order of play, which is not shown here")
    return observations if observations.shape[1] == size else np.ascontiguousarray(observations[:, :size])


Illegal = Callable[[int, int], str]
"""A function of a row and of the illegal action that a policy has answered there, which says what is wrong with that."""


def ask(
    player: Policy,
    observations: Bytes,
    action_masks: Bytes,
    streams: Streams,
    rows: Ints,
    seats: Ints,
    illegal: Illegal | None = None,
) -> Ints:
    """What a policy chooses in some games: the way in which all that plays asks a policy.

    The policy is handed copies, for even a read-only array can be unlocked, and what it answers is copied and checked
    against masks that it has never had. Only the streams of the seats that it decides for go on.

    Args:
        player: the policy.
        observations: int8 (n, d), contiguous, with the order of play if the policy wants it.
        action_masks: int8 (n, num_actions), the legal actions of the seats to act.
        streams: uint64 (n, seats), a random stream for each seat of each game, of which those of the seats to act are
            advanced.
        rows: int64 (k,), the numbers of the games.
        seats: int64 (k,), the seats to act in these games.
        illegal: says what is wrong where an action is illegal, from the game's number and the action; None names the row.

    Returns:
        The actions, int64 (k,).

    Raises:
        ValueError: no ints of shape (k,), or an illegal action; names the policy.
        Forfeit: the policy cannot go on; ``row`` is the number of the row among ``rows``.
    """
    drawn = streams[rows, seats]
    answers = player.choose(wanted_columns(player, observations[rows]), action_masks[rows], drawn.view())
    streams[rows, seats] = drawn
    told = None if illegal is None else lambda row, action: illegal(int(rows[row]), action)
    return checked_answers(player, answers, action_masks[rows], told)


def ask_rows(player: Policy, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
    """As `ask`, in all rows of a batch that each have one random stream, uint64 (n,), advanced in place."""
    rows = np.arange(len(observations))
    return ask(player, observations, action_masks, streams[:, None], rows, np.zeros_like(rows))


def checked_answers(player: Policy, answers: Any, action_masks: Bytes, illegal: Illegal | None) -> Ints:
    """A policy's answers, a checked copy, int64 (n,).

    Raises:
        ValueError: no ints of shape (n,), or an action that the masks, int8 (n, num_actions), do not have.
    """
    n, size = action_masks.shape
    actions = check_ints(f"the actions of the policy {player.name!r}", answers, (n,)).copy()
    known = (actions >= 0) & (actions < size)
    legal = known & (action_masks[np.arange(n), np.where(known, actions, 0)] != 0)
    if legal.all():
        return actions
    row = int(np.argmin(legal))
    action = int(actions[row])
    if illegal is not None:
        raise ValueError(f"the policy {player.name!r}: {illegal(row, action)}")
    allowed = ", ".join(map(str, np.flatnonzero(action_masks[row])))
    raise ValueError(f"the policy {player.name!r} has answered {action} in row {row}, where the mask has {allowed}")


def explained(player: Policy, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
    """What a policy makes of its legal actions (`Policy.explain`), from copies, checked.

    Args:
        player: the policy.
        observation: one observation dict, as a PettingZoo environment returns it.
        rng: a NumPy generator or uint64 streams of shape (1,); None is unseeded.

    Raises:
        ValueError: an observation that `Policy.act` refuses; an explanation of an illegal action, or none.
    """
    told = player.explain({name: np.array(value) for name, value in observation.items()}, rng)
    if not isinstance(told, Explanation):
        raise ValueError(f"the policy {player.name!r} has explained with {short(told)}, which is no Explanation")
    legal = [player.game.actions[k] for k in np.flatnonzero(observation["action_mask"])]
    for name, _ in told:
        if name not in legal:
            allowed = f"which is illegal there: legal are {', '.join(legal)}"
            raise ValueError(f"the policy {player.name!r} has explained {short(name)}, {allowed}")
    return told


def choose_in_rows(
    parts: Iterable[tuple[Policy, Ints]], observations: Bytes, action_masks: Bytes, streams: Streams
) -> Ints:
    """Chooses actions for a batch whose rows are shared out among several policies.

    Args:
        parts: the policies, each with the numbers of the rows that it decides, int64 (k,); together every row once.
        observations: int8 (n, observation_size), contiguous, with the order of play if one of the policies wants it.
        action_masks: int8 (n, num_actions), contiguous, a legal action in each row.
        streams: uint64 (n,), a random stream for each row, advanced in place.

    Returns:
        The actions, int64 (n,).
    """
    out = np.empty(len(observations), np.int64)
    for player, rows in parts:
        if len(rows):
            drawn = streams[rows]
            out[rows] = player.choose(wanted_columns(player, observations[rows]), action_masks[rows], drawn)
            streams[rows] = drawn
    return out
