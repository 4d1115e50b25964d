"""The one-seat environment many times over, as a native Gymnasium vector environment."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from cardenvs.checks import check_ints, check_mapping, check_seed, is_int, short
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.aec import observation_box
from cardenvs.envs.arguments import ResetNeeded, check_reset_options, deal_options, form_of
from cardenvs.envs.batch import check_arrays
from cardenvs.envs.lineups import Pool
from cardenvs.envs.seat_games import SeatGames

Observations = npt.NDArray[np.int8]


def check_autoreset_mode(mode: Any) -> AutoresetMode:
    """Checks an argument ``autoreset_mode``, one of Gymnasium's modes or the value of one; returns the mode."""
    for one in AutoresetMode:
        if isinstance(mode, AutoresetMode | str) and mode in (one, one.value):
            return one
    known = ", ".join(f"{one}" for one in AutoresetMode)
    values = ", ".join(repr(one.value) for one in AutoresetMode)
    raise ValueError(f"autoreset_mode must be one of {known}, or {values}, not {short(mode)}")


class SeatVectorEnv(VectorEnv[Observations, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """``num_envs`` one-seat games stepped together.

    Observations are int8 (num_envs, observation_size); masks are in ``infos["action_mask"]``, int8 (num_envs, num_actions),
    and from `action_masks`. ``infos["opponents"]`` has the names of the policies at the other seats, by agent: object
    arrays (num_envs,), None at the learner's seat. Methods that need an episode raise ResetNeeded, a ValueError, without
    one.

    Gymnasium's autoreset mode, in ``metadata["autoreset_mode"]``, applies to a game whose episode has ended:

    - ``SAME_STEP``: it is dealt anew in the same step. The learner's last observation is in ``infos["final_obs"]`` (an
      object array, marked by ``infos["_final_obs"]``), the final mask and opponents are in ``infos["final_info"]``.
    - ``NEXT_STEP``: the step returns the learner's last observation, with a mask of zeros; the next one deals anew, ignores
      the game's action and returns the reward 0.
    - ``DISABLED``: it stays over until `reset` is called with ``options={"reset_mask": ...}``.

    Args:
        num_envs: the number of games, at least 1.
        render_mode: must be None, as many games at once are not drawn.
        illegal: ``"terminate"``: an illegal action ends the episode of its game with the greatest loss that the options and
            the reward know, and the reason is in ``infos["illegal_action"]``; ``"raise"``: it is a ValueError, and nothing
            has been played.
        autoreset_mode: a `gymnasium.vector.AutoresetMode` or its value, such as ``"NextStep"``.
        seat: this and what follows, rule options included, as of `cardenvs.envs.seat_games.SeatGames`.

    Raises:
        ValueError: an unknown game, seat, policy, option or value.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        game: str | GameSpec,
        num_envs: int = 1,
        render_mode: None = None,
        illegal: str = "terminate",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        *,
        seat: int | str = 0,
        opponents: Pool | Mapping[str, Pool] = "random",
        partner: Pool | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        recall: bool = False,
        max_decisions: int | None = None,
        encoding: str | None = None,
        **options: Any,
    ) -> None:
        game, options = form_of(game, options, type(self))
        if render_mode is not None:
            raise ValueError(f"render_mode must be None for many games at once, not {short(render_mode)}")
        self.num_envs = num_envs = game.check_count("num_envs", num_envs, 1)
        self._mode = check_autoreset_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        self.seat_games = SeatGames(
            game, num_envs,
            seat=seat, opponents=opponents, partner=partner, reward=reward, team_share=team_share, recall=recall,
            max_decisions=max_decisions, encoding=encoding, illegal=illegal, **options,
        )  # fmt: skip
        self.game = self.seat_games.spec
        self.single_observation_space = observation_box(self.seat_games.shown)
        self.single_action_space = Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.dealt = False
        self.over = np.zeros(num_envs, np.bool_)
        self._shown = np.zeros((num_envs, self.seat_games.shown), np.int8)

    def __repr__(self) -> str:
        return self.seat_games.describe_call("SeatVectorEnv", num_envs=self.num_envs, autoreset_mode=self._mode.value)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Deals a new episode in every game.

        Args:
            seed: an int from 0 to 2**256 - 1, whose random stream number ``i`` game ``i`` gets; a list of one such int for
                each game, which then plays as `cardenvs.envs.seat.SeatEnv` does for that seed, and keeps its stream for
                None; or None, with which all games go on with their streams.
            options: may have ``"deal"``, ``"dealer"`` and ``"deck"``, as in `cardenvs.envs.seat.SeatEnv.reset`, for all
                games; and ``"reset_mask"``, bool (num_envs,), with at least one True: only these games are dealt anew and
                take a seed.

        Raises:
            ValueError: a wrong seed, or a list of another length; an unknown key of the options; a deal that is not of this
                game or is over already; a dealer that is no seat; a wrong mask.
        """
        given = check_reset_options(options, (*deal_options(self.game), "reset_mask"))
        rows = self._masked_rows(given.pop("reset_mask", None))
        self.seat_games.check_reset(seed, given)
        if seed is None or is_int(seed):
            super().reset(seed=None if seed is None else check_seed(seed))
        if not self.dealt and (seed is None or not is_int(seed)):
            drawn = int(self.np_random.integers(0, 2**63))
            if seed is None:
                seed = drawn
                super().reset(seed=seed)  # so that np_random_seed repeats what begins here
            else:  # games whose entry is None begin with unpredictable streams, too
                self.seat_games.reset(drawn)
        self.dealt = True
        self.seat_games.reset(seed, given, rows)
        new = slice(None) if rows is None else rows
        self.over[new] = False
        self._shown[new] = self.seat_games.observations()[new]
        return self._shown.copy(), self._infos()

    def _masked_rows(self, mask: Any) -> npt.NDArray[np.int64] | None:
        """Returns the numbers of the games in a ``reset_mask``; None without one."""
        if mask is None:
            return None
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"reset_mask must be a bool array of shape ({self.num_envs},) with at least one True, not {short(mask)}"
            )
        self._check_started()
        return np.flatnonzero(mask)

    def step(
        self, actions: npt.NDArray[np.integer[Any]]
    ) -> tuple[Observations, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Plays the learner's actions, ints of shape (num_envs,), then the other seats' up to the learner's next decisions.

        Returns:
            The learner's observations, int8 (num_envs, observation_size); its rewards since its last decisions, float64
            (num_envs,); which episodes have ended, and which were truncated (``max_decisions``), bool (num_envs,); and
            infos.

        Raises:
            ValueError: no ints or a wrong shape; with ``illegal="raise"``, an illegal action, and the message has the game
                and its legal actions; or a policy returned an illegal action.
            ResetNeeded: there is no episode yet; or with autoreset disabled, one is over.
        """
        chosen = check_ints("actions", actions, (self.num_envs,))
        self._check_started()
        waiting = self.over if self.over.any() else None
        if waiting is not None and self._mode is AutoresetMode.DISABLED:
            raise ResetNeeded(f"game {int(waiting.argmax())}: the episode is over: call reset() with a reset_mask first")
        same = self._mode is AutoresetMode.SAME_STEP
        stepped = self.seat_games.step(chosen, restart=same, waiting=waiting, renew=waiting is not None)
        done, final, messages = stepped.terminated | stepped.truncated, stepped.final, stepped.messages
        self.over = done & (not same)
        self._shown = self.seat_games.observations()
        infos = self._infos()
        if messages:
            reasons = np.full(self.num_envs, None, object)
            reasons[[*messages]] = [*messages.values()]
            infos["illegal_action"], infos["_illegal_action"] = reasons, np.isin(np.arange(self.num_envs), [*messages])
        if final and same:
            observations = np.full(self.num_envs, None, object)
            for i, observation in final.items():
                observations[i] = observation
            masks, sat = np.zeros_like(infos["action_mask"]), np.full_like(stepped.opponents, None)
            sat[done] = stepped.opponents[done]
            infos["final_obs"], infos["_final_obs"] = observations, done.copy()
            ended = {"action_mask": masks, "opponents": self._by_agent(sat)}
            infos["final_info"] = ended | {f"_{key}": done.copy() for key in ended}
            infos["_final_info"] = done.copy()
        elif final:
            for i, observation in final.items():
                self._shown[i] = observation
        return (self._shown.copy(), stepped.rewards.astype(np.float64), stepped.terminated, stepped.truncated, infos)

    def _infos(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "opponents": self._by_agent(self.seat_games.opponents())}

    def _by_agent(self, names: npt.NDArray[np.object_]) -> dict[str, npt.NDArray[np.object_]]:
        """Returns the columns of an array (num_envs, seats) by agent, without the learner's if its seat is fixed."""
        return {f"player_{seat}": names[:, seat] for seat in range(self.game.seats) if seat != self.seat_games.seat}

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Returns the games with all random streams, see `cardenvs.envs.seat_games.SeatGames.get_state`."""
        self._check_started()
        return self.seat_games.get_state() | {"over": self.over.copy(), "shown": self._shown.copy()}

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restores games that `get_state` returned in an environment of these settings; ValueError for anything else."""
        given = check_mapping("state", state)
        check_arrays(given, {"over": self.over, "shown": self._shown})
        if given["over"].any() and self._mode is AutoresetMode.SAME_STEP:
            raise ValueError("state must be what get_state() returned with this autoreset mode: its 'over' has games")
        self.seat_games.set_state(given)
        self.over, self._shown = given["over"].copy(), given["shown"].copy()
        self.seat_games.mark_over(self.over)
        self.dealt = True

    def clone(self) -> SeatVectorEnv:
        """Returns an independent copy that goes on as this environment does, see `cardenvs.envs.seat.SeatEnv.clone`."""
        twin = copy.copy(self)
        twin.seat_games = self.seat_games.clone()
        twin.over, twin._shown = self.over.copy(), self._shown.copy()
        return twin

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Returns the learner's legal actions: int8 (num_envs, num_actions), all zeros where an episode is over."""
        self._check_started()
        return self.seat_games.batch.action_masks.copy()

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the policies made from names, such as programs; `close` calls it."""
        if hasattr(self, "seat_games"):  # also where the constructor has failed
            self.seat_games.close()

    def _check_started(self) -> None:
        if not self.seat_games.ready:
            raise ResetNeeded("there is no episode yet: call reset() first")
