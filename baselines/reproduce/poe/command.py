"""The command ``cardenvs reproduce poe``."""

import click

from cardenvs import cli
from cardenvs.baselines.reproduce.options import Asked, reproduction_options
from cardenvs.baselines.reproduce.poe.measure import OPPONENTS, reproduce
from cardenvs.cli import Several, flat

_NUMBER = click.IntRange(min=1)


@click.command("poe")
@reproduction_options(
    click.option("--deals", type=_NUMBER, default=1000, show_default=True, help="Deals of each pairing."),
    click.option("--worlds", type=_NUMBER, default=100, show_default=True, help="Re-deals for each decision."),
    click.option(
        "--against", cls=cli.RenamedOption, was=("--opponent",), multiple=True, type=Several(), callback=flat,
        default=OPPONENTS, show_default=True, help="An opponent; may be repeated, a,b are two.",
    ),
)  # fmt: skip
def poe_command(asked: Asked, deals: int, worlds: int, against: tuple[str, ...]) -> int:
    """POE's agent in Whist, against the simple agents."""
    others = against if against != OPPONENTS else None
    return asked.reproduce(
        "poe",
        given={"--deals": deals, "--worlds": worlds, "--seed": asked.seed, "--against": others},
        total=len(against) * deals,
        work=lambda count: reproduce(deals, asked.seed, worlds, against, count, **asked.engine),
    )
