"""Table III of the Five-O paper: what it prints, every agent against every other here, and how the two compare."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest, chi2

from cardenvs.baselines.statistics import Z95, share_interval
from cardenvs.baselines.tournament import Store, cycles, play_tournament, settings_for

Array = npt.NDArray[np.float64]

EVALUATIONS = ("greedy2", "fast-greedy2")
"""The state values that the paper's expectiminimax agents use."""
FAST = ("reflex1", "reflex2", "reflex3", "greedy1", "greedy2", "greedy1-published", "fast-greedy2")
SLOW = ("monte-carlo", "exact")
EXTRA = ("greedy1-published", "fast-greedy2", "exact")
"""Agents that the paper's Table III does not have."""
DEPTH = 3
"""In the paper, wherever it says nothing else."""
SEEDS = 1000
"""Seeds of a run lie between this times its own and the next one's."""


# --- the paper -----------------------------------------------------------------------------------------------------


def paper() -> dict[str, Any]:
    """What the paper prints; see the notes in the file."""
    text = resources.files("cardenvs.baselines.reproduce").joinpath("data/five_o_paper.json").read_text("utf-8")
    return dict(json.loads(text))


def published_wins() -> dict[tuple[str, str], int | None]:
    """The first agent's wins of ten against the second, for both orders; None where the paper contradicts itself."""
    table = paper()["table3"]
    found: dict[tuple[str, str], int | None] = {}
    for (i, a), (j, b) in itertools.permutations(enumerate(table["agents"]), 2):
        wins, losses = table["wins"][i][j], table["wins"][j][i]
        found[a, b] = wins if wins + losses == table["games"] else None
    return found


AGENTS = tuple(paper()["table3"]["agents"])
"""The paper's eight, in its order."""


# --- sizes ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sizes:
    """What the figures depend on, besides the paper. Games come in pairs: a deal is played twice, the sides exchanged.

    Attributes:
        games: of each pair of fast agents in Table III.
        search_games: of each pair with an expectiminimax agent, and of the match in the section on independence.
        slow_games: of each pair with monte-carlo or exact.
        depth_games: of each depth in Figure 2.
        value_games: of each pair in Figure 3.
        positions: of each row, in Table II and the sections on independence and exact chances.
        samples: completions that monte-carlo draws for a decision in Table III and Figure 3.
        decks: that expectiminimax draws for a decision.
        seed: int >= 0.
    """

    games: int = 20_000
    search_games: int = 1_000
    slow_games: int = 200
    depth_games: int = 1_000
    value_games: int = 40
    positions: int = 100
    samples: int = 100_000
    decks: int = 500
    seed: int = 0

    def check(self) -> None:
        """Raises ValueError for what would not make sense."""
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
        """The policy behind a name of Table III."""
        if agent == "monte-carlo":
            return f"monte-carlo:samples={self.samples}"
        return self.searching(agent.split()[1]) if agent.startswith("expectiminimax ") else agent

    def searching(self, evaluation: str, depth: int = DEPTH, decks: int | None = None) -> str:
        """An expectiminimax agent."""
        return f"expectiminimax:evaluation={evaluation},depth={depth},decks={self.decks if decks is None else decks}"

    def budgets(self) -> list[int]:
        """Numbers of decks around the usual one."""
        return sorted({1, *(max(1, self.decks * 4 // step) for step in (500, 100, 20, 4, 1))})


# --- Table III -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Meeting:
    """Two agents' games, seen from the first.

    Attributes:
        wins: float64 (deals,), its share of each deal's two games, a draw counting half.
        columns: its columns less the other's, a game.
        games_won: by both.
        decisions: made by both.
        seconds: that both thought.
    """

    wins: Array
    columns: float
    games_won: tuple[int, int]
    decisions: tuple[int, int]
    seconds: tuple[float, float]

    def mirrored(self) -> Meeting:
        """The same, seen from the second."""
        return Meeting(1 - self.wins, -self.columns, self.games_won[::-1], self.decisions[::-1], self.seconds[::-1])


Meetings = dict[tuple[str, str], Meeting]
"""By the two agents, in both orders."""


def play_table3(sizes: Sizes, folder: Path, workers: int | None, progress: Callable[[int], None] | None) -> Meetings:
    """Every agent against every other: the fast ones over many deals, those that search over the first of the same."""
    searching = [agent for agent in AGENTS if agent.startswith("expectiminimax")]
    tiers = (
        ("slow", sizes.slow_games, [*FAST, *searching, *SLOW]),
        ("search", sizes.search_games, [*FAST, *searching]),
        ("fast", sizes.games, list(FAST)),
    )
    meetings: Meetings = {}
    for name, games, agents in tiers:
        settings = settings_for(
            "five-o", [sizes.policy(agent) for agent in agents], deals=games // 2, seed=SEEDS * sizes.seed
        )
        at = folder / f"table3-{name}"
        play_tournament(settings, at, workers=workers, progress=_steps(progress))
        played = Store(at, settings).load()
        for pairing, (i, j) in enumerate(settings.pairs):
            points, tricks = played.points[pairing], played.tricks[pairing]
            won = np.sign(points[..., 0] - points[..., 1])
            meeting = Meeting(
                wins=((won + 1) / 2).mean(axis=1, dtype=np.float64),
                columns=float((tricks[..., 0] - tricks[..., 1]).mean(dtype=np.float64)),
                games_won=(int((won > 0).sum()), int((won < 0).sum())),
                decisions=(int(played.decisions[pairing][0]), int(played.decisions[pairing][1])),
                seconds=(float(played.seconds[pairing][0]), float(played.seconds[pairing][1])),
            )
            # Where a later tournament plays more games of a pair, these are the first of them.
            meetings[agents[i], agents[j]] = meeting
            meetings[agents[j], agents[i]] = meeting.mirrored()
    return meetings


def _steps(progress: Callable[[int], None] | None) -> Callable[[int, int], None] | None:
    """What a tournament calls with the deals finished so far, as calls with the games finished since the last one."""
    if progress is None:
        return None
    before = 0

    def count(deals: int, _: int) -> None:
        nonlocal before
        progress(2 * deals - before)
        before = 2 * deals

    return count


def table3_games(sizes: Sizes) -> int:
    """How many games `play_table3` plays."""
    pairs = [math.comb(n, 2) for n in (len(FAST), len(FAST) + 2, len(FAST) + 2 + len(SLOW))]
    return sum(m * games for m, games in zip(pairs, (sizes.games, sizes.search_games, sizes.slow_games), strict=True))


def mean_of_meetings(parts: Sequence[Array]) -> tuple[float, list[float]]:
    """The mean of several pairings' win rates, each counting alike, and its 95% confidence interval within 0 and 1.

    Args:
        parts: the deals of each pairing, deal number k being the same cards in all that have it.
    """
    mean = float(np.mean([part.mean() for part in parts]))
    variance = 0.0
    for a, b in itertools.product(parts, repeat=2):
        common = min(len(a), len(b))
        variance += float(np.cov(a[:common], b[:common])[0, 1]) / max(len(a), len(b))
    half = Z95 * math.sqrt(max(variance, 0.0)) / len(parts)
    return mean, [max(0.0, mean - half), min(1.0, mean + half)]


def standings(meetings: Meetings, agents: Sequence[str], opponents: Sequence[str]) -> list[dict[str, Any]]:
    """What agents reach against opponents, themselves left out: best first."""
    rows = []
    for agent in agents:
        met = [meetings[agent, other] for other in opponents if other != agent]
        rate, ci95 = mean_of_meetings([meeting.wins for meeting in met])
        rows.append(
            {
                "agent": agent,
                "win_rate": rate,
                "ci95": ci95,
                "won": sum(meeting.games_won[0] for meeting in met),
                "lost": sum(meeting.games_won[1] for meeting in met),
                "games": sum(2 * len(meeting.wins) for meeting in met),
                "wins_of_70": 70 * rate,
                "win_loss_ratio": rate / (1 - rate) if rate < 1 else math.inf,
                "columns": float(np.mean([meeting.columns for meeting in met])),
            }
        )
    return sorted(rows, key=lambda row: -float(row["win_rate"]))


def _bounded_rate(wins: Array) -> float:
    """The win rate with half a drawn deal added: a rate of exactly 0 or 1 would make any other result impossible."""
    return float((wins.sum() + 0.25) / (len(wins) + 0.5))


def _variance(wins: Array) -> float:
    """Of the mean."""
    return float(wins.var(ddof=1) / len(wins))


def compare_with_paper(meetings: Meetings, stand_in: Mapping[str, str]) -> dict[str, Any]:
    """Whether the paper's ten games a pair are what our win rates lead to expect.

    Args:
        meetings: ours.
        stand_in: agents of ours that take the place of the paper's, by the paper's name.

    Returns:
        Chi-squared over the pairs with its chance of being larger, and each agent's wins of 70 beside those expected.
    """
    printed, games = published_wins(), paper()["table3"]["games"]
    names = {agent: stand_in.get(agent, agent) for agent in AGENTS}
    rates = {(a, b): _bounded_rate(meetings[names[a], names[b]].wins) for a, b in printed}
    # Of the paper's games and of ours.
    variances = {
        (a, b): games * rate * (1 - rate) + games**2 * _variance(meetings[names[a], names[b]].wins)
        for (a, b), rate in rates.items()
    }
    judged = {pair: printed[pair] for pair in itertools.combinations(AGENTS, 2) if printed[pair] is not None}
    squared = sum((wins - games * rates[pair]) ** 2 / variances[pair] for pair, wins in judged.items() if wins is not None)
    totals = []
    for agent, (won, lost) in zip(AGENTS, paper()["table3"]["totals"], strict=True):
        own = [rates[agent, other] for other in AGENTS if other != agent]
        error = math.sqrt(sum(variances[agent, other] for other in AGENTS if other != agent))
        totals.append(
            {
                "agent": agent,
                "ours": names[agent],
                "paper": [won, lost],
                "expected": games * sum(own),
                "z": (won - games * sum(own)) / error,
            }
        )
    return {
        "pairs": len(judged),
        "chi_squared": squared,
        "p": float(chi2.sf(squared, len(judged))),
        "totals": totals,
    }


def triples(meetings: Meetings, agents: Sequence[str]) -> dict[str, Any]:
    """The non-transitive triples among agents, by win rate."""
    k = len(agents)
    lead, error = np.zeros((k, k)), np.full((k, k), math.inf)
    for i, j in itertools.permutations(range(k), 2):
        wins = meetings[agents[i], agents[j]].wins
        lead[i, j], error[i, j] = wins.mean() - 0.5, wins.std(ddof=1) / math.sqrt(len(wins))
    found = cycles(lead, error)
    shown = [
        {
            "agents": [agents[player] for player in cycle.players],
            "win_rates": [float(0.5 + lead[cycle.players[n], cycle.players[(n + 1) % 3]]) for n in range(3)],
            "z": cycle.z,
            "significant": cycle.significant,
        }
        for cycle in found
    ]
    return {"triples": math.comb(k, 3), "found": shown, "significant": sum(cycle.significant for cycle in found)}


def published_triples(meetings: Meetings, tables: int = 2_000) -> dict[str, Any]:
    """The non-transitive triples in the paper's own table, ours beside them, and how many ten games a pair bring by chance.

    Args:
        meetings: ours.
        tables: how many tables of ten games a pair to draw from our win rates.
    """
    printed, games = published_wins(), paper()["table3"]["games"]
    k = len(AGENTS)
    pairs = list(itertools.combinations(range(k), 2))
    rates = np.array([meetings[AGENTS[i], AGENTS[j]].wins.mean() for i, j in pairs])
    known = np.array([printed[AGENTS[i], AGENTS[j]] is not None for i, j in pairs])

    def found(wins: npt.NDArray[np.int64]) -> list[tuple[int, int, int]]:
        lead = np.zeros((k, k))
        for (i, j), won in zip(pairs, wins, strict=True):
            lead[i, j], lead[j, i] = won - games / 2, games / 2 - won
        return [cycle.players for cycle in cycles(lead, np.ones((k, k)))]

    def level_if_unknown(wins: Any) -> npt.NDArray[np.int64]:
        return np.where(known, wins, games // 2)

    own = [printed[AGENTS[i], AGENTS[j]] or 0 for i, j in pairs]
    rng = np.random.default_rng(0)
    counts = [len(found(level_if_unknown(rng.binomial(games, rates)))) for _ in range(tables)]
    shown = []
    for players in found(level_if_unknown(own)):
        a, b, c = (AGENTS[player] for player in players)
        legs = ((a, b), (b, c), (c, a))
        shown.append(
            {
                "agents": [a, b, c],
                "paper": [printed[leg] for leg in legs],
                "win_rates": [float(meetings[leg].wins.mean()) for leg in legs],
            }
        )
    shown.sort(key=lambda triple: -min(triple["paper"]))
    return {
        "found": shown,
        "by_chance_mean": float(np.mean(counts)),
        "by_chance_as_many": float(np.mean(np.array(counts) >= len(shown))),
    }


def _pairing(meetings: Meetings, a: str, b: str) -> dict[str, Any]:
    met, wins = meetings[a, b], published_wins().get((a, b))
    rate = share_interval(met.wins)
    games = 2 * len(met.wins)
    return {
        "sides": [a, b],
        "games": games,
        "games_won": list(met.games_won),
        "drawn": games - sum(met.games_won),
        "win_rate": rate.mean,
        "ci95": rate.ci95,
        "columns": met.columns,
        "paper": wins,
        "p": None if wins is None else float(binomtest(wins, paper()["table3"]["games"], _bounded_rate(met.wins)).pvalue),
        "decisions_per_s": [n / s if s > 0 else 0.0 for n, s in zip(met.decisions, met.seconds, strict=True)],
    }


def table3(meetings: Meetings) -> dict[str, Any]:
    """All that Table III, Figure 4, the cycle and greedy1 rest on."""
    every = [*AGENTS, *EXTRA]
    faulty = {"greedy1": "greedy1-published"}
    replaced = [faulty.get(agent, agent) for agent in AGENTS]
    cycle = paper()["table3"]["cycle"]
    return {
        "pairings": [_pairing(meetings, a, b) for a, b in itertools.combinations(every, 2)],
        "standings": standings(meetings, AGENTS, AGENTS),
        "standings_with_greedy1_published": standings(meetings, replaced, replaced),
        "extra": standings(meetings, EXTRA, AGENTS),
        "comparison": compare_with_paper(meetings, {}),
        "comparison_with_greedy1_published": compare_with_paper(meetings, faulty),
        "paper_cycle": [_pairing(meetings, a, b) for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True)],
        "paper_triples": published_triples(meetings),
        "triples": triples(meetings, AGENTS),
        "triples_of_all": triples(meetings, every),
    }
