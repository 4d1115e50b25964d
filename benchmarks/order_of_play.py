"""What the order of play tells about hidden cards: ``python benchmarks/order_of_play.py [--report FILE] [--json]``.

Three networks learn from the same positions of `learned`'s games who holds each hidden card: a perceptron that sees what is
seen without recall, which includes who has played which cards; a perceptron that sees the moves in their order as well; and
one beside a GRU (Cho et al. 2014) that reads the moves in their order. All are measured on the same fresh deals.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from measuring import count_option, hand_over, tell, written_by
from torch import Tensor, nn

from cardenvs import cli, policy
from cardenvs.baselines.reports.document import Document, Estimate, Table, said
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Interval, interval
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import wanted_columns
from cardenvs.train.inference.belief import allowed_holders, holder_names
from cardenvs.train.inference.symmetry import SuitSymmetry

RULES: tuple[tuple[str, dict[str, str]], ...] = (("euchre", {}), ("euchre", {"bidding": "forced-spades"}), ("whist", {}))
GAMES = 512
"""Games played side by side, which is also the number of positions in a minibatch."""
WIDTH, RECALLED = 256, 128
"""Widths of the hidden layers, and of the GRU's state."""
LR = 1e-3


def ends(intervals: dict[str, Interval]) -> dict[str, Any]:
    """Intervals for JSON, by their keys: the mean and the list of both ends."""
    return {key: [one.mean, one.ci95] for key, one in intervals.items()}


@dataclass(frozen=True, repr=False)
class Told(Result):
    """What networks know of hidden cards.

    Attributes:
        game: the game's name.
        options: rule options that are not as by default.
        positions: how many positions they learned from.
        deals: how many deals they were measured in.
        nats: by network, its mean loss in nats: minus the logarithm of the chance given to a hidden card's true holder.
        gains: by network, how much lower that is than the loss of the first, by deal.
    """

    game: str
    options: dict[str, str]
    positions: int
    deals: int
    nats: dict[str, float]
    gains: dict[str, Interval]

    def figures(self) -> dict[str, Any]:
        """The figures as plain values."""
        return super().figures() | {"gains": ends(self.gains)}


class Perceptron(nn.Module):
    """A perceptron that sees the first entries of an observation."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        widths = [inputs, WIDTH, WIDTH, outputs]
        layers = [part for wide, narrow in itertools.pairwise(widths) for part in (nn.Linear(wide, narrow), nn.ReLU())]
        self.inputs, self.layers = inputs, nn.Sequential(*layers[:-1])

    def forward(self, seen: Tensor) -> Tensor:
        """Numbers for holders and cards, float (n, outputs), from observations with recall, float (n, d)."""
        logits: Tensor = self.layers(seen[:, : self.inputs])
        return logits


class Reader(nn.Module):
    """A perceptron that sees an observation without recall, and what a GRU makes of the moves in their order."""

    def __init__(self, inputs: int, move: int, outputs: int) -> None:
        super().__init__()
        self.inputs, self.move = inputs, move
        self.reader = nn.GRU(move, RECALLED, batch_first=True)
        self.perceptron = Perceptron(inputs + RECALLED, outputs)

    def forward(self, seen: Tensor) -> Tensor:
        """Numbers for holders and cards, float (n, outputs), from observations with recall, float (n, d)."""
        moves = seen[:, self.inputs :].reshape(len(seen), -1, self.move)
        lengths = moves.any(2).sum(1)
        read = self.reader(moves[:, : max(1, int(lengths.max()))])[0]
        last = read[torch.arange(len(seen)), (lengths - 1).clamp(min=0)]
        told: Tensor = self.perceptron(torch.cat([seen[:, : self.inputs], last * (lengths > 0)[:, None]], 1))
        return told


class Positions:
    """Positions of a policy's games, minibatch by minibatch.

    Args:
        game: the game with recall.
        seed: seed of the games.
        options: rule options.
    """

    def __init__(self, game: GameSpec, seed: int, options: dict[str, str]) -> None:
        self.batch = Batch(game, GAMES, seed=seed, skip_forced=True, **options)
        self._player = policy.make(game.plain, "learned")
        self._streams = seed_streams(seed + 1, GAMES)
        self._symmetry = SuitSymmetry(game)
        ends = itertools.pairwise(np.cumsum([game.observation_size, *(part.size for part in game.hidden)]))
        hidden = zip(ends, game.hidden, strict=True)
        self._hidden = [slice(*columns) for columns, part in hidden if part.name in holder_names(game)]

    def draw(self) -> tuple[Tensor, Tensor, Tensor]:
        """The next position of every game.

        Returns:
            What the seat to act sees, float (n, d); where cards may be, 0 or far below it, float (n, holders, cards); where
            they are, float of the same shape.
        """
        batch = self.batch
        shown = self._symmetry.rename_positions(batch.states(), batch.action_masks)[0]
        seen = np.ascontiguousarray(shown[:, : batch.spec.observation_size])
        truth = np.stack([shown[:, part] for part in self._hidden], 1)
        rows = wanted_columns(self._player, batch.observations)
        batch.step(self._player.choose(rows, batch.action_masks, self._streams))
        allowed = allowed_holders(batch.spec, seen)
        return torch.from_numpy(seen).float(), torch.from_numpy(allowed), torch.from_numpy(truth).float()


def losses(network: nn.Module, seen: Tensor, allowed: Tensor, truth: Tensor) -> Tensor:
    """By position, minus the mean logarithm of the chance given to a hidden card's true holder, float (n,)."""
    logits = network(seen).reshape(allowed.shape) + allowed
    return -(torch.log_softmax(logits, 1) * truth).sum((1, 2)) / truth.sum((1, 2)).clamp(min=1)


def measure(name: str, options: dict[str, str], positions: int, deals: int, seed: int) -> Told:
    """Fits the networks to so many positions of a game, and measures them in so many fresh deals."""
    game = get_game(name).recalling
    plain, outputs = game.plain.observation_size, len(holder_names(game)) * len(game.parts[0].labels)
    torch.manual_seed(seed)
    networks: dict[str, nn.Module] = {
        "without the order": Perceptron(plain, outputs),
        "with the order": Perceptron(game.observation_size, outputs),
        "with the order, GRU": Reader(plain, game.recall_parts[0].size, outputs),
    }
    optimizers = {key: torch.optim.Adam(network.parameters(), lr=LR) for key, network in networks.items()}
    source, rounds = Positions(game, seed, options), math.ceil(positions / GAMES)
    for k in range(rounds):
        drawn = source.draw()
        for key, network in networks.items():
            for group in optimizers[key].param_groups:
                group["lr"] = LR * (1 - k / rounds)
            optimizers[key].zero_grad()
            losses(network, *drawn).mean().backward()
            optimizers[key].step()
        if k % 500 == 0:
            tell(f"{name} {options}: {k * GAMES:,} positions")
    found = _by_deal(networks, Positions(game, seed + 2, options), deals)
    first = next(iter(networks))
    gains = {key: interval(found[first] - found[key]) for key in networks if key != first}
    return Told(
        name, options, rounds * GAMES, len(found[first]), {key: float(found[key].mean()) for key in networks},
        gains,
    )  # fmt: skip


def _by_deal(networks: dict[str, nn.Module], source: Positions, deals: int) -> dict[str, Any]:
    """By network, its mean loss in each of about so many deals, float64."""
    sums: dict[str, list[float]] = {key: [] for key in networks}
    running = {key: np.zeros(GAMES) for key in networks}
    counts, total = np.zeros(GAMES), 0
    with torch.no_grad():
        while total < deals:
            drawn = source.draw()
            for key, network in networks.items():
                running[key] += losses(network, *drawn).numpy()
            counts += 1
            over = np.flatnonzero(source.batch.ended)
            for key in networks:
                sums[key] += (running[key][over] / counts[over]).tolist()
                running[key][over] = 0
            counts[over] = 0
            total += len(over)
    return {key: np.array(values) for key, values in sums.items()}


def document(told: list[Told], **command: Any) -> Document:
    """The report, written by a command with some options."""
    rows = [
        [
            ", ".join([one.game.capitalize(), *one.options.values()]), key, f"{one.nats[key]:.4f}",
            Estimate(one.gains.get(key), digits=4), f"{one.positions:,}", f"{one.deals:,}",
        ]
        for one in told
        for key in one.nats
    ]  # fmt: skip
    meaning = said(
        f"""{written_by(__file__, **command)}. Networks learn from `learned`'s games who holds each hidden card. All see
        who has played which cards, what lies on the table and what shows of voids; some see the moves in their order as
        well. The loss is minus the mean logarithm of the chance given to a hidden card's true holder, over all decisions
        of fresh deals; 95% intervals over deals."""
    )
    head = ["game", "network", "loss, nats a card", "lower than the first by", "positions", "deals"]
    title = "What the order of play tells about hidden cards"
    return Document(title, [meaning, Table(head, rows, left=2, spare=["positions", "deals"])])


@click.command()
@count_option("--positions", 4_000_000, "Positions that each network learns from.")
@count_option("--deals", 20_000, "Fresh deals in which they are measured.", least=2)
@cli.report_option
@cli.seed_option
@cli.json_option
def main(positions: int, deals: int, report: Path | None, seed: int, as_json: bool) -> None:
    """What the order of play tells about hidden cards."""
    told = []
    for name, options in RULES:
        told.append(measure(name, options, positions, deals, seed))
        tell(told[-1].figures())
    hand_over({"rules": plain(told)}, document(told, positions=positions, deals=deals, seed=seed), report, as_json)


if __name__ == "__main__":
    main()
