"""Calls everything public with arguments that nobody should pass: ``python -m tests.fuzz.calls --calls 100000 --seed 1``.

Environments, batches, policies, game specs and the functions for searches are called in random order with wrong shapes,
dtypes, values and types, with rows and states that were tampered with, and with right arguments in between. Each call must
give a right answer or a ValueError (of a file that is not there an OSError) with a message; after each, the object must be
in order. The process itself is the test of the rest: a kernel that writes where it should not ends it.
"""

from __future__ import annotations

import argparse
import collections
import copy
import faulthandler
import json
import pickle
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardenvs import Batch, GameSpec, Policy, SeatEnv, SeatVectorEnv, get_game, policy, worlds
from cardenvs.checks import is_int
from cardenvs.envs.aec import CardEnv, Constructors

GAMES = ("euchre", "whist", "five-o")
ALLOWED = (ValueError, OSError)
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "euchre": [{}, {"bidding": "forced-spades"}, {"stick_the_dealer": True}, {"episode": "game", "target": 5}],
    "whist": [{}, {"episode": "game"}],
    "five-o": [{}, {"hidden_rows": 2}, {"hidden_rows": 4}],
}
QUICK = {
    "pimc": "worlds=1", "monte-carlo": "worlds=1", "poe": "worlds=1", "learned-search": "worlds=4",
    "five-o/monte-carlo": "samples=2", "exact": "samples=2", "rollout": "worlds=1", "expectiminimax": "depth=1",
    "ismcts": "simulations=4", "pipmc": "worlds=1", "search": "rollouts=9",
}  # fmt: skip
"""The parameters with which the slow policies are quick, by name, with the game's name before it where needed."""


class Wrong(Exception):
    """A call that came out otherwise than it should."""


class Fuzz:
    """Random calls, which are counted by what was called and how it ended."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.counts: collections.Counter[tuple[str, str]] = collections.Counter()
        self.trace: collections.deque[str] = collections.deque(maxlen=8)
        self._players: dict[tuple[str, str], Policy] = {}

    # --- arguments ---

    def pick(self, choices: Sequence[Any]) -> Any:
        """One of some choices; NumPy would make an array of them."""
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return bool(self.rng.random() < probability)

    def number(self) -> Any:
        """A number, or something like one."""
        return self.pick(
            [0, 1, -1, 2, 3, 4, 7, 24, 35, 52, 63, 64, 99, -9, 2**31, 2**63 - 1, 2**63, 2**64, -(2**63), 10**12, 10**30,
             True, 0.9, -0.0, float("nan"), float("inf"), np.int8(3), np.uint8(200), np.int64(3), np.uint64(2**63 + 5),
             np.float32(1.0), np.bool_(True), np.array(2), np.array([1]), 1 + 2j]
        )  # fmt: skip

    def array(self, shape: tuple[int, ...] | None = None) -> Any:
        """An array of any dtype, of the given shape or of any."""
        sizes = [0, 1, 2, 3, 4, 8, 35, 52]
        if shape is None or self.chance(0.3):
            shape = tuple(int(self.pick(sizes)) for _ in range(int(self.rng.integers(0, 4))))
        kind = self.pick(
            ["int64", "int8", "uint8", "uint64", "float32", "float64", "bool", "complex64", "object", "U3", "big", "nan"]
        )
        values = self.rng.integers(-3, 70, shape)
        if kind == "big":
            return values * np.int64(2**57)
        if kind == "nan":
            return np.full(shape, np.nan)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = np.asarray(values).astype(kind)
        if out.ndim and self.chance(0.1):
            out = out[::-1]
        if self.chance(0.1):
            out.flags.writeable = False
        if out.dtype.kind in "iuf" and self.chance(0.1):
            out = out.astype(out.dtype.newbyteorder(">"))
        return out

    def anything(self, spec: GameSpec) -> Any:
        """Anything."""
        return self.pick(
            [self.number, self.number, self.array, self.array, lambda: None, lambda: "", lambda: "hybrid",
             lambda: "x" * 500, lambda: "random:worlds=-1", lambda: b"\0\1", list, dict, lambda: [[1], [2, 3]],
             lambda: {"a": 1}, lambda: {1: 2}, lambda: {"deal": 5}, lambda: {"deck": "abc"},
             lambda: "abc", object, lambda: len, lambda: spec, lambda: iter(()),
             lambda: slice(3), lambda: {1, 2}, lambda: self.states(spec), lambda: self.rows(spec)[0],
             lambda: "\x1b[2J[/b]", lambda: np.datetime64("2020-01-01")]
        )()  # fmt: skip

    def states(self, spec: GameSpec) -> Any:
        """States of a game: positions of random play, some of them tampered with, in an array of any length."""
        batch = self.played(spec)
        games = batch.games[: int(self.rng.integers(0, batch.n + 1))].copy()
        if len(games) and self.chance(0.6):
            raw = games.view(np.uint8).reshape(len(games), -1)
            for _ in range(int(self.pick([1, 1, 2, 8, 200]))):
                raw[self.rng.integers(len(games)), self.rng.integers(raw.shape[1])] = self.pick([0, 1, 2, 4, 255, 128, 7])
        how = self.rng.random()
        if how < 0.15 and len(games):
            return games[0]
        if how < 0.25:
            return games.view(np.recarray)
        if how < 0.3:
            return games.view(np.uint8)
        if how < 0.35:
            games.flags.writeable = False
        return games

    def rows(self, spec: GameSpec) -> tuple[Any, Any]:
        """Observations and masks: of random play, some of them tampered with, in any dtype and shape."""
        batch = self.played(spec)
        count = int(self.pick([0, 1, 1, 2, 5]))
        rows, masks = batch.observations[:count].copy(), batch.action_masks[:count].copy()
        how = self.rng.random()
        if how < 0.3:
            return rows, masks
        if how < 0.6 and count:
            for _ in range(int(self.pick([1, 1, 2, 2, 4, 30]))):
                rows[self.rng.integers(count), self.rng.integers(rows.shape[1])] ^= 1
            return rows, masks
        tampered = self.pick(
            [lambda: (rows * 0, masks), lambda: (self.rng.integers(0, 2, rows.shape, np.int8), masks),
             lambda: (rows, 1 - masks), lambda: (rows, masks * 0), lambda: (rows, masks * 0 + 1), lambda: (rows, -masks),
             lambda: (rows * 0.9, masks), lambda: (rows, masks * 0.5), lambda: (rows.astype(float), masks.astype(bool)),
             lambda: (rows * 2, masks), lambda: (rows[:, :-1], masks), lambda: (rows, masks[:, 1:]),
             lambda: (rows.T, masks.T), lambda: (rows[:0], masks), lambda: (rows.tolist(), masks.tolist()),
             lambda: (rows[::-1], masks), lambda: (np.asfortranarray(rows), np.asfortranarray(masks)),
             lambda: (self.array(rows.shape), masks), lambda: (rows, self.array(masks.shape)),
             lambda: (self.anything(spec), masks), lambda: (rows, self.anything(spec))]
        )()  # fmt: skip
        return tampered[0], tampered[1]

    def played(self, spec: GameSpec) -> Batch:
        """A small batch somewhere in random play."""
        batch = Batch(spec, 6, seed=int(self.rng.integers(1000)), **self.pick(OPTIONS[spec.name]))
        for _ in range(int(self.rng.integers(0, spec.max_steps + 3))):
            batch.step([self.pick(np.flatnonzero(mask)) for mask in batch.action_masks])
        return batch

    def player(self, spec: GameSpec) -> Policy:
        """A policy of the game."""
        name = self.pick(policy.default_names(spec))
        if (spec.name, name) not in self._players:
            parameters = QUICK.get(f"{spec.name}/{name}", QUICK.get(name))
            self._players[spec.name, name] = policy.make(spec, f"{name}:{parameters}" if parameters else name)
        return self._players[spec.name, name]

    def opponents(self, spec: GameSpec) -> Any:
        """A policy of the game, a pool of them, or policies and pools by agent."""
        if self.chance(0.5):
            return self.player(spec)
        pools = [[self.player(spec) for _ in range(2)] for _ in range(spec.seats - 1)]
        by_agent = {f"player_{seat}": self.pick([pool, pool[0]]) for seat, pool in enumerate(pools, 1)}
        return self.pick([pools[0], by_agent])

    def mostly(self, right: Callable[[], Any], spec: GameSpec) -> Any:
        """A right argument in two of three cases, else anything."""
        return right() if self.chance(0.67) else self.anything(spec)

    def some(self, spec: GameSpec, **rights: Callable[[], Any]) -> dict[str, Any]:
        """Some of the game's options and of other arguments by keyword, most of them right."""
        given = {name: self.mostly(right, spec) for name, right in rights.items() if self.chance(0.3)}
        return given | ({} if self.chance(0.2) else self.pick(OPTIONS[spec.name]))

    # --- calls ---

    def call(self, what: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Makes a call; None if it was refused; `Wrong` for errors that are not allowed, and for one without a message."""
        said = f"{what}({', '.join([*map(_told, args), *(f'{k}={_told(v)}' for k, v in kwargs.items())])})"
        self.trace.append(said)
        try:
            result = function(*args, **kwargs)
        except ALLOWED as error:
            self.counts[what, "refused"] += 1
            if len(str(error).strip()) < 10:
                raise Wrong(f"{said}: {type(error).__name__} says only {str(error)!r}") from error
            return None
        except Exception as error:
            raise Wrong(f"{said}: {type(error).__name__}: {error}") from error
        self.counts[what, "answered"] += 1
        return result

    def require(self, condition: Any, what: str) -> None:
        """Raises `Wrong` where something does not hold."""
        if not condition:
            raise Wrong(f"{what}, after {'; '.join(self.trace)}")

    # --- batches ---

    def batch(self, spec: GameSpec, steps: int) -> None:
        """A batch, made and used in any way."""
        kwargs = {"seed": self.mostly(lambda: 3, spec)} | self.some(
            spec, validate=lambda: self.pick([True, False]), restart=lambda: True, reward=lambda: None,
            threads=lambda: self.pick([1, 2]), skip_forced=lambda: self.chance(0.5), team_share=lambda: 1.0,
        )  # fmt: skip
        if self.chance(0.1):
            kwargs[self.pick(["bidding", "target", "hidden_rows", "bids"])] = self.anything(spec)
        n = 5 if self.chance(0.9) else self.pick([0, -1, 1, 2.0, True, None, "3", np.int64(4), 10**12, 2**62, [5]])
        made = self.call("Batch", Batch, spec if self.chance(0.9) else self.anything(spec), n, **kwargs)
        if made is None or made.spec is not spec:
            return
        batch: Batch = made
        n = batch.n
        for _ in range(steps):
            right = np.array([self.pick(np.flatnonzero(mask)) if mask.any() else 0 for mask in batch.action_masks])
            forgotten = self.rng.integers(0, spec.num_actions, n)
            calls: dict[str, Callable[[], list[Any]]] = {
                "step": lambda: [self.pick([right, forgotten, self.array((n,)), self.anything(spec)])],  # noqa: B023
                "check": lambda: [self.mostly(lambda: right, spec)],  # noqa: B023
                "deal": lambda: [self.mostly(lambda: self.rng.integers(-1, n + 1, 2), spec)],
                "observe": lambda: [self.mostly(lambda: 0, spec), self.mostly(lambda: 1, spec)],
                "reset": lambda: [self.mostly(lambda: self.pick([None, 5, list(range(n))]), spec)],
                "set_games": lambda: [self.mostly(lambda: self.states(spec), spec)],
                "states": list, "multiplicities": list, "get_state": list,
            }  # fmt: skip
            name = self.pick(["step"] * 5 + [*calls, "copy"])
            if name == "copy":
                batch = copy.deepcopy(batch) if self.chance(0.5) else pickle.loads(pickle.dumps(batch))
            else:
                result: Any = self.call(f"Batch.{name}", getattr(batch, name), *calls[name]())
                self.require(name != "observe" or result is None or result.shape == (spec.observation_size,), "a shape")
                if name == "get_state":
                    if self.chance(0.3):
                        result[self.pick(list(result))] = self.states(spec) if self.chance(0.5) else self.anything(spec)
                    batch = batch.clone() if self.chance(0.5) else batch
                    self.call("Batch.set_state", batch.set_state, result if self.chance(0.8) else self.anything(spec))
            self.order(batch)

    def order(self, batch: Batch) -> None:
        """Makes sure that a batch's arrays describe its games, and that the games are in order."""
        spec = batch.spec
        try:
            spec.check_state(batch.games, whole=True)
        except ValueError as error:
            raise Wrong(f"{error}, after {'; '.join(self.trace)}") from error
        for i in range(batch.n):
            mask = spec.mask(spec.legal(batch.games, i))
            self.require((batch.action_masks[i] == mask).all(), f"the mask of game {i} is not that of the game")
            seat = int(batch.games[i]["to_act"])
            shown = spec.observation(batch.games, seat, i) if seat >= 0 else np.zeros(spec.observation_size, np.int8)
            self.require((batch.observations[i] == shown).all(), f"the observation of game {i} is not that of the game")
            self.require(batch.to_act[i] == seat, f"to_act of game {i} is not that of the game")

    # --- environments ---

    def turns(self, spec: GameSpec, steps: int) -> None:
        """A PettingZoo environment, made and used in any way."""
        kwargs = self.some(
            spec, render_mode=lambda: self.pick([None, "ansi"]), illegal=lambda: self.pick(["raise", "terminate"]),
            reward=lambda: self.pick(spec.rewards), team_share=lambda: 1.0,
        )  # fmt: skip
        doors = Constructors(spec.name)
        name = self.pick(["raw_env", "env"])
        env = self.call(name, getattr(doors, name), **kwargs)
        if env is None:
            return
        agents = [f"player_{seat}" for seat in range(spec.seats)]
        raw: CardEnv = env.unwrapped
        begun = False
        for _ in range(steps):
            call = self.pick(
                ["step"] * 8 + ["reset", "observe", "last", "render", "state", "space", "copy", "text", "saved"]
            )
            if not begun and name == "env" and call not in ("reset", "space", "copy"):
                call = "reset"  # before that, PettingZoo's wrapper speaks
            if call == "step":
                legal = np.flatnonzero(raw._mask[0])
                over = begun and bool(raw.agents) and raw.terminations[raw.agent_selection]
                right = None if over else int(self.pick(legal)) if len(legal) else 0
                self.call(f"{name}.step", env.step, right if self.chance(0.75) else self.anything(spec))
            elif call == "reset":
                options = self.mostly(lambda: self.pick([None, {}, {"dealer": 1}, {"other": 1}]), spec)
                if self.chance(0.2):
                    options = {"deal": self.states(spec) if self.chance(0.5) else self.anything(spec)}
                self.call(f"{name}.reset", env.reset, self.mostly(lambda: self.pick([None, 3]), spec), options)
                begun = raw._streams is not None
            elif call == "observe":
                agent = self.mostly(lambda: self.pick(agents), spec)
                shown = self.call(f"{name}.observe", env.observe, agent)
                self.require(
                    shown is None or env.observation_space(agent).contains(shown), "an observation is not of its space"
                )
            elif call == "space":
                self.call(f"{name}.observation_space", env.observation_space, self.mostly(lambda: agents[0], spec))
                self.call(f"{name}.action_space", env.action_space, self.mostly(lambda: agents[0], spec))
            elif call == "copy":
                env = copy.deepcopy(env) if self.chance(0.5) else pickle.loads(pickle.dumps(env))
                raw = env.unwrapped
            elif call == "text":
                self.call("CardEnv.deal_text", raw.deal_text)
            elif call == "saved":
                saved = self.call("CardEnv.get_state", raw.get_state)
                if saved is not None and self.chance(0.3):
                    field = self.pick(saved._fields)
                    wrong = self.rng.bytes(len(saved.record)) if field == "record" else self.anything(spec)
                    saved = saved._replace(**{field: wrong})
                env = env.clone() if self.chance(0.3) else env
                raw = env.unwrapped
                self.call(f"{name}.set_state", env.set_state, saved if self.chance(0.8) else self.anything(spec))
                begun = raw._streams is not None
            else:
                self.call(f"{name}.{call}", getattr(env, call))
            if begun:
                spec.check_state(raw._games, whole=True)
                paid = sum(raw.rewards.values())
                free = len(raw.agents) < spec.seats or kwargs.get("reward") == "score"
                self.require(free or abs(paid) < 1e-4, f"rewards add up to {paid}")

    def together(self, spec: GameSpec, steps: int) -> None:
        """A PettingZoo parallel environment, made and used in any way."""
        waiting = self.pick(["zeros", "noop"]) if self.chance(0.9) else self.anything(spec)
        env = self.call(
            "parallel_env", Constructors(spec.name).parallel_env, waiting=waiting, **self.pick(OPTIONS[spec.name])
        )
        if env is None:
            return
        shown: dict[str, Any] | None = None
        for _ in range(steps):
            if shown is None or self.chance(0.05):
                first = self.call("parallel_env.reset", env.reset, self.mostly(lambda: self.pick([None, 3]), spec))
                shown = shown if first is None else first[0]
                continue
            masks = {agent: np.flatnonzero(one["action_mask"]) for agent, one in shown.items()}
            actions: Any = {agent: int(self.pick(mask)) if len(mask) else 0 for agent, mask in masks.items()}
            if self.chance(0.2):
                agent = self.pick(list(actions))
                actions[agent] = self.anything(spec)
            elif self.chance(0.1):
                actions = self.anything(spec)
            result = self.call("parallel_env.step", env.step, actions)
            if result is not None:
                shown = result[0] if env.agents else None
            if self.chance(0.1):
                env = copy.deepcopy(env)

    def seat(self, spec: GameSpec, steps: int) -> None:
        """A one-seat environment or many of them, made and used in any way."""
        kwargs = self.some(
            spec, seat=lambda: self.pick([0, 1, "random"]), opponents=lambda: self.opponents(spec),
            illegal=lambda: self.pick(["raise", "terminate"]), render_mode=lambda: None,
        )  # fmt: skip
        if self.chance(0.3):
            kwargs["opponents"] = Odd(spec, self)
        many = self.chance(0.5)
        if many and self.chance(0.6):
            modes = ["SameStep", "NextStep", "Disabled"]
            kwargs["autoreset_mode"] = self.pick(modes) if self.chance(0.9) else self.anything(spec)
        n = 3 if self.chance(0.9) else self.pick([0, -1, 2.5, None, True, "4", 10**12, 2**63])
        made = (
            self.call("SeatVectorEnv", SeatVectorEnv, spec, n, **kwargs)
            if many
            else self.call("SeatEnv", SeatEnv, spec, **kwargs)
        )
        if made is None:
            return
        env: Any = made
        kind = type(env).__name__
        for _ in range(steps):
            call = self.pick(["step"] * 8 + ["reset", "action_masks", "copy"])
            if call == "step":
                masks = np.atleast_2d(env.seat_games.batch.action_masks)
                legal = [int(self.pick(np.flatnonzero(mask))) if mask.any() else 0 for mask in masks]
                wrong = self.array((len(legal),)) if many and self.chance(0.5) else self.anything(spec)
                right = np.array(legal) if many else legal[0]
                if self.chance(0.2):
                    right = (
                        self.rng.integers(-1, spec.num_actions + 1, len(legal)) if many else int(self.rng.integers(-1, 40))
                    )
                result = self.call(f"{kind}.step", env.step, right if self.chance(0.85) else wrong)
                if result is not None:
                    self.require(np.isfinite(result[1]).all(), "a reward is no number")
            elif call == "reset":
                options = self.mostly(lambda: self.pick([None, {}, {"dealer": 1}]), spec)
                if many and self.chance(0.5):
                    some = {"reset_mask": self.rng.random(3) < 0.5 if self.chance(0.8) else self.anything(spec)}
                    options = some | ({"dealer": 2} if self.chance(0.2) else {})
                seed = self.mostly(lambda: self.pick([None, 3, [1, None, 3]]), spec)
                self.call(f"{kind}.reset", env.reset, seed=seed, options=options)
            elif call == "action_masks":
                self.call(f"{kind}.action_masks", env.action_masks)
            else:
                env = copy.deepcopy(env)
            spec.check_state(env.seat_games.batch.games, whole=True)

    # --- policies and specs ---

    def decide(self, spec: GameSpec, steps: int) -> None:
        """A policy, asked in any way."""
        player = self.player(spec)
        for _ in range(steps):
            rows, masks = self.rows(player.game if self.chance(0.9) else spec)
            rng = self.mostly(lambda: self.pick([None, np.random.default_rng(1)]), spec)
            if self.chance(0.1):
                rng = self.rng.integers(0, 2**63, self.pick([0, 1, 2]), np.uint64)
            base = player.name.partition(":")[0]
            if self.chance(0.3):
                one: Any = {"observation": _first(rows), "action_mask": _first(masks)}
                if self.chance(0.1):
                    one = self.pick([{}, {"observation": 1}, one | {"action_mask": None}, self.anything(spec)])
                explained = self.call(f"{spec.name} {base}.explain", player.explain, one, rng)
                self.require(explained is None or len(explained), "an explanation without actions")
            elif hasattr(player, "scores") and self.chance(0.3):
                self.call(f"{spec.name} {base}.scores", player.scores, rows, masks, rng)
            else:
                actions = self.call(f"{spec.name} {base}.act", player.act, rows, masks, rng)
                if isinstance(actions, np.ndarray):
                    shown = np.asarray(masks)
                    self.require((shown[np.arange(len(actions)), actions] != 0).all(), f"{base} has chosen what it may not")
        name = self.pick(
            [base, f"{base}:", f"{base}:x=1", f"{base}:worlds=0", f"{base}:worlds={10**12}", "hybri", "none.zip", ":", "/"]
        )
        self.call("policy.make", policy.make, spec, name if self.chance(0.7) else self.anything(spec))

    def describe(self, spec: GameSpec, steps: int) -> None:
        """A game's spec, asked in any way."""
        wrong = lambda: self.anything(spec)  # noqa: E731
        some = lambda: self.states(spec) if self.chance(0.8) else self.anything(spec)  # noqa: E731
        seat = lambda: self.mostly(lambda: self.pick(range(spec.seats)), spec)  # noqa: E731
        first = lambda: self.mostly(lambda: 0, spec)  # noqa: E731
        count = lambda: self.pick([0, 2, -1, 2.5, None, True, 10**12, 2**63])  # noqa: E731
        row = lambda: self.rows(spec)[0]  # noqa: E731
        calls: list[tuple[str, list[Callable[[], Any]]]] = [
            *((name, [wrong]) for name in ("action", "mask", "legal_names", "option", "reward_kind", "option_codes")),
            *((name, [some]) for name in ("options_of", "text", "history", "outcome", "is_over", "check_state")),
            ("sides_in", [some]),
            ("parse", [wrong]), ("deal_text", [some]), ("history_text", [some]), ("words", [some, self.number]),
            ("action_words", [some, self.number]), ("legal", [some, first]),
            ("drawing", [some, seat]), ("observation", [some, seat, first]), ("full_state", [some, seat]),
            ("new_games", [count]), ("deal", [self.number]), ("decode", [row]), ("describe", [lambda: _first(row())]),
            ("set_deal", [some, self.number, wrong]), ("set_dealer", [some, self.number, self.number]),
        ]  # fmt: skip
        for _ in range(steps):
            name, arguments = self.pick(calls)
            if getattr(spec, name) is not None:
                self.call(f"{spec.name}.{name}", getattr(spec, name), *(argument() for argument in arguments))
        self.call("get_game", get_game, self.anything(spec))

    def imagine(self, spec: GameSpec, steps: int) -> None:
        """The functions for searches, called in any way."""
        name = self.mostly(lambda: spec, spec)
        known = name is spec
        for _ in range(steps):
            states = self.states(spec) if self.chance(0.8) else self.anything(spec)
            count = len(states) if isinstance(states, np.ndarray) and states.ndim else 1
            rng = self.mostly(lambda: self.pick([None, np.random.default_rng(1)]), spec)
            call = self.pick(["redeal", "masks", "apply", "apply", "playouts", "views"])
            if call == "redeal":
                rows = self.rows(spec)[0]
                shown = self.pick([rows, _first(rows), {"observation": _first(rows)}])
                drawn = self.mostly(lambda: self.pick([0, 1, 3]), spec)
                drawn = 5 if is_int(drawn) and 10_000 < drawn < 10**12 else drawn  # so many would be drawn
                states = self.call("worlds.redeal", worlds.redeal, name, shown, drawn, rng)
            elif call == "views":
                seats = self.pick([0, 1, self.rng.integers(0, spec.seats, count), self.anything(spec)])
                self.call("worlds.views", worlds.views, name, states, seats)
                continue
            elif call == "masks":
                self.call("worlds.masks", worlds.masks, name, states)
                continue
            elif call == "apply":
                before = copy.deepcopy(states)
                legal = self.call("worlds.masks", worlds.masks, name, states)
                right = legal is not None and len(legal) and legal.any(1).all() and self.chance(0.8)
                wrong = self.pick([self.rng.integers(-1, spec.num_actions, count), self.anything(spec)])
                actions = legal.argmax(1) if right else wrong
                played = self.call("worlds.apply", worlds.apply, name, states, actions)
                if known and isinstance(states, np.ndarray):
                    # A copy of records leaves out the bytes between their fields.
                    same = states.tobytes() == before.tobytes() or np.array_equal(states, before)
                    self.require(same, "states are not as they were")
                states = played
            else:
                player = self.pick(
                    ["random", "random", self.player(spec), [self.player(spec)] * spec.seats, self.anything(spec)]
                )
                rights = {
                    "reward": spec.rewards,
                    "max_decisions": [None, 1, 5, 99],
                    "threads": [1, 2, 0, -1, 1.0, "2", None],
                }
                keywords = {
                    key: self.mostly(lambda: self.pick(right), spec)  # noqa: B023
                    for key, right in rights.items()
                    if self.chance(0.3)
                }
                paid = self.call("worlds.playouts", worlds.playouts, name, states, player, rng, **keywords)
                free = paid is None or keywords.get("reward") == "score"
                self.require(free or abs(paid.sum(1)).max(initial=0) < 1e-4, "what is paid does not add up to 0")
                continue
            if known and states is not None:
                bare = states.copy()
                bare["moves"] = 0
                spec.check_state(bare, whole=True)

    def run(self, calls: int, seconds: float = float("inf")) -> int:
        """Makes so many calls, or for so long; returns how many were made. `Wrong` is raised for one that came out so."""
        began = time.monotonic()
        kinds = [self.batch, self.turns, self.together, self.seat, self.decide, self.describe, self.imagine]
        while (made := sum(self.counts.values())) < calls and time.monotonic() - began < seconds:
            self.pick(kinds)(get_game(self.pick(GAMES)), 30)
        return made


class Odd(Policy):
    """A policy that answers as it likes: an opponent nobody should trust."""

    def __init__(self, game: GameSpec, fuzz: Fuzz) -> None:
        super().__init__(game)
        self.fuzz = fuzz

    def __deepcopy__(self, memo: Any) -> Odd:
        return self

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        """Legal actions, or anything else."""
        if self.fuzz.chance(0.8):
            return np.array([self.fuzz.pick(np.flatnonzero(mask)) for mask in action_masks])
        if self.fuzz.chance(0.5):
            return self.fuzz.array((len(action_masks),))
        return self.fuzz.pick(
            [None, 3, "x", [], 9999999, np.full(len(action_masks), 9999999), np.full(len(action_masks), 24.9)]
        )


def _first(rows: Any) -> Any:
    """The first row of something that may have rows."""
    try:
        return rows[0]
    except Exception:
        return rows


def _told(value: Any) -> str:
    """An argument in short."""
    if isinstance(value, np.ndarray):
        return f"array({value.dtype.kind}{value.dtype.itemsize}, {value.shape})"
    return repr(value)[:60]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=20_000, help="how many calls")
    parser.add_argument("--seed", type=int, default=0, help="seed of the choices")
    given = parser.parse_args(arguments)
    faulthandler.enable()
    warnings.simplefilter("ignore")
    fuzz = Fuzz(given.seed)
    made = fuzz.run(given.calls)
    answered = sum(count for (_, how), count in fuzz.counts.items() if how == "answered")
    print(
        json.dumps(
            {"calls": made, "answered": answered, "refused": made - answered, "called": len({w for w, _ in fuzz.counts})}
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
