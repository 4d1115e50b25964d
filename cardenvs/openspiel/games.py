"""Games as OpenSpiel's: `CardGame`, its states and its observers, and their registration with OpenSpiel.

Chance is explicit, with exact probabilities, in small described games whose deals can be listed
(`cardenvs.openspiel.deals`). In all others it is sampled: a chance node has one outcome, drawn from the game's own random
numbers when it is applied. A clone of a chance node draws anew, so that no search knows the future.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import pyspiel

from cardenvs.checks import check_int, did_you_mean, is_int, short
from cardenvs.contract.registry import described_names, game_file, game_names, get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import check_limit
from cardenvs.openspiel.plays import ACTING, DEALING, DRAWING, ENDED, SCORE, GameWithRules, Play, rules
from cardenvs.recycle.language.parser import load as load_description

_OWN = {"reward": "", "max_decisions": 0, "seed": -1}
"""The parameters that every game has, beside its rule options, with their defaults."""


class CardGame(pyspiel.Game):
    """A game as an OpenSpiel game; each game has its own subclass, made by `register`.

    Args:
        params: rule options by name, and ``reward``, ``max_decisions`` and ``seed``, see `cardenvs.openspiel.load`.

    Attributes:
        game: its name or spec, an attribute of the subclass.
        short_name: its name in OpenSpiel, likewise.
    """

    game: ClassVar[str | GameSpec]
    short_name: ClassVar[str]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        spec = get_game(self.game).plain
        given = check_params(spec, params or {})
        chosen = {**_default_params(spec), **given}
        options = {o.name: chosen[o.name] for o in spec.options}
        self.rules = rules(spec, tuple(options.items()), chosen["reward"], chosen["max_decisions"])
        self._random = np.random.default_rng(None if chosen["seed"] < 0 else chosen["seed"])
        deals, limit = self.rules.deals, self.rules.limit
        if deals is not None:
            # A described game that is truncated before the deal is over pays nothing.
            bounds, zero_sum = (min(deals.least, 0.0), max(deals.most, 0.0)), deals.sums == {0.0}
        else:
            bounds = _return_bounds(spec, options, self.rules.paid_as)
            zero_sum = self.rules.paid_as != SCORE and _is_zero_sum(spec)
        super().__init__(
            _build_type(
                self.short_name,
                spec.title,
                spec.seats,
                _default_params(spec),
                deals is not None,
                _utility_type(spec, zero_sum),
                self.rules.gains,
            ),
            pyspiel.GameInfo(
                num_distinct_actions=spec.num_actions,
                max_chance_outcomes=1 if deals is None else len(deals.games),
                num_players=spec.seats,
                min_utility=bounds[0],
                max_utility=bounds[1],
                utility_sum=0.0 if zero_sum else None,
                max_game_length=limit if deals is None else min(limit, deals.longest),
            ),
            {name: value for name, value in given.items() if _default_params(spec)[name] != value},
        )

    def new_initial_state(self, *args: Any) -> CardState:
        if args:
            raise ValueError("a new state takes no arguments: deals are chance's")
        return CardState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Returns the maximum number of chance nodes: 1 where deals are listed, else one more than an episode's actions."""
        return 1 if self.rules.deals is not None else self.rules.limit + 1

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Any = None
    ) -> CardObserver | None:
        """Returns an observer of a player's observations; with perfect recall, of its information states.

        Returns None for private or public parts of observations alone, which games here do not distinguish. There are no
        parameters: any are a ValueError.
        """
        if params:
            raise ValueError(f"observers of {self.rules.spec.name} take no parameters, not {short(dict(params))}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return CardObserver(self.rules, kind.perfect_recall)

    def new_stream(self) -> int:
        """Draws a random stream for a chance node from the game's own random numbers: an int of 64 bits."""
        return int(self._random.integers(0, 2**64, dtype=np.uint64))


class CardState(pyspiel.State):
    """A position, with the information states of the players; made by `CardGame.new_initial_state`."""

    def __init__(self, game: CardGame) -> None:
        super().__init__(game)
        self.play = Play(game.rules)

    def current_player(self) -> int:
        if self.play.phase == ACTING:
            return self.play.to_act
        return int(pyspiel.PlayerId.TERMINAL if self.play.phase == ENDED else pyspiel.PlayerId.CHANCE)

    def is_terminal(self) -> bool:
        return self.play.phase == ENDED

    def _legal_actions(self, player: int) -> list[int]:
        return self.play.rules.legal_actions(self.play.games)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the deals with their probabilities if they are listed; else one outcome, sampled when it is applied."""
        deals = self.play.rules.deals
        return [(0, 1.0)] if deals is None else list(enumerate(deals.probabilities.tolist()))

    def _apply_action(self, action: int) -> None:
        play = self.play
        if play.phase in (DEALING, DRAWING):
            outcomes = 1 if play.rules.deals is None else len(play.rules.deals.games)
            if not 0 <= action < outcomes:
                raise ValueError(f"chance has the outcomes 0 to {outcomes - 1}, not {action}")
            play.apply_chance(action, self.get_game().new_stream)
        else:
            self._check_legal(action)
            play.act(action)

    def apply_action_with_legality_check(self, action: int) -> None:
        """Plays a legal action; raises ValueError for an illegal one.

        OpenSpiel's own method needs the state of its random numbers for the error message.
        """
        if self.play.phase not in (DEALING, DRAWING):
            self._check_legal(action)
        self.apply_action(action)

    def _check_legal(self, action: int) -> None:
        play = self.play
        allowed = [] if play.phase == ENDED else play.rules.legal_actions(play.games)
        if action not in allowed:
            listed = ", ".join(map(self._action_label, allowed)) or "none"
            raise ValueError(f"the action {self._action_label(action)} is illegal here: legal are {listed}")

    def _action_label(self, action: int) -> str:
        names = self.play.rules.spec.actions
        return f"{action} ({names[action]})" if 0 <= action < len(names) else str(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if not 0 <= action < self.num_distinct_actions() and player != pyspiel.PlayerId.CHANCE:
            raise ValueError(f"an action is an int from 0 to {self.num_distinct_actions() - 1}, not {action}")
        if player != pyspiel.PlayerId.CHANCE:
            return self.play.rules.spec.actions[action]
        return "draw" if self.play.phase == DRAWING else "deal" if self.play.rules.deals is None else f"deal {action}"

    def returns(self) -> list[float]:
        """Returns each player's return so far; zeros during an episode, unless the game pays step by step."""
        play = self.play
        return play.so_far.copy() if play.rules.gains or play.phase == ENDED else [0.0] * len(play.so_far)

    def rewards(self) -> list[float]:
        """Returns each player's reward for the latest action of a player; the returns where only the end pays."""
        return self.play.latest.copy() if self.play.rules.gains else self.returns()

    def __str__(self) -> str:
        return self.play.episode_text()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> CardState:
        """Returns a state that a player cannot distinguish from this one, with the hidden cards drawn anew.

        In games with recall, and in those whose deals are listed, the deal is drawn anew, uniformly among those that fit
        the player's whole history, and played to the current decision; where an episode has several deals, only the latest,
        and `history` begins with it. In other games, and in those with recall that draw in play, the position is drawn,
        uniformly among those that fit the player's current observation: the player's information state is kept, those of
        the others begin there, and `history` stays that of this state.

        Args:
            player: the player whose information state is kept.
            sampler: draws a number in [0, 1), such as ``pyspiel.UniformProbabilitySampler(0.0, 1.0)``.

        Raises:
            ValueError: no such player, a state in which no player is to act, or no fitting state was found.
        """
        play = self.play
        check_int("player", player, 0, len(play.returns) - 1)
        if play.is_undealt:
            return self.clone()
        if play.phase != ACTING:
            raise ValueError("a state is resampled where a player is to act: this one is over, or chance is next")

        def draw_stream() -> int:
            return int(sampler() * (1 << 32)) << 32 | int(sampler() * (1 << 32))

        if play.rules.deals is None and not play.is_replayable:
            state = self.clone()
            state.play = play.imagine_position(player, draw_stream)
            return state
        state = self.get_game().new_initial_state()
        if play.rules.deals is not None:
            actions = play.draw_listed_deal(player, draw_stream)
        else:
            start, actions = play.draw_episode(player, draw_stream)
            state.apply_action(0)
            state.play = start
        for action in actions:
            state.apply_action(action)
        return state


class CardObserver:
    """Observer of a player's observation or information state, as a tensor and as text.

    Attributes:
        tensor: float32, zeros and ones: the game's observation; with perfect recall it includes the deal's order of play,
            if the game has recall.
        dict: the tensor by its name, ``"observation"`` or ``"info_state"``.
    """

    def __init__(self, rules: GameWithRules, recall: bool) -> None:
        self._recall = recall
        size = rules.eyes.observation_size if recall else rules.spec.observation_size
        self.tensor = np.zeros(size, np.float32)
        self.dict = {"info_state" if recall else "observation": self.tensor}

    def set_from(self, state: CardState, player: int) -> None:
        """Sets the tensor to a player's observation in a state; zeros before the deal."""
        self.tensor[:] = state.play.observation(player)[: len(self.tensor)]

    def string_from(self, state: CardState, player: int) -> str:
        """Returns a player's observation or information state as text, which includes the player's number."""
        if self._recall:
            return state.play.information_text(player)
        return f"p{player} {state.play.observation_text(player, len(self.tensor))}".rstrip()


# --- loading --------------------------------------------------------------------------------------------------------


def check_params(spec: GameSpec, params: Mapping[str, Any]) -> dict[str, Any]:
    """Checks the parameters of a game; raises ValueError for an unknown parameter or value."""
    known = [*(o.name for o in spec.options), *_OWN]
    for name in params:
        if name not in known:
            raise ValueError(spec.unknown_option(name, known))
    given = dict(params)
    spec.option_codes({name: value for name, value in given.items() if name not in _OWN})
    reward = given.get("reward", "")
    kinds = tuple(dict.fromkeys((*spec.rewards, SCORE)))
    if not isinstance(reward, str) or reward not in ("", *kinds):
        raise ValueError(
            f"reward must be one of {', '.join(map(repr, kinds))}, not {short(reward)}{did_you_mean(reward, kinds)}"
        )
    if "max_decisions" in given:
        given["max_decisions"] = check_int("max_decisions", given["max_decisions"], 0)
        check_limit(spec, given["max_decisions"] or None)
    if "seed" in given and not (is_int(given["seed"]) and given["seed"] == -1):
        given["seed"] = check_int("seed", given["seed"], 0, 2**31 - 1)  # OpenSpiel's parameters have 32 bits
    return given


def _return_bounds(spec: GameSpec, options: Mapping[str, Any], reward: str) -> tuple[float, float]:
    """Returns the minimum and maximum return; infinite where the game has no bound."""
    if reward == "win":
        return 0.0 if spec.one_sided else -1.0, 1.0
    # The bounds of scores are unknown.
    if reward == SCORE or not spec.loss_is_bound:
        return -math.inf, math.inf
    loss = float(spec.worst_loss(options, reward))
    # No game has a bound on the gain of one side.
    return 0.0 - loss, math.inf if spec.one_sided else loss * max(spec.num_sides - 1, 1)


def _is_zero_sum(spec: GameSpec) -> bool:
    """Returns whether the payoffs of seats, and not only of sides, sum to 0: all sides have as many seats."""
    return spec.num_sides > 1 and spec.kernels.side is None and len({len(side) for side in spec.sides}) == 1


def _utility_type(spec: GameSpec, zero_sum: bool) -> pyspiel.GameType.Utility:
    """Returns OpenSpiel's type of the payoffs of seats: identical where all are on one side."""
    kinds = pyspiel.GameType.Utility
    return kinds.IDENTICAL if spec.one_sided else kinds.ZERO_SUM if zero_sum else kinds.GENERAL_SUM


def _default_params(spec: GameSpec) -> dict[str, Any]:
    return {**{o.name: o.default for o in spec.options}, **_OWN}


def _build_type(
    short_name: str,
    title: str,
    players: int,
    params: dict[str, Any],
    explicit: bool,
    utility: pyspiel.GameType.Utility,
    gains: bool = False,
) -> pyspiel.GameType:
    kinds = pyspiel.GameType
    return kinds(
        short_name=short_name,
        long_name=title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if explicit else kinds.ChanceMode.SAMPLED_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=kinds.RewardModel.REWARDS if gains else kinds.RewardModel.TERMINAL,
        max_num_players=players,
        min_num_players=players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=params,
    )


_REGISTERED: dict[str, type[CardGame]] = {}  # the registered games by their names in OpenSpiel


def spiel_name(name: str) -> str:
    """Returns a game's name in OpenSpiel: ``cardenvs_five_o`` for ``five-o``."""
    return "cardenvs_" + re.sub(r"\W", "_", name)


def register_all() -> None:
    """Registers all readable games that ship or are installed; descriptions are read, but not compiled."""
    for name in game_names():
        with contextlib.suppress(Exception):
            register(get_game(name))
    for name in described_names():
        with contextlib.suppress(ValueError, OSError):
            players = load_description(game_file(name) or name).players
            title, general = name.replace("-", " ").capitalize(), pyspiel.GameType.Utility.GENERAL_SUM
            _register_class(_build_type(spiel_name(name), title, players, dict(_OWN), False, general), name)


def register(spec: GameSpec) -> str:
    """Registers a game with OpenSpiel, unless it is registered; returns its name there."""
    # Files of one name may lie in many folders, and change: the name of such a game has the digest of the description.
    shipped = spec.path is None or game_file(spec.name) == spec.path
    base = spiel_name(spec.name) + ("" if shipped else f"_{spec.digest}")
    for number in itertools.count(1):
        name = base if number == 1 else f"{base}_{number}"
        if name not in _REGISTERED:
            gains = spec.pays_gains(spec.reward_kind(spec.rewards[0]))
            utility = _utility_type(spec, _is_zero_sum(spec))
            _register_class(_build_type(name, spec.title, spec.seats, _default_params(spec), False, utility, gains), spec)
        if get_game(_REGISTERED[name].game) is spec:
            return name
    raise AssertionError(base)


def _register_class(game_type: pyspiel.GameType, game: str | GameSpec) -> None:
    name = game_type.short_name
    # OpenSpiel drops what it was given when the process ends, without Python: a class outlives that, a function may not.
    _REGISTERED[name] = type(name, (CardGame,), {"game": game, "short_name": name})
    pyspiel.register_game(game_type, _REGISTERED[name])
