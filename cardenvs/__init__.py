"""Multi-agent reinforcement learning environments for Whist, Euchre, Five-O poker and Hanabi.

``from cardenvs import euchre_v0`` for PettingZoo, ``gymnasium.make("cardenvs/EuchreSeat-v0")`` for one seat,
`cardenvs.Batch` for speed, `cardenvs.policy.make` for opponents, `cardenvs.baselines` for matches, `cardenvs.train` for
training. What is listed in ``__all__`` here and in those two packages is public; it is imported when it is first asked for.
"""

import os as _os

import gymnasium as _gymnasium
import lazy_loader as _lazy
import pettingzoo as _pettingzoo

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)

__version__ = "0.1.0"


def _check_links() -> None:
    """Checks that ``baselines`` and ``train`` are there: links in a checkout, folders in an installation."""
    here = _os.path.dirname(__file__)
    for name in ("baselines", "train"):
        if not _os.path.isdir(_os.path.join(here, name)):
            raise ImportError(
                f"cardenvs/{name} is no link to the folder {name} beside it, as in a checkout without symbolic links "
                "(Windows): run `git config core.symlinks true` and `git checkout -- cardenvs`, with developer mode on, "
                "or install a wheel"
            )


def _register() -> None:
    """Registers the environments of every game, and of the argument ``game``, with PettingZoo and Gymnasium."""
    seat = {"entry_point": "cardenvs.envs.seat:SeatEnv", "vector_entry_point": "cardenvs.envs.vector:SeatVectorEnv"}
    _gymnasium.register(id="cardenvs/Seat-v0", **seat)
    _pettingzoo.register("aec", "cardenvs/game-v0", entry_point="cardenvs.recycle.environments:env")
    _pettingzoo.register("parallel", "cardenvs/game-v0", entry_point="cardenvs.recycle.environments:parallel_env")
    for game, module, title in (
        ("whist", "whist_v0", "Whist"),
        ("euchre", "euchre_v0", "Euchre"),
        ("five-o", "five_o_v0", "FiveO"),
        ("hanabi", "hanabi_v0", "Hanabi"),
    ):
        _pettingzoo.register("aec", f"cardenvs/{game}-v0", entry_point=f"cardenvs.{module}:env")
        _pettingzoo.register("parallel", f"cardenvs/{game}-v0", entry_point=f"cardenvs.{module}:parallel_env")
        _gymnasium.register(id=f"cardenvs/{title}Seat-v0", kwargs={"game": game}, **seat)


_check_links()
_register()
