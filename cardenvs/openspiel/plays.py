"""An episode of any game for OpenSpiel's states: chance, information states, and re-deals.

The game's record has the deal and its actions. Stored beside it: the seats of the players in a re-deal, the earlier deals,
and, in a game without recall, each player's past observations.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.jit import as_records
from cardenvs.contract import loops
from cardenvs.contract.cards import members_of
from cardenvs.contract.checked import legal_set
from cardenvs.contract.loops import DEAL_OVER, RUNNING
from cardenvs.contract.spec import GameSpec, rewards_of
from cardenvs.openspiel.deals import all_deals

DEALING, DRAWING, ACTING, ENDED = range(4)
"""Phases of an episode, by the next event: a deal, chance in an action that was chosen, an action, none."""

SCORE = "score"
"""The kind of reward that every game has here: the scores that the game itself counts, not set off against the others'."""
_SEVERAL_DEALS = 100  # maximum number of deals of full length in an episode of several deals, where no limit is given


class GameWithRules:
    """A game with its rule options, shared by all its episodes; raises ValueError for an unknown option or reward.

    ``reward`` is a kind of reward, `SCORE`, or empty for the scores where deals are listed and scores sum to 0, else for
    the game's first kind; ``max_decisions`` truncates episodes, 0 at the game's own limit.
    """

    def __init__(self, spec: GameSpec, options: tuple[tuple[str, Any], ...], reward: str, max_decisions: int) -> None:
        self.spec = spec = spec.plain
        self.options, self.reward, self.max_decisions = options, reward, max_decisions
        self.memory = spec.recalling if spec.recall_parts else spec
        self.eyes = spec if spec.kernels.redeal_past is not None else self.memory
        self.template = spec.new_games(1, **dict(options))
        self.draws = "stream" in (spec.dtype.names or ())
        several = dict(options).get("episode", "deal") != "deal"
        self.limit = max_decisions or spec.max_decisions or spec.max_steps * (_SEVERAL_DEALS if several else 1)
        self.paid_as = reward or SCORE
        self.deals = all_deals(spec, self.legal_actions, self.deal_payoffs)
        if not reward and (self.deals is None or self.deals.sums != {0.0}):
            self.paid_as = spec.rewards[0]
            if self.deals is not None:
                self.deals = all_deals(spec, self.legal_actions, self.deal_payoffs)
        self.gains = spec.pays_gains(self.reward_kind)
        self.labels = [f"{part.name}={label}" for part in self.eyes.parts for label in part.labels]

    @property
    def reward_kind(self) -> int:
        return loops.SCORE if self.paid_as == SCORE else self.spec.reward_kind(self.paid_as)

    def __deepcopy__(self, memo: Any) -> GameWithRules:
        return self

    def __reduce__(self) -> Any:
        return rules, (self.spec, self.options, self.reward, self.max_decisions)

    def legal_actions(self, games: Any) -> list[int]:
        """Returns the legal actions in game 0, ascending."""
        return members_of(legal_set(self.spec, games))

    def deal_payoffs(self, games: Any) -> list[float]:
        """Returns each seat's payoff for the deal in game 0, up to its end or current position (`rewards_of`)."""
        spec, sides = self.spec, self.spec.num_sides
        # What is paid is a fraction by the numbers of winners and of other sides; kernels round it to 32 bits.
        rewards = rewards_of(spec, games, self.reward_kind)[0]
        return [float(Fraction(reward).limit_denominator(sides * sides)) for reward in rewards.tolist()]


_RULES: dict[Any, GameWithRules] = {}


def rules(spec: GameSpec, options: tuple[tuple[str, Any], ...], reward: str, max_decisions: int) -> GameWithRules:
    """Returns the rules of a game, made once; see `GameWithRules`."""
    key = (id(spec.plain), options, reward, max_decisions)
    if key not in _RULES:
        _RULES[key] = GameWithRules(spec, options, reward, max_decisions)
    return _RULES[key]


def copy_records(games: Any) -> Any:
    """Copies records byte by byte, which is twenty times faster than field by field."""
    return as_records(np.ascontiguousarray(games).view(np.uint8).copy().view(games.dtype))


class Play:
    """An episode in progress.

    Attributes:
        games: the record, a structured array of shape (1,); before the first deal, one with the rule options alone.
        turn: the player in the record's seat 0; the others follow in order.
        phase: DEALING, DRAWING, ACTING or ENDED.
        pending: the action that chance completes, while DRAWING.
        decisions: the actions so far.
        returns: each player's payments for the deals that are over or truncated.
        so_far: each player's payments in all, up to the latest change.
        latest: each player's payments for the latest action of a player, including chance's part in it.
        drawn: the random streams that chance gave to actions, in order.
        past: by player, its observations at the end of each earlier deal (games with recall), or all its observations and
            actions (others).
        rows: int8 (players, observation_size), the current observations; games without recall only.
    """

    __slots__ = (
        "decisions", "drawn", "games", "latest", "past", "pending", "phase", "returns", "rows", "rules", "so_far", "turn",
    )  # fmt: skip

    def __init__(self, rules: GameWithRules) -> None:
        seats = rules.spec.seats
        self.rules = rules
        self.games = copy_records(rules.template)
        self.turn = 0
        self.phase = DEALING
        self.pending = -1
        self.decisions = 0
        self.returns, self.so_far, self.latest = [0.0] * seats, [0.0] * seats, [0.0] * seats
        self.drawn: list[int] = []
        self.past = [f"p{player}" for player in range(seats)]
        self.rows = None if self.has_recall else np.zeros((seats, rules.eyes.observation_size), np.int8)

    @property
    def has_recall(self) -> bool:
        return self.rules.eyes.recall

    @property
    def is_undealt(self) -> bool:
        return self.phase == DEALING and self.decisions == 0

    def __deepcopy__(self, memo: Any) -> Play:
        copy: Play = object.__new__(Play)
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(copy, name, value.copy() if name in ("drawn", "past", "returns") else value)
        copy.games = copy_records(self.games)
        copy.rows = None if self.rows is None else self.rows.copy()
        return copy

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in self.__slots__}
        kept["games"] = self.games.tobytes().hex()
        kept["rows"] = None if self.rows is None else np.packbits(self.rows).tobytes().hex()
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        blank = Play(kept["rules"])
        for name, value in kept.items():
            setattr(self, name, value)
        self.games = blank.games
        self.games.view(np.uint8)[:] = np.frombuffer(bytes.fromhex(kept["games"]), np.uint8)
        if blank.rows is not None:
            bits = np.frombuffer(bytes.fromhex(kept["rows"]), np.uint8)
            blank.rows[:] = np.unpackbits(bits, count=blank.rows.size).reshape(blank.rows.shape)
        self.rows = blank.rows

    # --- seats and players ---

    def seat_of(self, player: int) -> int:
        return (player - self.turn) % self.rules.spec.seats

    def player_at(self, seat: int) -> int:
        return (seat + self.turn) % self.rules.spec.seats

    @property
    def to_act(self) -> int:
        return self.player_at(int(self.games[0]["to_act"]))

    # --- what happens ---

    def apply_chance(self, outcome: int, stream: Callable[[], int]) -> None:
        """Deals, the listed deal ``outcome`` if deals are listed, or draws for the pending action, from ``stream()``."""
        if self.phase == DRAWING:
            self.drawn.append(stream())
            self.games["stream"] = self.drawn[-1]
            self.rules.spec.kernels.step(self.games, 0, self.pending)
            self._complete_action()
        elif self.rules.deals is not None:
            self.set_deal(self.rules.deals.games[outcome : outcome + 1])
        else:
            games = copy_records(self.games)
            self.rules.spec.kernels.deal(games, 0, np.array([stream()], np.uint64), 0)
            self.set_deal(games)

    def set_deal(self, games: Any) -> None:
        """Continues with a copy of a deal."""
        self.games = copy_records(games)
        self._update_phase()
        self.so_far = self.rewards_so_far()
        self._note_observations()

    def act(self, action: int) -> None:
        """Plays a legal action; where it draws, chance is next."""
        kernels = self.rules.spec.kernels
        if self.rows is not None:
            self._note_action(action)
        if not self.rules.draws:
            kernels.step(self.games, 0, action)
            self._complete_action()
            return
        before = copy_records(self.games)
        kernels.step(self.games, 0, action)
        if self.games[0]["stream"] == before[0]["stream"]:
            self._complete_action()
        else:
            self.games, self.pending, self.phase = before, action, DRAWING

    def _note_action(self, action: int) -> None:
        """Adds an action to the pasts of the players; others see a choice in parts as one event, when it is complete."""
        spec, actor, whole = self.rules.spec, self.to_act, [action]
        if spec.kernels.whole is not None:
            found = np.empty(spec.num_actions, np.int64)
            whole = found[: int(spec.kernels.whole(self.games, 0, action, found))].tolist()
        for player in range(spec.seats):
            chosen = [action] if player == actor else whole
            seen = all(spec.kernels.any_seen(self.games, 0, self.seat_of(player), one) >= 0 for one in chosen)
            name = " ".join(spec.actions[one] for one in chosen) if seen else "?"
            self.past[player] += f"; p{actor} {name}" if chosen else ""

    def _complete_action(self) -> None:
        self.pending = -1
        self.decisions += 1
        self._update_phase()
        before, self.so_far = self.so_far, self.rewards_so_far()
        self.latest = [now - then for now, then in zip(self.so_far, before, strict=True)]
        self._note_observations()

    def _update_phase(self) -> None:
        """Pays a deal that is over or truncated, and sets the next phase."""
        over, cut_off = self.games[0]["over"], self.decisions >= self.rules.limit
        self.phase = ACTING
        if over == RUNNING and not cut_off:
            return
        for seat, reward in enumerate(self.rules.deal_payoffs(self.games)):
            self.returns[self.player_at(seat)] += reward
        self.phase = DEALING if over == DEAL_OVER and not cut_off else ENDED
        if self.phase == DEALING and self.has_recall:
            for player in range(len(self.past)):
                self.past[player] += f"; {self.observation_text(player)}"

    def rewards_so_far(self) -> list[float]:
        """Returns each player's rewards so far; in a game that pays step by step, those of the current deal, too."""
        if not self.rules.gains or self.phase not in (DRAWING, ACTING):
            return self.returns.copy()
        here = self.rules.deal_payoffs(self.games)
        return [before + here[self.seat_of(player)] for player, before in enumerate(self.returns)]

    # --- what is seen ---

    def observation(self, player: int) -> Bytes:
        """Returns a player's observation, int8 (observation_size,), with recall if the game has it; zeros undealt."""
        eyes = self.rules.eyes
        out = np.zeros((1, eyes.observation_size), np.int8)
        if not self.is_undealt:
            eyes.kernels.observe(self._view_of(player), 0, out, 0)
        return out[0]

    def _view_of(self, player: int, eyes: GameSpec | None = None) -> Any:
        """Returns a player's view, a structured array of shape (1,), with or without recall as the spec ``eyes`` has it."""
        views = as_records(np.zeros(1, self.rules.spec.dtype))
        (eyes or self.rules.eyes).kernels.view(self.games, 0, self.seat_of(player), views, 0)
        return views

    def observation_text(self, player: int, columns: int | None = None) -> str:
        """Returns the labels of the set columns of a player's observation, or of its first ``columns``."""
        labels = self.rules.labels
        return " ".join([labels[k] for k in np.flatnonzero(self.observation(player)[:columns]).tolist()])

    def _note_observations(self) -> None:
        """Adds the changes of each player's observation to its past, in a game without recall."""
        if self.rows is None:
            return
        begun = self.rules.spec.kernels.begun
        midway = begun is not None and bool(begun(self.games, 0))
        rows = self.rows.copy()
        # The others see a choice in parts when it is complete.
        observers = [self.to_act] if midway else range(len(rows))
        for player in observers:
            rows[player] = 0
            self.rules.eyes.kernels.observe(self._view_of(player), 0, rows, player)
        words: list[list[str]] = [[] for _ in rows]
        for place in np.flatnonzero((rows != self.rows).ravel()).tolist():
            player, column = divmod(place, rows.shape[1])
            words[player].append(("+" if rows[player, column] else "-") + self.rules.labels[column])
        for player in observers:
            self.past[player] += f"; {' '.join(words[player])}"
        self.rows = rows

    def information_text(self, player: int) -> str:
        """Returns a player's information state as text: equal in two states only if the player cannot distinguish them."""
        if self.is_undealt or not self.has_recall:
            return self.past[player]
        return f"{self.past[player]}; {self.observation_text(player)}"

    def episode_text(self) -> str:
        """Returns the episode in a line: the game, its deal, the deal's actions, and the draws of chance since then."""
        spec = self.rules.spec
        words = [spec.word, *(f"{name}={value}" for name, value in self.rules.options)]
        if self.is_undealt:
            return " ".join([*words, "undealt"])
        state = self.games[0]
        words += [f"{key}={value}" for key, value in spec.deal_text.trusting(state).items()]  # type: ignore[attr-defined]
        words.append(f"actions={','.join(self.action_names())}")
        if self.pending >= 0:
            words.append(f"pending={spec.actions[self.pending]}")
        if self.drawn:
            words.append(f"drawn={','.join(f'{stream:016x}' for stream in self.drawn)}")
        words.append(f"seats={','.join(f'p{self.player_at(seat)}' for seat in range(spec.seats))}" if self.turn else "")
        return " ".join(word for word in words if word)

    def action_names(self) -> list[str]:
        spec, state = self.rules.spec, self.games[0]
        if spec.history_text is not None:
            return list(spec.history_text.trusting(state))  # type: ignore[attr-defined]
        return [spec.actions[int(action)] for action in state["history"][: int(state["moves"])]]

    # --- re-deals ---

    @property
    def is_replayable(self) -> bool:
        """Whether a deal and its actions determine everything: the game has recall, and draws nothing in play."""
        return self.has_recall and not self.rules.draws

    def _draw_world(self, player: int, stream: Callable[[], int]) -> Any:
        """Draws a record that fits a player's view, shape (1,), in which the player has seat 0."""
        worlds = copy_records(self.rules.template)
        # What OpenSpiel's chance has drawn in play is in no record that could be played again.
        eyes = self.rules.eyes if self.drawn else self.rules.memory
        eyes.kernels.redealing(self._view_of(player, eyes), 0, np.array([stream()], np.uint64), 0, worlds, 0)
        return worlds

    def draw_episode(self, player: int, stream: Callable[[], int]) -> tuple[Play, list[int]]:
        """Draws an episode that a player cannot distinguish from this one, in a game that `is_replayable`.

        Returns its start and the actions that lead to the current position; ``stream`` draws a random stream, an int of 64
        bits.
        """
        spec, world = self.rules.spec, self._draw_world(player, stream)
        actions = [spec.action(name) for name in spec.history(world)]
        start = Play(self.rules)
        start.turn = player
        start.past = [past if p == player else f"p{p}" for p, past in enumerate(self.past)]
        start.returns = self.returns.copy()
        start.decisions = self.decisions - len(actions)
        start.set_deal(spec.parse(spec.text(world, actions=False)))
        return start, actions

    def draw_listed_deal(self, player: int, stream: Callable[[], int]) -> list[int]:
        """Draws a listed deal that fits a player's information state, by its probability.

        Returns its number and the actions of this deal; ``stream`` draws a random stream, an int of 64 bits.
        """
        deals = self.rules.deals
        assert deals is not None
        history = self.games[0]["history"][: int(self.games[0]["moves"])].tolist()
        fitting = []
        for number in range(len(deals.games)):
            world = Play(self.rules)
            world.apply_chance(number, stream)
            if self._can_follow(world, history) and world.information_text(player) == self.information_text(player):
                fitting.append(number)
        weights = np.cumsum(deals.probabilities[fitting])
        at = np.searchsorted(weights, weights[-1] * (stream() >> 11) / (1 << 53), side="right")
        return [fitting[int(at)], *history]

    def _can_follow(self, world: Play, actions: list[int]) -> bool:
        for action in actions:
            if world.phase != ACTING or action not in self.rules.legal_actions(world.games):
                return False
            world.act(action)
        return True

    def imagine_position(self, player: int, stream: Callable[[], int]) -> Play:
        """Draws an episode in a position that fits a player's observation, in a game that is not replayable.

        The player's past is kept; the others only know their current observations, with recall their order of play in this
        deal. Raises ValueError if the drawn position shows the player something else, or no player can act in it.
        """
        copy = self.__deepcopy__(None)
        copy.games, copy.turn = self._draw_world(player, stream), player
        copy.past = [f"p{p} from here" for p in range(len(self.past))]
        if copy.rows is not None:
            copy.rows[:] = 0
            copy._note_observations()
        copy.past[player] = self.past[player]
        copy.so_far = copy.rewards_so_far()
        if not np.array_equal(copy.observation(player), self.observation(player)) or copy.games[0]["over"] != RUNNING:
            raise ValueError(f"{self.rules.spec.name}: no state was found that player {player} cannot tell from this one")
        return copy
