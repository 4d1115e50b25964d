"""Self-play as a `VecEnv` of Stable-Baselines3: the batched simulator, one slot a game, every seat the learner's."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from cardenvs.contract.fields import Games
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.train.inference.symmetry import SuitSymmetry
from cardenvs.train.learning.league import LEARNER, League
from cardenvs.train.learning.other_play import OtherPlay


class SelfPlayVecEnv(VecEnv):
    """``n`` games stepped together; the observation, mask and action of a slot are those of the seat to act there.

    A slot's consecutive steps belong to different seats, so the sum of its rewards is no seat's return: `SeatRolloutBuffer`
    takes ``payoffs`` of all seats instead. Wrappers that sum a slot's rewards (VecMonitor, VecNormalize) mix the
    seats. ``infos`` are empty: an episode's end has no seat to act, and so no ``terminal_observation``.

    Args:
        full_state: show, behind what the seat sees, what the seat cannot see; for a critic.
        encoding: show only the first entries of an observation, which the game calls so (`GameSpec.encodings`).
        other_play: a symmetry of whose names each seat of each episode has its own (`OtherPlay`), not the canonical ones.
        order: let the batch know the order of play for other players who want it, though it is not shown.
        skip_forced: play moves without a choice in the simulator, so that every step is a decision.
        league: other players, whose moves are played within a step, which then leads to the learner's next decision.
    """

    def __init__(
        self,
        game: str | GameSpec,
        n: int,
        *,
        seed: int | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        canonical_suits: bool = False,
        full_state: bool = False,
        recall: bool = False,
        encoding: str | None = None,
        other_play: str | None = None,
        order: bool = False,
        skip_forced: bool = False,
        league: League | None = None,
        **options: Any,
    ) -> None:
        self.game = get_game(game).with_recall(recall)
        played = self.game.with_recall(recall or order)
        self.batch = Batch(
            played, n, seed=seed, reward=reward, team_share=team_share, validate=True, skip_forced=skip_forced, **options
        )
        # The batch's columns behind which the learner's are left out, and from which they go on with the full state.
        self._left_out = (self.game.shown_size(encoding), played.observation_size)
        self.symmetry = SuitSymmetry(self.game) if canonical_suits and other_play is None else None
        self.other_play = None if other_play is None else OtherPlay(self.game, other_play, n, seed or 0, encoding)
        self.full_state = full_state
        self.league = league
        # Weight of a trick more than the mean of the other sides' in a deal's payoff, or in a described game of one side of
        # what it counts (`cardenvs.contract.outcome.Endings`) in a step's; may be changed at any time.
        self.trick_weight = 0.0
        self._rows = np.arange(n)
        self._names = np.zeros((n, 0), np.int64)
        self._actions = np.zeros(n, np.int64)
        self._dealt = True
        self._sides = np.zeros((0, self.game.seats), np.int64)
        endings = self.game.endings
        self._so_far = None if endings is None or not endings.counted else endings.so_far
        self._counted = np.zeros(n, np.int64)
        self._reset_latest()
        super().__init__(
            n,
            gymnasium.spaces.Box(0, 1, (self._observe().shape[1],), np.int8),
            gymnasium.spaces.Discrete(self.game.num_actions),
        )

    def _reset_latest(self) -> None:
        """Resets the attributes of the latest step to their values before any step."""
        self.acting = self.batch.to_act.copy()  # the seat that acted in the latest step (before any: the seat to act)
        self.payoffs = np.zeros((self.batch.n, self.game.seats), np.float32)  # what the latest step paid every seat
        self.ended = np.zeros(self.batch.n, np.bool_)  # whether it ended the episode, or cut it off, without more pay
        self._observe()

    def _observe(self) -> npt.NDArray[np.int8]:
        """Returns observations of the seats to act, a fresh array, int8 (n, d); keeps their action masks."""
        batch, (first, last) = self.batch, self._left_out
        rows = batch.states() if self.full_state else batch.observations
        if first != last:
            rows = np.concatenate([rows[:, :first], rows[:, last:]], 1)
        if self.other_play is not None:
            self._names = self.other_play.of_seats(batch.to_act)
            observations, self._masks = self.other_play.rename_positions(rows, batch.action_masks, self._names)
            return observations
        if self.symmetry is not None:
            observations, self._masks, self._names = self.symmetry.rename_positions(rows, batch.action_masks)
            return observations
        self._masks = batch.action_masks
        return rows.copy()

    @property
    def _renamer(self) -> SuitSymmetry | OtherPlay | None:
        """The translator between the names of actions that are shown and the game's own; None if these are the same."""
        return self.symmetry if self.other_play is None else self.other_play

    def _begin_episodes(self, rows: npt.NDArray[np.int64]) -> None:
        """Draws who plays in the episodes that begin in some games, int64 (k,), and under which names."""
        if self.other_play is not None:
            self.other_play.draw_names(rows)
        if self.league is not None:
            self.league.draw_lineups(rows, self.batch.games)

    # --- what Stable-Baselines3 calls ---

    def reset(self) -> npt.NDArray[np.int8]:
        """Deals every game again, from the seed last given to `seed` if any; returns observations, int8 (n, d)."""
        if self._seeds[0] is not None:
            self.batch.reset(self._seeds[0])
        elif not self._dealt:
            self.batch.reset(int(self.batch.streams[0]))
        self._dealt = True
        self._begin_episodes(self._rows)
        if self.league is not None:
            self._play_other_players(np.zeros_like(self.payoffs), np.zeros_like(self.ended))
        self._reset_latest()
        self._reset_seeds()
        self._reset_options()
        return self._observe()

    def step_async(self, actions: npt.NDArray[np.integer[Any]]) -> None:
        """Takes the actions, ints (n,), of the seats to act."""
        self._actions = np.asarray(actions, np.int64)
        if self._renamer is not None:
            self._actions = self._renamer.restore_actions(self._actions, self._names)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions; raises ValueError for an illegal one, before any is played. Returns fresh arrays: observations
        int8 (n, d) of the seats now to act; rewards float32 (n,) of the seats that acted; bool (n,), which episodes ended
        (and were dealt again); and an empty dict for each game."""
        acting = self.batch.to_act.copy()
        self._note_before_step()
        self.batch.step(self._actions)
        self._dealt = False
        self.acting = acting
        self.payoffs = self._seat_payoffs()
        self.ended = self.batch.ended >= EPISODE_OVER
        self._begin_episodes(np.flatnonzero(self.ended))
        if self.league is not None:
            self._play_other_players(self.payoffs, self.ended)
        rewards = self.payoffs[self._rows, acting]
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self._observe(), rewards, self.ended.copy(), infos

    def _seat_payoffs(self) -> npt.NDArray[np.float32]:
        """Returns each seat's rewards in the latest step of the batch, weighted tricks included: float32 (n, seats)."""
        batch = self.batch
        payoffs = batch.rewards.copy()
        if self.trick_weight and self._so_far is not None:
            risen = np.where(batch.ended, 0, self._so_far(batch.games)[:, 0] - self._counted)
            payoffs += np.float32(self.trick_weight) * risen[:, None].astype(np.float32)
        elif self.trick_weight:
            sides = self.game.num_sides
            taken = np.stack([np.where(self._sides == side, batch.tricks, 0).sum(1) for side in range(sides)], 1)
            leads = taken - (taken.sum(1, keepdims=True) - taken) / max(sides - 1, 1)
            ended = (batch.ended == DEAL_OVER) | (batch.ended == EPISODE_OVER)
            payoffs += self.trick_weight * np.where(ended[:, None], np.take_along_axis(leads, self._sides, 1), 0)
        return payoffs

    def _note_before_step(self) -> None:
        """Notes, before a step that may deal again, each seat's side and what is counted."""
        if self._so_far is not None:
            self._counted = self._so_far(self.batch.games)[:, 0]
        if self.trick_weight and (self.game.kernels.side is not None or not len(self._sides)):
            self._sides = self.game.seat_sides(self.batch.games)

    def _play_other_players(self, payoffs: npt.NDArray[np.float32], ended: npt.NDArray[np.bool_]) -> None:
        """Plays the moves of the league's other players until the learner is to act in every game. An episode in which the
        learner is never asked pays it nothing."""
        batch, league = self.batch, self.league
        assert league is not None
        while True:
            players = league.lineup[self._rows, batch.to_act]
            numbers = np.unique(players)
            if numbers[-1] == LEARNER:
                return
            actions = np.full(batch.n, -1)
            for number in numbers[numbers != LEARNER]:
                rows = np.flatnonzero(players == number)
                shown, masks = batch.observations[rows], batch.action_masks[rows]
                actions[rows] = league.choose_actions(int(number), rows, batch.to_act[rows], shown, masks)
            self._note_before_step()
            batch.step(actions)
            over = batch.ended >= EPISODE_OVER
            payoffs += np.where(ended[:, None], 0, self._seat_payoffs())
            ended |= over
            self._begin_episodes(np.flatnonzero(over))

    def rename_actions(self, actions: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """Returns actions under the names that this environment shows, int64 (n,); `step_async` turns them back."""
        if self._renamer is None:
            return np.asarray(actions, np.int64)
        return self._renamer.rename_actions(actions, self._names)

    def rename_columns(self, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Returns a copy of float32 (n, num_actions) with columns reordered from the game's actions to those shown."""
        if self._renamer is None:
            return values.copy()
        named = np.stack([self.rename_actions(np.full(self.batch.n, action)) for action in range(values.shape[1])], 1)
        out = np.empty_like(values)
        np.put_along_axis(out, named, values, 1)
        return out

    def close(self) -> None:
        pass

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns the legal actions of the seats to act: bool (n, num_actions), a fresh array."""
        return self._masks.astype(np.bool_)

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """Answers ``action_masks``, the one method of a slot; AttributeError for others. For all games it is one array
        (n, num_actions) in a list, which sb3_contrib stacks most quickly; with ``indices`` a list of one mask a game."""
        if method_name != "action_masks":
            raise AttributeError(f"a game of {type(self).__name__} has no method {method_name!r}")
        masks = self.action_masks()
        return [masks] if indices is None else [masks[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raises AttributeError: games have no attributes of their own."""
        raise AttributeError(f"{attr_name!r} cannot be set: the games of {type(self).__name__} share everything")

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    # --- saving and restoring ---

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Returns copies of the games as they stand and of all random numbers by name; `set_state` takes them back."""
        state = {"games": np.array(self.batch.games), "streams": self.batch.streams.copy(), "ended": self.ended.copy()}
        if self.game.max_decisions is not None:
            state["decisions"] = self.batch.decisions.copy()
        for part in (self.league, self.other_play):
            state |= {} if part is None else part.get_state()
        return state

    def _is_sound(self, state: Games) -> bool:
        """Whether a game's actions lead to its state, shape (1,): kernels trust the states that they are given."""
        try:
            again = self.game.parse(self.game.text(state[0]))
        except Exception:  # a text of nonsense may raise anything
            return False
        return all(np.array_equal(again[name], state[name]) for name in self.game.dtype.names or ())

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.int8]:
        """Continues where `get_state` was called; returns observations, int8 (n, d). Raises ValueError for a state of
        another game or number of games, or one that no play leads to."""
        games = np.zeros_like(self.batch.games)
        if state["games"].dtype.names != games.dtype.names or state["games"].shape != games.shape:
            raise ValueError(f"these are not {self.num_envs} states of {self.game.name}")
        for name in self.game.dtype.names or ():
            games[name] = state["games"][name]
        if not all(self._is_sound(games[k : k + 1]) for k in range(len(games))):
            raise ValueError(f"there are no such states of {self.game.name}")
        kept: dict[str, npt.NDArray[Any]] = {"streams": self.batch.streams}
        if self.game.max_decisions is not None:
            kept["decisions"] = self.batch.decisions
        for name, array in {**kept, "ended": self.ended}.items():
            if state[name].shape != array.shape or state[name].dtype != array.dtype:
                raise ValueError(f"{name} must be of {array.dtype} and of the shape {array.shape}")
        self.batch.set_games(games)
        for name, array in kept.items():
            array[:] = state[name]
        for part in (self.league, self.other_play):
            if part is not None:
                part.set_state(state)
        self._dealt = False
        self._reset_latest()
        self.ended[:] = state["ended"]
        return self._observe()
