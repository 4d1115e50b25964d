"""How fast `learned` decides: ``python benchmarks/learned.py [--markdown FILE] [--json]``.

Beside it in the same run: the same network in torch, with everything around it as NumPy and torch do it in arrays, and the
searches that it is measured against. All times are processor time of one thread, warm; figures are medians of rounds in
which everything is measured in turn, and ratios medians of each round's own. Positions are from games of `learned` with
itself, forced moves among them, as in a match.
"""

from __future__ import annotations

import platform
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import click
import numpy as np
import torch
from torch import nn

from cardenvs import cli, policy
from cardenvs.bench import processor
from cardenvs.cards import Bytes, Ints, Streams, seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.files import write_whole
from cardenvs.policy import Policy
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.inference.plain_actor import PlainActor
from cardenvs.train.inference.shipped import Learned

RULES: dict[str, tuple[str, dict[str, Any], int]] = {
    "Euchre, published protocol": ("euchre", {"bidding": "forced-spades"}, 40),
    "Euchre, full bidding": ("euchre", {}, 40),
    "Whist": ("whist", {}, 52),
    "Five-O": ("five-o", {}, 40),
}
"""By title: game, rule options, and how many moves of each game are decided, whole deals of them."""
SEARCHES = ("pimc:worlds=30", "pimc:worlds=100")
"""Beside it where they play the game."""
GAMES = 2048
"""Games in the batch."""
SEARCHED = 80
"""Games of which the searches decide positions, in every third move."""

Positions = list[tuple[Bytes, Bytes]]
"""By move, observations int8 (n, observation_size) and action masks int8 (n, num_actions)."""


def positions(game: str, options: dict[str, Any], moves: int, seed: int) -> Positions:
    """What the seats to act see in `GAMES` games before each move."""
    player = policy.make(game, "learned:sample=yes")
    batch = Batch(game, GAMES, seed=seed, **options)
    streams = seed_streams(seed, GAMES)
    found = []
    for _ in range(moves):
        found.append((batch.observations.copy(), batch.action_masks.copy()))
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
    return found


class InTorch(Policy):
    """The multilayer perceptron of a trained policy, greedy, as one writes it in torch.

    Args:
        player: whose.
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
        """See `Policy.choose`."""
        del streams
        out = action_masks.argmax(1)
        rows = np.flatnonzero(action_masks.sum(1) > 1)
        symmetry = self.player.symmetry
        assert symmetry is not None
        seen, masks, names = symmetry.apply(self.player.known(observations[rows]), action_masks[rows])
        with torch.inference_mode():
            logits = self.net(torch.from_numpy(seen).float())
            logits = torch.where(torch.from_numpy(masks).bool(), logits, -torch.inf)
        out[rows] = symmetry.restore(logits.argmax(1).numpy(), names)
        return out


def rate(player: Policy, chosen: Positions, seed: int) -> float:
    """Decisions a second, move by move; processor time."""
    streams = seed_streams(seed, max(len(rows) for rows, _ in chosen))
    began = time.thread_time()
    for rows, masks in chosen:
        player.choose(rows, masks, streams[: len(rows)])
    return sum(len(rows) for rows, _ in chosen) / (time.thread_time() - began)


def contenders(game: str, options: dict[str, Any]) -> dict[str, Policy]:
    """Who decides, `learned` first."""
    learned = policy.make(game, "learned")
    assert isinstance(learned, Learned)
    found: dict[str, Policy] = {"learned": learned}
    shown = Batch(game, 1, seed=0, **options).observations
    part = next(part for part in learned.parts if part.plays(shown)[0])
    if isinstance(part.actor, PlainActor):
        found["learned in torch"] = InTorch(part)
    return found | {name: policy.make(game, name) for name in SEARCHES if name.partition(":")[0] in policy.names(game)}


def measure(rounds: int, seed: int, say: Callable[[str], None]) -> dict[str, Any]:
    """All figures: by title and policy, decisions a second, and how many times as fast `learned` is."""
    found: dict[str, Any] = {}
    for title, (game, options, moves) in RULES.items():
        say(title)
        players = contenders(game, options)
        asked = positions(game, options, moves, seed)
        few = [(rows[:SEARCHED].copy(), masks[:SEARCHED].copy()) for rows, masks in asked[::3]]
        for player in players.values():
            rate(player, few[:1], seed)  # compiles
        if "learned in torch" in players:
            rows, masks = asked[moves // 2]
            pair = [players[name].choose(rows, masks, seed_streams(seed, len(rows))) for name in list(players)[:2]]
            differ = int((pair[0] != pair[1]).sum())
            if differ > len(rows) // 1000:
                raise RuntimeError(f"{title}: {differ} of {len(rows)} choices differ from torch's")
        rates: dict[str, list[float]] = {name: [] for name in players}
        for _ in range(rounds):
            for name, player in players.items():
                rates[name].append(rate(player, few if name in SEARCHES else asked, seed))
        found[title] = {
            name: {
                "decisions_per_s": statistics.median(own),
                "learned_times_as_fast": statistics.median(a / b for a, b in zip(rates["learned"], own, strict=True)),
            }
            for name, own in rates.items()
        }
    return found


def markdown(found: dict[str, Any], command: str) -> str:
    """The report."""
    lines = [
        "# How fast `learned` decides",
        "",
        f"Written by `{command}` on {found['processor']}.",
        "",
        f"Decisions a second on one core, forced moves among them, the network's in batches of {GAMES:,} games: medians of",
        f"{found['rounds']} rounds. *In torch* is the same network, with its surroundings in array operations.",
        "",
        "| game | policy | decisions/s | `learned` is faster by |",
        "|---|---|---:|---:|",
    ]
    for title, rates in found["rates"].items():
        for name, own in rates.items():
            times = "" if name == "learned" else f"{own['learned_times_as_fast']:,.1f}"
            lines.append(f"| {title} | `{name}` | {own['decisions_per_s']:,.0f} | {times} |")
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--rounds", type=click.IntRange(min=1), default=7, show_default=True, help="Rounds of every measurement.")
@click.option("--markdown", "file", type=click.Path(dir_okay=False), help="Write the report to this file.")
@cli.seed_option
@cli.json_option
def main(rounds: int, file: str | None, seed: int, as_json: bool) -> None:
    """How fast learned decides, beside torch and the searches."""
    torch.set_num_threads(1)
    rates = measure(rounds, seed, lambda text: print(text, file=sys.stderr))
    found = {"processor": processor(), "python": platform.python_version(), "rounds": rounds, "seed": seed, "rates": rates}
    report = markdown(found, f"python benchmarks/learned.py --rounds {rounds} --seed {seed}")
    if file is not None:
        write_whole(file, report)
    if as_json:
        cli.print_json(found)
    else:
        print(report)


if __name__ == "__main__":
    main()
