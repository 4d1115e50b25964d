"""Reviews of finished games, move by move: the cost of each move, by its player's knowledge.

Every decision is searched again from the mover's view by a *reviewer*: ``pimc`` in Euchre and Whist, ``rollout`` in Five-O,
``monte-carlo`` in other games, with far more worlds (re-deals of the hidden cards) than these policies play with. A move's
*cost* is its mean loss against the best one, in points, tricks (Whist) or chance to win (Five-O). The
worlds are drawn in blocks, and the differences from block to block give the cost's standard error: a cost of less
than twice that may well be no mistake. A cost is never negative, so on average small costs are overrated: of several equal
moves the one that was lucky in the search counts as the best.

Beside the cost stands the double-dummy *truth*: each card's value with all hands open, which no player knew.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.match.side import game_for
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.review.replay import hand_of, moves_of, result_of
from cardenvs.baselines.review.result import DealReview, MoveReview
from cardenvs.baselines.review.texts import UNITS
from cardenvs.baselines.review.truth import open_values
from cardenvs.baselines.search.five_o.rollout import Rollout
from cardenvs.baselines.search.trick import dds
from cardenvs.checks import MOST_DRAWN, check_int
from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.record import Deal
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre
from cardenvs.policy.contract import Policy, ScoredPolicy, SeatMemory, ask, wanted_columns
from cardenvs.policy.explanation import Explanation
from cardenvs.randomness import hashed_streams

WORLDS = {"euchre": 1000, "whist": 400, "five-o": 3200}
"""Number of worlds for a decision, by game; the review of a deal takes a second or less."""
OTHER_WORLDS = 400  # worlds for a decision in other games
OTHER_REVIEWER = "monte-carlo"  # the reviewing policy in other games

_BLOCKS = {"five-o": 8}
_OTHER_BLOCKS = 20  # number of blocks of worlds for a decision, by game and in other games
_ROWS = 256  # observations handed to a policy at a time
_EXACT = 1e-9  # costs below this are rounding
_SEARCH = 0x4E1E  # mixed into the seed for the searches: asked policies draw from streams of their own


class Reviewer:
    """Reviews deals of one game, each by the seed and by the deal's number in its record.

    Args:
        policies: policies to ask what they would have done, by name, as a file or as objects.
        worlds: number of worlds for a decision, at least 1, rounded up to whole blocks; None: that of `WORLDS`, or
            `OTHER_WORLDS` in other games.

    Attributes:
        game: the game's spec.
        name: the name of the reviewing policy, with its parameters.
        worlds: number of worlds for a decision.

    Raises:
        ValueError: unknown game or policy, fewer than one world.
    """

    def __init__(
        self, game: str | GameSpec, policies: Sequence[str | Policy] = (), worlds: int | None = None, seed: int = 0
    ) -> None:
        self.game = spec = get_game(game).plain
        wanted = WORLDS.get(spec.name, OTHER_WORLDS) if worlds is None else check_int("worlds", worlds, 1, MOST_DRAWN)
        worlds_of_a_block = -(-wanted // _BLOCKS.get(spec.name, _OTHER_BLOCKS))
        self._blocks = -(-wanted // worlds_of_a_block)
        self.worlds = worlds_of_a_block * self._blocks
        self.seed = seed
        self.name = _search_name(spec, self.worlds)
        self._block: Any = policy.make(spec, _search_name(spec, worlds_of_a_block))
        self._whole: Any = policy.make(spec, self.name) if spec.bids_trump else None
        self._asked = {player.name: player for player in (policy.make(spec, who) for who in policies)}
        self._asked.pop(self.name, None)

    @property
    def unit(self) -> str:
        """The unit of costs: points, tricks or chance to win."""
        return UNITS.get(self.game.name, "points")

    @property
    def policies(self) -> list[str]:
        """Names of all asked policies, the reviewer first."""
        return [self.name, *self._asked]

    def review(
        self, deal: Deal, number: int = 1, *, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> Row:
        """Reviews one deal; returns a `DealReview`.

        Args:
            deal: a deal of a record; of an unfinished one the moves so far are reviewed.
            number: number of the deal in the record, from 1.
            progress: called before each search with the numbers of decisions searched and of all; an error
                that it raises ends the review.

        Raises:
            ValueError: a deal of another game.
        """
        spec = self.game
        if deal.game.name != spec.name:
            raise ValueError(f"a deal of {deal.game.name} cannot be reviewed as one of {spec.name}")
        states, actions, end = moves_of(spec, deal.state)
        players = list(deal.players) or [f"player_{seat}" for seat in range(spec.seats)]
        n = len(actions)
        observed = game_for(spec, [self._block, *self._asked.values()])
        observations = np.zeros((n, observed.observation_size), np.int8)
        masks = np.zeros((n, spec.num_actions), np.int8)
        for k in range(n):
            observations[k] = observed.observation(states, int(states[k]["to_act"]), k)
            masks[k] = spec.mask(spec.legal(states, k))
        base = int(seed_streams(self.seed, 1, number)[0])
        searches = self._search_moves(observations, masks, actions, base, progress)
        asked = {
            name: self._ask_policy(player, observations, masks, states["to_act"], base + k)
            for k, (name, player) in enumerate(self._asked.items())
        }
        moves = []
        for k, (action, values) in enumerate(zip(actions, open_values(spec, states), strict=True)):
            seat, legal = int(states[k]["to_act"]), np.flatnonzero(masks[k])
            means, best, error, worlds = searches.get(k, (None, action, None, 0))
            scores: dict[str, float] = {}
            if means is not None:
                scores = {spec.actions[a]: float(means[a]) for a in sorted(legal, key=lambda a: -means[a])}
            chosen = {name: spec.actions[int(answers[k])] for name, (answers, _) in asked.items()}
            moves.append(MoveReview(
                move=k + 1, seat=seat, player=players[seat], action=spec.actions[action],
                legal=[spec.actions[a] for a in legal], hand=hand_of(spec, states, k, seat),
                drawing=spec.drawing(states[k], seat), forced=len(legal) == 1, best=spec.actions[best],
                cost=0.0 if best == action else float(means[best] - means[action]), error=error, worlds=worlds,
                scores=scores, policies={self.name: spec.actions[best]} | chosen,
                explained={name: explained[k] for name, (_, explained) in asked.items() if k in explained},
                truth=None if values is None else {spec.actions[a]: value for a, value in values.items()},
            ))  # fmt: skip
        truth_from = next((move.move for move in moves if move.truth is not None), None)
        result = result_of(spec, end)
        remarks = _review_remarks(spec, moves, truth_from, result)
        return DealReview(number, spec.text(end[0]), players, moves, result, truth_from, remarks)

    def _search_moves(
        self, observations: Bytes, masks: Bytes, actions: Sequence[int], base: int, progress: Callable[[int, int], None]
    ) -> dict[int, tuple[Any, int, float | None, int]]:
        """Searches the moves with a choice; returns, by their numbers from 0, the mean scores of all actions, the best
        action (the one taken if none is better), the standard error of the difference, the number of worlds."""
        free, blocks = np.flatnonzero(masks.sum(1) > 1).tolist(), self._blocks
        # A move's streams go by its number in the deal, so that they do not depend on how many other moves were free.
        streams = seed_streams(base ^ _SEARCH, len(observations) * blocks).reshape(-1, blocks)
        found = {}
        for done, k in enumerate(free):
            progress(done, len(free))
            row, mask = observations[k : k + 1], masks[k : k + 1]
            same, legal = np.repeat(wanted_columns(self._block, row), blocks, 0), np.repeat(mask, blocks, 0)
            parts, chosen = self._block.evaluate(same, legal, streams[k].copy(), True)
            means = parts.mean(0)
            if self._whole is not None and self._is_own_order(observations[k]):
                # It counts with the dealer's discard that is best over all worlds: over one block it is overrated.
                means = self._whole.evaluate(wanted_columns(self._whole, row), mask, streams[k, :1].copy(), True)[0][0]
            equals, votes = np.flatnonzero(np.nanmax(means) - means <= _EXACT), np.bincount(chosen, minlength=mask.size)
            best = actions[k] if actions[k] in equals else int(equals[votes[equals].argmax()])
            error, worlds = None, self._count_worlds(observations[k])
            if best != actions[k] and worlds and blocks > 1:
                # The actions meet the same worlds, so their difference is taken block by block.
                error = float((parts[:, best] - parts[:, actions[k]]).std(ddof=1) / np.sqrt(blocks))
            found[k] = means, best, error, worlds
        return found

    def _is_own_order(self, observation: Bytes) -> bool:
        """Whether the dealer may order up, in Euchre."""
        slices = self.game.slices
        return bool(observation[slices["phase"]][euchre.ORDERING] == 1 and observation[slices["dealer"]][0] == 1)

    def _count_worlds(self, observation: Bytes) -> int:
        """The number of worlds behind a decision's scores: in Five-O none before the search's first row."""
        if isinstance(self._block, Rollout):
            row = 2 + int(observation[self.game.slices["row"]].argmax())
            return self.worlds if row >= self._block.row else 0
        return self.worlds

    def _ask_policy(
        self, player: Policy, observations: Bytes, masks: Bytes, seats: npt.NDArray[np.int64], seed: int
    ) -> tuple[npt.NDArray[np.int64], dict[int, Explanation]]:
        """Asks a policy for its actions and explanations in place of the moves."""
        streams = hashed_streams(seed, "review", len(observations))
        memory, numbers = SeatMemory(len(observations)), np.arange(len(observations))
        memory.games[:] = 0
        owns = memory.split(player, numbers, seats) if player.remembers else [(player, numbers)]
        own = {int(k): copy for copy, some in owns for k in some}
        rows, spec = wanted_columns(player, observations), self.game
        explained: dict[int, Explanation] = {}
        if type(player).explain is not Policy.explain:
            for k in np.flatnonzero(masks.sum(1) > 1).tolist():
                seen = {"observation": rows[k], "action_mask": masks[k]}
                explanation = policy.explained(own[k], seen, streams[k : k + 1].copy())
                if explanation.kind != "choice":
                    explained[k] = explanation
        actions = np.zeros(len(observations), np.int64)
        # A policy that scores chooses what it explains: to ask again would be to search again.
        known = list(explained) if isinstance(player, ScoredPolicy) else []
        actions[known] = [spec.actions.index(explained[k][0][0]) for k in known]
        left, by_seat = np.setdiff1d(numbers, known), np.tile(streams[:, None], spec.seats)
        for start in range(0, len(left), _ROWS):
            some = left[start : start + _ROWS]
            actions[some] = ask(player, rows, masks, by_seat, some, seats[some], memory=memory)
        memory.forget()
        return actions, explained


def _search_name(spec: GameSpec, worlds: int) -> str:
    if spec.column_game is not None:
        return f"rollout:worlds={worlds}"
    if spec.trick_game is None:
        return f"{OTHER_REVIEWER}:worlds={worlds}"
    return f"pimc:worlds={worlds}" + ("" if spec.bids_trump else ",goal=tricks")


def _review_remarks(spec: GameSpec, moves: list[Row], truth_from: int | None, result: dict[str, Any] | None) -> list[str]:
    remarks = []
    if result is None:
        remarks.append(f"The deal is not over: reviewed are its {len(moves)} moves so far.")
    if spec.trick_game is not None and not spec.bids_trump and truth_from != 1 and moves:
        known = "for none of these moves" if truth_from is None else f"from trick {(truth_from - 1) // 4 + 1} on"
        remarks.append(f"What cards were worth with all hands open is known {known}; for all, {dds.INSTALLING}")
    return remarks
