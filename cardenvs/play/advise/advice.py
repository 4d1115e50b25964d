"""The engine's advice: its best moves, each with its percent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cardenvs.play.hints import hint_figures
from cardenvs.policy.explanation import KINDS, Explanation

BEST = 5  # maximum number of moves of an advice


@dataclass(frozen=True)
class Move:
    """A move in an advice."""

    action: str  # the action's name
    percent: float  # 0 to 100 (see `cardenvs.policy.Explanation.percents`)
    value: float  # the policy's number for the move; 100 if the policy gave its choice alone
    error: float | None = None  # standard error of the policy's number; None if unknown
    visits: int | None = None  # number of worlds or simulations behind that number; None if unknown
    tried: str = ""  # the two in words (`cardenvs.policy.Explanation.tried`); empty if unknown


@dataclass(frozen=True)
class Advice:
    """The engine's advice for one of its seats.

    Attributes:
        seat: the seat that is advised.
        policy: the name of the policy that advises.
        kind: the kind of the moves' values, a key of `cardenvs.policy.KINDS`.
        best: up to five moves, the best first.
    """

    seat: int
    policy: str
    kind: str
    best: tuple[Move, ...]

    @classmethod
    def of(cls, explained: Explanation, seat: int, policy: str) -> Advice:
        """Returns the advice for a seat from a hint of `cardenvs.play.hints.hint` and the name of its policy."""
        moves = [
            Move(
                action,
                percent,
                100.0 if explained.kind == "choice" else number,
                explained.errors[k] if explained.errors else None,
                explained.visits[k] if explained.visits else None,
                explained.tried(k),
            )
            for k, ((action, number), percent) in enumerate(zip(explained, explained.percents, strict=True))
        ]
        return cls(seat, policy, explained.kind, tuple(moves[:BEST]))

    def as_dict(self, action: str) -> dict[str, Any]:
        """Returns the advice for JSON, with the action taken."""
        keys = ("action", "percent", "value", "error", "visits")
        best = [{key: getattr(move, key) for key in keys} for move in self.best]
        return {"seat": self.seat, "policy": self.policy, "kind": self.kind, "action": action, "best": best}

    def text(self, name: str) -> str:
        """Returns the advice for people, a line a move; ``name`` is the name of the advised player."""
        if len(self.best) == 1 and self.kind == "choice":
            return f"  {self.policy}: {self.best[0].action}"
        lines = [f"  {name}'s best moves by {self.policy}: {KINDS[self.kind]}"]
        width = max(len(move.action) for move in self.best)
        for move in self.best:
            lines.append(f"    {move.action:<{width}}  {hint_figures(self.kind, move.percent, move.value, move.tried)}")
        return "\n".join(lines)
