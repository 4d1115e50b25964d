"""What ``ismcts`` wins at equal time: ``python benchmarks/ismcts.py [--against pipmc|beliefs] [--report FILE] [--json]``.

Duplicate matches against flat Monte Carlo, and against the network that it takes its prior probabilities from; in more
games, against ``pipmc``; or of searches in the worlds that the network believes in. Every decision of both players has the
same time, in seconds of the clock; what they took of the processor is told beside it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from measuring import Timed, count_option, hand_over, machine, tell, written_by

from cardenvs import cli, policy
from cardenvs.baselines.match import play_match
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.contract.registry import game_names, get_game
from cardenvs.printing import table_lines
from cardenvs.recycle.library import FOLDER, SUFFIX

MONTE_CARLO = (
    ("euchre", "ismcts:seconds=0.005", "monte-carlo:seconds=0.005", 1),
    ("euchre", "ismcts:seconds=0.005,variant=multiple", "monte-carlo:seconds=0.005", 8),
    ("euchre", "ismcts:seconds=0.02,network=learned", "monte-carlo:seconds=0.02", 8),
    ("euchre", "ismcts:seconds=0.02,network=learned", "learned", 8),
    ("whist", "ismcts:seconds=0.005", "monte-carlo:seconds=0.005", 16),
    ("whist", "ismcts:seconds=0.02,network=learned", "monte-carlo:seconds=0.02", 32),
)
PIPMC = tuple(
    (game, "ismcts:seconds=0.01", "pipmc:seconds=0.01", part)
    for game, part in (
        ("euchre", 8), ("whist", 32), ("agram", 16), ("lama", 16), ("hearts", 64), ("stealing-bundles", 64), ("pairs", 16),
    )
)  # fmt: skip
_NETWORK = "ismcts:seconds=0.02,network=learned"
_VALUES, _PLAYED_OUT = f"{_NETWORK},leaves=value,beliefs=200", f"{_NETWORK},leaves=playout,beliefs=200"
_SEARCH = "learned-search:seconds=0.02"
BELIEFS = (
    ("euchre", _PLAYED_OUT, f"{_NETWORK},leaves=playout", 16),
    ("euchre", _VALUES, f"{_NETWORK},leaves=value", 16),
    ("euchre", _VALUES, _PLAYED_OUT, 16),
    ("euchre", _PLAYED_OUT, "learned", 16),
    ("euchre", _VALUES, "learned", 16),
    ("euchre", _SEARCH, _PLAYED_OUT, 16),
    ("euchre", _SEARCH, _VALUES, 16),
    ("euchre", _SEARCH, "learned", 16),
    ("whist", f"{_VALUES},candidates=10", "learned", 64),
    ("whist", _SEARCH, f"{_VALUES},candidates=10", 64),
)
PAIRS = {"monte-carlo": MONTE_CARLO, "pipmc": PIPMC, "beliefs": BELIEFS}
"""By whom ``ismcts`` meets: the game and the two players of each match, and which part of the deals it is played over: one
in so many."""


@dataclass(frozen=True)
class Pairing:
    """A match at equal time.

    Attributes:
        game: the game's name.
        first: name of the first player.
        second: name of the second player.
        deals: number of deals, each played twice.
        points: points a deal that the first player was ahead, the mean.
        ci95: the 95% confidence interval of ``points``, low and high end.
        milliseconds: processor time of a decision of the first and of the second player, forced ones included.
    """

    game: str
    first: str
    second: str
    deals: int
    points: float
    ci95: list[float]
    milliseconds: tuple[float, float]


def play(game: str, first: str, second: str, deals: int, seed: int) -> Pairing:
    """Plays one match of ``deals`` duplicate deals."""
    spec = get_game(game if game in game_names() else str(FOLDER / f"{game}{SUFFIX}"))
    players = [Timed(policy.make(spec, name)) for name in (first, second)]
    play_match(spec, *players, deals=2, seed=seed + 1)
    for player in players:
        player.restart()
    margin = play_match(spec, *players, deals=deals, seed=seed).points_margin
    return Pairing(game, first, second, deals, margin.mean, margin.ci95, (1000 * players[0].mean, 1000 * players[1].mean))


def markdown(pairings: list[Pairing], **command: Any) -> str:
    """The report, in Markdown, written by a command with some options."""
    rows = [
        [
            p.game.replace("-", " ").capitalize(), f"`{p.first}`", f"`{p.second}`", f"{p.deals:,}",
            plus_minus(Interval(p.points, *p.ci95)), *(f"{ms:.1f}" for ms in p.milliseconds),
        ]
        for p in pairings
    ]  # fmt: skip
    head = ["game", "first", "against", "deals", "points a deal", "ms a decision", "the other's"]
    lines = [
        "# What `ismcts` wins at equal time",
        "",
        f"{written_by(__file__, **command)} on {machine()['processor']}.",
        "Each deal is played with the first player on each side in turn: twice with the sides exchanged, four times where",
        "each of four seats is a side. 95% intervals from the spread between deals. Euchre is played with full bidding.",
        "Times are of the processor, forced moves included.",
        "",
        *table_lines(head, rows, left=3),
    ]
    return "\n".join(lines)


@click.command()
@click.option("--against", type=click.Choice([*PAIRS]), default="monte-carlo", show_default=True, help="Whom it meets.")
@count_option("--deals", 6400, "Deals of the longest match.", least=64)
@cli.report_option
@cli.seed_option
@cli.json_option
def main(against: str, deals: int, report: Path | None, seed: int, as_json: bool) -> None:
    """What ismcts wins at equal time."""
    pairings = []
    for game, first, second, part in PAIRS[against]:
        pairings.append(play(game, first, second, deals // part, seed))
        tell(pairings[-1])
    text = markdown(pairings, against=against, deals=deals, seed=seed)
    hand_over({"pairings": [asdict(p) for p in pairings]}, text, report, as_json)


if __name__ == "__main__":
    main()
