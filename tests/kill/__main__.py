"""Kills one of the works from the command line."""

import random
import tempfile
from pathlib import Path

import click

from tests.kill.works import WORKS


@click.command()
@click.argument("name", type=click.Choice([*WORKS]))
@click.option("--kills", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the moments.")
def command(name: str, kills: int, seed: int) -> None:
    """Kills what runs long at random moments, and goes on with it."""
    with tempfile.TemporaryDirectory() as folder:
        again = WORKS[name](Path(folder), kills, random.Random(seed))
    print(f"{kills} kills, gone on with {again} times: nothing lost, the same results")


command()
