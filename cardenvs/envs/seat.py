"""The one-seat Gymnasium environment: the learner holds a seat, named policies hold the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete

from cardenvs import policy
from cardenvs.cards import below, seed_streams
from cardenvs.checks import is_int
from cardenvs.drivers import EPISODE_OVER
from cardenvs.envs.aec import ILLEGAL_REWARD, RENDER_FPS, RENDER_MODES, apply_deal_options, new_renderer, observation_box
from cardenvs.envs.batch import Batch, illegal_message
from cardenvs.policy import Policy
from cardenvs.render.scene import scene
from cardenvs.spec import GameSpec, get_game

ILLEGAL = ("terminate", "raise")
_POLICY_STREAMS = 0x0DD5
"""Mixed into the seed for the other seats' randomness, which must not follow the cards."""


class SeatGames:
    """``n`` games in each of which one seat is the learner's: what both Gymnasium environments stand on.

    Args:
        game: the game's name or spec.
        n: the number of games.
        seat: the learner's seat, or ``"random"`` for a random seat in each episode.
        opponents: the policy of the other side, by name, by file or as an object.
        partner: the policy of the learner's partner, by name, by file or as an object; None takes the opponents' policy.
            Only for games with partners.
        reward: the kind of reward, such as ``"points"``; None takes the game's first.
        team_share: 0 to 1. 1 pays both partners their side's reward, 0 pays each partner its own part of that reward; see
            `cardenvs.drivers.pay`.
        options: rule options, by name.

    Attributes:
        batch: the games.
        learner: int64 (n,), the learner's seat in each game.
        watcher: a function without arguments that is called before every move of the other seats; at first None, for none.

    Raises:
        ValueError: an unknown game, seat, policy, option or value.
    """

    def __init__(
        self,
        game: str | GameSpec,
        n: int,
        *,
        seat: int | str = 0,
        opponents: str | Policy = "random",
        partner: str | Policy | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        **options: Any,
    ) -> None:
        self.spec = spec = get_game(game)
        if seat != "random" and (not is_int(seat) or not 0 <= seat < spec.seats):
            raise ValueError(f"seat must be 0 to {spec.seats - 1} or 'random', not {seat!r}")
        if partner is not None and not spec.team:
            raise ValueError(f"partner must be None in {spec.name}, which has no partners, not {partner!r}")
        self.n = n
        self.seat = seat
        self.options = options
        self._opponents = policy.make(spec, opponents)
        self._partner = self._opponents if partner is None else policy.make(spec, partner)
        self.batch = Batch(spec, n, seed=0, reward=reward, team_share=team_share, restart=False, **options)
        self.learner = np.zeros(n, np.int64)
        self._randomness = np.zeros(n, np.uint64)
        self.watcher: Callable[[], object] | None = None

    def reset(self, seed: int | None, deal: dict[str, Any] | None = None) -> None:
        """Starts a new episode in every game.

        Args:
            seed: an int of at least 0 that starts the random streams anew; None goes on with the streams.
            deal: may have the keys ``"deal"`` and ``"dealer"`` of `cardenvs.envs.aec.apply_deal_options`, for all games.
        """
        batch = self.batch
        if seed is not None:
            batch.reset(seed)
            self._randomness = seed_streams(seed ^ _POLICY_STREAMS, self.n)
        else:
            batch.games["over"] = EPISODE_OVER
            batch.deal(np.arange(self.n))
        if deal and (deal.get("deal") is not None or deal.get("dealer") is not None):
            games = batch.games.copy()
            for i in range(self.n):
                apply_deal_options(self.spec, games[i : i + 1], deal, self.options)
            batch.set_games(games)
        self._begin(np.arange(self.n))

    def _begin(self, rows: npt.NDArray[np.int64]) -> None:
        """Seats the learner in newly dealt games and plays on to its first decision; deals without one are dealt anew."""
        while len(rows):
            if self.seat == "random":
                for i in rows:
                    self.learner[i] = below(self._randomness, int(i), self.spec.seats)
            else:
                self.learner[rows] = int(self.seat)
            self._play_on()
            rows = np.flatnonzero(self.batch.to_act < 0)
            self.batch.deal(rows)

    def _actions_of_others(self) -> npt.NDArray[np.int64] | None:
        """The actions of all seats to act but the learner's, int64 (n,), -1 elsewhere; None if no such seat is to act."""
        batch = self.batch
        relative = (batch.to_act - self.learner) % self.spec.seats
        moving = (batch.to_act >= 0) & (relative != 0)
        if not moving.any():
            return None
        actions = np.full(self.n, -1, np.int64)
        for player, in_side in ((self._opponents, relative % 2 == 1), (self._partner, relative % 2 == 0)):
            rows = np.flatnonzero(moving & in_side)
            if len(rows):
                streams = self._randomness[rows]
                actions[rows] = player.choose(batch.observations[rows], batch.action_masks[rows], streams)
                self._randomness[rows] = streams
        return actions

    def _play_on(self) -> npt.NDArray[np.float32]:
        """Lets the other seats act until the learner is to act or the episode is over.

        Returns:
            The learner's rewards on the way, float32 (n,).
        """
        total = np.zeros(self.n, np.float32)
        while (actions := self._actions_of_others()) is not None:
            if self.watcher is not None:
                self.watcher()
            self.batch.step(actions)
            total += self.batch.rewards[np.arange(self.n), self.learner]
        return total

    def step(
        self, actions: npt.NDArray[np.int64], restart: bool
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], dict[int, npt.NDArray[np.int8]]]:
        """Plays the learner's actions and on to its next decisions.

        Args:
            actions: the learner's actions, int64 (n,); -1 leaves a game as it is.
            restart: whether games whose episode has ended are dealt anew.

        Returns:
            The learner's rewards since its last decision, float32 (n,); in which games the episode has ended, bool (n,);
            and what the learner saw at the end of these games, int8 (observation_size,), by the games' numbers.
        """
        batch = self.batch
        batch.step(actions)
        rewards = batch.rewards[np.arange(self.n), self.learner]
        rewards += self._play_on()
        done = batch.to_act < 0
        final = {int(i): batch.observe(int(i), int(self.learner[i])) for i in np.flatnonzero(done)}
        if restart and final:
            rows = np.flatnonzero(done)
            batch.deal(rows)
            self._begin(rows)
        return rewards, done, final

    def legal(self, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Which of the learner's actions are legal, bool (n,)."""
        known = (actions >= 0) & (actions < self.spec.num_actions)
        return np.asarray(known & (self.batch.action_masks[np.arange(self.n), np.where(known, actions, 0)] != 0))


class SeatEnv(gymnasium.Env[npt.NDArray[np.int8], np.int64]):
    """One seat of a game as a Gymnasium environment; named policies hold the other seats.

    The action mask is in ``info["action_mask"]`` and from `action_masks`. A reward runs from one own decision to the next.
    Deals in which the learner never has anything to decide are skipped.

    Args:
        game: the game's name or spec.
        render_mode: None, ``"ansi"`` (`render` draws the position in text), ``"rgb_array"`` (`render` returns a picture,
            uint8 (600, 800, 3)) or ``"human"`` (the picture is shown in a window at every move). The learner's view is
            drawn. Pictures need the extra ``render``.
        illegal: what an illegal action does: ``"terminate"`` ends the episode with a reward of -1 and tells the reason in
            ``info["illegal_action"]``; ``"raise"`` is a ValueError.
        kwargs: ``seat``, ``opponents``, ``partner``, ``reward``, ``team_share`` and rule options, which `SeatGames` takes.

    Raises:
        ValueError: an unknown game, seat, policy, option or value.
        MissingRendererError: the render mode needs pygame, which is not installed.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012  Gymnasium's own convention

    def __init__(
        self, game: str | GameSpec, render_mode: str | None = None, illegal: str = "terminate", **kwargs: Any
    ) -> None:
        self._renderer = new_renderer(get_game(game), render_mode)
        if illegal not in ILLEGAL:
            raise ValueError(f"illegal must be one of {', '.join(map(repr, ILLEGAL))}, not {illegal!r}")
        self.render_mode = render_mode
        self._illegal = illegal
        self.seat_games = SeatGames(game, 1, **kwargs)
        self.game = self.seat_games.spec
        if render_mode == "human":
            self.seat_games.watcher = self.render
        self.observation_space: Any = observation_box(self.game)
        self.action_space = Discrete(self.game.num_actions)
        self._over = True
        self._started = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Deals a new episode and plays on to the learner's first decision.

        Args:
            seed: an int of at least 0 that starts the random streams anew; None goes on with the streams.
            options: may have ``"deal"`` and ``"dealer"``, as in `cardenvs.envs.aec.CardEnv.reset`; other keys are ignored.

        Returns:
            The learner's observation, int8 (observation_size,), and an info with the key ``"action_mask"``.
        """
        super().reset(seed=seed)
        if seed is None and not self._started:
            seed = int(self.np_random.integers(0, 2**63))
        self._started = True
        self.seat_games.reset(seed, options)
        self._over = False
        if self.render_mode == "human":
            self.render()
        return self.seat_games.batch.observations[0].copy(), {"action_mask": self.action_masks()}

    def step(self, action: Any) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Plays ``action``, then the other seats' actions up to the learner's next decision or the end of the episode.

        Returns:
            The learner's observation, int8 (observation_size,); its reward since its last decision; whether the episode is
            over; False, as no episode is truncated; and an info with the key ``"action_mask"``.

        Raises:
            ValueError: an illegal action, with ``illegal="raise"``; any action once the episode is over.
        """
        if self._over:
            raise ValueError("the episode is over: call reset() first")
        chosen = np.array([action], np.int64)
        if not self.seat_games.legal(chosen)[0]:
            message = illegal_message(self.game, self.seat_games.batch.games, 0, int(chosen[0]))
            if self._illegal == "raise":
                raise ValueError(message)
            self._over = True
            observation = self.seat_games.batch.observations[0].copy()
            info = {"action_mask": self.action_masks(), "illegal_action": message}
            return observation, ILLEGAL_REWARD, True, False, info
        rewards, done, final = self.seat_games.step(chosen, restart=False)
        self._over = bool(done[0])
        observation = final[0] if self._over else self.seat_games.batch.observations[0].copy()
        if self.render_mode == "human":
            self.render()
        return observation, float(rewards[0]), self._over, False, {"action_mask": self.action_masks()}

    def action_masks(self) -> npt.NDArray[np.int8]:
        """The learner's legal actions: int8 (num_actions,), all zeros when the episode is over."""
        return self.seat_games.batch.action_masks[0].copy()

    def render(self) -> Any:
        """Draws the position as the learner sees it: in text in mode ``"ansi"``, as uint8 (600, 800, 3) in ``"rgb_array"``;
        mode ``"human"`` shows the picture."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode")
            return None
        games, seat = self.seat_games.batch.games, int(self.seat_games.learner[0])
        if self._renderer is None:
            return self.game.drawing(games[0], seat)
        return self._renderer.render(scene(self.game, games, seat))

    def close(self) -> None:
        """Closes the window, if one is open."""
        if self._renderer is not None:
            self._renderer.close()
