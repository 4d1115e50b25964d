"""``search``: in Hanabi, moves that are better than those of a blueprint, where all other seats play the blueprint."""

from __future__ import annotations

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import Blueprint
from cardenvs.baselines.search.blueprint.belief import MOST_HANDS, Belief, Believer, new_memories, words_of
from cardenvs.baselines.search.blueprint.rounds import search_of
from cardenvs.checks import check_int, check_number, short
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.policy.registry import make, names_with

ANNOUNCED = "blueprint"
"""The attribute of a policy's class that has what a search plays."""


class BlueprintSearch(Policy):
    """``search``: looks in one seat for better moves than a blueprint's, where all other seats play the blueprint.

    The seat knows exactly which hands it can hold if the others have moved as the blueprint does. It draws hands and decks,
    tries all legal moves in the same ones and plays on with the blueprint in all seats. Moves that are worse than the best
    one by more than chance explains are dropped, until one is left or all play-outs are made. The move of the best mean
    score is chosen, where that of the blueprint's move is raised by a threshold. In all other seats the policy plays the
    blueprint: two seats that search would misread each other's moves. A move that no hand explains tells nothing.

    Source: single-agent search (SPARTA) of A. Lerer, H. Hu, J. Foerster and N. Brown, "Improving Policies via Search in
    Cooperative Partially Observable Games" (2020).

    Args:
        blueprint: the policy that the others play, one without choices at random whose class announces its kernels.
        rollouts: how many play-outs a decision has at most, for all moves together.
        threshold: by how many points a move must be better than the blueprint's.
        seat: the seat that searches, counted from the one that begins; None for the last one.

    Raises:
        ValueError: a wrong parameter; a game other than Hanabi, or with too many hands for a belief.
    """

    games = ("hanabi",)
    slow = True

    def __init__(
        self,
        game: str | GameSpec,
        blueprint: str | Policy = "smartbot",
        rollouts: int = 10_000,
        threshold: float = 0.05,
        seat: int | None = None,
    ) -> None:
        super().__init__(get_game(game).recalling)
        self.start = self.game.deal(0)
        """A deal, whose parameters are those of the game."""
        form = self.start[0]
        if int(form["colours"] * form["ranks"]) ** int(form["hand_size"]) > MOST_HANDS:
            raise ValueError(f"{self.name} needs a table of all hands, and {self.game.name} has too many")
        self.rollouts = check_int("rollouts", rollouts, 1)
        self.threshold = check_number("threshold", threshold)
        self.seat = self.game.seats - 1 if seat is None else check_int("seat", seat, 0, self.game.seats - 1)
        self._player = make(self.game, blueprint)
        announced: Blueprint | None = getattr(type(self._player), ANNOUNCED, None)
        if announced is None:
            can = ", ".join(names_with(self.game, ANNOUNCED))
            raise ValueError(f"blueprint must be a policy whose moves a search can foretell, not {short(blueprint)}: {can}")
        self._blueprint = announced
        self._believer = Believer(announced)

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The blueprint's moves, and better ones in the seat that searches, as `Policy.choose` returns them."""
        chosen = self._player.choose(observations, action_masks, streams)
        for row in np.flatnonzero(action_masks.sum(1) > 1).tolist():
            views = self._view(observations, row)
            if -int(views[0]["first"]) % self.game.seats == self.seat:
                chosen[row] = self._search(views, action_masks[row], int(chosen[row]), streams, row)
        return chosen

    def belief(self, observation: Bytes) -> Belief:
        """All hands that the seat to act can have.

        Args:
            observation: int8 (observation_size,), of the seat to act.

        Raises:
            ValueError: another shape or type, or what no seat to act can see.
        """
        views = self.game.decode(np.asarray(observation)[None])
        return self._believer.believe(self.game.check_state(views, "observation", whole=False))

    def _view(self, observations: Bytes, row: int) -> Games:
        """The view behind a row."""
        views = self.start.copy()
        self.game.kernels.decode(observations, row, views, 0)
        return views

    def _search(self, views: Games, mask: Bytes, usual: int, streams: Streams, s: int) -> int:
        """The best move in a view, where the blueprint's is ``usual``."""
        belief = self._believer.believe(views)
        scratch = new_memories(self._blueprint, self.game.seats)
        actions = len(mask)
        games = self.game.new_games(2)
        return search_of(self._blueprint)(
            views, belief.hands, belief.kinds, belief.totals, belief.memories, belief.own, belief.left, self.rollouts,
            usual, self.threshold, streams, s, games, scratch, words_of(scratch, self.game.seats), mask.astype(np.int64),
            np.zeros(actions), np.zeros((actions, actions)), np.zeros(actions, np.int64),
        )  # fmt: skip
