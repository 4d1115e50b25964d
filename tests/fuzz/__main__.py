"""Runs tries of a module of `tests.fuzz` from the command line."""

import importlib
import pkgutil

import click

from tests import fuzz as scripts
from tests.fuzz.running import fuzz

NAMES = sorted({module.name for module in pkgutil.iter_modules(scripts.__path__)} - {"__main__", "calls", "running"})


@click.command()
@click.argument("name", type=click.Choice(NAMES))
@click.option("--tries", type=click.IntRange(min=1), default=10_000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--only", type=click.IntRange(min=0), help="Make this try again, by its number, and no other.")
def command(name: str, tries: int, seed: int, only: int | None) -> None:
    """Mutates what is read, or grows and plays games, and looks for faults."""
    print(dict(fuzz(importlib.import_module(f"{scripts.__name__}.{name}").trial, tries, seed, only, told=True)))


command()
