"""The meaning that lanterns take on in Beacon Relay: ``python benchmarks/lanterns.py POLICY .. [--report FILE] [--json]``.

Each team plays the same deals as it likes and, once more, with every lantern kept: the difference is what its lanterns
bring. Of each card that is laid open it is told what it is to who lays it open: a beacon or of a beacon's suit, and whose,
beside all cards that could have been laid open then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from measuring import count_option, hand_over, written_by

from cardenvs import cli, policy
from cardenvs.baselines.reports.document import Document, Estimate, Table, said
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Interval, interval, share_interval
from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Policy

ROLES = ("own beacon", "partner's beacon", "own beacon's suit", "partner's beacon's suit", "several beacons' suit", "other")
"""The roles of a card for the seat that holds it, while beacons are dark."""
FORMS = ("beacon-relay-mini", "beacon-relay", "beacon-relay-4", "beacon-relay-5")
"""The forms of the game."""
KEEP = 0
"""The action that keeps the lantern."""


@dataclass(frozen=True, repr=False)
class Lanterns(Result):
    """The use that a team makes of its lanterns.

    Attributes:
        policy: the policy of all seats.
        deals: how many deals were played.
        success: the share of deals in which all beacons were lit.
        brought: the share more than with every lantern kept, in the same deals.
        laid: cards laid open a deal.
        roles: by role the share of the cards laid open.
        possible: by role the share of the cards that could have been laid open, each time that a seat was asked.
    """

    policy: str
    deals: int
    success: Interval
    brought: Interval
    laid: float
    roles: dict[str, float]
    possible: dict[str, float]


def roles(game: GameSpec, seen: Bytes) -> list[str]:
    """By card what it is to the seat that sees an observation, int8 (observation_size,): one of `ROLES`."""
    dark = seen[game.slices["mem_dark"]]
    owners = [seen[game.slices[f"mem_beacons_{seat}"]] & dark for seat in range(game.seats)]
    suits = [name.split("-")[1] for name in game.actions[1:]]
    owned = {
        suit: {seat for seat in range(game.seats) for k in np.flatnonzero(owners[seat]) if suits[k] == suit}
        for suit in suits
    }
    out = []
    for card, suit in enumerate(suits):
        holders = [seat for seat in range(game.seats) if owners[seat][card]]
        if holders:
            out.append(ROLES[int(holders[0] > 0)])
        elif len(owned[suit]) > 1:
            out.append(ROLES[4])
        else:
            out.append(ROLES[2 + int(owned[suit] != {0})] if owned[suit] else ROLES[5])
    return out


def asked(batch: Batch) -> Iterator[tuple[int, Bytes]]:
    """The games in which a card may be laid open, each with the cards of which that is so, bool (cards,)."""
    for row in np.flatnonzero(~batch.finished & (batch.action_masks[:, KEEP] == 1)):
        cards = batch.action_masks[row][1:]
        if cards.any():
            yield int(row), cards


def play(
    player: Policy, deals: int, seed: int, keep: bool, options: dict[str, Any]
) -> tuple[Any, Counter[str], Counter[str]]:
    """Plays deals; returns the points of each, int64 (deals,), and by role the cards laid open and the possible ones."""
    game = player.game
    batch = Batch(game, deals, seed=seed, restart=False, **options)
    streams = seed_streams(seed + 1, deals)
    laid, possible, points = Counter[str](), Counter[str](), np.zeros(deals, np.int64)
    while not batch.finished.all():
        actions = player.choose(batch.observations, batch.action_masks, streams)
        for row, cards in asked(batch):
            if keep:
                actions[row] = KEEP
                continue
            named = roles(game, batch.observations[row])
            for card in np.flatnonzero(cards):
                possible[named[card]] += 1 / cards.sum()
            if actions[row] != KEEP:
                laid[named[actions[row] - 1]] += 1
        running = ~batch.finished
        batch.step(np.where(running, actions, -1))
        points[running] = batch.points[running, 0]
    return points, laid, possible


def measure(game: GameSpec, name: str, deals: int, seed: int, options: dict[str, Any]) -> Lanterns:
    """The use that the team of a policy makes of its lanterns."""
    player = policy.make(game, name)
    points, laid, possible = play(player, deals, seed, False, options)
    kept, _, _ = play(player, deals, seed, True, options)
    shares = [{role: part[role] / max(1e-9, sum(part.values())) for role in ROLES} for part in (laid, possible)]
    won = interval((points - kept).astype(np.float64), -1, 1)
    return Lanterns(name, deals, share_interval(points.astype(np.float64)), won, sum(laid.values()) / deals, *shares)


def document(game: GameSpec, found: list[Lanterns], **command: Any) -> Document:
    """The report, written by a command with some options."""
    meaning = said(
        f"""{written_by(__file__, **command)}. {game.title}, {found[0].deals:,} deals for each team, the same with every
        lantern kept; 95% intervals over deals. What a card is to who lays it open: in % of the cards laid open, of those
        that could have been."""
    )
    teams: list[list[Any]] = [
        [Path(one.policy).stem, Estimate(one.success), Estimate(one.brought), f"{one.laid:.2f}"] for one in found
    ]
    rows: list[list[Any]] = [
        [role, *(f"{100 * one.roles[role]:.0f} of {100 * one.possible[role]:.0f}" for one in found)] for role in ROLES
    ]
    heads = ["team", "success", "more than with lanterns kept", "laid open a deal"]
    return Document(
        "What lanterns come to mean",
        [meaning, Table(heads, teams), Table(["what is laid open", *(Path(one.policy).stem for one in found)], rows)],
    )


@click.command()
@click.argument("policies", nargs=-1, required=True)
@click.option("--game", type=click.Choice(FORMS), default=FORMS[0], show_default=True, help="The game.")
@count_option("--beacons", 1, "Beacons of each deal.")
@count_option("--deals", 2000, "Deals of each team.", least=20)
@cli.report_option
@cli.seed_option
@cli.json_option
def main(
    policies: tuple[str, ...], game: str, beacons: int, deals: int, report: Path | None, seed: int, as_json: bool
) -> None:
    """The meaning that lanterns take on."""
    spec = get_game(game)
    found = [measure(spec, name, deals, seed, {"beacons": beacons}) for name in policies]
    hand_over({"teams": plain(found)}, document(spec, found, beacons=beacons, deals=deals, seed=seed), report, as_json)


if __name__ == "__main__":
    main()
