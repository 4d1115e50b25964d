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

from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column, name_column, share_column
from cardenvs.baselines.reports.statistics import Z95, Interval, share_interval
from cardenvs.baselines.reproduce.five_o.settings import AGENTS, EXTRA, FAST, PAPER, SEEDS, SLOW, Sizes, published_wins
from cardenvs.baselines.reproduce.papers import z_score
from cardenvs.baselines.runs.pairings import play_all
from cardenvs.baselines.tournament.ratings import cycles
from cardenvs.baselines.tournament.settings import settings_for

Array = npt.NDArray[np.float64]
PRINTED = PAPER["table3"]

Pairing = Columns(
    "Pairing",
    Column("sides", "the two agents"),
    Column("games", "number of games"),
    Column("games_won", "games that each agent won"),
    Column("drawn", "games drawn"),
    share_column("win_rate", "the first agent's share of the games, a draw counting half", ends="ci95"),
    Column("lead", "mean of the first agent's columns less the second's, a game", json="columns"),
    Column("paper", "the first agent's wins of ten in the paper; None where it has no such pair or contradicts itself"),
    Column("p", "chance that ten games are as far off our win rate as the paper's; None where it has none"),
    Column("decisions_per_s", "decisions a second of each agent"),
)
"""Two agents' games beside the paper's."""

Standing = Columns(
    "Standing",
    name_column("agent", "the agent", "agent"),
    computed_column("record", lambda row: f"{row.won:,}-{row.lost:,}", title="W-L"),
    share_column("win_rate", "share of the games won, all opponents counting alike", "won, %", ends="ci95"),
    Column("won", "games won"),
    Column("lost", "games lost"),
    Column("games", "number of games"),
    Column("wins_of_70", "the win rate of 70 games"),
    Column("win_loss_ratio", "wins for each loss"),
    Column("lead", "mean of its columns less the opponents', a game", "columns a game", "{:+z.2f}".format, json="columns"),
)
"""The results of an agent against several others."""


@dataclass(frozen=True)
class Meeting:
    """Two agents' games, seen from the first agent; pairs of figures belong to the first and the second agent."""

    wins: Array  # (deals,), the first agent's share of each deal's two games, a draw counting half
    lead: float  # mean of the first agent's columns less the second's, a game
    games_won: tuple[int, int]
    decisions: tuple[int, int]
    seconds: tuple[float, float]  # time that each agent thought

    def mirrored(self) -> Meeting:
        """Returns the same games, seen from the second agent."""
        return Meeting(1 - self.wins, -self.lead, self.games_won[::-1], self.decisions[::-1], self.seconds[::-1])


Meetings = dict[tuple[str, str], Meeting]  # by the names of two agents, their games; every pair stands in both orders


def _tiers(sizes: Sizes) -> list[tuple[str, int, list[str]]]:
    """The tournaments, the least games first: name, games of a pair, agents."""
    searching = [agent for agent in AGENTS if agent.startswith("expectiminimax")]
    return [
        ("slow", sizes.slow_games, [*FAST, *searching, *SLOW]),
        ("search", sizes.search_games, [*FAST, *searching]),
        ("fast", sizes.games, list(FAST)),
    ]


def play_table3(
    sizes: Sizes, folder: Path, workers: int | None, cluster: str | None, progress: Callable[[int], None]
) -> Meetings:
    """Plays every agent against every other: fast agents over many deals, searching agents over the first of these deals.

    Args:
        folder: folder of the run, in which each of three tournaments keeps a folder of what is finished.
        progress: called with the number of games finished since the last call.
    """
    meetings: Meetings = {}
    for name, games, agents in _tiers(sizes):
        settings = settings_for(
            "five-o", [sizes.policy(agent) for agent in agents], deals=games // 2, seed=SEEDS * sizes.seed
        )
        before = 0

        def count(deals: int, _: int) -> None:
            nonlocal before
            progress(2 * (deals - before))
            before = deals

        store = play_all(settings, folder / f"table3-{name}", workers=workers, cluster=cluster, progress=count)
        played = store.load()
        for pairing, (i, j) in enumerate(settings.pairs):
            points, tricks = played.points[pairing], played.tricks[pairing]
            won = np.sign(points[..., 0] - points[..., 1])
            meeting = Meeting(
                wins=((won + 1) / 2).mean(axis=1, dtype=np.float64),
                lead=float((tricks[..., 0] - tricks[..., 1]).mean(dtype=np.float64)),
                games_won=(int((won > 0).sum()), int((won < 0).sum())),
                decisions=(int(played.decisions[pairing][0]), int(played.decisions[pairing][1])),
                seconds=(float(played.seconds[pairing][0]), float(played.seconds[pairing][1])),
            )
            # Where a later tournament plays more games of a pair, these are the first of them.
            meetings[agents[i], agents[j]] = meeting
            meetings[agents[j], agents[i]] = meeting.mirrored()
    return meetings


def table3_games(sizes: Sizes) -> int:
    """Returns the number of games that `play_table3` plays."""
    return sum(math.comb(len(agents), 2) * games for _, games, agents in _tiers(sizes))


def mean_win_rate(wins: Sequence[Array]) -> Interval:
    """Returns the mean of several pairings' win rates, each counting alike, and its 95% interval within 0 and 1.

    Args:
        wins: float64 (deals,) of each pairing, shares of deals won; deal number k is the same cards in all pairings that
            have it.
    """
    mean = float(np.mean([of_pair.mean() for of_pair in wins]))
    variance = 0.0
    for a, b in itertools.product(wins, repeat=2):
        common = min(len(a), len(b))
        variance += float(np.cov(a[:common], b[:common])[0, 1]) / max(len(a), len(b))
    half = Z95 * math.sqrt(variance) / len(wins) if variance > 0 else math.inf  # deals that are all alike show no spread
    return Interval(mean, max(0.0, mean - half), min(1.0, mean + half))


def standings(meetings: Meetings, agents: Sequence[str], opponents: Sequence[str]) -> list[Row]:
    """Returns the results of each agent against all opponents but itself, the best agent first."""
    rows = []
    for agent in agents:
        met = [meetings[agent, other] for other in opponents if other != agent]
        rate = mean_win_rate([meeting.wins for meeting in met])
        rows.append(
            Standing(
                agent=agent,
                win_rate=rate,
                won=sum(meeting.games_won[0] for meeting in met),
                lost=sum(meeting.games_won[1] for meeting in met),
                games=sum(2 * len(meeting.wins) for meeting in met),
                wins_of_70=70 * rate.mean,
                win_loss_ratio=rate.mean / (1 - rate.mean) if rate.mean < 1 else math.inf,
                lead=float(np.mean([meeting.lead for meeting in met])),
            )
        )
    return sorted(rows, key=lambda row: -float(row.win_rate.mean))


def _bounded_rate(wins: Array) -> float:
    """The win rate with half a drawn deal added: a rate of exactly 0 or 1 would make any other result impossible."""
    return float((wins.sum() + 0.25) / (len(wins) + 0.5))


def compare_with_paper(meetings: Meetings, stand_in: Mapping[str, str]) -> dict[str, Any]:
    """Tests whether the paper's ten games a pair fit our win rates.

    Args:
        meetings: our games.
        stand_in: by the paper's name of an agent, the agent of ours that is taken for it; all others keep their names.

    Returns:
        ``pairs`` that were compared, ``chi_squared`` over these pairs with ``p``, the chance of a larger one, and
        ``totals``: each agent's wins of 70 beside those expected, with the difference ``z`` in standard errors.
    """
    printed, games = published_wins(), PRINTED["games"]
    names = {agent: stand_in.get(agent, agent) for agent in AGENTS}
    ours = {(a, b): meetings[names[a], names[b]].wins for a, b in printed}
    rates = {pair: _bounded_rate(wins) for pair, wins in ours.items()}
    # The paper's ten games scatter, and our rates have errors, too.
    variances = {
        pair: games * rate * (1 - rate) + games**2 * float(ours[pair].var(ddof=1) / len(ours[pair]))
        for pair, rate in rates.items()
    }
    known = {pair: wins for pair in itertools.combinations(AGENTS, 2) if (wins := printed[pair]) is not None}
    squared = sum((wins - games * rates[pair]) ** 2 / variances[pair] for pair, wins in known.items())
    totals = []
    for agent, (won, lost) in zip(AGENTS, PRINTED["totals"], strict=True):
        pairs = [(agent, other) for other in AGENTS if other != agent]
        expected = games * sum(rates[pair] for pair in pairs)
        error = math.sqrt(sum(variances[pair] for pair in pairs))
        z = z_score(won - expected, error)
        totals.append({"agent": agent, "ours": names[agent], "paper": [won, lost], "expected": expected, "z": z})
    return {"pairs": len(known), "chi_squared": squared, "p": float(chi2.sf(squared, len(known))), "totals": totals}


def find_triples(meetings: Meetings, agents: Sequence[str]) -> dict[str, Any]:
    """Finds the non-transitive triples among agents, by win rate.

    Returns:
        ``triples``, the number of all triples; ``found``, the non-transitive ones, each agent of which beats the next; and
        ``significant``, how many of these have three significant leads.
    """
    k = len(agents)
    lead, error = np.zeros((k, k)), np.full((k, k), math.inf)
    for i, j in itertools.permutations(range(k), 2):
        wins = meetings[agents[i], agents[j]].wins
        lead[i, j], error[i, j] = wins.mean() - 0.5, wins.std(ddof=1) / math.sqrt(len(wins))
    found = [
        {
            "agents": [agents[player] for player in cycle.players],
            "win_rates": [float(0.5 + lead[cycle.players[n], cycle.players[(n + 1) % 3]]) for n in range(3)],
            "z": cycle.z,
            "significant": cycle.significant,
        }
        for cycle in cycles(lead, error)
    ]
    return {"triples": math.comb(k, 3), "found": found, "significant": sum(triple["significant"] for triple in found)}


def published_triples(meetings: Meetings, draws: int = 2_000) -> dict[str, Any]:
    """Finds the non-transitive triples in the paper's own Table III, and their number by chance in ten games a pair.

    Args:
        meetings: our games.
        draws: how often to draw ten games of every pair from our win rates.

    Returns:
        ``found``: the triples with the paper's wins and our win rates; ``by_chance_mean``: the mean number of triples in
        the draws; ``by_chance_as_many``: the share of the draws with at least as many triples as the paper has.
    """
    printed, games = published_wins(), PRINTED["games"]
    k = len(AGENTS)
    pairs = list(itertools.combinations(range(k), 2))
    rates = np.array([meetings[AGENTS[i], AGENTS[j]].wins.mean() for i, j in pairs])
    known = np.array([printed[AGENTS[i], AGENTS[j]] is not None for i, j in pairs])

    def triples_in(wins: Any) -> list[tuple[int, int, int]]:
        """The non-transitive triples in a table of wins, int64 (pairs,), half of the games where the paper is unknown."""
        lead = np.zeros((k, k))
        for (i, j), won in zip(pairs, np.where(known, wins, games // 2), strict=True):
            lead[i, j], lead[j, i] = won - games / 2, games / 2 - won
        return [cycle.players for cycle in cycles(lead, np.ones((k, k)))]

    rng = np.random.default_rng(0)
    counts = np.array([len(triples_in(rng.binomial(games, rates))) for _ in range(draws)])
    found: list[dict[str, Any]] = []
    for players in triples_in([printed[AGENTS[i], AGENTS[j]] or 0 for i, j in pairs]):
        a, b, c = (AGENTS[player] for player in players)
        legs = ((a, b), (b, c), (c, a))
        win_rates = [float(meetings[leg].wins.mean()) for leg in legs]
        found.append({"agents": [a, b, c], "paper": [printed[leg] for leg in legs], "win_rates": win_rates})
    found.sort(key=lambda triple: -min(triple["paper"]))
    return {
        "found": found,
        "by_chance_mean": float(np.mean(counts)),
        "by_chance_as_many": float(np.mean(counts >= len(found))),
    }


def _pairing(meetings: Meetings, a: str, b: str) -> Row:
    met, wins = meetings[a, b], published_wins().get((a, b))
    games = 2 * len(met.wins)
    return Pairing(
        sides=[a, b],
        games=games,
        games_won=list(met.games_won),
        drawn=games - sum(met.games_won),
        win_rate=share_interval(met.wins),
        lead=met.lead,
        paper=wins,
        p=None if wins is None else float(binomtest(wins, PRINTED["games"], _bounded_rate(met.wins)).pvalue),
        decisions_per_s=[n / s if s > 0 else 0.0 for n, s in zip(met.decisions, met.seconds, strict=True)],
    )


def table3(meetings: Meetings) -> dict[str, Any]:
    """Returns all figures that Table III, Figure 4 and the sections on the cycle and on greedy1 show."""
    every = [*AGENTS, *EXTRA]
    faulty = {"greedy1": "greedy1-published"}
    replaced = [faulty.get(agent, agent) for agent in AGENTS]
    cycle = PRINTED["cycle"]
    return {
        "pairings": [_pairing(meetings, a, b) for a, b in itertools.combinations(every, 2)],
        "standings": standings(meetings, AGENTS, AGENTS),
        "standings_with_greedy1_published": standings(meetings, replaced, replaced),
        "extra": standings(meetings, EXTRA, AGENTS),
        "comparison": compare_with_paper(meetings, {}),
        "comparison_with_greedy1_published": compare_with_paper(meetings, faulty),
        "paper_cycle": [_pairing(meetings, a, b) for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True)],
        "paper_triples": published_triples(meetings),
        "triples": find_triples(meetings, AGENTS),
        "triples_of_all": find_triples(meetings, every),
    }
