"""Games in batches for Tianshou 2: `CardVectorEnv`, which its collectors take in place of a `DummyVectorEnv`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete

from cardenvs.checks import check_int, did_you_mean
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.lineups import Pool
from cardenvs.frameworks.games import Seeds, check_arguments, check_rows, make_games
from cardenvs.plugins import MissingPackageError, installed

if not installed("tianshou"):
    raise MissingPackageError('games for Tianshou: the package tianshou is missing; pip install "tianshou>=2.0"')

import torch
from tianshou.data import Batch as Rows
from tianshou.env import BaseVectorEnv


class CardVectorEnv(BaseVectorEnv):
    """``n`` games in compiled code, stepped together, in the form of Tianshou's vector environments.

    Without ``opponents`` it is self-play: a step is one decision in each game, of the seat to act, and its reward a vector
    with a number for each seat, as in Tianshou's `PettingZooEnv`. With ``opponents`` one seat is the learner's, policies
    hold the others, and a step runs to the learner's next decision, so that any algorithm for one agent fits. An ended game
    is dealt anew where a collector resets it.

    Observations are a `tianshou.data.Batch` of k rows:

    - ``obs``: int8 (k, observation_size), of the seat to act. At an episode's end zeros in self-play, or where it was
      truncated the observation of the seat that would act next; with opponents always the learner's.
    - ``mask``: bool (k, num_actions), the legal actions; all False at an episode's end.
    - ``agent_id``: the names ``"player_0"`` ... of those to act, an object array (k,), in self-play only. At an episode's
      end it is the first agent's.

    Args:
        n: the number of games, at least 1.
        opponents: the policies of the other sides, as of `cardenvs.envs.seat_games.SeatGames`; None for self-play.
        illegal: as of `cardenvs.frameworks.games.SelfPlay`; `illegal_actions` has the messages.
        seed: as of `reset`; None draws a seed.
        kwargs: other arguments of `cardenvs.envs.seat_games.SeatGames`, or in self-play of
            `cardenvs.frameworks.games.SelfPlay`.

    Attributes:
        agents: the agents' names in seating order, for `MultiAgentOffPolicyAlgorithm`.
        agent_idx: the seats by these names.
    """

    def __init__(
        self,
        game: str | GameSpec,
        n: int,
        *,
        opponents: Pool | Mapping[str, Pool] | None = None,
        illegal: str = "terminate",
        seed: Seeds = None,
        **kwargs: Any,
    ) -> None:
        # Tianshou's own constructor makes a worker for each game; here there are none.
        self.env_num = self.wait_num = n = check_int("n", n, 1)
        check_arguments(game, kwargs, ("n", "opponents", "illegal", "seed"))
        self.games = make_games(game, n, opponents, illegal, seed=seed, **kwargs)
        self.game = spec = self.games.spec
        self.workers: list[Any] = []
        self.timeout, self.is_async, self.is_closed = None, False, False
        self.waiting_conn: list[Any] = []
        self.waiting_id: list[int] = []
        self.ready_id = list(range(n))
        self.agents = [f"player_{seat}" for seat in range(spec.seats)]
        self.agent_idx = {agent: seat for seat, agent in enumerate(self.agents)}
        self._names = np.array(self.agents, object)
        self._infos = np.array([{} for _ in range(n)], object)
        self._self_play = opponents is None
        self._next_seed = seed  # the first reset begins where the constructor did
        self._attributes: dict[str, Any] = {
            "action_space": Discrete(spec.num_actions),
            "observation_space": Box(0, 1, self.games.observations.shape[1:], np.int8),
            "metadata": {"render_modes": []},
            "reward_range": (-np.inf, np.inf),
            "spec": None,
        }

    def get_env_attr(self, key: str, id: Any = None) -> list[Any]:
        """Returns an attribute of some games, such as ``"action_space"``; AttributeError for unknown ones."""
        self._assert_is_not_closed()
        if key not in self._attributes:
            listed, meant = ", ".join(self._attributes), did_you_mean(key, self._attributes)
            raise AttributeError(f"the games have no attribute {key!r}: they have {listed}{meant}")
        return [self._attributes[key]] * len(self._wrap_id(id))

    def set_env_attr(self, key: str, value: Any, id: Any = None) -> None:
        """Raises AttributeError: nothing can be set."""
        raise AttributeError(f"the games' attribute {key!r} cannot be set")

    def reset(self, env_id: Any = None, *, seed: Seeds = None, **kwargs: Any) -> tuple[Any, Any]:
        """Deals new episodes.

        Args:
            env_id: the numbers of the games, an int or several; None for all.
            seed: an int from 0 to 2**256 - 1, of which game ``i`` gets random stream number ``i``; or a list with a seed
                for each of these games; None goes on with their streams, or begins with the seed given to `seed`.
            kwargs: must be empty except for ``options``, which must be None.

        Returns:
            Observations, a `tianshou.data.Batch`; and infos, empty dicts in an object array.
        """
        self._assert_is_not_closed()
        rows = None if env_id is None else check_rows(env_id, self.env_num)
        if any(value is not None for value in kwargs.values()):
            raise ValueError(f"reset takes env_id and seed, not {', '.join(kwargs)}")
        if rows is None and seed is None:
            seed, self._next_seed = self._next_seed, None
        self.games.reset(seed, rows)
        return self._observe_rows(rows)

    def step(self, action: Any, id: Any = None) -> tuple[Any, Any, Any, Any, Any]:
        """Plays an action in each game, or in some.

        Args:
            action: ints (k,), an array or a tensor.
            id: the numbers of the k games, an int or several; None for all.

        Returns:
            Observations, a `tianshou.data.Batch`; rewards, float32 (k, seats) in self-play, float32 (k,) with opponents;
            which episodes have ended and which were truncated, bool (k,) each; and infos, as `reset` returns them.

        Raises:
            ValueError: other games, no ints, or a wrong shape; with ``illegal="raise"``, an illegal action.
        """
        self._assert_is_not_closed()
        rows = None if id is None else check_rows(id, self.env_num)
        chosen = action.cpu().numpy() if isinstance(action, torch.Tensor) else np.asarray(action)
        self.games.step(chosen, rows)
        played, of = self.games, slice(None) if rows is None else rows
        observations, infos = self._observe_rows(rows)
        ends = (played.terminated[of].copy(), played.truncated[of].copy())
        return observations, played.rewards[of].copy(), *ends, infos

    def _observe_rows(self, rows: npt.NDArray[np.int64] | None) -> tuple[Any, Any]:
        played, of = self.games, slice(None) if rows is None else rows
        entries = {"obs": played.observations[of].copy(), "mask": played.action_masks[of].astype(np.bool_)}
        if self._self_play:
            entries["agent_id"] = self._names[np.maximum(played.seats[of], 0)]
        return Rows(entries), self._infos[of].copy()

    @property
    def illegal_actions(self) -> dict[int, str]:
        """Messages on the illegal actions of the latest step, with the legal ones, by game."""
        return dict(self.games.messages)

    def seed(self, seed: Any = None) -> list[Any]:
        """Sets the seed of the next reset of all games: an int, of which game ``i`` gets stream number ``i``, or a list."""
        self._assert_is_not_closed()
        self._next_seed = seed
        return list(seed) if isinstance(seed, (list, tuple, np.ndarray)) else [seed] * self.env_num

    def render(self, **kwargs: Any) -> list[Any]:
        """Draws nothing, as many games at once are not drawn."""
        self._assert_is_not_closed()
        return [None] * self.env_num

    def close(self) -> None:
        """Closes the policies made from names, such as programs; no other method can be called then."""
        self._assert_is_not_closed()
        self.games.close()
        self.is_closed = True
