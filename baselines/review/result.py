"""The results of a review: `MoveReview` for a move, `DealReview` for a deal, `Review` for a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from cardenvs.baselines.reports.document import Document
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.review import report
from cardenvs.policy.explanation import Explanation

EXPENSIVE = 3
"""Maximum number of moves of each seat that are pointed out as the most expensive."""


@dataclass(frozen=True, repr=False)
class MoveReview(Result):
    """The review of a move: its cost, and the values of the other legal actions.

    Attributes:
        move: number of the move in the deal, from 1.
        seat: the seat that moved.
        player: name of the player at that seat; ``player_0`` and so on if the record names none.
        action: name of the action taken.
        legal: names of the legal actions.
        hand: cards the seat held, by its own view; in Five-O the card to be placed.
        drawing: drawing in text of the position as the seat saw it; ``table`` in JSON.
        forced: whether there was one legal action only, which is not searched and costs nothing.
        best: the best action by the reviewer; the action taken if none is better.
        cost: mean loss of the action taken against the best one, in the review's unit, at least 0.
        error: standard error of the cost; None if no action was better, the scores are no means over worlds, or
            the worlds make one block only.
        worlds: number of worlds behind the mean scores; 0 if the reviewer drew none.
        scores: the reviewer's score of each legal action by its name, the highest first; empty if the move was forced.
        policies: the action that each policy would have taken, by the policy's name, the reviewer first.
        explained: the asked policies' explanations, by the policy's name, if they have numbers; empty if the move was
            forced.
        truth: value of each legal action with all hands open, by its name, in the review's unit; None if unknown.
    """

    move: int
    seat: int
    player: str
    action: str
    legal: list[str]
    hand: list[str]
    drawing: str
    forced: bool
    best: str
    cost: float
    error: float | None
    worlds: int
    scores: dict[str, float]
    policies: dict[str, str]
    explained: dict[str, Explanation]
    truth: dict[str, float] | None

    KEYS: ClassVar[Mapping[str, str]] = {"drawing": "table"}
    ALSO = ("lost",)

    @property
    def lost(self) -> float | None:
        """Loss of the action against the best one with all hands open; None if unknown."""
        return None if self.truth is None else max(self.truth.values()) - self.truth[self.action]

    def figures(self) -> dict[str, Any]:
        """Returns the move as plain values."""
        return super().figures() | {
            "explained": {name: _explanation_values(explained) for name, explained in self.explained.items()}
        }


def _explanation_values(explained: Explanation) -> dict[str, Any]:
    """Returns an explanation for JSON: errors and visits are None if unknown."""
    errors, visits = (values or (None,) * len(explained) for values in (explained.errors, explained.visits))
    rows = zip(explained, errors, visits, strict=True)
    return {
        "kind": explained.kind,
        "actions": [
            {"action": action, "number": number, "error": error, "visits": count} for (action, number), error, count in rows
        ],
    }


@dataclass(frozen=True, repr=False)
class DealReview(Result):
    """A deal, move by move.

    Attributes:
        number: number of the deal in its record, from 1.
        line: the deal as a line of text.
        players: names of the players, by seat.
        moves: reviews of the moves, in the order of play.
        result: the deal's result, as `cardenvs.baselines.review.replay.result_of` gives it; None if the deal is not over.
        truth_from: number of the first move with a known truth; None if there is none.
        remarks: sentences for people about the parts that could not be reviewed.
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
        """By seat, the moves with a cost, the most expensive first, at most `EXPENSIVE`."""
        by_seat = {}
        for seat in range(len(self.players)):
            own = [move for move in self.moves if move.seat == seat and move.cost > 0]
            by_seat[seat] = sorted(own, key=lambda move: -move.cost)[:EXPENSIVE]
        return by_seat

    @property
    def pointed_out(self) -> list[MoveReview]:
        """The moves of `expensive`, seat after seat."""
        return [move for moves in self.expensive.values() for move in moves]

    def figures(self) -> dict[str, Any]:
        """Returns the deal as plain values; expensive moves are listed by their numbers."""
        expensive = {str(seat): [move.move for move in moves] for seat, moves in self.expensive.items()}
        return super().figures() | {"expensive": expensive}


@dataclass(frozen=True, repr=False)
class Review(Result):
    """A record's deals, all reviewed by one reviewer.

    Attributes:
        game: name of the game.
        reviewer: name of the policy with the decisive scores.
        policies: names of all asked policies, the reviewer first.
        unit: unit of costs and values: points, tricks or chance to win.
        worlds: number of worlds that the reviewer draws for a decision.
        seed: seed of the review.
        deals: reviews of the deals, in the record's order.
    """

    game: str
    reviewer: str
    policies: list[str]
    unit: str
    worlds: int
    seed: int
    deals: list[DealReview]

    ALSO = ("totals",)

    @property
    def knows_truths(self) -> bool:
        """Whether the truth of any move is known."""
        return any(deal.truth_from is not None for deal in self.deals)

    @property
    def totals(self) -> dict[str, dict[str, Any]]:
        """Figures of each player over all deals, by the player's name.

        ``hands``: number of seats held; ``moves``: moves made; ``decisions``: moves that were not forced;
        ``cost``: sum of the costs; ``cost_per_hand``: that sum divided by the hands; ``lost``: sum of the known losses with
        all hands open; ``as_reviewer``: share of the decisions without cost, None without any.
        """
        players: dict[str, dict[str, Any]] = {}
        for deal in self.deals:
            for player in deal.players:
                figures = players.setdefault(
                    player, {"hands": 0, "moves": 0, "decisions": 0, "cost": 0.0, "lost": 0.0, "without_cost": 0}
                )
                figures["hands"] += 1
            for move in deal.moves:
                figures = players[move.player]
                figures["moves"] += 1
                figures["decisions"] += not move.forced
                figures["cost"] += move.cost
                figures["lost"] += move.lost or 0.0
                figures["without_cost"] += not move.forced and move.cost == 0
        for figures in players.values():
            figures["cost_per_hand"] = figures["cost"] / figures["hands"]
            without_cost, decisions = figures.pop("without_cost"), figures["decisions"]
            figures["as_reviewer"] = without_cost / decisions if decisions else None
        return players

    def document(self, command: str = "") -> Document:
        """Returns the report of the review, for a terminal; no command line is quoted."""
        return report.document(self)
