"""The contract of a policy: a function from observations and action masks to actions.

Heuristics, searches, networks and people share it. Batches of ``observations`` are int8 (n, observation_size) and
``action_masks`` int8 (n, num_actions), contiguous, with a legal action in each row; ``streams`` are uint64 (n,), a random
stream for each row, advanced in place. ``rows`` are numbers of games, int64 (k,), ``seats`` the seats to act there.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, overload

import numpy as np

from cardenvs.checks import check_ints, short
from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, read_bits
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import RandomSource, as_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.observed import check_observation, check_rows
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import Explanation, Scores, ranked


class Forfeit(ValueError):
    """A policy cannot go on: its match is forfeited, and finished deals are kept.

    Args:
        why: the cause, in a line.
        policy: the policy's name.
        row: the row of the batch that the policy had to decide.

    Attributes:
        side: the side of a match that has forfeited, 0 or 1; None outside a match.
        deal: the number of the deal (in the published protocol the game) in progress; None before the first.
    """

    def __init__(self, why: str, policy: str = "", row: int = 0) -> None:
        super().__init__(why)
        self.policy = policy
        self.row = row
        self.side: int | None = None
        self.deal: int | None = None


class Asked(NamedTuple):
    """Origin of the rows in a call of a policy that remembers.

    Attributes:
        seats: int64 (n,), the seat that decides in each row.
        games: int64 (n,), the number of each row's game: 1, 2, ... in the order in which this copy first saw them.
        held: all seats that this copy decides for.
    """

    seats: Ints
    games: Ints
    held: tuple[int, ...]


class Policy(ABC):
    """A player of a game from observations alone.

    One that needs the order of play gives its base class ``get_game(game).recalling``, and gets rows of that game.

    One object decides for several seats and games, in any order. Between calls it may keep what changes no answer, such as
    weights, lookups and caches. A policy that keeps more sets ``remembers``: matches, environments and tables then use a
    deep copy for each seat, and drop the copies where deals may repeat, as with a new match, a new seed or an undone move.
    A caller of `act` uses an object for each seat.

    Attributes:
        games: the games that the policy plays, by their families (`GameSpec.family`); None means all.
        game: the spec of the policy's game, with recall if the policy needs the order of play.
        name: the name by which the policy was made, parameters included.
        slow: whether a decision takes long, as a search does; commands then play fewer deals by default.
        can_forfeit: whether a decision can raise `Forfeit`; matches then play and keep deal by deal.
        by_default: whether commands without given policies play this one; false for one that needs an extra or a parameter.
        slip: whether the policy only reproduces a slip behind published figures; lists for people leave it out.
        runs_code: whether the name says what to run or to pay, as ``exec:COMMAND`` or ``llm:MODEL``; not for strangers.
        has_chances: whether the policy has a probability for every action (`chances_of`).
        has_beliefs: whether the policy can draw worlds by the likelihood of its own acts (`believed`).
        can_be_foretold: whether the observation, and for equal actions the row's stream, determine the action.
        needs_worlds: whether the policy draws worlds, and so needs `cardenvs.contract.kernels.Kernels.redeal`.
        value_kind: the kind of reward that the policy can predict (`values_of`), such as ``"points"``; "" for none.
        remembers: whether the policy keeps observations between calls, as a conversation or a network's hidden state.
        shares_side: whether partners share one copy of a policy that remembers; only with fixed sides, several of them.
        asked: origin of the rows of a call, set on a seat's copy before `choose`; None on other objects.
    """

    games: ClassVar[tuple[str, ...] | None] = None
    slow: bool = False
    can_forfeit: ClassVar[bool] = False
    by_default: ClassVar[bool] = True
    slip: ClassVar[bool] = False
    runs_code: ClassVar[bool] = False
    has_chances: ClassVar[bool] = False
    needs_worlds: ClassVar[bool] = False
    has_beliefs: bool = False
    can_be_foretold: bool = False
    value_kind: str = ""
    remembers: bool = False
    shares_side: bool = False
    asked: Asked | None = None

    def __init__(self, game: str | GameSpec) -> None:
        self.game = get_game(game)
        self.name = type(self).__name__
        if why := self.unfit(self.game):
            raise ValueError(f"{self.name} {why}")

    @classmethod
    def unfit(cls, game: GameSpec) -> str:
        """Returns the reason why the policy cannot play a game or a form of it, to follow its name; empty if it can."""
        if cls.games is not None and game.family not in cls.games:
            return f"plays {', '.join(cls.games)}, not {game.name}"
        if cls.needs_worlds and game.kernels.redeal is None:
            return f"draws worlds, and {game.name} has no re-deals (the kernel redeal)"
        return ""

    def __repr__(self) -> str:
        return f"<policy {self.name} for {self.game.name}>"

    @abstractmethod
    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Returns legal actions for a batch, int64 (n,); `act` calls this with checked arguments.

        Environments and matches call it with rows of their own and check the answers; other rows are not allowed.
        """

    def chances_of(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """Returns the probability of each action, float32 (n, num_actions), 0 for illegal ones; only with ``has_chances``.

        Raises:
            ValueError: the policy has no probabilities.
        """
        raise ValueError(f"the policy {self.name!r} has no probabilities")

    def values_of(self, states: Bytes) -> Floats:
        """Returns the expected reward (``value_kind``) of the seats to act to the end of the deal, float32 (n,).

        Args:
            states: int8 (n, state_size), contiguous, as `Batch.states`: an observation, then all that its seat cannot see.

        Raises:
            ValueError: the policy has no values.
        """
        raise ValueError(f"the policy {self.name!r} has no values")

    def believed(
        self, observations: Bytes, row: int, streams: Streams, worlds: int, candidates: int, doubt: float | None,
        steps: int = 0,
    ) -> Games:  # fmt: skip
        """Draws full states by the likelihood that this policy acts in them as all others did, shape (worlds,), for seat 0.

        Args:
            observations: int8 (n, observation_size), contiguous, of the game with recall.
            row: the observation of the seat that searches, and its stream, which is advanced.
            worlds: number of worlds.
            candidates: number of uniform consistent worlds from which each is drawn; with 1 all are equally likely.
            doubt: the assumed share of uniformly random acts, above 0 to 1; None estimates it from the acts of the others.
            steps: steps of a Markov chain that then moves each world (`cardenvs.policy.replay.mix`), in trick games alone.

        Raises:
            ValueError: the policy has no beliefs (``has_beliefs``), or none under these rules; steps in another game;
                a number that is too small.
        """
        raise ValueError(f"the policy {self.name!r} has no beliefs")

    @overload
    def act(self, observations: Mapping[str, Any], action_masks: None = None, rng: RandomSource | None = None) -> int: ...

    @overload
    def act(self, observations: Bytes, action_masks: Bytes, rng: RandomSource | None = None) -> Ints: ...

    def act(
        self, observations: Bytes | Mapping[str, Any], action_masks: Bytes | None = None, rng: RandomSource | None = None
    ) -> Ints | int:
        """Chooses a legal action, an int, for one observation dict, or actions, int64 (n,), for a batch.

        Args:
            observations: zeros and ones of shape (n, observation_size); or an observation dict of a PettingZoo environment.
            action_masks: zeros and ones of shape (n, num_actions), which may leave out legal actions; None with a dict.
            rng: source of random choices: a NumPy generator or uint64 streams of shape (n,); None is unseeded.

        Raises:
            ValueError: a wrong shape; an impossible row, with the part that is impossible; a mask without an action or with
                an illegal one; an answer of the policy outside the mask.
        """
        if isinstance(observations, Mapping):
            if action_masks is not None:
                raise ValueError("action_masks must be left out with an observation dict, which has its own mask")
            return int(ask_rows(self, *self._check_one(observations, rng))[0])
        if action_masks is None:
            raise ValueError("action_masks is needed with a batch of observations")
        return ask_rows(self, *self._check_batch(observations, action_masks, rng))

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
        """Explains the legal actions of one observation dict by numbers; without numbers, the choice of `act` alone.

        With the same random numbers, a generator or uint64 streams of shape (1,), `act` chooses the explained action.
        """
        return Explanation("choice", ((self.game.actions[self.act(observation, rng=rng)], 1.0),))

    def _check_one(self, observation: Mapping[str, Any], rng: RandomSource | None) -> tuple[Bytes, Bytes, Streams]:
        """Returns an observation dict, checked, as a batch of one row for `choose`."""
        rows, masks = check_observation(self.game, observation)
        return rows, masks, as_streams(rng, 1)

    def _check_batch(self, observations: Any, action_masks: Any, rng: RandomSource | None) -> tuple[Bytes, Bytes, Streams]:
        rows, masks = check_rows(self.game, observations, action_masks)
        return rows, masks, as_streams(rng, len(rows))

    def begin(self) -> None:  # noqa: B027  most policies have nothing to start
        """Starts resources of the policy, such as a program, ahead of its first decision."""

    def close(self) -> None:  # noqa: B027  most policies have nothing to close
        """Ends resources of the policy, such as a program; its next decision starts them again."""


class ScoredPolicy(Policy):
    """A policy that scores every legal action and chooses the best. Subclasses implement `evaluate`.

    Attributes:
        kind: meaning of the scores, a key of `KINDS`.
    """

    kind: str = "value"

    @abstractmethod
    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        """Returns scores, float64 (n, num_actions), nan where illegal, and the actions to choose, int64 (n,).

        Args:
            skip_forced: whether rows with one legal action need no search; their score may then be anything but nan.
        """

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Returns the actions that `evaluate` chooses."""
        return self.evaluate(observations, action_masks, streams, True)[1]

    def scores(self, observations: Bytes, action_masks: Bytes, rng: RandomSource | None = None) -> Scores:
        """Returns the policy's score of every action, float64 (n, num_actions), nan where illegal; checks rows first."""
        return self.evaluate(*self._check_batch(observations, action_masks, rng), False)[0]

    def weigh(
        self, observations: Bytes, action_masks: Bytes, streams: Streams
    ) -> tuple[Scores, Ints, Scores | None, Ints | None]:
        """Returns the data of `explain`: the results of `evaluate` without skipping, and the evidence, if any.

        The evidence is the scores' standard errors, float64 (n, num_actions), and the number of worlds or simulations
        behind each, int64 (n, num_actions); None if unknown. Only entries of legal actions count.
        """
        return *self.evaluate(observations, action_masks, streams, False), None, None

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
        """Returns the legal actions and their scores, best first, with the evidence of `weigh`."""
        rows, masks, streams = self._check_one(observation, rng)
        scores, chosen, errors, visits = self.weigh(rows.copy(), masks.copy(), streams)
        return ranked(
            self.game, self.kind, masks[0], scores[0], int(checked_answers(self, chosen, masks, None)[0]),
            None if errors is None else errors[0], None if visits is None else visits[0],
        )  # fmt: skip


@kernel
def mask_bits(action_masks: Bytes, row: int) -> int:
    """Returns the legal actions of a row of action masks, int8 (n, num_actions), as a set."""
    return read_bits(action_masks, row, 0, action_masks.shape[1])


# --- how policies are asked ------------------------------------------------------------------------------------------


def wanted_columns(player: Policy, observations: Bytes) -> Bytes:
    """Returns the columns of observations that a policy needs, int8 (n, size); raises ValueError if recall is missing."""
    size = player.game.observation_size
    if observations.shape[1] < size:
        raise ValueError(f"the policy {player.name!r} wants the order of play, which is not shown here")
    return observations if observations.shape[1] == size else np.ascontiguousarray(observations[:, :size])


class SeatMemory:
    """The copies of policies that remember, one for each seat of each table, for the ``n`` games of a batch.

    Attributes:
        games: int64 (n,), a number for each game; a row that goes on to another game gets another number.
        tables: int64 (n,), the table of each game. Tables that play the same deal have different numbers.
    """

    def __init__(self, n: int) -> None:
        self.games, self.tables = np.arange(n), np.zeros(n, np.int64)
        self._copies: dict[tuple[int, int, tuple[int, ...]], tuple[Policy, dict[int, int], Policy]] = {}

    def split(self, player: Policy, rows: Ints, seats: Ints) -> Iterator[tuple[Policy, Ints]]:
        """Yields the copies of a policy and their indices among ``rows``; raises ValueError if it cannot be copied."""
        side_of = np.asarray(player.game.side_of)
        owners = side_of[seats] if player.shares_side else seats
        for table, owner in np.unique(np.stack([self.tables[rows], owners]), axis=1).T.tolist():
            some = np.flatnonzero((self.tables[rows] == table) & (owners == owner))
            held = tuple(np.flatnonzero(side_of == owner).tolist()) if player.shares_side else (owner,)
            key = id(player), table, held
            if key not in self._copies:
                try:
                    own = copy.deepcopy(player)
                except Exception as error:
                    raise ValueError(f"the policy {player.name!r} remembers, and cannot be copied: {error}") from error
                self._copies[key] = own, {}, player  # the last keeps the id from being used again
            own, numbers, _ = self._copies[key]
            games = [numbers.setdefault(game, len(numbers) + 1) for game in self.games[rows[some]].tolist()]
            own.asked = Asked(seats[some], np.array(games, np.int64), held)
            yield own, some

    def at(self, rows: Ints) -> SeatMemory:
        """Returns the same copies for a batch of the games ``rows``, int64 (k,)."""
        twin = copy.copy(self)
        twin.__dict__ |= {"games": self.games[rows], "tables": self.tables[rows], "_copies": self._copies}
        return twin

    def forget(self) -> None:
        """Closes and drops all copies."""
        for own, _, _ in self._copies.values():
            own.close()
        self._copies.clear()

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out the copies, which are known by the identity of their policies."""
        return self.__dict__ | {"_copies": {}}


Illegal = Callable[[int, int], str]
"""Function of a row and an illegal action that a policy has answered there, which returns the error message."""


def ask(
    player: Policy,
    observations: Bytes,
    action_masks: Bytes,
    streams: Streams,
    rows: Ints,
    seats: Ints,
    illegal: Illegal | None = None,
    memory: SeatMemory | None = None,
) -> Ints:
    """Returns a policy's actions in some games, int64 (k,): every match and environment calls policies through it.

    The policy gets copies, for even a read-only array can be unlocked, and its answer is copied and checked against masks
    that it has never had. Only the streams of the seats that it decides for are advanced.

    Args:
        observations: int8 (n, d), contiguous, with the order of play if the policy needs it.
        streams: uint64 (n, seats), a random stream for each seat of each game.
        illegal: error message for an illegal action, from the game's number and the action; None names the row.
        memory: copies of policies that remember, used in place of the policy; None calls the policy itself.

    Raises:
        ValueError: no ints of shape (k,), an illegal action, or no memory left; names the policy.
        Forfeit: the policy cannot go on; ``row`` is the number of the row among ``rows``.
    """
    if player.remembers and memory is not None:
        chosen = np.empty(len(rows), np.int64)
        for own, some in memory.split(player, rows, seats):
            try:
                chosen[some] = ask(own, observations, action_masks, streams, rows[some], seats[some], illegal)
            except Forfeit as error:
                error.row = int(some[error.row])
                raise
        return chosen
    drawn = streams[rows, seats]
    try:
        answers = player.choose(wanted_columns(player, observations[rows]), action_masks[rows], drawn.view())
    except MemoryError as error:
        raise ValueError(f"the policy {player.name!r} needs more memory than there is: {error}") from error
    streams[rows, seats] = drawn
    told = None if illegal is None else lambda row, action: illegal(int(rows[row]), action)
    return checked_answers(player, answers, action_masks[rows], told)


def ask_rows(player: Policy, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
    """Calls `ask` for all rows of a batch with one random stream each, uint64 (n,), advanced in place."""
    rows = np.arange(len(observations))
    return ask(player, observations, action_masks, streams[:, None], rows, np.zeros_like(rows))


def checked_answers(player: Policy, answers: Any, action_masks: Bytes, illegal: Illegal | None) -> Ints:
    """Returns a copy of a policy's answers, int64 (n,); raises ValueError for another shape or illegal actions."""
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
    """Returns `Policy.explain` of copies; raises ValueError for an explanation of an illegal action, or none."""
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
    """Returns actions, int64 (n,), for a batch whose rows are divided among several policies.

    Args:
        parts: the policies, each with its rows; together every row once.
    """
    out = np.empty(len(observations), np.int64)
    for player, rows in parts:
        if len(rows):
            drawn = streams[rows]
            out[rows] = player.choose(wanted_columns(player, observations[rows]), action_masks[rows], drawn)
            streams[rows] = drawn
    return out
