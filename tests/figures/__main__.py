"""``python -m tests.figures compare [NAME ...]`` says what differs from what was taken down; ``write`` takes it down anew.

A name is that of an item (``rows/euchre``), or its beginning (``rows``, ``draws/euchre/``); without one all are meant.
To write is right only where a change is meant.
"""

import resource
import sys

import click

from tests.figures.keeping import differences, now_or_error
from tests.figures.parts import PARTS

MOST_LINES = 30
"""How many differences of an item are printed."""


def cpu_seconds() -> float:
    """Processor seconds of this process and of those that it has started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@click.command()
@click.argument("what", type=click.Choice(["compare", "write"]))
@click.argument("names", nargs=-1, metavar="[NAME]...")
def main(what: str, names: tuple[str, ...]) -> None:
    """Compare what is frozen with what there is now, or write it anew."""
    done = differing = 0
    for name, part in PARTS.items():
        kept, known = part.kept(), [*part.names()]
        for item in dict.fromkeys([*kept, *known]):
            full = f"{name}/{item}"
            if names and not full.startswith(names):
                continue
            began = cpu_seconds()
            if what == "write":
                part.keep(item, part.take(item) if item in known else None)
                found, told = [], "written"
            else:
                found = list(differences(kept.get(item), now_or_error(part, item)))
                told = "DIFFERS" if found else "as it was"
            done, differing = done + 1, differing + bool(found)
            click.echo(f"{full}: {told} ({cpu_seconds() - began:.1f} CPU s)")
            for line in found[:MOST_LINES]:
                click.echo(f"    {line}")
            if len(found) > MOST_LINES:
                click.echo(f"    and {len(found) - MOST_LINES} more")
    if not done:
        raise click.UsageError(f"nothing is called so: names begin with {', '.join(PARTS)}")
    if what == "compare":
        click.echo(f"{differing} of {done} differ")
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()
