"""Games in batches for Stable-Baselines3: `SeatVecEnv`, a `VecEnv` over any game. Needs the extra ``train``.

`SB3Policy` is what was learned, as a policy for matches and tables.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.envs.lineups import Pool
from cardenvs.envs.vector import SeatVectorEnv
from cardenvs.frameworks.sb3_policy import SB3Policy
from cardenvs.plugins import MissingPackageError, installed

if not installed("stable_baselines3"):
    raise MissingPackageError(
        'games for Stable-Baselines3: the package stable_baselines3 is missing; in a checkout: pip install ".[train]"'
    )

from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

__all__ = ["SB3Policy", "SeatVecEnv"]


class SeatVecEnv(VecEnv):
    """``n`` games in compiled code, stepped together: one seat is the learner's, policies hold the others.

    Game ``i`` of a seed is the game of `cardenvs.SeatEnv` with the seed ``seed + i``, as in the environments that SB3's
    ``make_vec_env`` makes. An ended game is dealt anew in the same step; then ``infos[i]["terminal_observation"]`` is the
    learner's last observation, ``infos[i]["TimeLimit.truncated"]`` whether the episode was truncated, and
    ``infos[i]["illegal_action"]`` the message on an illegal action. ``env_method("action_masks")`` has the legal actions
    for ``MaskablePPO``. `VecMonitor` around it brings the rewards of episodes.

    Args:
        game: the game's name or spec, or the file of a described game.
        n: the number of games, at least 1.
        seat: this and what follows as of `cardenvs.SeatEnv`, rule options included.
        seed: of the first deals, as of the method `seed`; None draws one.

    Attributes:
        env: the Gymnasium vector environment that plays.
        game: the game's spec, with recall if observations have it.
    """

    def __init__(
        self,
        game: str | GameSpec,
        n: int,
        *,
        seat: int | str = 0,
        opponents: Pool | Mapping[str, Pool] = "random",
        partner: Pool | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        illegal: str = "terminate",
        recall: bool = False,
        max_decisions: int | None = None,
        encoding: str | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        game, options = form_of(game, options, type(self))
        self.env = env = SeatVectorEnv(
            game, n, seat=seat, opponents=opponents, partner=partner, reward=reward, team_share=team_share,
            illegal=illegal, recall=recall, max_decisions=max_decisions, encoding=encoding, **options,
        )  # fmt: skip
        self.game = env.game
        self._actions: Any = None  # those of `step_async`
        super().__init__(n, env.single_observation_space, env.single_action_space)
        if seed is not None:
            self.seed(seed)

    def __repr__(self) -> str:
        return self.env.seat_games.describe_call("SeatVecEnv", n=self.num_envs)

    def reset(self) -> npt.NDArray[np.int8]:
        """Deals every game anew, with the latest seeds of `seed` and deals of `set_options`; ValueError for wrong ones.

        Returns the learner's observations, int8 (n, observation_size).
        """
        observations, infos = self.env.reset(seed=list(self._seeds))
        for i, options in enumerate(self._options):
            if options:
                mine = np.arange(self.num_envs) == i
                seeds = [seed if own else None for seed, own in zip(self._seeds, mine, strict=True)]
                observations, infos = self.env.reset(seed=seeds, options={**options, "reset_mask": mine})
        self.reset_infos = self._common_infos(infos)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: npt.NDArray[np.integer[Any]]) -> None:
        """Stores the learner's actions, ints (n,), for `step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions of `step_async`, and all others' up to the learner's next decisions.

        Returns:
            The learner's observations, int8 (n, observation_size); its rewards since its last decisions, float32 (n,);
            where an episode has ended or was truncated (and is dealt anew already), bool (n,); a dict for each game.

        Raises:
            ValueError: no actions since the last step, or no ints of shape (n,); with ``illegal="raise"``, an illegal
                action; or a policy's illegal answer.
        """
        actions, self._actions = self._actions, None
        if actions is None:
            raise ValueError("there are no actions to play: call step_async(actions) before step_wait()")
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        by_game = self._common_infos(infos)
        done = terminated | truncated
        for i in np.flatnonzero(done).tolist():
            by_game[i]["terminal_observation"] = infos["final_obs"][i]
            by_game[i]["TimeLimit.truncated"] = bool(truncated[i])
        for i in np.flatnonzero(infos.get("_illegal_action", False)).tolist():
            by_game[i]["illegal_action"] = infos["illegal_action"][i]
        return observations, rewards.astype(np.float32), done, by_game

    def _common_infos(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"action_mask": mask, "TimeLimit.truncated": False} for mask in infos["action_mask"]]

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Returns the learner's legal actions, int8 (n, num_actions), a new array; ResetNeeded without an episode."""
        return self.env.action_masks()

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """Returns ``action_masks``, the only method, of some games, int8 (num_actions,) each; AttributeError for others."""
        if method_name != "action_masks":
            raise AttributeError(f"a game of {type(self).__name__} has no method {method_name!r}, only 'action_masks'")
        masks = self.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns an attribute of this object once for each game; ``render_mode`` is None, as games are not drawn."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raises AttributeError: games have no attributes of their own."""
        raise AttributeError(f"{attr_name!r} cannot be set: the games of {type(self).__name__} share everything")

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """Returns False for each game."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Closes the environment that plays."""
        self.env.close()
