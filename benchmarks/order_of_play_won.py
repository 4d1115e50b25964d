"""What players win who read the order of play: ``python benchmarks/order_of_play_won.py [--report FILE] [--json]``.

Three networks learn, from the same positions of `learned`'s games, how `learned`'s choices can be bettered: a perceptron
that sees what is seen without recall; one that sees the moves in their order as well; and one beside a GRU that reads the
moves in their order. In each position every action is played out by `learned`, in the cards of that deal, and the networks
follow the policy gradient over all actions at once (`cardenvs.train.learning.playouts`). Then each plays `learned`, all in
the same fresh deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from measuring import count_option, hand_over, in_same_deals, tell, written_by
from order_of_play import GAMES, LR, RULES, Perceptron, Reader, ends
from torch import Tensor, nn

from cardenvs import cli
from cardenvs.baselines.reports.document import Document, Estimate, Table, Text, marked, said
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Policy
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.inference.plain_actor import PlainActor
from cardenvs.train.inference.replay import PlayOn
from cardenvs.train.inference.shipped import Learned
from cardenvs.train.inference.symmetry import SuitSymmetry
from cardenvs.train.learning.loss import masked_log_softmax

EXPLORE = 0.02
"""Share of the moves that are drawn among the legal ones, so that what others might do is met, too."""
LEAST = 1e-3
"""What is added to `learned`'s probabilities, so that its least likely actions can become likely."""
ENTROPY = 0.01
"""How much a nat of entropy is worth, in standard deviations of what actions are worth."""


@dataclass(frozen=True, repr=False)
class Won(Result):
    """What players win who read the order of play.

    Attributes:
        game: the game's name.
        options: rule options that are not as by default.
        positions: how many positions they learned from.
        deals: how many duplicate deals each of them played.
        points: by network, the points a deal that it wins from `learned`.
        gains: by network, how many more that are than the first's.
    """

    game: str
    options: dict[str, str]
    positions: int
    deals: int
    points: dict[str, Interval]
    gains: dict[str, Interval]

    def figures(self) -> dict[str, Any]:
        """The figures as plain values."""
        return super().figures() | {"points": ends(self.points), "gains": ends(self.gains)}


def trained(game: GameSpec, options: dict[str, str]) -> TrainedPolicy:
    """The network of `learned` for some rules."""
    shown = Batch(game, 1, seed=0, **options).observations
    return next(part for part in Learned(game).parts if part.plays(shown).all())


class Bettered(Policy):
    """`learned`, its choices bettered by a network.

    Args:
        game: the game with recall.
        learned: the network that is bettered.
        network: gives a number for each action, to be added to the logarithm of `learned`'s probability.
        name: the player's name.
    """

    def __init__(self, game: GameSpec, learned: TrainedPolicy, network: nn.Module, name: str) -> None:
        super().__init__(game)
        self.name, self.network, self._learned, self._symmetry = name, network, learned, SuitSymmetry(game)

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The actions with the highest sums, int64 (n,); nothing is drawn from ``streams``."""
        rows, masks, names = self._symmetry.rename_positions(observations, action_masks)
        with torch.no_grad():
            told = self.network(torch.from_numpy(rows).float()).numpy() + before(self._learned, rows, masks)
        return self._symmetry.restore_actions(np.where(masks != 0, told, -np.inf).argmax(1), names)


def before(learned: TrainedPolicy, rows: Bytes, masks: Bytes) -> Floats:
    """The logarithm of `learned`'s probabilities, float32 (n, num_actions), in canonical rows with recall or without."""
    plain = np.ascontiguousarray(rows[:, : learned.game.observation_size])
    return np.log(learned.probabilities(plain, masks) + np.float32(LEAST))


class Tried:
    """Positions of `learned`'s games and what each action brings there, minibatch by minibatch.

    Args:
        game: the game with recall.
        learned: the network that plays.
        seed: seed of the games.
        options: rule options.
    """

    def __init__(self, game: GameSpec, learned: TrainedPolicy, seed: int, options: dict[str, str]) -> None:
        self.batch = Batch(game, GAMES, seed=seed, skip_forced=True, reward="points", **options)
        self._learned, self._symmetry = learned, SuitSymmetry(game)
        assert isinstance(learned.actor, PlainActor)
        self._playing = PlayOn(game.plain, learned.actor.net, learned.actor.net_space())
        self._streams, self._generator = seed_streams(seed + 1, GAMES), np.random.default_rng(seed + 2)

    def draw(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The next position of every game, under canonical names of suits.

        Returns:
            What the seat to act sees, float32 (n, d); which actions are legal, bool (n, num_actions); the logarithms of
            `learned`'s probabilities, and what each action brings above the mean of the legal ones, both float32 (n,
            num_actions).
        """
        batch, legal = self.batch, self.batch.action_masks != 0
        worth = np.zeros(legal.shape, np.float32)
        self._playing.try_actions(batch.games, batch.kind, batch.share, worth)
        worth -= (worth * legal).sum(1, keepdims=True) / legal.sum(1, keepdims=True)
        rows, masks, names = self._symmetry.rename_positions(batch.observations, batch.action_masks)
        every = range(legal.shape[1])
        there = np.stack([self._symmetry.rename_actions(np.full(GAMES, action), names) for action in every], 1)
        renamed = np.empty_like(worth)
        np.put_along_axis(renamed, there, np.where(legal, worth, np.float32(0)), 1)
        chances = before(self._learned, rows, masks)
        self._move()
        put = torch.from_numpy
        return put(rows).float(), put(masks != 0), put(chances), put(renamed)

    def _move(self) -> None:
        """Lets `learned` move in every game, and now and then chance."""
        batch = self.batch
        plain = np.ascontiguousarray(batch.observations[:, : self._learned.game.observation_size])
        actions = self._learned.choose(plain, batch.action_masks, self._streams)
        drawn = np.where(batch.action_masks != 0, self._generator.random(batch.action_masks.shape), -1).argmax(1)
        batch.step(np.where(self._generator.random(GAMES) < EXPLORE, drawn, actions))


def loss(network: nn.Module, seen: Tensor, legal: Tensor, chances: Tensor, worth: Tensor) -> Tensor:
    """Minus what a network's choices bring above the mean, and the worth of their entropy."""
    log_probs = masked_log_softmax(network(seen) + chances, legal)
    known = torch.where(legal, log_probs, 0.0)
    probs = torch.where(legal, known.exp(), 0.0)
    gain = (probs * worth).sum(1).mean() / (worth.square().sum() / legal.sum()).sqrt().clamp(min=1e-6)
    return -gain + ENTROPY * (probs * known).sum(1).mean()


def silent(network: nn.Module) -> nn.Module:
    """A network whose last layer gives zeros: with it `learned` plays as before."""
    last = [part for part in network.modules() if isinstance(part, nn.Linear)][-1]
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    return network


def measure(name: str, options: dict[str, str], positions: int, deals: int, seed: int) -> Won:
    """Trains the networks on so many positions of a game, and has them play so many duplicate deals."""
    game = get_game(name).recalling
    learned, plain = trained(game.plain, options), game.plain.observation_size
    torch.manual_seed(seed)
    networks: dict[str, nn.Module] = {
        "without the order": silent(Perceptron(plain, game.num_actions)),
        "with the order": silent(Perceptron(game.observation_size, game.num_actions)),
        "with the order, GRU": silent(Reader(plain, game.recall_parts[0].size, game.num_actions)),
    }
    optimizers = {key: torch.optim.Adam(network.parameters(), lr=LR) for key, network in networks.items()}
    source, rounds = Tried(game, learned, seed, options), -(-positions // GAMES)
    for k in range(rounds):
        drawn = source.draw()
        for key, network in networks.items():
            for group in optimizers[key].param_groups:
                group["lr"] = LR * (1 - k / rounds)
            optimizers[key].zero_grad()
            loss(network, *drawn).backward()
            optimizers[key].step()
        if k % 500 == 0:
            tell(f"{name} {options}: {k * GAMES:,} positions")
    players = {key: Bettered(game, learned, network, key) for key, network in networks.items()}
    told = in_same_deals(name, players, "learned", deals, seed, options, at_once=deals)
    first, *others = networks
    gains = {key: told[key][1] for key in others}
    return Won(name, options, rounds * GAMES, deals, {key: told[key][0] for key in (first, *others)}, gains)


def document(won: list[Won], **command: Any) -> Document:
    """The report, written by a command with some options."""
    rows: list[list[Text]] = [
        [
            ", ".join([one.game.capitalize(), *one.options.values()]), key, Estimate(one.points[key], digits=4),
            Estimate(one.gains.get(key), digits=4), f"{one.positions:,}", f"{one.deals:,}",
        ]
        for one in won
        for key in one.points
    ]  # fmt: skip
    meaning = said(
        f"""{written_by(__file__, **command)}. Networks learn from play-outs of every action in `learned`'s games how its
        choices can be bettered. All see who has played which cards, what lies on the table and what shows of voids; some
        see the moves in their order, too. Duplicate deals, the same for all three; 95% intervals."""
    )
    wins = marked("wins from `learned`, points a deal")
    head: list[Text] = ["game", "network", wins, "more than the first", "positions", "deals"]
    title = "What players win who read the order of play"
    return Document(title, [meaning, Table(head, rows, left=2, spare=["positions", "deals"])])


@click.command()
@click.option("--game", "games", type=click.Choice(["euchre", "whist"]), multiple=True, help="Only this game. [all]")
@count_option("--positions", 4_000_000, "Positions that each network learns from.")
@count_option("--deals", 20_000, "Duplicate deals in which they play.", least=2)
@cli.report_option
@cli.seed_option
@cli.json_option
def main(games: tuple[str, ...], positions: int, deals: int, report: Path | None, seed: int, as_json: bool) -> None:
    """What players win who read the order of play."""
    won = []
    for name, options in RULES:
        if not games or name in games:
            won.append(measure(name, options, positions, deals, seed))
            tell(won[-1].figures())
    hand_over({"rules": plain(won)}, document(won, positions=positions, deals=deals, seed=seed), report, as_json)


if __name__ == "__main__":
    main()
