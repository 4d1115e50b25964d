"""Whether ``learned-search`` should solve the last tricks: ``python benchmarks/last_tricks.py [--report FILE] [--json]``.

With few cards left a world can be solved with all cards open instead of being played out by the network: exact, but by
players who know what they cannot know. Both are tried in the same worlds, believed by the same replays, in the same deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from measuring import count_option, hand_over, in_same_deals, written_by

from cardenvs import cli
from cardenvs.baselines.reports.document import Code, Document, Estimate, Table, marked, said
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.search.trick.double_dummy import deal_points, solve_cards
from cardenvs.compiled.bits import Ints
from cardenvs.contract.fields import Games
from cardenvs.games import euchre
from cardenvs.policy.explanation import Scores
from cardenvs.train.inference.learned_search import LearnedSearch
from cardenvs.train.inference.replay import Replay

TRIED = {"euchre": (0, 2, 3, 4), "whist": (0, 3, 5)}
"""From how many cards a hand on worlds are solved, by game; 0: never."""
DOUBT, PRIOR = 0.3, 0.03
"""How far the searches doubt the others, and lean on the policy."""
OPPONENTS = ("learned", "pimc:worlds=100")


class _Solving:
    """Replays whose worlds are solved with open cards where a hand has at most so many cards."""

    def __init__(self, replay: Replay, most: int) -> None:
        self._replay, self._most = replay, most

    def __getattr__(self, name: str) -> Any:
        return getattr(self._replay, name)

    def action_gains(self, worlds: Games, actions: Ints, kind: int) -> Scores:
        """What seat 0 gains by each action in each world, as `Replay.action_gains` returns it."""
        left = int(worlds[0]["hands"][0]).bit_count()
        playing = "phase" not in (worlds.dtype.names or ()) or worlds[0]["phase"] == euchre.PLAYING
        if left > self._most or not playing:
            return self._replay.action_gains(worlds, actions, kind)
        tricks = solve_cards(worlds)[:, actions]
        out = np.empty(tricks.shape)
        for k in range(len(actions)):
            points = deal_points(worlds, np.stack([tricks[:, k], left - tricks[:, k]], 1))
            out[:, k] = points[:, 0] - points[:, 1]
        return out


class Solving(LearnedSearch):
    """``learned-search`` that solves worlds with open cards where a hand has at most so many cards."""

    def __init__(self, game: str, worlds: int, most: int) -> None:
        super().__init__(game, worlds=worlds, doubt=DOUBT, prior=PRIOR)
        self.name = f"{worlds} worlds, solved from {most} cards on"
        for part in self._parts:
            solving: Any = _Solving(part.replay(), most)
            part.replay = lambda solving=solving: solving  # type: ignore[method-assign]


@dataclass(frozen=True, repr=False)
class Tried(Result):
    """What the search wins with the last tricks solved.

    Attributes:
        game: the game's name.
        opponent: the policy that it met.
        most: from how many cards a hand on worlds were solved; 0: never.
        deals: duplicate deals.
        points: points a deal above the opponent.
        more: points a deal more than with nothing solved, in the same deals.
    """

    game: str
    opponent: str
    most: int
    deals: int
    points: Interval
    more: Interval


def measure(game: str, opponent: str, worlds: int, deals: int, seed: int) -> list[Tried]:
    """Tries every number of cards against an opponent."""
    variants = {most: Solving(game, worlds, most) for most in TRIED[game]}
    return [
        Tried(game, opponent, most, deals, won, more)
        for most, (won, more) in in_same_deals(game, variants, opponent, deals, seed).items()
    ]


def document(tried: list[Tried], **command: Any) -> Document:
    """The report, written by a command with some options."""
    rows = [
        [
            one.game.capitalize(), Code(one.opponent), str(one.most or "never"), f"{one.deals:,}", Estimate(one.points),
            Estimate(one.more if one.most else None),
        ]
        for one in tried
    ]  # fmt: skip
    meaning = said(
        f"""{written_by(__file__, **command)}. Worlds are the same, believed by the same replays. From so many cards a hand
        on they are solved with all cards open instead of being played out by the network. The same duplicate deals in
        every row of an opponent; 95% intervals. `doubt` is {DOUBT}, `prior` {PRIOR}."""
    )
    head = ["game", "opponent", "solved from", "deals", "wins, points a deal", "more than never"]
    return Document(marked("Whether `learned-search` should solve the last tricks"), [meaning, Table(head, rows, left=2)])


@click.command()
@click.option("--game", "games", type=click.Choice([*TRIED]), multiple=True, help="Only this game. [all]")
@count_option("--worlds", 100, "Worlds of a decision in Euchre; in Whist half of them.", least=2)
@count_option("--deals", 600, "Duplicate deals with each opponent in Euchre; in Whist a tenth of them.", least=20)
@cli.report_option
@cli.seed_option
@cli.json_option
def main(games: tuple[str, ...], worlds: int, deals: int, report: Path | None, seed: int, as_json: bool) -> None:
    """Whether learned-search should solve the last tricks."""
    tried = []
    for game in games or TRIED:
        share = (worlds, deals) if game == "euchre" else (worlds // 2, deals // 10)
        tried += [one for opponent in OPPONENTS for one in measure(game, opponent, *share, seed)]
    hand_over({"tried": plain(tried)}, document(tried, worlds=worlds, deals=deals, seed=seed), report, as_json)


if __name__ == "__main__":
    main()
