"""``search``: moves that are better than those of a blueprint, where all other seats play the blueprint."""

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import Blueprint, HanabiAgent
from cardenvs.baselines.search.blueprint.belief import Belief
from cardenvs.baselines.search.blueprint.replayed import ReplayedSearch
from cardenvs.baselines.search.blueprint.table import TableSearch, without_table
from cardenvs.checks import MOST_DRAWN, check_int, check_number, short
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy, wanted_columns
from cardenvs.policy.registry import make, names_with

ANNOUNCED = "blueprint"  # attribute of a policy's class with kernels for a search with a table of all hands
FORETOLD = "can_be_foretold"  # attribute of the policies that any search can replay


class BlueprintSearch(Policy):
    """``search``: looks in one seat for better moves than a blueprint's, where all other seats play the blueprint.

    The seat takes all others, partners and opponents, to play the blueprint, and believes in the worlds in which that does
    what they did. It tries all legal moves in the same ones and plays on with the blueprint in all seats. Moves that are
    worse than the best one by more than chance explains are dropped, until one is left or all play-outs are made. The move
    of the best mean is chosen, where that of the blueprint's move is raised by a threshold. In all other seats the policy
    plays the blueprint: two seats that search would misread each other's moves.

    Worlds are drawn uniformly from all that fit what the seat knows and recalls, and replayed: those are kept in which each
    other seat would have acted, by what it saw there, as it did. Where too few of all candidates hold, those of the fewest
    acts that do not fit are kept. A blueprint whose class announces its kernels (in Hanabi) has an exact table of the own
    hand instead, and there a move that no hand explains tells nothing.

    Source: single-agent search (SPARTA) of A. Lerer, H. Hu, J. Foerster and N. Brown, "Improving Policies via Search in
    Cooperative Partially Observable Games" (2020); games with opponents and beliefs by drawn worlds are our own addition.

    Args:
        blueprint: the policy of the other seats; its choices must be predictable (`Policy.can_be_foretold`).
        rollouts: maximum number of play-outs of a decision, for all moves together.
        threshold: points by which a move must be better than the blueprint's.
        seat: the seat that searches, counted from the one that begins; None for the last one.
        candidates: maximum number of worlds that are drawn and replayed for a decision, if there is no table.

    Raises:
        ValueError: a wrong parameter; a game whose past cannot be replayed, or with too many hands for a table.
    """

    needs_worlds = True
    by_default = False
    slow = True

    def __init__(
        self,
        game: str | GameSpec,
        blueprint: str | Policy | None = None,
        rollouts: int = 10_000,
        threshold: float = 0.05,
        seat: int | None = None,
        candidates: int = 10_000,
    ) -> None:
        super().__init__(get_game(game).recalling)
        rollouts, threshold = check_int("rollouts", rollouts, 1), check_number("threshold", threshold)
        candidates = check_int("candidates", candidates, 1, MOST_DRAWN)
        self.seat = self.game.seats - 1 if seat is None else check_int("seat", seat, 0, self.game.seats - 1)
        player = None if blueprint is None else make(self.game.plain, blueprint)
        announced: Blueprint | None = getattr(type(player), ANNOUNCED, None)
        if player is None or (announced is None and not player.can_be_foretold):
            can = ", ".join([*names_with(self.game, FORETOLD), "or the path of a trained policy"])
            raise ValueError(f"blueprint must be a policy whose moves a search can foretell, not {short(blueprint)}: {can}")
        self._player = player
        self._way: TableSearch | ReplayedSearch = (
            ReplayedSearch(self.game, player, rollouts, threshold, candidates)
            if announced is None
            else TableSearch(self.game, announced, rollouts, threshold)
        )

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        chosen = self._player.choose(wanted_columns(self._player, observations), action_masks, streams)
        for row in np.flatnonzero(action_masks.sum(1) > 1).tolist():
            beginner = self._way.first_seat(observations, row, streams)
            if beginner is not None and -beginner % self.game.seats == self.seat:
                chosen[row] = self._way.best_move(observations, row, action_masks[row], int(chosen[row]), streams)
        return chosen

    def belief(self, observation: Bytes) -> Belief:
        """All hands that the seat to act can have by its observation, on a blueprint that announces its kernels.

        Raises:
            ValueError: another shape or type, or what no seat to act can see; another blueprint.
        """
        return self._way.belief(np.asarray(observation)[None])


class HanabiSearch(BlueprintSearch):
    """``search``: looks in one seat for better moves than a blueprint's, where all other seats play the blueprint.

    `BlueprintSearch` says how.

    Source: single-agent search (SPARTA) of A. Lerer, H. Hu, J. Foerster and N. Brown, "Improving Policies via Search in
    Cooperative Partially Observable Games" (2020).

    Args:
        blueprint: the policy of the other seats; its choices must be predictable (`Policy.can_be_foretold`).
        rollouts: maximum number of play-outs of a decision, for all moves together.
        threshold: points by which a move must be better than the blueprint's.
        seat: the seat that searches, counted from the one that begins; None for the last one.
        candidates: maximum number of worlds that are drawn and replayed for a decision, if there is no table.

    Raises:
        ValueError: a wrong parameter; a game with too many hands for a table.
    """

    games = ("hanabi",)
    by_default = True

    def __init__(
        self,
        game: str | GameSpec,
        blueprint: str | Policy = "smartbot",
        rollouts: int = 10_000,
        threshold: float = 0.05,
        seat: int | None = None,
        candidates: int = 10_000,
    ) -> None:
        super().__init__(game, blueprint, rollouts, threshold, seat, candidates)

    @classmethod
    def unfit(cls, game: GameSpec) -> str:
        """The game is unfit for the search itself or for its blueprints."""
        return super().unfit(game) or HanabiAgent.unfit(game) or without_table(game)
