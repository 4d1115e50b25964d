"""Table III of the Five-O paper: every agent against every other, and the comparison with the paper's games.

Our games are those of three tournaments over the same deals.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest, chi2

from cardenvs.baselines.reports.statistics import Z95, Interval, share_interval
from cardenvs.baselines.reproduce.five_o.settings import AGENTS, EXTRA, FAST, SEEDS, SLOW, Sizes, paper, published_wins
from cardenvs.baselines.runs.pairings import play_all
from cardenvs.baselines.tournament import cycles, settings_for

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Meeting:
    """Two agents' games, seen from the first agent. Pairs of figures belong to the first and the second agent.

    Attributes:
        wins: float64 (deals,), the first agent's share of each deal's two games, a draw counting half.
        columns: mean of the first agent's columns less the second's, a game.
        games_won: games that each agent won.
        decisions: decisions that each agent made.
        seconds: time that each agent thought.
    """

    wins: Array
    columns: float
    games_won: tuple[int, int]
    decisions: tuple[int, int]
    seconds: tuple[float, float]

    def mirrored(self) -> Meeting:
        """The same games, seen from the second agent."""
        return Meeting(1 - self.wins, -self.columns, self.games_won[::-1], self.decisions[::-1], self.seconds[::-1])


Meetings = dict[tuple[str, str], Meeting]
"""By the names of two agents, their games; every pair stands in both orders."""


def play_table3(
    sizes: Sizes, folder: Path, workers: int | None, cluster: str | None, progress: Callable[[int], None] | None
) -> Meetings:
    """Plays every agent against every other: fast agents over many deals, searching agents over the first of these deals.

    Args:
        sizes: numbers of games and the run's seed.
        folder: folder of the run, in which each of three tournaments keeps a folder of what is finished.
        workers: processes that play; None takes all cores.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        progress: called with the number of games finished since the last call.
    """
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
        played = play_all(settings, at, workers=workers, cluster=cluster, progress=_games_since(progress)).load()
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


def _games_since(progress: Callable[[int], None] | None) -> Callable[[int, int], None] | None:
    """Turns a tournament's progress, the deals finished so far, into the games finished since the last call."""
    if progress is None:
        return None
    before = 0

    def count(deals: int, _: int) -> None:
        """Passes on the games finished since the last call."""
        nonlocal before
        progress(2 * deals - before)
        before = 2 * deals

    return count


def table3_games(sizes: Sizes) -> int:
    """Number of games that `play_table3` plays."""
    pairs = [math.comb(n, 2) for n in (len(FAST), len(FAST) + 2, len(FAST) + 2 + len(SLOW))]
    return sum(m * games for m, games in zip(pairs, (sizes.games, sizes.search_games, sizes.slow_games), strict=True))


def mean_win_rate(wins: Sequence[Array]) -> Interval:
    """The mean of several pairings' win rates, each counting alike, and its 95% confidence interval within 0 and 1.

    Args:
        wins: float64 (deals,) of each pairing, shares of deals won; deal number k is the same cards in all pairings that
            have it.
    """
    mean = float(np.mean([of_pair.mean() for of_pair in wins]))
    variance = 0.0
    for a, b in itertools.product(wins, repeat=2):
        common = min(len(a), len(b))
        variance += float(np.cov(a[:common], b[:common])[0, 1]) / max(len(a), len(b))
    half = Z95 * math.sqrt(variance) / len(wins) if variance > 0 else math.inf  # deals that are all alike tell of no spread
    return Interval(mean, max(0.0, mean - half), min(1.0, mean + half))


def standings(meetings: Meetings, agents: Sequence[str], opponents: Sequence[str]) -> list[dict[str, Any]]:
    """The results of each agent against all opponents but itself: a dict for each agent, the best agent first.

    Args:
        meetings: our games.
        agents: agents to be ranked.
        opponents: the agents against whom games count, all pairs alike.
    """
    rows = []
    for agent in agents:
        met = [meetings[agent, other] for other in opponents if other != agent]
        rate = mean_win_rate([meeting.wins for meeting in met])
        rows.append(
            {
                "agent": agent,
                "win_rate": rate.mean,
                "ci95": rate.ci95,
                "won": sum(meeting.games_won[0] for meeting in met),
                "lost": sum(meeting.games_won[1] for meeting in met),
                "games": sum(2 * len(meeting.wins) for meeting in met),
                "wins_of_70": 70 * rate.mean,
                "win_loss_ratio": rate.mean / (1 - rate.mean) if rate.mean < 1 else math.inf,
                "columns": float(np.mean([meeting.columns for meeting in met])),
            }
        )
    return sorted(rows, key=lambda row: -float(row["win_rate"]))


def _bounded_rate(wins: Array) -> float:
    """The win rate with half a drawn deal added: a rate of exactly 0 or 1 would make any other result impossible."""
    return float((wins.sum() + 0.25) / (len(wins) + 0.5))


def _variance_of_mean(wins: Array) -> float:
    """The variance of the mean of independent values, float64 (n,)."""
    return float(wins.var(ddof=1) / len(wins))


def compare_with_paper(meetings: Meetings, stand_in: Mapping[str, str]) -> dict[str, Any]:
    """Tests whether the paper's ten games a pair fit our win rates.

    Args:
        meetings: our games.
        stand_in: by the paper's name of an agent, the agent of ours that is taken for it; all others keep their names.

    Returns:
        ``pairs`` that were compared, ``chi_squared`` over these pairs with ``p``, the chance of a larger one, and
        ``totals``: each agent's wins of 70 beside those expected, with the difference ``z`` in standard errors.
    """
    printed, games = published_wins(), paper()["table3"]["games"]
    names = {agent: stand_in.get(agent, agent) for agent in AGENTS}
    rates = {(a, b): _bounded_rate(meetings[names[a], names[b]].wins) for a, b in printed}
    # The paper's ten games scatter, and our rates have errors, too.
    variances = {
        (a, b): games * rate * (1 - rate) + games**2 * _variance_of_mean(meetings[names[a], names[b]].wins)
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
    """The non-transitive triples among agents, by win rate.

    Args:
        meetings: our games.
        agents: agents to take triples of.

    Returns:
        ``triples``, the number of all triples; ``found``, the non-transitive ones, each agent of which beats the next; and
        ``significant``, how many of these have three significant leads.
    """
    k = len(agents)
    lead, error = np.zeros((k, k)), np.full((k, k), math.inf)
    for i, j in itertools.permutations(range(k), 2):
        wins = meetings[agents[i], agents[j]].wins
        lead[i, j], error[i, j] = wins.mean() - 0.5, wins.std(ddof=1) / math.sqrt(len(wins))
    non_transitive = cycles(lead, error)
    shown = [
        {
            "agents": [agents[player] for player in cycle.players],
            "win_rates": [float(0.5 + lead[cycle.players[n], cycle.players[(n + 1) % 3]]) for n in range(3)],
            "z": cycle.z,
            "significant": cycle.significant,
        }
        for cycle in non_transitive
    ]
    significant = sum(cycle.significant for cycle in non_transitive)
    return {"triples": math.comb(k, 3), "found": shown, "significant": significant}


def published_triples(meetings: Meetings, draws: int = 2_000) -> dict[str, Any]:
    """The non-transitive triples in the paper's own Table III, and their number by chance in ten games a pair.

    Args:
        meetings: our games.
        draws: how often to draw ten games of every pair from our win rates.

    Returns:
        ``found``: the triples with the paper's wins and our win rates; ``by_chance_mean``: the mean number of triples in
        the draws; ``by_chance_as_many``: the share of the draws with at least as many triples as the paper has.
    """
    printed, games = published_wins(), paper()["table3"]["games"]
    k = len(AGENTS)
    pairs = list(itertools.combinations(range(k), 2))
    rates = np.array([meetings[AGENTS[i], AGENTS[j]].wins.mean() for i, j in pairs])
    known = np.array([printed[AGENTS[i], AGENTS[j]] is not None for i, j in pairs])

    def triples_in(wins: npt.NDArray[np.int64]) -> list[tuple[int, int, int]]:
        """The non-transitive triples in a table of wins, int64 (pairs,), as agents' numbers."""
        lead = np.zeros((k, k))
        for (i, j), won in zip(pairs, wins, strict=True):
            lead[i, j], lead[j, i] = won - games / 2, games / 2 - won
        return [cycle.players for cycle in cycles(lead, np.ones((k, k)))]

    def level_if_unknown(wins: Any) -> npt.NDArray[np.int64]:
        """Wins with half of the games where the paper contradicts itself, int64 (pairs,)."""
        return np.where(known, wins, games // 2)

    own = [printed[AGENTS[i], AGENTS[j]] or 0 for i, j in pairs]
    rng = np.random.default_rng(0)
    counts = [len(triples_in(level_if_unknown(rng.binomial(games, rates)))) for _ in range(draws)]
    shown: list[dict[str, Any]] = []
    for players in triples_in(level_if_unknown(own)):
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
    """Two agents' games as figures, seen from the first, beside the paper's wins of ten."""
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
    """All figures that Table III, Figure 4 and the sections on the cycle and on greedy1 show."""
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
