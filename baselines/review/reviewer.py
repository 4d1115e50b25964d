"""Reviews of finished games, move by move: what each move cost, by what its player could know.

Every decision is searched again from the mover's view by a *reviewer*: ``pimc`` in Euchre and Whist, ``rollout`` in Five-O,
with far more worlds than they play with. A move's *cost* is how much less it is worth on average than the best one, in
points (Euchre), tricks (Whist) or chance to win (Five-O). The worlds are drawn in blocks, and what differs from block to
block gives the cost's standard error: what costs less than twice that may well be no mistake. A cost is never negative,
so on average small ones are overrated: of several equals the one that was lucky in the search counts as the best.

Beside it stands the double-dummy *truth*: what each card was worth with all hands open, which nobody at the table knew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.search import dds, double_dummy
from cardenvs.baselines.search.policy import SearchPolicy, check_worlds
from cardenvs.cards import EUCHRE_DECK, FULL_DECK, members_of, seed_streams
from cardenvs.drivers import EPISODE_OVER, RUNNING
from cardenvs.games import euchre
from cardenvs.poker import hand_name, hand_value
from cardenvs.policy import Policy
from cardenvs.record import Deal
from cardenvs.spec import Games, GameSpec, get_game

WORLDS = {"euchre": 1000, "whist": 400, "five-o": 3200}
"""Worlds of a decision by game: a second or less for a deal."""
UNITS = {"euchre": "points", "whist": "tricks", "five-o": "chance to win"}
"""What costs are counted in, by game."""
EXPENSIVE = 3
"""How many moves of each seat are pointed out."""

_BLOCKS = {"euchre": 20, "whist": 20, "five-o": 8}
_ROWS = 256
"""Rows handed to a policy at a time."""
_EXACT = 1e-9
"""Costs below it are rounding."""
_SEARCH, _OTHERS = 0x4E1E, 0xA5CE
"""Mixed into the seed: the searches and the policies that are asked draw from streams of their own."""


@dataclass(frozen=True)
class MoveReview:
    """A move.

    Attributes:
        move: its number in the deal, from 1.
        seat: who moved.
        player: the seat's player; ``player_0`` and so on where the record names none.
        action: what it did.
        legal: what it could do.
        hand: its cards (in Five-O the one to be placed), and
        table: all it knew, as text.
        forced: whether there was no choice; then nothing is searched, and it cost nothing.
        best: the best action by the reviewer; the move itself if none is better.
        cost: how much less it is worth on average than the best, never negative.
        error: the standard error of that; None where none was better, the scores are no means over worlds, or there is one
            block of them only.
        worlds: how many worlds the scores are means of; 0 if none.
        scores: what the reviewer makes of each action, the highest first; empty if forced.
        policies: what each policy would have done, by its name, the reviewer first.
        truth: what each action was worth with all hands open, in the same unit; None where that is not known.
    """

    move: int
    seat: int
    player: str
    action: str
    legal: list[str]
    hand: list[str]
    table: str
    forced: bool
    best: str
    cost: float
    error: float | None
    worlds: int
    scores: dict[str, float]
    policies: dict[str, str]
    truth: dict[str, float] | None

    @property
    def lost(self) -> float | None:
        """How much less it was worth than the best with all hands open; None where that is not known."""
        return None if self.truth is None else max(self.truth.values()) - self.truth[self.action]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = (
            "move", "seat", "player", "action", "legal", "hand", "table", "forced", "best", "cost", "error", "worlds",
            "scores", "policies", "truth", "lost",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class DealReview:
    """A deal.

    Attributes:
        number: its number in the record, from 1.
        line: the deal as text.
        players: at the seats.
        moves: in order.
        result: ``points`` and ``tricks`` of the two sides (in Five-O columns won), ``winner`` of the deal (a side or
            None) and ``text``; in Five-O also ``columns``, the hands that were compared. None if the deal is not over.
        truth_from: the number of the first move whose truth is known, None if it is of none.
        remarks: for people.
    """

    number: int
    line: str
    players: list[str]
    moves: list[MoveReview]
    result: dict[str, Any] | None
    truth_from: int | None
    remarks: list[str]

    @property
    def expensive(self) -> dict[int, list[MoveReview]]:
        """The moves of each seat that cost most, at most `EXPENSIVE`, the dearest first; none that cost nothing."""
        found = {}
        for seat in range(len(self.players)):
            own = [move for move in self.moves if move.seat == seat and move.cost > 0]
            found[seat] = sorted(own, key=lambda move: -move.cost)[:EXPENSIVE]
        return found

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "number": self.number,
            "line": self.line,
            "players": self.players,
            "moves": [move.as_dict() for move in self.moves],
            "result": self.result,
            "expensive": {str(seat): [move.move for move in moves] for seat, moves in self.expensive.items()},
            "truth_from": self.truth_from,
            "remarks": self.remarks,
        }


@dataclass(frozen=True)
class Review:
    """A record.

    Attributes:
        game: name.
        reviewer: the policy whose scores count.
        policies: all that were asked, the reviewer first.
        unit: of costs.
        worlds: of a decision.
        seed: of the review.
        deals: in order.
    """

    game: str
    reviewer: str
    policies: list[str]
    unit: str
    worlds: int
    seed: int
    deals: list[DealReview]

    @property
    def totals(self) -> dict[str, dict[str, Any]]:
        """Figures by player.

        ``hands``: how often it sat at a table; ``moves``; ``decisions``: those that were not forced; ``cost``: of them all;
        ``cost_per_hand``; ``lost``: with all hands open, where that is known; ``as_reviewer``: share of its decisions that
        cost nothing.
        """
        found: dict[str, dict[str, Any]] = {}
        for deal in self.deals:
            for player in deal.players:
                figures = found.setdefault(
                    player, {"hands": 0, "moves": 0, "decisions": 0, "cost": 0.0, "lost": 0.0, "without_cost": 0}
                )
                figures["hands"] += 1
            for move in deal.moves:
                figures = found[move.player]
                figures["moves"] += 1
                figures["decisions"] += not move.forced
                figures["cost"] += move.cost
                figures["lost"] += move.lost or 0.0
                figures["without_cost"] += not move.forced and move.cost == 0
        for figures in found.values():
            figures["cost_per_hand"] = figures["cost"] / figures["hands"]
            right, decisions = figures.pop("without_cost"), figures["decisions"]
            figures["as_reviewer"] = right / decisions if decisions else None
        return found

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "game": self.game,
            "reviewer": self.reviewer,
            "policies": self.policies,
            "unit": self.unit,
            "worlds": self.worlds,
            "seed": self.seed,
            "deals": [deal.as_dict() for deal in self.deals],
            "totals": self.totals,
        }


class Reviewer:
    """Reviews deals of one game.

    Args:
        game: name or spec.
        policies: others that are asked what they would have done, by name, file or as objects.
        worlds: how many worlds a decision takes, at least 1, rounded up to whole blocks; None takes those of `WORLDS`.
        seed: int >= 0. A deal's review depends on it and on the deal's number in its record, on nothing else.

    Raises:
        ValueError: unknown game or policy, fewer than one world.
    """

    def __init__(
        self,
        game: str | GameSpec,
        policies: Sequence[str | Policy] = (),
        worlds: int | None = None,
        seed: int = 0,
    ) -> None:
        self.game = spec = get_game(game)
        if spec.name not in WORLDS:
            raise ValueError(f"no reviewer for {spec.name}: the games are {', '.join(WORLDS)}")
        wanted = WORLDS[spec.name] if worlds is None else check_worlds(worlds)
        self._each = -(-wanted // _BLOCKS[spec.name])
        self._blocks = -(-wanted // self._each)
        self.worlds = self._each * self._blocks
        self.seed = seed
        self._block = self._search(self._each)
        self._whole = self._search(self.worlds) if spec.name == "euchre" else None
        self.name = _search_name(spec, self.worlds)
        self._others: dict[str, Policy] = {}
        for who in policies:
            player = policy.make(spec, who)
            self._others[player.name] = player
        self._others.pop(self.name, None)

    @property
    def unit(self) -> str:
        """What costs are counted in."""
        return UNITS[self.game.name]

    @property
    def policies(self) -> list[str]:
        """All that are asked, the reviewer first."""
        return [self.name, *self._others]

    def _search(self, worlds: int) -> SearchPolicy:
        made = policy.make(self.game, _search_name(self.game, worlds))
        if not isinstance(made, SearchPolicy):
            raise ValueError(f"the policy {made.name!r} has no scores to review by")
        return made

    def review(self, deal: Deal, number: int = 1) -> DealReview:
        """Reviews one deal.

        Args:
            deal: of a record; one that is not over is reviewed as far as it goes.
            number: its number in the record, from 1.

        Raises:
            ValueError: a deal of another game.
        """
        spec = self.game
        if deal.game.name != spec.name:
            raise ValueError(f"a deal of {deal.game.name} cannot be reviewed as one of {spec.name}")
        states, actions, end = moves_of(spec, deal.state)
        players = list(deal.players) or [f"player_{seat}" for seat in range(spec.seats)]
        n = len(actions)
        observations = np.zeros((n, spec.observation_size), np.int8)
        masks = np.zeros((n, spec.num_actions), np.int8)
        for k in range(n):
            observations[k] = spec.observation(states, int(states[k]["to_act"]), k)
            legal = int(spec.kernels.legal(states, k))
            masks[k] = [legal >> a & 1 for a in range(spec.num_actions)]
        base = int(seed_streams(self.seed, 1, number)[0])
        free = np.flatnonzero(masks.sum(1) > 1)
        scores, errors, votes = self._scores(observations, masks, free, base)
        answers = {
            name: self._answers(player, observations, masks, base + k)
            for k, (name, player) in enumerate(self._others.items())
        }
        truth = open_values(spec, states)
        place = {int(row): k for k, row in enumerate(free)}
        moves = []
        for k in range(n):
            seat, action = int(states[k]["to_act"]), actions[k]
            legal_actions = np.flatnonzero(masks[k])
            best, cost, error, worlds = action, 0.0, None, 0
            shown: dict[str, float] = {}
            if k in place:
                row = place[k]
                mean = scores[row]
                top = np.nanmax(mean)
                if top - mean[action] > _EXACT:
                    equals = [a for a in legal_actions if top - mean[a] <= _EXACT]
                    best = int(max(equals, key=lambda a: (votes[row, a], -a)))
                    cost = float(mean[best] - mean[action])
                worlds = self._worlds_of(observations[k])
                if cost and worlds and self._blocks > 1:
                    error = errors(row, best, action)
                shown = {spec.actions[a]: float(mean[a]) for a in sorted(legal_actions, key=lambda a: -mean[a])}
            known = truth[k]
            moves.append(
                MoveReview(
                    move=k + 1,
                    seat=seat,
                    player=players[seat],
                    action=spec.actions[action],
                    legal=[spec.actions[a] for a in legal_actions],
                    hand=_hand(spec, states, k, seat),
                    table=spec.drawing(states[k], seat),
                    forced=len(legal_actions) == 1,
                    best=spec.actions[best],
                    cost=cost,
                    error=error,
                    worlds=worlds,
                    scores=shown,
                    policies={self.name: spec.actions[best]}
                    | {name: spec.actions[int(chosen[k])] for name, chosen in answers.items()},
                    truth=None if known is None else {spec.actions[a]: value for a, value in known.items()},
                )
            )
        truth_from = next((move.move for move in moves if move.truth is not None), None)
        result = result_of(spec, end)
        remarks = _remarks(spec, moves, truth_from, result)
        return DealReview(number, spec.text(end[0]), players, moves, result, truth_from, remarks)

    def _scores(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8], rows: npt.NDArray[np.int64], base: int
    ) -> tuple[npt.NDArray[np.float64], Callable[[int, int, int], float], npt.NDArray[np.int64]]:
        """Searches some of the moves.

        Returns:
            Mean scores, float64 (rows, actions); the standard error of a difference of two, by row and actions; how many
            blocks chose each action, int64 (rows, actions).
        """
        blocks = self._blocks
        # By the move's number: what other seats had to choose from must not change it.
        streams = seed_streams(base ^ _SEARCH, len(observations) * blocks).reshape(-1, blocks)[rows]
        observations, masks = observations[rows], masks[rows]
        parts = np.zeros((len(rows), blocks, masks.shape[1]))
        votes = np.zeros((len(rows), masks.shape[1]), np.int64)
        for k in range(len(rows)):
            same, legal = np.repeat(observations[k : k + 1], blocks, 0), np.repeat(masks[k : k + 1], blocks, 0)
            parts[k], chosen = self._block.evaluate(same, legal, streams[k].copy(), True)
            np.add.at(votes[k], chosen, 1)
        means = parts.mean(1)
        if self._whole is not None:
            # A dealer that orders up counts with the discard that is best over all worlds: over few, that flatters it.
            ordering = observations[:, self.game.slices["phase"]][:, euchre.ORDERING] == 1
            own = np.flatnonzero(ordering & (observations[:, self.game.slices["dealer"]][:, 0] == 1))
            if len(own):
                means[own] = self._whole.evaluate(observations[own], masks[own], streams[own, 0].copy(), True)[0]

        def error(row: int, best: int, action: int) -> float:
            # The actions meet the same worlds, so their difference is taken block by block.
            differences = parts[row, :, best] - parts[row, :, action]
            return float(differences.std(ddof=1) / np.sqrt(blocks))

        return means, error, votes

    def _worlds_of(self, observation: npt.NDArray[np.int8]) -> int:
        """How many worlds the scores of a decision are means of."""
        if self.game.name == "five-o":
            # Before that row `rollout` appraises without drawing any.
            row = 2 + int(observation[self.game.slices["row"]].argmax())
            return self.worlds if row >= getattr(self._block, "row", 2) else 0
        return self.worlds

    def _answers(
        self, player: Policy, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8], seed: int
    ) -> npt.NDArray[np.int64]:
        streams = seed_streams(seed ^ _OTHERS, len(observations))
        parts = [np.zeros(0, np.int64)]
        for start in range(0, len(observations), _ROWS):
            rows = slice(start, start + _ROWS)
            parts.append(np.asarray(player.act(observations[rows], masks[rows], streams[rows])))
        return np.concatenate(parts)


def _search_name(spec: GameSpec, worlds: int) -> str:
    if spec.name == "five-o":
        return f"rollout:worlds={worlds}"
    return f"pimc:worlds={worlds}" + (",goal=tricks" if spec.name == "whist" else "")


def moves_of(spec: GameSpec, state: Games) -> tuple[Games, list[int], Games]:
    """A deal played again: the states before each move, structured (n,); the moves; the state after them, (1,)."""
    end = spec.parse(spec.text(state[0], actions=False))
    names = spec.history(state[0])
    states = spec.new_games(len(names))
    actions = []
    for k, name in enumerate(names):
        states[k] = end[0]
        actions.append(spec.action(name))
        spec.kernels.step(end, 0, actions[-1])
    return states, actions, end


def _hand(spec: GameSpec, states: Games, k: int, seat: int) -> list[str]:
    """The cards that a seat holds, by its view."""
    views = spec.new_games(1)
    spec.kernels.view(states, k, seat, views, 0)
    deck = EUCHRE_DECK if spec.name == "euchre" else FULL_DECK
    return deck.format(int(views[0]["card"] if spec.name == "five-o" else views[0]["hands"][0]), " ").split()


# --- the truth -----------------------------------------------------------------------------------------------------


def open_values(spec: GameSpec, states: Games) -> list[dict[int, float] | None]:
    """What each legal action is worth to its side with all hands open and perfect play, in `UNITS`.

    Known in Euchre for discards and cards; in Whist from `double_dummy.MAX_CARDS` cards a hand on, with the extra ``dds``
    always; in Five-O never.

    Args:
        spec: the game.
        states: full states in which somebody is to act, structured (n,).

    Returns:
        For each state the values by action, or None.
    """
    found: list[dict[int, float] | None] = [None] * len(states)
    if spec.name == "euchre":
        playing = np.flatnonzero(np.asarray(states["phase"]) == euchre.PLAYING)
        for k, row in zip(playing, double_dummy.solve_cards(states[playing]) if len(playing) else (), strict=True):
            found[k] = _card_points(states[k : k + 1], row)
        for k in np.flatnonzero(np.asarray(states["phase"]) == euchre.DISCARDING):
            found[k] = _discard_points(spec, states[k : k + 1])
    elif spec.name == "whist":
        sizes = np.bitwise_count(np.asarray(states["hands"] | states["trick"])).astype(np.int64).max(1, initial=0)
        whole = dds.available()
        rows = np.flatnonzero(sizes <= (13 if whole else double_dummy.MAX_CARDS))
        if len(rows):
            tricks = (dds if whole else double_dummy).solve_cards(states[rows])
            for k, row in zip(rows, tricks, strict=True):
                found[k] = {int(card): float(row[card]) for card in np.flatnonzero(row >= 0)}
    return found


def _card_points(state: Games, tricks: npt.NDArray[np.int64]) -> dict[int, float]:
    """Points of the side to act less the other's after each card that then brings it so many tricks."""
    cards = np.flatnonzero(tricks >= 0)
    side = int(state[0]["to_act"]) & 1
    left = 5 - int(np.sum(state[0]["tricks"]))
    taken = np.zeros((len(cards), 2), np.int64)
    taken[:, side], taken[:, 1 - side] = tricks[cards], left - tricks[cards]
    points = double_dummy.deal_points(np.repeat(state, len(cards)), taken)
    return {int(card): float(row[side] - row[1 - side]) for card, row in zip(cards, points, strict=True)}


def _discard_points(spec: GameSpec, state: Games) -> dict[int, float]:
    side = int(state[0]["to_act"]) & 1
    cards = members_of(int(spec.kernels.legal(state, 0)))
    after = spec.new_games(len(cards))
    for k, card in enumerate(cards):
        after[k] = state[0]
        spec.kernels.step(after, k, card)
    points = double_dummy.deal_points(after, double_dummy.solve(after))
    return {card: float(row[side] - row[1 - side]) for card, row in zip(cards, points, strict=True)}


# --- what came of it -----------------------------------------------------------------------------------------------


def result_of(spec: GameSpec, end: Games) -> dict[str, Any] | None:
    """What a deal brought; None if it is not over. See `DealReview`."""
    if end[0]["over"] == RUNNING:
        return None
    points, tricks = np.zeros((1, 2), np.int64), np.zeros((1, spec.seats), np.int64)
    spec.kernels.outcome(end, 0, points, tricks)
    gained = points[0].tolist()
    taken = [int(tricks[0, side::2].sum()) for side in (0, 1)]
    winner = None if gained[0] == gained[1] else int(gained[1] > gained[0])
    result: dict[str, Any] = {"points": gained, "tricks": taken, "winner": winner}
    if spec.name == "five-o":
        result["columns"] = [_compared(end[0], column) for column in range(5)]
        who = "a draw" if winner is None else f"player_{winner} wins"
        result["text"] = f"{who}, columns {taken[0]} : {taken[1]}"
        return result
    sides = ("player_0 and player_2", "player_1 and player_3")
    if winner is None:
        result["text"] = "all passed, no points"
    else:
        plural = "" if gained[winner] == 1 else "s"
        result["text"] = (
            f"{sides[winner]} get {gained[winner]} point{plural} with {taken[winner]} tricks to {taken[1 - winner]}"
        )
    if end[0]["episode"]:
        score = [int(value) for value in end[0]["score"]]
        result["score"] = score
        over = ", which ends the game" if end[0]["over"] == EPISODE_OVER else ""
        result["text"] += f"; the score is {score[0]} : {score[1]}{over}"
    return result


def _compared(state: Any, column: int) -> dict[str, Any]:
    hands = [int(state["columns"][seat][column]) for seat in (0, 1)]
    values = [int(hand_value(hand)) for hand in hands]
    return {
        "cards": [FULL_DECK.format(hand, " ").split() for hand in hands],
        "hands": [hand_name(hand) for hand in hands],
        "winner": None if values[0] == values[1] else int(values[1] > values[0]),
    }


def _remarks(spec: GameSpec, moves: list[MoveReview], truth_from: int | None, result: dict[str, Any] | None) -> list[str]:
    remarks = []
    if result is None:
        remarks.append(f"The deal is not over: reviewed are its {len(moves)} moves so far.")
    if spec.name == "whist" and truth_from != 1 and moves:
        known = "for none of these moves" if truth_from is None else f"from trick {(truth_from - 1) // 4 + 1} on"
        remarks.append(f"What cards were worth with all hands open is known {known}; pip install cardenvs[dds] for all.")
    return remarks
