"""What one step of improvement can win: ``python benchmarks/one_step.py --rules RULES [--report FILE] [--json]``.

`learned` plays itself, and in some of its decisions every action is valued in many worlds, as ``learned-search`` does it
but far more thoroughly: worlds believed by replay, and play-outs with the network. An action that is ahead of the network's
choice there is worth as much more, once. The sum over the decisions of a deal is about what a player wins who decides each
of them perfectly by such values; how much of it ``learned-search`` finds says how thorough it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from measuring import count_option, hand_over, tell, written_by

from cardenvs import Batch, cli, policy
from cardenvs.baselines.reports.document import Code, Document, Estimate, Table, Text, marked, said
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Interval, interval
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.compiled.bits import Bytes, Ints
from cardenvs.compiled.streams import seed_streams
from cardenvs.policy.explanation import Scores
from cardenvs.train.inference.learned_search import EFFORT
from cardenvs.train.inference.shipped import Learned, by_rules

RULES: dict[str, tuple[str, dict[str, Any]]] = {
    "euchre": ("euchre", {}),
    "euchre--forced-spades": ("euchre", {"bidding": "forced-spades"}),
    "whist": ("whist", {}),
}
"""What can be measured: the game and its options."""
_EUCHRE = (
    "worlds=100,prior=0.03", "worlds=400,prior=0.03", "worlds=2000,prior=0.03", "worlds=400,prior=0.01",
    "worlds=2000,prior=0.01", "worlds=2000,prior=0",
)  # fmt: skip
_WHIST = (
    "worlds=100,prior=0.03", "worlds=100,prior=0.1", "worlds=100,prior=0.03,candidates=8", "worlds=400,prior=0.03",
    "worlds=400,prior=0.1", "worlds=400,prior=0.01",
)  # fmt: skip
SEARCHES = {"euchre": _EUCHRE, "whist": _WHIST}
"""The searches whose choices are valued, by game and the parameters of ``learned-search``."""
_GAMES, _DECISIONS, _BLOCK = 256, 200_000, 100  # so many decisions that all parts of a deal are there as often as they come


def title(rules: str) -> str:
    """The rules as a heading says them, such as ``Euchre, forced-spades``."""
    game, options = RULES[rules]
    return ", ".join([game.capitalize(), *map(str, options.values())])


@dataclass(frozen=True, repr=False)
class Gain(Result):
    """What a player's choices are worth above those of ``learned``.

    Attributes:
        player: who chooses.
        points: points a deal for a side, with an interval over positions.
        changed: the share of the decisions in which another action is chosen than by ``learned``.
    """

    player: str
    points: Interval
    changed: float


def sampled(game: str, options: dict[str, Any], positions: int, seed: int) -> tuple[Bytes, Bytes, float]:
    """Positions from the games of ``learned`` against itself in which it has a choice.

    Returns:
        Observations with recall, int8 (positions, d), the action masks, int8 (positions, num_actions), and how many such
        decisions a side has in a deal.
    """
    player, rng = policy.make(game, "learned"), np.random.default_rng(seed)
    batch = Batch(game, _GAMES, seed=seed, recall=True, **options)
    observations: list[Bytes] = []
    masks: list[Bytes] = []
    decisions = deals = found = 0
    while found < positions:
        choice = np.flatnonzero(batch.action_masks.sum(1) > 1)
        decisions += len(choice)
        some = choice[rng.random(len(choice)) < positions / _DECISIONS]
        observations.append(batch.observations[some].copy())
        masks.append(batch.action_masks[some].copy())
        found += len(some)
        plain = np.ascontiguousarray(batch.observations[:, : player.game.observation_size])
        batch.step(player.act(plain, batch.action_masks, rng))
        deals += int((batch.ended > 0).sum())
    return np.concatenate(observations)[:positions], np.concatenate(masks)[:positions], decisions / deals / 2


def valued(
    player: Learned, observations: Bytes, masks: Bytes, worlds: int, candidates: int, doubt: float | None, seed: int
) -> tuple[Scores, Scores, Ints]:
    """What every action is worth, in one half of the worlds and in the other.

    Returns:
        Points above the other side, float64 (n, num_actions), nan for illegal actions, twice; and the network's choices,
        int64 (n,).
    """
    n, game = len(observations), player.game
    halves = np.full((2, n, game.num_actions), np.nan)
    choices = np.zeros(n, np.int64)
    streams, plain = seed_streams(seed, n), np.ascontiguousarray(observations[:, : game.observation_size])
    kind, done = game.reward_kind(game.rewards[0]), 0
    for part, rows in by_rules([part for part in player.parts if part.has_beliefs], plain):  # type: ignore[attr-defined]
        for row in rows:
            replay, legal = part.replay(), np.flatnonzero(masks[row])  # type: ignore[attr-defined]
            choices[row] = part.chances_of(plain[row : row + 1], masks[row : row + 1])[0].argmax()
            sums, totals, first = np.zeros((2, len(legal))), np.zeros(2), 0.0
            for block in range(max(2, worlds // _BLOCK)):
                drawn, counts, mass = replay.draw_believed(observations, row, streams, _BLOCK, candidates, doubt)
                first = mass if block == 0 else first
                weights = counts * math.exp(mass - first)
                sums[block % 2] += weights @ replay.action_gains(drawn, legal, kind)
                totals[block % 2] += weights.sum()
            halves[:, row, legal] = sums / totals[:, None]
            done += 1
            if done % 50 == 0:
                tell(f"{done} of {n} positions valued")
    return halves[0], halves[1], choices


def gains(rules: str, positions: int, worlds: int, doubt: float | None, seed: int) -> tuple[list[Gain], float]:
    """What the best actions and those of searches are worth above ``learned``'s choices; a side's decisions in a deal."""
    game, options = RULES[rules]
    player = policy.make(game, "learned")
    assert isinstance(player, Learned)
    observations, masks, decisions = sampled(game, options, positions, seed)
    first, second, choices = valued(player, observations, masks, worlds, EFFORT[game].candidates, doubt, seed + 1)
    rows = np.arange(positions)

    def gain(name: str, more: Scores, chosen: Ints) -> Gain:
        """What choices bring that are worth so much more, float64 (n,), in a decision."""
        found = interval(decisions * more)
        tell(f"{name}: {plus_minus(found, 4)}")
        return Gain(name, found, float((chosen != choices).mean()))

    both = (first + second) / 2
    # The best action of one half is chosen without its luck in the other.
    best, of_second = np.nanargmax(first, 1), np.nanargmax(second, 1)
    fair = (second[rows, best] - second[rows, choices] + first[rows, of_second] - first[rows, choices]) / 2
    found = [
        gain("the best action in half of the worlds, valued in the others", fair, best),
        gain("the best action, luck included", np.nanmax(both, 1) - both[rows, choices], np.nanargmax(both, 1)),
    ]
    for search in SEARCHES[game]:
        name = f"learned-search:{search}"
        doubted = name if doubt is None else f"{name},doubt={doubt}"
        chosen = policy.make(game, doubted).act(observations, masks, seed_streams(seed + 2, positions))
        found.append(gain(name, both[rows, chosen] - both[rows, choices], chosen))
    return found, decisions


def document(rules: str, found: list[Gain], decisions: float, **command: Any) -> Document:
    """The report, written by a command with some options."""
    rows: list[list[Text]] = [
        [Code(one.player) if ":" in one.player else one.player, Estimate(one.points, digits=4), f"{100 * one.changed:.1f}"]
        for one in found
    ]
    meaning = said(
        f"""{written_by(__file__, rules=rules, **command)}. {command["positions"]:,} decisions of `learned` against itself,
        of which a side has {decisions:.1f} in a deal with more than one legal action. Every action is valued in
        {command["worlds"]:,} worlds that are believed by replay, with play-outs by the network, and what a choice is worth
        above the network's own is summed over the decisions of a deal. 95% intervals over positions. A search's own worlds
        are others than those that its choices are valued in."""
    )
    head: list[Text] = ["choices", marked("points a deal above `learned`"), "other than its, %"]
    return Document(f"What one step of improvement can win: {title(rules)}", [meaning, Table(head, rows)])


@click.command()
@click.option("--rules", type=click.Choice([*RULES]), default="euchre", show_default=True, help="What is played.")
@count_option("--positions", 1000, "Decisions that are valued.", least=20)
@count_option("--worlds", 4000, "Worlds in which each of them is valued.", least=200)
@click.option("--doubt", type=click.FloatRange(0, 1, min_open=True), help="How far the others are doubted. [estimated]")
@cli.report_option
@cli.seed_option
@cli.json_option
def main(
    rules: str, positions: int, worlds: int, doubt: float | None, report: Path | None, seed: int, as_json: bool
) -> None:
    """What one step of improvement can win."""
    found, decisions = gains(rules, positions, worlds, doubt, seed)
    given = {"positions": positions, "worlds": worlds, "seed": seed} | ({} if doubt is None else {"doubt": doubt})
    hand_over({"decisions": decisions, "gains": plain(found)}, document(rules, found, decisions, **given), report, as_json)


if __name__ == "__main__":
    main()
