"""The command ``cardenvs reproduce five-o``."""

from dataclasses import fields

import click

from cardenvs.baselines.reproduce.five_o.measure import count_pieces, reproduce
from cardenvs.baselines.reproduce.five_o.settings import Sizes
from cardenvs.baselines.reproduce.options import Asked, reproduction_options


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


_SIZES = [
    click.option(_option(size.name), type=int, default=size.default, show_default=True, help=size.metadata["help"])
    for size in fields(Sizes)
    if size.metadata
]


@click.command("five-o")
@reproduction_options(*_SIZES, work="play Table III", begins_here=True, out="reproduce-five-o", pieces="parts")
def five_o_command(asked: Asked, **given: int) -> int:
    """Tables II and III and Figures 2 to 4 of the Five-O paper, next to ours.

    With the defaults this takes about half an hour on one core. Finished parts are kept in a folder.
    With --report, plots (with matplotlib) and a JSON file are written into the same folder.
    """
    sizes, out = Sizes(**given, seed=asked.seed), asked.out
    assert out is not None
    return asked.reproduce(
        "five-o",
        given={_option(size.name): value for size in fields(sizes) if (value := getattr(sizes, size.name)) != size.default},
        total=count_pieces(sizes),
        pieces="games and positions",
        title="Table II",
        work=lambda count: reproduce(sizes, out, count, asked.workers, asked.cluster),
    )
