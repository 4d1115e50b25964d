"""Policies: functions of what a network would see, known by name.

Heuristics, searches, networks and people are all one thing here: something that maps observations and action masks to
actions. Names come from the entry-point group ``cardenvs.policies``, which any installed package may extend: the entry's
name is the policy's (kebab-case), its object a `Policy` subclass or any callable ``(game, **parameters) -> Policy``, whose
attribute ``games`` lists the games it plays (absent or None: all). An entry whose name is a suffix, such
as ``.zip``, loads files that end in it.
Where games have different policies of one name, the entry's name is the game's and the policy's: ``five-o/monte-carlo``.
A policy for all games that have none of its own by a name has an asterisk for the game: ``*/monte-carlo``.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, ClassVar, overload

import numpy as np
import numpy.typing as npt

from cardenvs import named_code
from cardenvs.cards import Bytes, Floats, Ints, RandomSource, Streams, as_streams, below, read_bits
from cardenvs.checks import (
    check_bool,
    check_int,
    check_ints,
    check_list,
    check_number,
    check_observation,
    check_rows,
    short,
)
from cardenvs.compiled.jit import kernel
from cardenvs.spec import Games, GameSpec, get_game
from cardenvs.suggestions import did_you_mean

ENTRY_POINT_GROUP = "cardenvs.policies"

KINDS = {
    "percent": "its share of the points in percent",
    "probability": "its probability in percent",
    "value": "0 % the worst legal move, 100 % the best; behind it what the policy makes of it",
    "choice": "its choice",
}
"""By kind of an `Explanation`, what its numbers mean, in words for people; "its" in these words is a move's."""

Scores = npt.NDArray[np.float64]
"""A number for every action of every row, float64 (n, num_actions), nan where illegal."""


@dataclass(frozen=True)
class Explanation(Sequence[tuple[str, float]]):
    """What a policy makes of its legal actions: pairs of an action's name and a number, best first.

    The first action is the one that `Policy.act` chooses, unless the policy draws from probabilities.

    Attributes:
        kind: what the numbers mean, a key of `KINDS`.
        pairs: the actions and their numbers.
        errors: the standard error of each number, in the unit of the numbers and the order of ``pairs``, finite and at
            least 0; empty if they are unknown.
        visits: how many worlds or simulations each number stands on, in the order of ``pairs``; empty if that is unknown.

    Raises:
        ValueError: an unknown kind, no pairs, errors or visits of another length than ``pairs`` or out of bounds.
    """

    kind: str
    pairs: tuple[tuple[str, float], ...]
    errors: tuple[float, ...] = ()
    visits: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}, not {self.kind!r}")
        if not self.pairs:
            raise ValueError("pairs must hold at least one action with its number")
        errors, visits = check_list("errors", self.errors, "numbers"), check_list("visits", self.visits, "ints")
        for name, values in (("errors", errors), ("visits", visits)):
            if values and len(values) != len(self.pairs):
                raise ValueError(f"{name} must be empty or as long as pairs, which is {len(self.pairs)}, not {len(values)}")
        # Numbers of NumPy's become Python's, which JSON can hold.
        object.__setattr__(self, "errors", tuple(check_number("errors", error) for error in errors))
        object.__setattr__(self, "visits", tuple(check_int("visits", count, 0) for count in visits))

    @overload
    def __getitem__(self, index: int) -> tuple[str, float]: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[tuple[str, float], ...]: ...

    def __getitem__(self, index: int | slice) -> tuple[str, float] | tuple[tuple[str, float], ...]:
        return self.pairs[index]

    def __len__(self) -> int:
        return len(self.pairs)

    def tried(self, k: int) -> str:
        """What stands behind a number, in words for people, such as "±0.012, tried 200 times"; "" if nothing is known.

        The margin is that of a 95% interval, in the unit in which the number is shown: of values as it is, else in percent.

        Args:
            k: the number's place in ``pairs``.
        """
        words = []
        if self.errors:
            margin, scale = 1.96 * self.errors[k], 1.0 if self.kind == "percent" else 100.0
            words.append(f"±{margin:.3f}" if self.kind == "value" else f"±{scale * margin:.1f} %")
        if self.visits:
            count = self.visits[k]
            words.append({0: "never tried", 1: "tried once"}.get(count, f"tried {count} times"))
        return ", ".join(words)

    @property
    def percents(self) -> list[float]:
        """The numbers as percent.

        Values have no natural zero: the worst of them is 0 % and the best 100 %, and all are 100 % if they are equal.
        """
        numbers = [number for _, number in self.pairs]
        if self.kind == "percent":
            return numbers
        if self.kind != "value":
            return [100.0 * number for number in numbers]
        low, high = min(numbers), max(numbers)
        return [100.0 * (number - low) / (high - low) if high > low else 100.0 for number in numbers]


class Forfeit(ValueError):
    """A policy cannot go on: the match that it plays is forfeited, and what is finished of it is kept.

    Args:
        why: what has happened, in a line.
        policy: the policy's name.
        row: the row of the batch that the policy had to decide.

    Attributes:
        policy: the policy's name.
        row: the row of the batch that the policy had to decide.
        side: which side of a match has forfeited, 0 for the first and 1 for the second; None outside a match.
        deal: the number of the deal (in the published protocol the game) that was played; None before the first.
    """

    def __init__(self, why: str, policy: str = "", row: int = 0) -> None:
        super().__init__(why)
        self.policy = policy
        self.row = row
        self.side: int | None = None
        self.deal: int | None = None


class Policy(ABC):
    """Something that plays a game from observations alone.

    A policy that wants the order of play says so by its game: it gives its base class ``get_game(game).recalling``, and
    matches and environments hand it rows of that game.

    Attributes:
        games: names of the games that the policy plays; None means all.
        game: the spec of the game that the policy was made for, with recall if the policy wants the order of play.
        name: the name by which the policy was made, parameters included.
        slow: whether a decision takes long, as a search does; commands then play fewer deals unless told how many.
        can_forfeit: whether a decision may end in a `Forfeit`; matches then play deal by deal, so that no finished one is
            lost.
        by_default: whether commands that are given no policies, and then play those of the game, play this one, too: not
            one that needs more than the package and the policy's name, such as an extra or a command (`default_names`).
        runs_code: whether the policy's name says what is run, as ``exec:COMMAND`` does; strangers may not name such ones.
        has_chances: whether the policy has a probability for every action (`chances_of`).
        has_beliefs: whether the policy can say in which worlds it would have acted as was seen (`believed`).
        value_kind: the kind of reward that the policy can foretell (`values_of`), such as ``"points"``; "" for none.
    """

    games: ClassVar[tuple[str, ...] | None] = None
    slow: bool = False
    can_forfeit: ClassVar[bool] = False
    by_default: ClassVar[bool] = True
    runs_code: ClassVar[bool] = False
    has_chances: ClassVar[bool] = False
    has_beliefs: bool = False
    value_kind: str = ""

    def __init__(self, game: str | GameSpec) -> None:
        self.game = get_game(game)
        self.name = type(self).__name__
        if self.games is not None and self.game.name not in self.games:
            raise ValueError(f"{self.name} plays {', '.join(self.games)}, not {self.game.name}")

    def __repr__(self) -> str:
        return f"<policy {self.name} for {self.game.name}>"

    @abstractmethod
    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Chooses legal actions for a batch; `act` calls this with arguments that it has checked.

        Environments and matches call it with rows of their own and check the answers. Called with other rows, a policy may
        do anything.

        Args:
            observations: int8 (n, observation_size), contiguous.
            action_masks: int8 (n, num_actions), contiguous, a legal action in each row.
            streams: uint64 (n,), a random stream for each row, advanced in place.

        Returns:
            The actions, int64 (n,).
        """

    def chances_of(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """The policy's probability of each action: float32 (n, num_actions), 0 for illegal ones.

        Like `choose`, it is called with rows of positions; only a policy with ``has_chances`` has it.

        Args:
            observations: int8 (n, observation_size), contiguous.
            action_masks: int8 (n, num_actions), contiguous, a legal action in each row.

        Raises:
            ValueError: the policy has no probabilities.
        """
        raise ValueError(f"the policy {self.name!r} has no probabilities")

    def values_of(self, states: Bytes) -> Floats:
        """What the seats to act can expect to be paid at the end of the deal, float32 (n,), in rewards of ``value_kind``.

        Only a policy with a ``value_kind`` has it. Searches ask it about worlds that they imagine.

        Args:
            states: int8 (n, state_size), contiguous: what the seat to act sees, then all that it cannot see, as
                `Batch.states` has them.

        Raises:
            ValueError: the policy has no values.
        """
        raise ValueError(f"the policy {self.name!r} has no values")

    def believed(
        self, observations: Bytes, row: int, streams: Streams, worlds: int, candidates: int, doubt: float | None
    ) -> Games:
        """Worlds for searches, drawn by how likely this policy was to act in them as all others did.

        Args:
            observations: int8 (n, observation_size), contiguous, of the game with recall.
            row: the observation of the seat that searches.
            streams: uint64 (n,), random streams, of which number ``row`` is advanced.
            worlds: how many worlds to draw.
            candidates: from how many uniform worlds that fit the observation each of them is drawn; with 1 all are equally
                likely.
            doubt: the share of all acts that are taken to be anything legal rather than this policy's, above 0 to 1; None:
                not known, and estimated from what the others did.

        Returns:
            Full states, a structured array of shape (worlds,); seat 0 is the seat that searches.

        Raises:
            ValueError: the policy has no beliefs (``has_beliefs``), or none under these rules.
        """
        raise ValueError(f"the policy {self.name!r} has no beliefs")

    @overload
    def act(self, observations: Mapping[str, Any], action_masks: None = None, rng: RandomSource | None = None) -> int: ...

    @overload
    def act(self, observations: Bytes, action_masks: Bytes, rng: RandomSource | None = None) -> Ints: ...

    def act(
        self,
        observations: Bytes | Mapping[str, Any],
        action_masks: Bytes | None = None,
        rng: RandomSource | None = None,
    ) -> Ints | int:
        """Chooses a legal action for one observation or for a batch of them.

        Args:
            observations: zeros and ones of shape (n, observation_size); or one observation dict as a PettingZoo environment
                returns it, with ``"observation"`` and ``"action_mask"``.
            action_masks: zeros and ones of shape (n, num_actions), in which legal actions may be left out; itself left out
                with a dict.
            rng: where random choices come from: a NumPy generator or uint64 streams of shape (n,); None is unseeded.

        Returns:
            The actions, int64 (n,); for a dict one action, an int.

        Raises:
            ValueError: a shape is not this game's; a row is not what the seat to act sees in some position of the game,
                with the part that cannot be; a mask has no action, or an illegal one; the policy has answered with an
                action that the mask does not have.
        """
        if isinstance(observations, Mapping):
            if action_masks is not None:
                raise ValueError("action_masks must be left out with an observation dict, which has its own mask")
            return int(ask_rows(self, *self._one(observations, rng))[0])
        if action_masks is None:
            raise ValueError("action_masks is needed with a batch of observations")
        return ask_rows(self, *self._checked(observations, action_masks, rng))

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
        """What the policy makes of its legal actions; a policy without numbers explains its choice alone.

        Args:
            observation: one observation dict, as a PettingZoo environment returns it.
            rng: a NumPy generator or uint64 streams of shape (1,); None is unseeded. With the same random numbers `act`
                chooses what is explained.

        Raises:
            ValueError: an observation that `act` refuses.
        """
        return Explanation("choice", ((self.game.actions[self.act(observation, rng=rng)], 1.0),))

    def _one(self, observation: Mapping[str, Any], rng: RandomSource | None) -> tuple[Bytes, Bytes, Streams]:
        """An observation dict as `choose` takes it: a batch of one row, checked.

        Raises:
            ValueError: an observation that `act` refuses.
        """
        rows, masks = check_observation(self.game, observation)
        return rows, masks, as_streams(rng, 1)

    def _checked(self, observations: Any, action_masks: Any, rng: RandomSource | None) -> tuple[Bytes, Bytes, Streams]:
        """A batch as `choose` takes it, checked.

        Raises:
            ValueError: an observation that `act` refuses.
        """
        rows, masks = check_rows(self.game, observations, action_masks)
        return rows, masks, as_streams(rng, len(rows))

    def close(self) -> None:  # noqa: B027  most policies have nothing to close
        """Ends what the policy has started, such as a program; its next decision starts that anew."""


class ScoredPolicy(Policy):
    """A policy that scores every legal action and chooses the best. Subclasses write `evaluate`.

    Attributes:
        kind: what the scores mean, a key of `KINDS`.
    """

    kind: str = "value"

    @abstractmethod
    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        """Scores the actions of every row.

        Args:
            observations: int8 (n, observation_size), contiguous.
            action_masks: int8 (n, num_actions), contiguous, a legal action in each row.
            streams: uint64 (n,), a random stream for each row, advanced in place.
            skip_forced: whether rows with one legal action need no search; the action's score may then be anything but nan.

        Returns:
            The scores, float64 (n, num_actions), nan where illegal, and the actions to choose, int64 (n,).
        """

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The actions that `evaluate` chooses, as `Policy.choose` returns them."""
        return self.evaluate(observations, action_masks, streams, True)[1]

    def scores(self, observations: Bytes, action_masks: Bytes, rng: RandomSource | None = None) -> Scores:
        """What the policy makes of every action; `act` chooses the best.

        Args:
            observations: int8 (n, observation_size).
            action_masks: int8 (n, num_actions).
            rng: a NumPy generator or uint64 streams of shape (n,); None is unseeded.

        Returns:
            float64 (n, num_actions), nan where illegal; ``kind`` says what the numbers mean.

        Raises:
            ValueError: a row or a mask that `act` refuses.
        """
        return self.evaluate(*self._checked(observations, action_masks, rng), False)[0]

    def weigh(
        self, observations: Bytes, action_masks: Bytes, streams: Streams
    ) -> tuple[Scores, Ints, Scores | None, Ints | None]:
        """What `explain` tells of every row: what `evaluate` returns without skipping, and what stands behind the scores.

        A policy that knows more of its scores than the numbers writes this, too. Here nothing is known.

        Args:
            observations: int8 (n, observation_size), contiguous.
            action_masks: int8 (n, num_actions), contiguous, a legal action in each row.
            streams: uint64 (n,), a random stream for each row, advanced in place.

        Returns:
            The scores, float64 (n, num_actions), nan where illegal; the actions to choose, int64 (n,); the scores' standard
            errors, float64 (n, num_actions), and how many worlds or simulations each score stands on, int64 (n,
            num_actions), each None if unknown. Of both only the entries of legal actions count.
        """
        return *self.evaluate(observations, action_masks, streams, False), None, None

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
        """The legal actions and their scores, best first, with what `weigh` knows behind them.

        Args:
            observation: one observation dict, as a PettingZoo environment returns it.
            rng: a NumPy generator or uint64 streams of shape (1,); None is unseeded.

        Raises:
            ValueError: an observation that `act` refuses.
        """
        rows, masks, streams = self._one(observation, rng)
        scores, chosen, errors, visits = self.weigh(rows.copy(), masks.copy(), streams)
        return ranked(
            self.game, self.kind, masks[0], scores[0], int(_legal(self, chosen, masks, None)[0]),
            None if errors is None else errors[0], None if visits is None else visits[0],
        )  # fmt: skip


def ranked(
    game: GameSpec,
    kind: str,
    action_mask: Bytes,
    numbers: npt.NDArray[Any],
    chosen: int = -1,
    errors: npt.NDArray[Any] | None = None,
    visits: npt.NDArray[Any] | None = None,
) -> Explanation:
    """The explanation in which the legal actions stand in the order of their numbers, highest first.

    Args:
        game: the game whose actions are explained.
        kind: what the numbers mean, a key of `KINDS`.
        action_mask: int8 (num_actions,), the legal actions.
        numbers: float (num_actions,), of which those of legal actions count.
        chosen: the action that comes first among actions with equal numbers; -1 for none.
        errors: float (num_actions,), the numbers' standard errors, of which those of legal actions count; None if unknown.
        visits: int (num_actions,), how many worlds or simulations each number stands on, likewise; None if unknown.

    Raises:
        ValueError: errors or visits that `Explanation` refuses.
    """
    order = sorted(np.flatnonzero(action_mask), key=lambda action: (-numbers[action], action != chosen))
    return Explanation(
        kind,
        tuple((game.actions[action], float(numbers[action])) for action in order),
        () if errors is None else tuple(errors[action] for action in order),
        () if visits is None else tuple(visits[action] for action in order),
    )


@kernel
def _random_actions(weights: Any, streams: Streams, out: Ints) -> None:
    """Writes a random action of each row to ``out``, by the weights of the actions, ints of shape (n, num_actions)."""
    for row in range(len(out)):
        count = 0
        for action in range(weights.shape[1]):
            count += weights[row, action]
        pick = below(streams, row, count)
        for action in range(weights.shape[1]):
            pick -= weights[row, action]
            if pick < 0:
                out[row] = action
                break


class RandomPolicy(Policy):
    """``random``: a legal action at random, every one equally likely.

    Args:
        game: name or spec.
        choices: whether an action is as likely as the number of a player's choices that it stands for
            (`cardenvs.contract.kernels.Kernels.multiplicity`). In most games each action is one choice.

    Raises:
        ValueError: a wrong parameter.
    """

    def __init__(self, game: str | GameSpec, choices: bool = False) -> None:
        super().__init__(game)
        self.choices = check_bool("choices", choices)

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """A random legal action for each row, int64 (n,)."""
        weights: Any = action_masks
        if self.choices and self.game.kernels.multiplicity is not None:
            weights = np.zeros(action_masks.shape, np.int64)
            self.game.kernels.batch_multiplicities(self.game.decode(observations), action_masks, weights)
        out = np.empty(len(action_masks), np.int64)
        _random_actions(weights, streams, out)
        return out


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
    return _legal(player, answers, action_masks[rows], told)


def ask_rows(player: Policy, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
    """As `ask`, in all rows of a batch that each have one random stream, uint64 (n,), advanced in place."""
    rows = np.arange(len(observations))
    return ask(player, observations, action_masks, streams[:, None], rows, np.zeros_like(rows))


def _legal(player: Policy, answers: Any, action_masks: Bytes, illegal: Illegal | None) -> Ints:
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


@kernel
def mask_bits(action_masks: Bytes, row: int) -> int:
    """The legal actions of row ``row`` of action masks, int8 (n, num_actions), as a set."""
    return read_bits(action_masks, row, 0, action_masks.shape[1])


# --- names ---------------------------------------------------------------------------------------------------------


@functools.cache
def entries() -> dict[str, metadata.EntryPoint]:
    """The entry points of all policies, by name."""
    return {entry.name: entry for entry in metadata.entry_points(group=ENTRY_POINT_GROUP)}


def runs_code(name: str) -> bool:
    """Whether a policy's name says what program or whose code is run; such a name is never to be taken from strangers.

    Args:
        name: the name, with its parameters if any.
    """
    base = name.partition(":")[0]
    if base in _REGISTERED:
        return False
    if named_code.split(name, _known) is not None:
        return True
    return base in entries() and bool(getattr(entries()[base].load(), "runs_code", False))


def _known(base: str) -> bool:
    """Whether a policy has a name of its own that begins so."""
    return base in _REGISTERED or any(key.rpartition("/")[2] == base for key in entries())


_REGISTERED: dict[str, Callable[..., Policy]] = {}
"""What `register` was given, by name."""


def register(name: str, factory: Callable[..., Policy]) -> None:
    """Makes a policy known by a name in this process, as an installed package's entry point does everywhere.

    A script that starts worker processes registers where it is imported, not behind ``if __name__ == "__main__":``, so that
    they know the name, too.

    Args:
        name: lower-case letters, digits and ``-``, a letter first; a name that was registered before is given anew.
        factory: a `Policy` subclass or any callable ``(game, **parameters) -> Policy``; its attribute ``games`` lists the
            games it plays (absent or None: all).

    Raises:
        ValueError: another name, or one that an installed package has; what is neither a Policy subclass nor callable.
    """
    if not isinstance(name, str) or not re.fullmatch("[a-z][a-z0-9-]*", name):
        raise ValueError(f"name must be lower-case letters, digits and -, a letter first, not {short(name)}")
    if name not in _REGISTERED and _known(name):
        raise ValueError(f"there is a policy called {name!r} already: choose another name")
    _check_maker("factory", factory)
    _REGISTERED[name] = factory


def _check_maker(name: str, factory: Any) -> None:
    """Checks that an object that was given as ``name`` can make policies, as far as that can be seen without a game.

    Raises:
        ValueError: it cannot: no callable, a class of something else, a class in which a method is missing.
    """
    allowed = "a Policy subclass or a function that makes a policy"
    if isinstance(factory, type):
        if not issubclass(factory, Policy):
            raise ValueError(f"{name} must be {allowed}, not the class {factory.__name__!r}, which is no Policy")
        if missing := sorted(getattr(factory, "__abstractmethods__", ())):
            raise ValueError(f"{name} must be {allowed}: the class {factory.__name__!r} lacks {', '.join(missing)}")
    elif not callable(factory) or inspect.isbuiltin(factory):
        raise ValueError(f"{name} must be {allowed}, not {short(factory)}")


def names(game: str | GameSpec) -> list[str]:
    """The names of all policies that play ``game``, sorted; of those, too, that need an extra or a command.

    Args:
        game: the game's name or spec.

    Raises:
        ValueError: no such game.
    """
    return sorted(_factories(get_game(game)))


def default_names(game: str | GameSpec) -> list[str]:
    """The names of the policies that commands play where they are given none, sorted (`Policy.by_default`).

    They need nothing but this package, or the installed package that brings them: which extras are installed changes
    nothing of what is played.

    Args:
        game: the game's name or spec.

    Raises:
        ValueError: no such game.
    """
    return sorted(base for base, made in _factories(get_game(game)).items() if getattr(made, "by_default", True))


def _factories(game: GameSpec) -> dict[str, Callable[..., Policy]]:
    """The objects that make the policies of a game, by name; loads all entry points."""
    bases = {key.rpartition("/")[2] for key in entries()} | set(_REGISTERED)
    found = {base: _factory(game, base) for base in bases}
    return {base: made for base, made in found.items() if made is not None}


def _factory(game: GameSpec, base: str) -> Callable[..., Policy] | None:
    """The object that makes the policy named ``base`` for a game, None if there is none; loads one entry point alone."""
    if base.startswith(".") or "/" in base:
        return None
    if base in _REGISTERED:
        registered = _REGISTERED[base]
        games = getattr(registered, "games", None)
        return registered if games is None or game.name in games else None
    own = f"{game.name}/{base}"
    for name in (own if own in entries() else base, f"*/{base}"):
        if name in entries():
            factory: Callable[..., Policy] = entries()[name].load()
            games = getattr(factory, "games", None)
            if games is None or game.name in games:
                return factory
    return None


def has(game: str | GameSpec, name: str) -> bool:
    """Whether a game has a policy of a name, without parameters; loads that policy alone, where `names` loads all.

    Raises:
        ValueError: no such game.
    """
    return isinstance(name, str) and _factory(get_game(game), name) is not None


def first_line(game: str | GameSpec, name: str) -> str:
    """What a policy is, in a line: the first of its docstring, without the policy's name before it.

    Args:
        game: the game's name or spec.
        name: a name that `names` lists.

    Raises:
        ValueError: no such game, or no such policy of it.
    """
    spec = get_game(game)
    factory = _factory(spec, name)
    if factory is None:
        raise ValueError(_unknown(spec, name))
    line = " ".join(inspect.cleandoc(factory.__doc__ or "").partition("\n\n")[0].replace("``", "").split())
    return line.removeprefix(f"{name}: ")


def _unknown(game: GameSpec, name: str) -> str:
    """The message that a game has no policy of a name."""
    played = _games_of(name)
    others = f"it plays {' and '.join(played)} alone; " if played else ""
    return f"unknown policy {name!r} for {game.name}: {others}the policies are {_all_of(name, names(game))}"


def _all_of(name: str, listed: list[str]) -> str:
    """All policies that are listed, and what else a name can be, for messages on a wrong one."""
    return f"{', '.join(listed)}, or the path of a {' or '.join(suffixes())}{did_you_mean(name, listed)}"


def _games_of(base: str) -> list[str]:
    """The games that policies of a name say that they play, sorted; empty where one of them plays all, or none is known."""
    made = [entry.load() for key, entry in entries().items() if key.rpartition("/")[2] == base and not key.startswith(".")]
    made += [_REGISTERED[base]] if base in _REGISTERED else []
    listed = [getattr(factory, "games", None) for factory in made]
    return [] if None in listed else sorted({game for games in listed for game in games or ()})


def suffixes() -> list[str]:
    """The endings of files that policies are loaded from, sorted."""
    return sorted(name for name in entries() if name.startswith("."))


def path_of(text: str) -> str | None:
    """The path in a policy's name, parameters left off; None if the name is not that of a file."""
    known = tuple(suffixes())
    head, colon, _ = text.partition(":")
    if colon and os.sep not in head and not head.endswith(known):
        return None  # a name, whose parameters may hold a path
    ends = [text.index(f"{suffix}:") + len(suffix) for suffix in known if f"{suffix}:" in text]
    path = text[: min(ends, default=None)]
    return path if path.endswith(known) or os.sep in path else None


def split_unquoted(text: str, separator: str) -> list[str]:
    """The parts of a text between separators, those in quotes not counted, as a command's words may have them.

    ``"exec:agent --levels '1,2',seconds=3"`` has two parts at commas. A quote begins at the start of a word and ends at the
    next one of its kind; any other is a letter as all others, as in ``o'neil.zip``.

    Args:
        text: the text.
        separator: a character.
    """
    parts, start, quote = [], 0, ""
    for k, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"" and (k == 0 or text[k - 1] in f" \t:={separator}") and sign in text[k + 1 :]:
            quote = sign
        elif sign == separator:
            parts.append(text[start:k])
            start = k + 1
    return [*parts, text[start:]]


def split_list(text: str) -> list[str]:
    """The policies' names in a text with commas between names; a part ``key=value`` belongs to the name before the part.

    ``"human,pimc:worlds=30,calling=random,low"`` has the names ``human``, ``pimc:worlds=30,calling=random`` and ``low``.
    Commas in quotes (`split_unquoted`) are part of a name.
    """
    listed: list[str] = []
    for part in split_unquoted(text, ","):
        key, equals, _ = part.partition("=")
        if equals and listed and ":" in listed[-1] and not set(key) & {":", "/", os.sep}:
            listed[-1] += f",{part}"
        else:
            listed.append(part.strip())
    return listed


def make(game: str | GameSpec, name: str | Policy, **parameters: Any) -> Policy:
    """Makes the policy of a name.

    Args:
        game: the game's name or spec.
        name: a name that `names` lists or the path of a trained policy, with parameters behind a colon if any
            (``"monte-carlo:worlds=30"``, ``"runs/a/policy.zip:sample=yes"``); a class in a module or a file
            (``"my.agents:Mine"``, ``"mine.py:Mine,level=3"``); or a policy, which is returned as it is.
        parameters: more parameters by name; a parameter given here wins over the one in ``name``.

    Raises:
        ValueError: unknown name, parameter or value, or a policy of another game; says what is allowed.
        OSError: a file that cannot be read.
    """
    spec = get_game(game)
    if isinstance(name, Policy):
        if name.game.name != spec.name:
            raise ValueError(f"the policy {name.name!r} plays {name.game.name}, not {spec.name}")
        if name.game.digest != spec.digest:
            raise ValueError(f"the policy {name.name!r} plays another description of {spec.name}")
        return name
    if not isinstance(name, str):
        raise ValueError(f"name must be a policy or the name of one, such as 'random', not {short(name)}")
    code = named_code.split(name, _known)
    if code is not None:
        made = _maker_in(code)
        given = (_parse_parameters(code.attribute, code.rest, made) if code.rest else {}) | parameters
        _check_parameters(code.attribute, made, given)
        return _named(made(spec, **given), name)
    named_code.check_names_class(name)
    path = path_of(name)
    if path is not None:
        loader = entries()[_checked_suffix(path)].load()
        chosen = _parse_parameters(path, name[len(path) + 1 :], loader) if name != path else {}
        return _named(loader(spec, path, **chosen | parameters), name)
    base, colon, listed = name.partition(":")
    factory = _factory(spec, base)
    if factory is None:
        raise ValueError(_unknown(spec, base))
    chosen = _parse_parameters(base, listed, factory) | parameters if colon else parameters
    _check_parameters(base, factory, chosen)
    return _named(factory(spec, **chosen), name)


def _maker_in(code: named_code.Code) -> Callable[..., Policy]:
    """The object that makes a policy, of a module or a file.

    Raises:
        ValueError: there is none, or it makes no policies; says what is there, and what is allowed.
        OSError: a file that cannot be read.
    """
    made = named_code.load(code.where, code.attribute)
    _check_maker(f"{code.where}:{code.attribute}", made)
    return made


def _checked_suffix(path: str) -> str:
    """The ending of the path of a trained policy.

    Raises:
        ValueError: no policy is loaded from files that end so.
        FileNotFoundError: there is no such file.
    """
    suffix = os.path.splitext(path)[1]
    if suffix not in entries():
        raise ValueError(f"no policy can be loaded from {path!r}: the file must end in {' or '.join(suffixes())}")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no policy file {path!r}")
    return suffix


def check_exists(name: str) -> None:
    """Checks that some game may have the policy of a name, as far as that can be seen without a game.

    Args:
        name: a name as `make` takes it.

    Raises:
        ValueError: no game has such a policy; says what there is.
        OSError: a file that cannot be read.
    """
    code = named_code.split(name, _known)
    if code is not None:
        _maker_in(code)
        return
    named_code.check_names_class(name)
    path = path_of(name)
    if path is not None:
        _checked_suffix(path)
        return
    base = name.partition(":")[0]
    if base.startswith(".") or not _known(base):
        listed = sorted({key.rpartition("/")[2] for key in entries() if not key.startswith(".")} | set(_REGISTERED))
        raise ValueError(f"unknown policy {base!r}: the policies are {_all_of(base, listed)}")


def _named(policy: Any, name: str) -> Policy:
    """A policy, with the name by which it was made.

    Raises:
        ValueError: something else was made.
    """
    if not isinstance(policy, Policy):
        raise ValueError(f"{name!r} has made {short(policy)}, which is no Policy")
    policy.name = name
    return policy


def parse_name(name: str) -> tuple[str, dict[str, Any]]:
    """The name of a policy without its parameters, and the parameters; for names that are not those of files.

    Raises:
        ValueError: parameters of another form than ``key=value,key=value``.
    """
    base, colon, listed = name.partition(":")
    factory = entries()[base].load() if colon and base in entries() else None
    return base, _parse_parameters(base, listed, factory) if colon else {}


def _parse_parameters(name: str, text: str, factory: Callable[..., Any] | None) -> dict[str, Any]:
    """The parameters in ``key=value,key=value``, given to the policy ``name``.

    Args:
        name: the policy's name, for messages.
        text: the parameters.
        factory: what makes the policy. Its attribute ``leading``, if it has one, is the key of a first value that may stand
            without one, and is text then. None if it is not known.

    Raises:
        ValueError: a part of another form.
    """
    leading = getattr(factory, "leading", None)
    values: dict[str, Any] = {}
    for k, word in enumerate(split_unquoted(text, ",")):
        key, equals, value = word.partition("=")
        if k == 0 and leading is not None and not re.fullmatch("[A-Za-z_-]+=.*", word):
            values |= {leading: word} if word else {}
            continue
        if not equals or not key:
            raise ValueError(f"parameter {word!r} of policy {name!r}: write key=value, separated by commas")
        key = key.replace("-", "_")
        absent = value.lower() == "none" and factory is not None and _may_be_none(factory, key)
        values[key] = None if absent else _parse_value(value)
    return values


def _may_be_none(factory: Callable[..., Any], key: str) -> bool:
    """Whether a parameter is None if it is not given."""
    parameter = inspect.signature(factory).parameters.get(key)
    return parameter is not None and parameter.default is None


def _parse_value(text: str) -> Any:
    """A parameter's value from text: an int, a float, a bool (yes, no, true, false) or the text itself."""
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return {"yes": True, "no": False, "true": True, "false": False}.get(text.lower(), text)


def _check_parameters(name: str, factory: Callable[..., Any], parameters: Mapping[str, Any]) -> None:
    """Checks that the object which makes the policy ``name`` takes all of the parameters.

    Raises:
        ValueError: an unknown parameter, and names the known ones; one that is needed is missing; it takes no game.
    """
    signature = inspect.signature(factory)
    known = [p.name for p in signature.parameters.values()][1:]
    for key in () if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()) else parameters:
        if key not in known:
            allowed = f"its parameters are {', '.join(known)}" if known else "it has none"
            raise ValueError(f"unknown parameter {key!r} of policy {name!r}: {allowed}{did_you_mean(key, known)}")
    try:
        signature.bind(None, **parameters)  # the game
    except TypeError as error:
        raise ValueError(f"the policy {name!r} is made of a game and its parameters: {error}") from None
