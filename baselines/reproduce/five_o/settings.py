"""The Five-O paper's figures, its agents, and the sizes of a reproduction.

The paper: S. Aharon and M. Mandel, "Five-O Poker", Tables II and III and Figures 2 to 4.
"""

import itertools
from dataclasses import dataclass, field
from typing import Any

from cardenvs.baselines.reproduce.papers import paper_data

PAPER = paper_data("five_o_paper")  # the paper's Tables II and III
PRINTED = PAPER["table3"]  # its Table III
AGENTS: tuple[str, ...] = tuple(PRINTED["agents"])  # the eight agents of that table, in its order
PUBLISHED_WINS: dict[tuple[str, str], int | None] = {
    (a, b): won if won + lost == PRINTED["games"] else None
    for (i, a), (j, b) in itertools.permutations(enumerate(AGENTS), 2)
    for won, lost in [(PRINTED["wins"][i][j], PRINTED["wins"][j][i])]
}
"""The first agent's wins of ten games against the second, for both orders of every pair of Table III.

None where the paper contradicts itself: the wins of both agents do not add up to ten.
"""
EXTRA = ("greedy1-published", "fast-greedy2", "exact")  # agents that the paper's Table III does not have
FAST = ("reflex1", "reflex2", "reflex3", "greedy1", "greedy2", "greedy1-published", "fast-greedy2")
"""Agents of our Table III that do not search."""
SLOW = ("monte-carlo", "exact")  # agents of our Table III that play the fewest games
EVALUATIONS = ("greedy2", "fast-greedy2")  # the state values that the paper's expectiminimax agents use
SAMPLES = (1_000, 10_000, 100_000)  # completions that monte-carlo draws for a decision in Table II
ROWS = (2, 3, 4, 5)  # the rows that are filled during play; the first is dealt
DEPTHS = (1, 2, 3, 4, 5)  # depths of expectiminimax in Figure 2
DEPTH = 3  # depth of expectiminimax in the paper wherever it names no other
JOINT_SAMPLES = 10_000  # completions that both agents draw for a decision in the match on independence
SEEDS = 1000
"""Seeds kept for each run: a run with seed s uses seeds from ``SEEDS * s`` up to but without ``SEEDS * (s + 1)``."""


def _size(default: int, meaning: str) -> Any:
    return field(default=default, metadata={"help": meaning})


@dataclass(frozen=True)
class Sizes:
    """Settings of the figures; games come in pairs: a deal is played twice, the sides exchanged."""

    games: int = _size(20_000, "Games of a pair of fast agents, Table III; each deal is played twice.")
    search_games: int = _size(1_000, "Games of a pair with an expectiminimax agent.")
    slow_games: int = _size(200, "Games of a pair with monte-carlo or exact.")
    depth_games: int = _size(1_000, "Games of each depth, Figure 2.")
    value_games: int = _size(40, "Games of each pair, Figure 3.")
    positions: int = _size(100, "Positions of each row, Table II and the chances.")
    samples: int = _size(100_000, "Completions that monte-carlo draws for a decision.")
    decks: int = _size(500, "Decks that expectiminimax draws for a decision.")
    seed: int = 0

    def check(self) -> None:
        """Checks that the sizes make sense together.

        Raises:
            ValueError: a size is too small or odd, or slower agents are to play more games; names the option.
        """
        for name in ("games", "search_games", "slow_games", "depth_games", "value_games"):
            value = getattr(self, name)
            if value < 4 or value % 2:
                shown = name.replace("_", "-")
                raise ValueError(f"--{shown} must be even (each deal is played twice) and at least 4, not {value}")
        if not self.slow_games <= self.search_games <= self.games:
            raise ValueError(
                "--games must not be below --search-games, nor that below --slow-games; "
                f"they are {self.games}, {self.search_games} and {self.slow_games}"
            )
        for name, least in (("positions", 2), ("samples", 1), ("decks", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"--{name} must be at least {least}, not {getattr(self, name)}")

    def policy(self, agent: str) -> str:
        """Returns the policy, with its parameters, that plays an agent of Table III."""
        if agent == "monte-carlo":
            return f"monte-carlo:samples={self.samples}"
        return searching(agent.split()[1], DEPTH, self.decks) if agent.startswith("expectiminimax ") else agent

    def searches(self) -> list[tuple[str, str, int, int]]:
        """Lists the searches of Figure 2: the series, evaluation, depth and decks of each; the usual one is in both."""
        budgets = sorted({1, *(max(1, self.decks * 4 // step) for step in (500, 100, 20, 4, 1))})
        listed = []
        for evaluation in EVALUATIONS:
            listed += [("depth", evaluation, depth, self.decks) for depth in DEPTHS]
            listed += [("decks", evaluation, DEPTH, decks) for decks in budgets]
        return listed


def searching(evaluation: str, depth: int, decks: int) -> str:
    """Returns the expectiminimax policy with a state value, a depth, and decks for a decision."""
    return f"expectiminimax:evaluation={evaluation},depth={depth},decks={decks}"
