"""How much beliefs by replay know: ``python benchmarks/beliefs.py --rules RULES [--report FILE] [--json]``.

`learned` plays with itself as its partner against opponents of several kinds. Before some of its decisions it is asked how
much likelier the deal as it is was to lead to what was seen than a deal that only fits: the logarithm of its reach, less
that of the mean over uniform re-deals, in nats. 0 is what the rules alone say, and less is worse than that. As a proper
scoring rule it is highest, on average, for whoever believes the truth of how the others act.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from measuring import count_option, hand_over, tell, written_by
from one_step import RULES, title

from cardenvs import Batch, cli, policy
from cardenvs.baselines.reports.document import Code, Document, Estimate, Table, marked, said
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Interval, interval
from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.policy.replay import DOUBTS, log_mass
from cardenvs.train.inference.shipped import Learned, by_rules

OPPONENTS = ("learned", "learned:generation=1", "pimc:worlds=30", "poe:worlds=30", "coop-high-low", "random")
"""Whom it meets: players that act as it does, nearly so, and otherwise."""
TRIED = (0.02, 0.1, 0.3, 0.6, 0.9, None)
"""The doubts; None is what is estimated from each side's acts."""
_GAMES, _SHARE = 64, 0.04  # games side by side, and the share of their positions that are taken: few of the same deal


@dataclass(frozen=True, repr=False)
class Known(Result):
    """How much is known of a deal.

    Attributes:
        opponent: the policy on the other side.
        doubt: the share of all acts that are taken to be anything legal; None: estimated.
        positions: how many decisions.
        nats: how much likelier the deal as it is is than others that fit, the mean of the logarithm.
    """

    opponent: str
    doubt: float | None
    positions: int
    nats: Interval


def met(rules: str, opponent: str, positions: int, seed: int) -> tuple[Bytes, Games]:
    """Positions in which seat 0 has a choice, in games of ``learned`` on its side against an opponent.

    Returns:
        Observations with recall, int8 (positions, d), and the games, a structured array of shape (positions,).
    """
    game, options = RULES[rules]
    players, rng = [policy.make(game, name) for name in ("learned", opponent)], np.random.default_rng(seed)
    batch = Batch(game, _GAMES, seed=seed, recall=True, **options)
    observations: list[Bytes] = []
    games: list[Games] = []
    found = 0
    while found < positions:
        some = (batch.to_act == 0) & (batch.action_masks.sum(1) > 1) & (rng.random(_GAMES) < _SHARE)
        observations.append(batch.observations[some].copy())
        games.append(batch.games[some].copy())
        found += int(some.sum())
        plain = np.ascontiguousarray(batch.observations[:, : players[0].game.observation_size])
        actions = np.zeros(_GAMES, np.int64)
        for side, player in enumerate(players):
            rows = np.flatnonzero(batch.to_act % 2 == side)
            if len(rows):
                actions[rows] = player.act(plain[rows], batch.action_masks[rows], rng)
        batch.step(actions)
    return np.concatenate(observations)[:positions], np.concatenate(games)[:positions]


def measure(rules: str, opponent: str, positions: int, candidates: int, seed: int) -> list[Known]:
    """How much is known against an opponent with each doubt, in the same positions and beside the same re-deals."""
    observations, games = met(rules, opponent, positions, seed)
    player = policy.make(RULES[rules][0], "learned")
    assert isinstance(player, Learned)
    streams, plain = seed_streams(seed + 1, positions), observations[:, : player.game.observation_size]
    nats = np.empty((len(TRIED), positions))
    parts = [part for part in player.parts if part.has_beliefs]
    for part, rows in by_rules(parts, np.ascontiguousarray(plain)):
        for row in rows:
            replay = part.replay()
            worlds = replay.draw_worlds(observations, row, streams, candidates)
            for k, doubt in enumerate(TRIED):
                logs = replay.log_reaches(worlds, doubt)
                nats[k, row] = replay.log_reaches(games[row : row + 1], doubt)[0] - log_mass(logs)
    found = []
    for k, doubt in enumerate(TRIED):
        found.append(Known(opponent, doubt, positions, interval(nats[k])))
        tell(f"{opponent}, {doubt}: {found[-1].nats}")
    return found


def document(rules: str, found: list[Known], candidates: int, seed: int) -> Document:
    """The report."""
    nats = {(one.opponent, one.doubt): Estimate(one.nats, digits=2) for one in found}
    positions, few = found[0].positions, ", ".join(f"{doubt:g}" for doubt in DOUBTS)
    meaning = said(
        f"""{written_by(__file__, rules=rules, positions=positions, candidates=candidates, seed=seed)}. `learned` plays
        with itself as partner against each opponent, {positions:,} decisions of it in a row. How much likelier the deal as
        it is was to lead to what was seen than deals that only fit it ({candidates:,} of them), in nats, by the doubt: the
        share of the acts of others that are taken to be anything legal instead of what `learned` does. Estimated: one of
        {few} for each side, as likely as each other beforehand. 0 is what the rules alone tell. 95% intervals; all of a
        row are of the same positions."""
    )
    head = ["opponent", *("estimated" if doubt is None else f"{doubt:g}" for doubt in TRIED)]
    rows = [[Code(opponent), *(nats[opponent, doubt] for doubt in TRIED)] for opponent in OPPONENTS]
    return Document(marked(f"How much beliefs by replay know: {title(rules)}"), [meaning, Table(head, rows)])


@click.command()
@click.option("--rules", type=click.Choice([*RULES]), default="euchre", show_default=True, help="What is played.")
@count_option("--positions", 500, "Decisions against each opponent.", least=20)
@count_option("--candidates", 300, "Deals that fit each of them.", least=20)
@cli.report_option
@cli.seed_option
@cli.json_option
def main(rules: str, positions: int, candidates: int, report: Path | None, seed: int, as_json: bool) -> None:
    """How much beliefs by replay know."""
    found = [one for name in OPPONENTS for one in measure(rules, name, positions, candidates, seed)]
    hand_over({"known": plain(found)}, document(rules, found, candidates, seed), report, as_json)


if __name__ == "__main__":
    main()
