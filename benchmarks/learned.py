"""How fast `learned` decides: ``python benchmarks/learned.py [--report FILE] [--json]``.

Measured beside `learned` in the same run: its network in torch, with everything around the network in array operations of
NumPy and torch, and the searches to which `learned` is compared. All times are processor time of one thread, warm; figures
are medians of rounds in which everything is measured in turn, and ratios medians of each round's own. Positions are from
games of `learned` with itself, forced moves among them, as in a match.
"""

from __future__ import annotations

import statistics
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from measuring import count_option, hand_over, in_turn, machine, processor_seconds, tell, written_by
from torch import nn

from cardenvs import cli, policy
from cardenvs.baselines.reports.document import Code, Document, Table, Text, marked, said
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.streams import seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Policy
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.inference.plain_actor import PlainActor
from cardenvs.train.inference.shipped import Learned

RULES: dict[str, tuple[str, dict[str, Any], int]] = {
    "Euchre, published protocol": ("euchre", {"bidding": "forced-spades"}, 40),
    "Euchre, full bidding": ("euchre", {}, 40),
    "Whist": ("whist", {}, 52),
    "Five-O": ("five-o", {}, 40),
}
"""By title: a game, rule options by name, and the number of moves decided in each game, which makes a whole deal."""
SEARCHES = ("pimc:worlds=30", "pimc:worlds=100")
"""Searches that are measured beside `learned` in the games that they play."""
GAMES = 2048
"""Games in the batch."""
SEARCHED = 80
"""Games of which the searches decide every third move."""

Positions = list[tuple[Bytes, Bytes]]
"""By move, observations int8 (n, observation_size) and action masks int8 (n, num_actions)."""


def positions(game: str, options: dict[str, Any], moves: int, seed: int) -> Positions:
    """The observations and action masks of the seats to act in `GAMES` games, before each of ``moves`` moves."""
    player = policy.make(game, "learned:sample=yes")
    batch = Batch(game, GAMES, seed=seed, **options)
    streams = seed_streams(seed, GAMES)
    seen = []
    for _ in range(moves):
        seen.append((batch.observations.copy(), batch.action_masks.copy()))
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
    return seen


class InTorch(Policy):
    """The multilayer perceptron of a trained policy, deterministic, as one would write it in torch.

    Args:
        player: the trained policy.
    """

    def __init__(self, player: TrainedPolicy) -> None:
        super().__init__(player.game)
        self.player = player
        layers: list[nn.Module] = []
        arrays = list(player.weights().values())
        for weight, bias in zip(arrays[::2], arrays[1::2], strict=True):
            layer = nn.Linear(weight.shape[1], weight.shape[0])
            layer.load_state_dict({"weight": torch.from_numpy(weight), "bias": torch.from_numpy(bias)})
            layers += [layer, nn.ReLU()]
        self.net = nn.Sequential(*layers[:-1])

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The likeliest actions, int64 (n,); see `cardenvs.policy.Policy.choose`."""
        del streams
        out = action_masks.argmax(1)
        rows = np.flatnonzero(action_masks.sum(1) > 1)
        symmetry = self.player.symmetry
        assert symmetry is not None
        seen, masks, names = symmetry.rename_positions(self.player.known(observations[rows]), action_masks[rows])
        with torch.inference_mode():
            logits = self.net(torch.from_numpy(seen).float())
            logits = torch.where(torch.from_numpy(masks).bool(), logits, -torch.inf)
        out[rows] = symmetry.restore_actions(logits.argmax(1).numpy(), names)
        return out


def rate(player: Policy, chosen: Positions, seed: int) -> float:
    """A policy's decisions a second of processor time, all positions of a move in one call."""
    streams = seed_streams(seed, max(len(rows) for rows, _ in chosen))

    def decide() -> None:
        for rows, masks in chosen:
            player.choose(rows, masks, streams[: len(rows)])

    return sum(len(rows) for rows, _ in chosen) / processor_seconds(decide)


def contenders(game: str, options: dict[str, Any]) -> dict[str, Policy]:
    """The policies that are measured in a game, by name, `learned` first."""
    learned = policy.make(game, "learned")
    assert isinstance(learned, Learned)
    players: dict[str, Policy] = {"learned": learned}
    shown = Batch(game, 1, seed=0, **options).observations
    part = next(part for part in learned.parts if part.plays(shown)[0])
    if isinstance(part.actor, PlainActor):
        players["learned in torch"] = InTorch(part)
    return players | {name: policy.make(game, name) for name in SEARCHES if name.partition(":")[0] in policy.names(game)}


def check_torch(title: str, players: dict[str, Policy], rows: Bytes, masks: Bytes, seed: int) -> None:
    """Checks that the network in torch chooses the same actions as `learned`, but for rounding.

    Raises:
        RuntimeError: more than one choice of a thousand differs.
    """
    if "learned in torch" not in players:
        return
    pair = [players[name].choose(rows, masks, seed_streams(seed, len(rows))) for name in ("learned", "learned in torch")]
    differ = int((pair[0] != pair[1]).sum())
    if differ > len(rows) // 1000:
        raise RuntimeError(f"{title}: {differ} of {len(rows)} choices differ from torch's")


def measure(rounds: int, seed: int) -> dict[str, Any]:
    """By title of `RULES` and policy: the decisions a second, and how many times as fast `learned` is."""
    figures: dict[str, Any] = {}
    for title, (game, options, moves) in RULES.items():
        tell(title)
        players = contenders(game, options)
        asked = positions(game, options, moves, seed)
        few = [(rows[:SEARCHED].copy(), masks[:SEARCHED].copy()) for rows, masks in asked[::3]]
        for player in players.values():
            rate(player, few[:1], seed)  # compiles
        check_torch(title, players, *asked[moves // 2], seed)
        rates = in_turn(
            rounds,
            {name: partial(rate, player, few if name in SEARCHES else asked, seed) for name, player in players.items()},
            warm=True,
        )
        figures[title] = {
            name: {
                "decisions_per_s": statistics.median(own),
                "learned_times_as_fast": statistics.median(a / b for a, b in zip(rates["learned"], own, strict=True)),
            }
            for name, own in rates.items()
        }
    return figures


def document(figures: dict[str, Any]) -> Document:
    """The report."""
    rows: list[list[Text]] = [
        [
            title, Code(name), f"{own['decisions_per_s']:,.0f}",
            "" if name == "learned" else f"{own['learned_times_as_fast']:,.1f}",
        ]
        for title, rates in figures["rates"].items()
        for name, own in rates.items()
    ]  # fmt: skip
    meaning = said(
        f"""{written_by(__file__, rounds=figures["rounds"], seed=figures["seed"])} on {figures["processor"]}. Decisions a
        second on one core, forced moves among them, the network's in batches of {GAMES:,} games: medians of
        {figures["rounds"]} rounds. **In torch** is the same network, with its surroundings in array operations."""
    )
    head: list[Text] = ["game", "policy", "decisions/s", marked("`learned` is faster by")]
    return Document(marked("How fast `learned` decides"), [meaning, Table(head, rows, left=2)])


@click.command()
@count_option("--rounds", 7, "Rounds of every measurement.")
@cli.report_option
@cli.seed_option
@cli.json_option
def main(rounds: int, report: Path | None, seed: int, as_json: bool) -> None:
    """How fast learned decides, beside torch and the searches."""
    torch.set_num_threads(1)
    figures = {**machine(), "rounds": rounds, "seed": seed, "rates": measure(rounds, seed)}
    hand_over(figures, document(figures), report, as_json)


if __name__ == "__main__":
    main()
