"""The contract of a policy: a function of the observations that a network would see.

Heuristics, searches, networks and people are all one thing here: something that maps observations and action masks to
actions.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, overload

import numpy as np

from cardenvs.checks import (
    check_ints,
    short,
)
from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, read_bits
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import RandomSource, as_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.observed import check_observation, check_rows
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import Explanation, Scores, ranked


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


class Asked(NamedTuple):
    """Origin of the rows of a question to a policy that remembers.

    Attributes:
        seats: int64 (n,), the seat that decides in each row.
        games: int64 (n,), the number of each row's game: 1, 2, ... in the order in which this copy was first asked in them.
        held: all seats that this copy decides for.
    """

    seats: Ints
    games: Ints
    held: tuple[int, ...]


class Policy(ABC):
    """A player of a game from observations alone.

    A policy that wants the order of play says so by its game: it gives its base class ``get_game(game).recalling``, and
    matches and environments hand it rows of that game.

    One object is asked for several seats and games, in any order. Between calls it may keep what changes no answer, such as
    weights, lookups and caches. A policy that keeps more sets ``remembers``: matches, environments and tables then ask a
    deep copy of the given object for each seat, and drop the copies where deals may come again, as with a new match, a new
    seed or an undone move. A caller of `act` uses an object for each seat.

    Attributes:
        games: the games that the policy plays, by their families (`GameSpec.family`); None means all.
        game: the spec of the game that the policy was made for, with recall if the policy wants the order of play.
        name: the name by which the policy was made, parameters included.
        slow: whether a decision takes long, as a search does; commands then play fewer deals unless told how many.
        can_forfeit: whether a decision may end in a `Forfeit`; matches then play deal by deal, so that no finished one is
            lost.
        by_default: whether commands that are given no policies, and then play those of the game, play this one, too: not
            one that needs more than the package and the policy's name, such as an extra or a command (`default_names`).
        slip: whether the policy exists for a slip behind published figures alone; lists for people leave it out.
        runs_code: whether the policy's name says what is run, as ``exec:COMMAND`` does; strangers may not name such ones.
        has_chances: whether the policy has a probability for every action (`chances_of`).
        has_beliefs: whether the policy can say in which worlds it would have acted as was seen (`believed`).
        can_be_foretold: whether what the policy does follows from what its seat sees, but for draws among actions that its
            rules hold equal, for which it draws from the row's stream; a search on a blueprint takes such ones.
        needs_worlds: whether the policy draws worlds, so that it plays no game without re-deals
            (`cardenvs.contract.kernels.Kernels.redeal`).
        value_kind: the kind of reward that the policy can foretell (`values_of`), such as ``"points"``; "" for none.
        remembers: whether the policy keeps between calls what it was shown, as a conversation or a network's hidden state.
        shares_side: whether partners are asked through one copy of a policy that remembers; only where sides are fixed, and
            not in games of one side.
        asked: where the rows of a call come from, set on a seat's copy before `choose`; None on other objects.
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
        """Why the policy cannot play a game, in words that follow its name; empty if it can.

        A policy that does not play all forms of its families says so here.
        """
        if cls.games is not None and game.family not in cls.games:
            return f"plays {', '.join(cls.games)}, not {game.name}"
        if cls.needs_worlds and game.kernels.redeal is None:
            return f"draws worlds, and {game.name} has no re-deals (the kernel redeal)"
        return ""

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
        """Expected reward of the seats to act from now to the end of the deal, float32 (n,), by ``value_kind``.

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
        """Worlds for searches, drawn by the likelihood that this policy acts in them as all others did.

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
        """Explains the legal actions by numbers; a policy without numbers explains its choice alone.

        Args:
            observation: one observation dict, as a PettingZoo environment returns it.
            rng: a NumPy generator or uint64 streams of shape (1,); None is unseeded. With the same random numbers `act`
                chooses what is explained.

        Raises:
            ValueError: an observation that `act` refuses.
        """
        return Explanation("choice", ((self.game.actions[self.act(observation, rng=rng)], 1.0),))

    def _one(self, observation: Mapping[str, Any], rng: RandomSource | None) -> tuple[Bytes, Bytes, Streams]:
        """An observation dict as `choose` takes it: a batch of one row, checked."""
        rows, masks = check_observation(self.game, observation)
        return rows, masks, as_streams(rng, 1)

    def _checked(self, observations: Any, action_masks: Any, rng: RandomSource | None) -> tuple[Bytes, Bytes, Streams]:
        """A batch as `choose` takes it, checked."""
        rows, masks = check_rows(self.game, observations, action_masks)
        return rows, masks, as_streams(rng, len(rows))

    def begin(self) -> None:  # noqa: B027  most policies have nothing to start
        """Starts what the policy needs, such as a program, so that its first decision need not."""

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
        """The policy's score of every action; `act` chooses the best.

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
        """Data of `explain` for every row: the results of `evaluate` without skipping, and the evidence for the scores.

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
            self.game, self.kind, masks[0], scores[0], int(checked_answers(self, chosen, masks, None)[0]),
            None if errors is None else errors[0], None if visits is None else visits[0],
        )  # fmt: skip


@kernel
def mask_bits(action_masks: Bytes, row: int) -> int:
    """The legal actions of row ``row`` of action masks, int8 (n, num_actions), as a set."""
    return read_bits(action_masks, row, 0, action_masks.shape[1])


# --- how policies are asked ------------------------------------------------------------------------------------------


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


class SeatMemory:
    """The copies of policies that remember, one for each seat of each table, for the games of a batch.

    Args:
        n: the number of games.

    Attributes:
        games: int64 (n,), a number for each game; a row that plays another game gets another one.
        tables: int64 (n,), the table of each game. Tables at which the same deal is played have different numbers.
    """

    def __init__(self, n: int) -> None:
        self.games, self.tables = np.arange(n), np.zeros(n, np.int64)
        self._copies: dict[tuple[int, int, tuple[int, ...]], tuple[Policy, dict[int, int], Policy]] = {}

    def split(self, player: Policy, rows: Ints, seats: Ints) -> Iterator[tuple[Policy, Ints]]:
        """The copies to ask in place of a policy, each with the indices among ``rows`` that it decides.

        Args:
            rows: int64 (k,), the numbers of the games.
            seats: int64 (k,), the seats to act in them.

        Raises:
            ValueError: a policy that remembers cannot be copied.
        """
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
        """The same copies for a batch of which the games ``rows``, int64 (k,), are left."""
        twin = copy.copy(self)
        twin.__dict__ |= {"games": self.games[rows], "tables": self.tables[rows], "_copies": self._copies}
        return twin

    def forget(self) -> None:
        """Drops all copies; the next question makes new ones."""
        for own, _, _ in self._copies.values():
            own.close()
        self._copies.clear()

    def __getstate__(self) -> dict[str, Any]:
        """Without the copies, which are known by the identity of their policies."""
        return self.__dict__ | {"_copies": {}}


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
    memory: SeatMemory | None = None,
) -> Ints:
    """Asks a policy for its actions in some games: the way in which all that plays asks a policy.

    The policy is handed copies, for even a read-only array can be unlocked, and what it answers is copied and checked
    against masks that it has never had. Only the streams of the seats that it decides for go on.

    Args:
        observations: int8 (n, d), contiguous, with the order of play if the policy wants it.
        action_masks: int8 (n, num_actions), the legal actions of the seats to act.
        streams: uint64 (n, seats), a random stream for each seat of each game, of which those of the seats to act are
            advanced.
        rows: int64 (k,), the numbers of the games.
        seats: int64 (k,), the seats to act in these games.
        illegal: says what is wrong where an action is illegal, from the game's number and the action; None names the row.
        memory: the copies of policies that remember, which are asked in place of the policy; None asks the policy itself.

    Returns:
        The actions, int64 (k,).

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
    """A policy's explanation of its legal actions (`Policy.explain`), from copies, checked.

    Args:
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
