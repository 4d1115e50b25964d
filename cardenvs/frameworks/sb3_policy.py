"""Models of Stable-Baselines3 as policies; the library is imported when a policy is made."""

import os
import zipfile
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete

from cardenvs.checks import check_bool, short
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.streams import below
from cardenvs.contract.registry import game_names, get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.plugins import require
from cardenvs.policy.contract import Policy

_OWN = "cardenvs.json"  # the member of a zip of `cardenvs train`, whose networks may need other observations than SB3's
_FINENESS = 1 << 53  # number of steps into which a draw from 0 to 1 is divided


class SB3Policy(Policy):
    """``sb3``: what Stable-Baselines3 learned and saved, ``sb3:mppo.zip``; needs the extra ``train``.

    Any algorithm with discrete actions and without a memory: ``MaskablePPO``, ``PPO``, ``A2C``, ``DQN``, ``QRDQN``. Illegal
    actions are masked, even if the algorithm knows no masks. A zip holds pickled code, which loading runs, as SB3's own
    ``load`` does: take none from strangers.

    Source: Stable-Baselines3 (Raffin et al. 2021).

    Args:
        game: the game's name or spec. It can be omitted for games written in Python, which the network's sizes identify:
            ``SB3Policy("mppo.zip")``.
        path: the zip that ``model.save`` has written, or the model itself.
        sample: draw actions from the network's distribution (SB3's ``deterministic=False``) instead of the likeliest.

    Attributes:
        network: SB3's own policy, a torch module.

    Raises:
        ValueError: no such model, one for another game, or a wrong parameter.
        FileNotFoundError: there is no such file.
        MissingPackageError: Stable-Baselines3 is not installed.
    """

    leading: ClassVar[str] = "path"
    by_default = False
    runs_code = True

    def __init__(self, game: Any, path: Any = None, sample: bool = False) -> None:
        game, path = (None, game) if path is None and not _is_game(game) else (game, path)
        if path is None:
            raise ValueError("path must be a zip of Stable-Baselines3's model.save, as in sb3:mppo.zip")
        require("stable_baselines3", "train", "a policy of Stable-Baselines3")
        self.network = _extract_network(path)
        self.sample = check_bool("sample", sample)
        observed, actions = getattr(self.network.observation_space, "shape", None), self.network.action_space
        if (
            observed is None
            or len(observed) != 1
            or not isinstance(actions, Discrete)
            or hasattr(self.network, "lstm_actor")
        ):
            raise ValueError(
                "a model of Stable-Baselines3 plays here if it sees one row, acts by a number and has no memory, "
                f"not one of {type(self.network).__name__} for {short(self.network.observation_space)} and {short(actions)}"
            )
        self._size = int(observed[0])
        super().__init__(_find_game(game, self._size, int(actions.n)))
        self.can_be_foretold = not self.sample

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Returns the network's actions, see `Policy.choose`."""
        scores = np.where(action_masks != 0, self._scores(observations), -np.inf)
        if self.sample:
            scores += self._gumbel(scores.shape[1], streams)
        return scores.argmax(1)

    def _scores(self, observations: Bytes) -> npt.NDArray[np.float64]:
        """Returns the network's number for each action, float64 (n, num_actions): log-probabilities, or values."""
        import torch

        with torch.inference_mode():
            seen, _ = self.network.obs_to_tensor(observations[:, : self._size])
            if hasattr(self.network, "quantile_net"):
                numbers = self.network.quantile_net(seen).mean(1)
            elif hasattr(self.network, "q_net"):
                numbers = self.network.q_net(seen)
            else:
                numbers = self.network.get_distribution(seen).distribution.logits
            return np.asarray(numbers.cpu().numpy(), np.float64)

    @staticmethod
    def _gumbel(actions: int, streams: Streams) -> npt.NDArray[np.float64]:
        """Returns Gumbel noise, float64 (n, actions), by which the highest of log-probabilities becomes a draw."""
        draws = [[below(streams, row, _FINENESS) for _ in range(actions)] for row in range(len(streams))]
        return -np.log(-np.log((np.array(draws, np.float64) + 0.5) / _FINENESS))


def _is_game(value: Any) -> bool:
    return isinstance(value, GameSpec) or (isinstance(value, str) and not value.endswith(".zip"))


def _extract_network(model: Any) -> Any:
    """Returns SB3's policy in a model or in the zip of one, on the processor and in evaluation mode."""
    from stable_baselines3.common.base_class import BaseAlgorithm

    if isinstance(model, BaseAlgorithm):
        return model.policy
    if not isinstance(model, (str, os.PathLike)):
        raise ValueError(f"path must be a zip of Stable-Baselines3's model.save, or the model, not {short(model)}")
    name = os.fspath(model)
    if not os.path.isfile(name):
        raise FileNotFoundError(f"no policy file {name!r}")
    if zipfile.is_zipfile(name):
        with zipfile.ZipFile(name) as archive:
            if _OWN in archive.namelist():
                raise ValueError(f"{name!r} is a policy of cardenvs train: it plays by its own name, without sb3:")
    return _load_network(name)


def _load_network(name: str) -> Any:
    from stable_baselines3.common.save_util import load_from_zip_file

    try:
        data, parameters, _ = load_from_zip_file(name, device="cpu")
        settings: dict[str, Any] = data or {}
        spaces = settings["observation_space"], settings["action_space"]
        network = settings["policy_class"](*spaces, lambda _: 0.0, **settings["policy_kwargs"])
        network.load_state_dict(parameters["policy"])
    except Exception as error:  # of unpickling, torch or the network's own class
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"no model of Stable-Baselines3 can be loaded from {name!r}: {why}") from error
    network.set_training_mode(False)
    return network


def _find_game(game: str | GameSpec | None, size: int, actions: int) -> GameSpec:
    """Returns the game that a network of given sizes plays, with recall if the network sees the order of play."""
    tried = [get_game(name) for name in (game_names() if game is None else [game])]
    for spec in (form for one in tried for form in ((one, one.recalling) if one.recall_parts else (one,))):
        if size in _observation_sizes(spec) and actions == spec.num_actions:
            return spec
    sees = f"sees {size} entries and chooses among {actions} actions"
    if game is None:
        raise ValueError(f"the model {sees}: name its game, as in SB3Policy('hearts', 'mppo.zip')")
    wanted = tried[0]
    shown = " or ".join(map(str, _observation_sizes(wanted)))
    raise ValueError(f"the model {sees}, but {wanted.name} shows {shown} and has {wanted.num_actions} actions")


def _observation_sizes(spec: GameSpec) -> list[int]:
    return [spec.observation_size, *(one.size for one in spec.encodings)]
