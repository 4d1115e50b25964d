"""Games in batches for TorchRL: `BatchedCardEnv`, an `EnvBase` over any game. Needs the extra ``torchrl``."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import check_int
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.lineups import Pool
from cardenvs.frameworks.games import Seeds, check_arguments, make_games
from cardenvs.plugins import MissingPackageError, installed

if not installed("torchrl"):
    raise MissingPackageError('games for TorchRL: the package torchrl is missing; in a checkout: pip install ".[torchrl]"')

import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase


class BatchedCardEnv(EnvBase):
    """``n`` games in compiled code, stepped together: an environment of batch size ``[n]``.

    Without ``opponents`` it is self-play: a step is one decision in each game, of the seat to act, and every seat has its
    own reward. With ``opponents`` one seat is the learner's, policies hold the others, and a step runs to the learner's
    next decision, so that TorchRL's methods for one agent fit. An ended game is dealt anew where TorchRL resets it.

    Entries:

    - ``"observation"``: int8 (n, observation_size), of the seat to act. At an episode's end zeros in self-play, or where it
      was truncated the observation of the seat that would act next; with opponents always the learner's.
    - ``"action_mask"``: bool (n, num_actions), the legal actions, for `torchrl.modules.MaskedCategorical`; all False at an
      episode's end.
    - ``"seat"``: int64 (n,), the seat to act; -1 for none.
    - ``"action"``: int64 (n,).
    - ``"reward"``: float32 (n, seats) in self-play, every seat's own, and (n, 1) with opponents.
    - ``"done"``, ``"terminated"``, ``"truncated"``: bool (n, 1).

    Actions that `rand_action` draws are legal. `set_seed` applies from the next reset of all games on; `reset` takes a
    ``seed`` too, an int or a list with a seed for each game that is reset.

    Args:
        n: the number of games, at least 1.
        opponents: the policies of the other sides, as of `cardenvs.envs.seat_games.SeatGames`; None for self-play.
        illegal: as of `cardenvs.frameworks.games.SelfPlay`; `illegal_actions` has the messages.
        seed: an int from 0 to 2**256 - 1, of which game ``i`` gets random stream number ``i``; or a list of one such int
            for each game; None draws a seed.
        device: the device of the tensors; None for the processor, without a device in the TensorDicts.
        kwargs: other arguments of `cardenvs.envs.seat_games.SeatGames`, or in self-play of
            `cardenvs.frameworks.games.SelfPlay`.
    """

    def __init__(
        self,
        game: str | GameSpec,
        n: int,
        *,
        opponents: Pool | Mapping[str, Pool] | None = None,
        illegal: str = "terminate",
        seed: Seeds = None,
        device: Any = None,
        **kwargs: Any,
    ) -> None:
        n = check_int("n", n, 1)
        check_arguments(game, kwargs, ("n", "opponents", "illegal", "seed", "device"))
        played = make_games(game, n, opponents, illegal, seed=seed, **kwargs)
        super().__init__(device=device, batch_size=[n])
        self.games = played
        self.game = spec = played.spec
        self._next_seed = seed  # the first reset begins where the constructor did
        here = {"device": self.device}
        size, actions = played.observations.shape[1], spec.num_actions
        self.observation_spec = Composite(
            observation=Bounded(0, 1, (n, size), dtype=torch.int8, **here),
            action_mask=Binary(actions, (n, actions), dtype=torch.bool, **here),
            seat=Bounded(-1, spec.seats - 1, (n,), dtype=torch.int64, **here),
            shape=(n,),
            **here,
        )
        self.action_spec = Categorical(actions, (n,), dtype=torch.int64, **here)
        rewards = 1 if played.rewards.ndim == 1 else spec.seats
        self.reward_spec = Unbounded((n, rewards), dtype=torch.float32, **here)
        flag = Categorical(2, (n, 1), dtype=torch.bool, **here)
        self.done_spec = Composite(done=flag, terminated=flag.clone(), truncated=flag.clone(), shape=(n,), **here)

    @property
    def illegal_actions(self) -> dict[int, str]:
        """Messages on the illegal actions of the latest step, with the legal ones, by game."""
        return dict(self.games.messages)

    def _tensor(self, array: npt.NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(array.copy()).to(self.device)

    def _common_entries(self) -> dict[str, torch.Tensor]:
        played = self.games
        ended = (played.terminated, played.truncated)
        terminated, truncated = (self._tensor(flags)[:, None] for flags in ended)
        return {
            "observation": self._tensor(played.observations),
            "action_mask": self._tensor(played.action_masks.view(np.bool_)),
            "seat": self._tensor(played.seats),
            "done": terminated | truncated,
            "terminated": terminated,
            "truncated": truncated,
        }

    def _reset(self, tensordict: TensorDictBase | None, seed: Seeds = None, **kwargs: Any) -> TensorDictBase:
        """Deals anew: all games, or those that the entry ``"_reset"`` marks."""
        marked = None if tensordict is None else tensordict.get("_reset", None)
        rows = None if marked is None else np.flatnonzero(marked.reshape(-1).cpu().numpy())
        if rows is None and seed is None:
            seed, self._next_seed = self._next_seed, None
        self.games.reset(seed, rows)
        return TensorDict(self._common_entries(), self.batch_size, self.device)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        self.games.step(tensordict.get("action").cpu().numpy())
        rewards = self._tensor(self.games.rewards)
        entries = self._common_entries() | {"reward": rewards[:, None] if rewards.ndim == 1 else rewards}
        return TensorDict(entries, self.batch_size, self.device)

    def _set_seed(self, seed: int | None) -> None:
        self._next_seed = seed

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Closes the policies made from names, such as programs; no other method can be called then."""
        self.games.close()
        super().close(raise_if_closed=raise_if_closed)

    def rand_action(self, tensordict: TensorDictBase | None = None) -> TensorDictBase:
        """Returns ``tensordict``, or a new one, with a random legal ``"action"`` in each game; 0 where it is over."""
        legal = torch.from_numpy(self.games.action_masks)
        counts = legal.cumsum(1, dtype=torch.int16)  # much faster than torch.multinomial
        drawn = torch.rand(len(legal), dtype=torch.float64) * counts[:, -1]
        actions = (counts > drawn[:, None]).to(torch.int8).argmax(1).to(self.device)
        found = TensorDict({}, self.batch_size, self.device) if tensordict is None else tensordict
        return found.set("action", actions)
