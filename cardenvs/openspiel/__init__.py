"""OpenSpiel, both ways: games here as OpenSpiel's games (`load`), its bots as policies here; needs the extra ``openspiel``.

Importing this package registers every game that ships, so that ``pyspiel.load_game("cardenvs_euchre")`` knows it.
"""

from typing import Any

from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.plugins import installed, require

if installed("pyspiel"):
    from cardenvs.openspiel.games import register_all

    register_all()

__all__ = ["load"]


def load(game: str | GameSpec, **options: Any) -> Any:
    """Returns a game as an OpenSpiel game, a ``pyspiel.Game``.

    Where the deals of a described game can be listed (one shuffle of six cards at most, nothing else drawn, a tree of
    100,000 positions at most), chance is explicit and the bounds of the returns are exact; such is Kuhn poker. In all other
    games chance is sampled. Returns are 0 until the episode is over (``RewardModel.TERMINAL``); in a game that pays step by
    step (`GameSpec.pays_gains`), such as Hanabi, ``state.rewards()`` is the payment of a player's latest action and
    ``state.returns()`` their sum (``RewardModel.REWARDS``).

    Args:
        game: name, path of a description, or spec. The game is registered with OpenSpiel as ``cardenvs_`` and its name, in
            which hyphens become underscores.
        options: rule options, by name; and ``reward``: a kind of reward that environments pay, such as ``"points"``, or
            ``"score"``, the plain points of a seat's side (by default the scores where deals are listed and scores always
            add up to 0, else the game's first kind); ``max_decisions``, the actions after which an episode is truncated,
            with the rewards of its deals so far (by default the game's own limit, or a hundred deals where an episode has
            several); ``seed``, from 0 to 2**31 - 1, from which sampled chance is drawn (by default it is unseeded).

    Raises:
        ValueError: an unknown game, option or value.
        MissingPackageError: OpenSpiel is not installed.
    """
    require("pyspiel", "openspiel", "OpenSpiel's games", package="open_spiel")
    import pyspiel

    from cardenvs.openspiel.games import check_params, register

    spec, options = form_of(get_game(game).plain, options)
    return pyspiel.load_game(register(spec), check_params(spec, options))
