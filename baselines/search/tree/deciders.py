"""Deciders for the play-outs of searches that know the contract alone: the next action of a deal, in compiled code.

Every game has a random decider. A game's compiled hand-coded agents are deciders, too; any other policy plays out
through batches (`cardenvs.worlds.play_on`).
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from cardenvs.baselines.heuristics.calling import CALLERS
from cardenvs.baselines.heuristics.trick_taking import ThresholdPolicy, TrickTakingPolicy
from cardenvs.baselines.search.trick.playout import PLAYOUTS, THRESHOLD, playout_action
from cardenvs.checks import check_choice
from cardenvs.compiled.bits import Streams
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy

RANDOM = "random"  # the name of the decider that every game has
AUTO = "auto"  # the best decider of a game for play-outs: ``coop-high-low`` where it plays, else `RANDOM`
_BEST = "coop-high-low"


class Decider(NamedTuple):
    """A compiled policy for play-outs.

    ``pick(games, j, agent, calling, streams, s)`` returns a legal action in game ``j``, which is not over; ``agent`` is the
    number of the agent, ``calling`` that of the caller, who bids and discards in Euchre.
    """

    style: str  # part of the name of kernels that are compiled for ``pick``, beside the game's name
    pick: Callable[..., Any]
    agent: int
    calling: int


@functools.cache
def random_decider(kernels: Kernels) -> Decider:
    random_action = kernels.random_action

    @kernels.loop("deciders.random")
    def pick(games: Any, j: int, agent: int, calling: int, streams: Streams, s: int) -> int:
        return random_action(games, j, streams, s)

    return Decider(RANDOM, pick, 0, 0)


def decider_of(player: Policy) -> Decider | None:
    """The compiled decider that plays as a policy does; None if there is none."""
    if isinstance(player, TrickTakingPolicy) and type(player).choose is TrickTakingPolicy.choose:
        if player.threshold == THRESHOLD or not isinstance(player, ThresholdPolicy):
            return Decider("agents", playout_action(player.game), player.agent, player.caller)
    return None


def compiled_decider(spec: GameSpec, name: str, calling: str) -> Decider | None:
    """The compiled decider of a name of `AUTO`, `RANDOM` and `PLAYOUTS`, or None; ValueError for another ``calling``."""
    check_choice("calling", calling, CALLERS)
    if not isinstance(name, str):
        return None
    compiled = spec.trick_game is not None
    if name == AUTO:
        name = _BEST if compiled else RANDOM
    if name == RANDOM:
        return random_decider(spec.kernels)
    if not compiled or name not in PLAYOUTS:
        return None
    return Decider("agents", playout_action(spec), PLAYOUTS[name], CALLERS[calling])
