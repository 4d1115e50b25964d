"""Table III of the Five-O paper: every agent against every other, and the comparison with the paper's games.

Our games are those of three tournaments over the same deals.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest, chi2

from cardenvs.baselines.match import DealResults
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column, name_column, share_column
from cardenvs.baselines.reports.statistics import Z95, Interval, share_interval
from cardenvs.baselines.reproduce.five_o.settings import AGENTS, EXTRA, FAST, PRINTED, PUBLISHED_WINS, SEEDS, SLOW, Sizes
from cardenvs.baselines.reproduce.papers import z_score
from cardenvs.baselines.runs.store import work_through
from cardenvs.baselines.tournament.ratings import cycles
from cardenvs.baselines.tournament.settings import settings_for

Array = npt.NDArray[np.float64]
Pair = tuple[str, str]  # the names of two agents
Meetings = Mapping[Pair, DealResults]  # the games of pairs, each in both orders

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


def _tournaments(sizes: Sizes) -> list[tuple[str, int, list[str]]]:
    """The tournaments, the least games first: name, games of a pair, agents."""
    searching = [agent for agent in AGENTS if agent.startswith("expectiminimax")]
    return [
        ("slow", sizes.slow_games, [*FAST, *searching, *SLOW]),
        ("search", sizes.search_games, [*FAST, *searching]),
        ("fast", sizes.games, list(FAST)),
    ]


def table3_games(sizes: Sizes) -> int:
    """Returns the number of games that `play_table3` plays."""
    return sum(math.comb(len(agents), 2) * games for _, games, agents in _tournaments(sizes))


def play_table3(
    sizes: Sizes, folder: Path, workers: int | None, cluster: str | None, progress: Callable[[int], None]
) -> Meetings:
    """Plays every agent against every other: fast agents over many deals, searching agents over the first of these deals.

    Args:
        folder: folder of the run, in which each of three tournaments keeps a folder of what is finished.
        progress: called with the number of games finished since the last call.
    """
    meetings = {}
    for name, games, agents in _tournaments(sizes):
        policies = [sizes.policy(agent) for agent in agents]
        plan = settings_for("five-o", policies, deals=games // 2, seed=SEEDS * sizes.seed)
        store = work_through(
            plan, folder / f"table3-{name}", workers=workers, cluster=cluster, progress=lambda deals, _: progress(2 * deals)
        )
        for pairing, (i, j) in enumerate(plan.pairs):
            # Where a later tournament plays more games of a pair, these are the first of them.
            met = store.load_unit(pairing)
            meetings[agents[i], agents[j]] = met
            meetings[agents[j], agents[i]] = met.mirrored()
    return meetings


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


def _games_won(met: DealResults) -> list[int]:
    """The games that each side has won."""
    won = np.sign(met.points[..., 0] - met.points[..., 1])
    return [int((won == sign).sum()) for sign in (1, -1)]


def _standings(meetings: Meetings, agents: Sequence[str], opponents: Sequence[str]) -> list[Row]:
    """The results of each agent against all opponents but itself, the best agent first."""
    rows = []
    for agent in agents:
        met = [meetings[agent, other] for other in opponents if other != agent]
        rate = mean_win_rate([results.wins for results in met])
        won, lost = np.sum([_games_won(results) for results in met], 0).tolist()
        rows.append(
            Standing(
                agent=agent,
                win_rate=rate,
                won=won,
                lost=lost,
                games=sum(2 * results.deals for results in met),
                wins_of_70=70 * rate.mean,
                win_loss_ratio=rate.mean / (1 - rate.mean) if rate.mean < 1 else math.inf,
                lead=float(np.mean([results.tricks_margins.mean() for results in met])),
            )
        )
    return sorted(rows, key=lambda row: -float(row.win_rate.mean))


def _bounded_rate(wins: Array) -> float:
    """The win rate with half a drawn deal added: a rate of exactly 0 or 1 would make any other result impossible."""
    return float((wins.sum() + 0.25) / (len(wins) + 0.5))


def compare_with_paper(meetings: Meetings, stand_in: Mapping[str, str]) -> dict[str, Any]:
    """Tests whether the paper's ten games a pair fit our win rates.

    Args:
        stand_in: by the paper's name of an agent, the agent of ours that is taken for it; all others keep their names.

    Returns:
        ``pairs`` that were compared, ``chi_squared`` over these pairs with ``p``, the chance of a larger one, and
        ``totals``: each agent's wins of 70 beside those expected, with the difference ``z`` in standard errors.
    """
    games, names = PRINTED["games"], {agent: stand_in.get(agent, agent) for agent in AGENTS}
    ours = {(a, b): meetings[names[a], names[b]].wins for a, b in PUBLISHED_WINS}
    rates = {pair: _bounded_rate(wins) for pair, wins in ours.items()}
    # The paper's ten games scatter, and our rates have errors, too.
    variances = {
        pair: games * rate * (1 - rate) + games**2 * float(ours[pair].var(ddof=1) / len(ours[pair]))
        for pair, rate in rates.items()
    }
    known = {pair: wins for pair in itertools.combinations(AGENTS, 2) if (wins := PUBLISHED_WINS[pair]) is not None}
    squared = sum((wins - games * rates[pair]) ** 2 / variances[pair] for pair, wins in known.items())
    totals = []
    for agent, paper in zip(AGENTS, PRINTED["totals"], strict=True):
        pairs = [(agent, other) for other in AGENTS if other != agent]
        expected = games * sum(rates[pair] for pair in pairs)
        z = z_score(paper[0] - expected, math.sqrt(sum(variances[pair] for pair in pairs)))
        totals.append({"agent": agent, "ours": names[agent], "paper": paper, "expected": expected, "z": z})
    return {"pairs": len(known), "chi_squared": squared, "p": float(chi2.sf(squared, len(known))), "totals": totals}


def _legs(agents: Sequence[str]) -> list[Pair]:
    """Each agent with the next, and the last with the first."""
    return list(itertools.pairwise([*agents, agents[0]]))


def _win_rates(meetings: Meetings, agents: Sequence[str]) -> list[float]:
    """The win rate of each agent against the next, and of the last against the first."""
    return [float(meetings[leg].wins.mean()) for leg in _legs(agents)]


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
    found = []
    for cycle in cycles(lead, error):
        names = [agents[player] for player in cycle.players]
        rates = _win_rates(meetings, names)
        found.append({"agents": names, "win_rates": rates, "z": cycle.z, "significant": cycle.significant})
    return {"triples": math.comb(k, 3), "found": found, "significant": sum(triple["significant"] for triple in found)}


def published_triples(meetings: Meetings, draws: int = 2_000) -> dict[str, Any]:
    """Finds the non-transitive triples in the paper's own Table III, and their number by chance in ten games a pair.

    Args:
        draws: how often to draw ten games of every pair from our win rates.

    Returns:
        ``found``: the triples with the paper's wins and our win rates; ``by_chance_mean``: the mean number of triples in
        the draws; ``by_chance_as_many``: the share of the draws with at least as many triples as the paper has.
    """
    games, k = PRINTED["games"], len(AGENTS)
    pairs = list(itertools.combinations(range(k), 2))
    rates = [meetings[AGENTS[i], AGENTS[j]].wins.mean() for i, j in pairs]
    printed = [PUBLISHED_WINS[AGENTS[i], AGENTS[j]] for i, j in pairs]

    def triples_in(wins: Sequence[int | None]) -> list[list[str]]:
        """The non-transitive triples in a table of wins by pair, half of the games where the paper is unknown."""
        lead = np.zeros((k, k))
        for (i, j), won, known in zip(pairs, wins, printed, strict=True):
            lead[i, j] = 0 if won is None or known is None else won - games / 2
            lead[j, i] = -lead[i, j]
        return [[AGENTS[player] for player in cycle.players] for cycle in cycles(lead, np.ones((k, k)))]

    rng = np.random.default_rng(0)
    counts = np.array([len(triples_in(rng.binomial(games, rates).tolist())) for _ in range(draws)])
    found = []
    for agents in triples_in(printed):
        paper = [PUBLISHED_WINS[leg] for leg in _legs(agents)]
        found.append({"agents": agents, "paper": paper, "win_rates": _win_rates(meetings, agents)})
    return {
        "found": sorted(found, key=lambda triple: -min(triple["paper"])),
        "by_chance_mean": float(np.mean(counts)),
        "by_chance_as_many": float(np.mean(counts >= len(found))),
    }


def _pairing(meetings: Meetings, pair: Pair) -> Row:
    met, paper = meetings[pair], PUBLISHED_WINS.get(pair)
    won, games = _games_won(met), 2 * met.deals
    return Pairing(
        sides=list(pair),
        games=games,
        games_won=won,
        drawn=games - sum(won),
        win_rate=share_interval(met.wins),
        lead=float(met.tricks_margins.mean()),
        paper=paper,
        p=None if paper is None else float(binomtest(paper, PRINTED["games"], _bounded_rate(met.wins)).pvalue),
        decisions_per_s=[n / s if s > 0 else 0.0 for n, s in zip(met.decisions, met.seconds, strict=True)],
    )


def table3(meetings: Meetings) -> dict[str, Any]:
    """Returns all figures that Table III, Figure 4 and the sections on the cycle and on greedy1 show."""
    every = [*AGENTS, *EXTRA]
    faulty = {"greedy1": "greedy1-published"}
    replaced = [faulty.get(agent, agent) for agent in AGENTS]
    return {
        "pairings": [_pairing(meetings, pair) for pair in itertools.combinations(every, 2)],
        "standings": _standings(meetings, AGENTS, AGENTS),
        "standings_with_greedy1_published": _standings(meetings, replaced, replaced),
        "extra": _standings(meetings, EXTRA, AGENTS),
        "comparison": compare_with_paper(meetings, {}),
        "comparison_with_greedy1_published": compare_with_paper(meetings, faulty),
        "paper_cycle": [_pairing(meetings, pair) for pair in _legs(PRINTED["cycle"])],
        "paper_triples": published_triples(meetings),
        "triples": find_triples(meetings, AGENTS),
        "triples_of_all": find_triples(meetings, every),
    }
