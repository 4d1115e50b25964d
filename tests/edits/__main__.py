"""The commands of `tests.edits`."""

from pathlib import Path

import click

from tests.edits.mapping import make_map
from tests.edits.places import choose
from tests.edits.trying import Trials, table, try_edits
from tests.helpers.paths import ROOT

File = click.Path(path_type=Path, dir_okay=False)
root_option = click.option("--root", type=click.Path(path_type=Path, exists=True), default=ROOT, help="The repository.")


@click.group()
def main() -> None:
    """Tries random edits of product code: which do the tests notice?"""


@main.command("map")
@click.argument("out", type=File)
@click.argument("paths", nargs=-1)
@root_option
@click.option("-m", "marker", default="not slow", show_default=True, help="Marker expression of the tests.")
@click.option("--compiled", is_flag=True, help="Run all tests with compiled kernels, not only those marked so.")
@click.option("--limit", type=float, default=60, show_default=True, help="CPU seconds of a test as plain Python.")
def map_command(out: Path, paths: tuple[str, ...], root: Path, marker: str, compiled: bool, limit: float) -> None:
    """Writes to OUT which tests of PATHS pass, and which lines they execute; goes on where it was stopped."""
    make_map(root.resolve(), out, paths or ["tests"], marker, compiled, limit)


@main.command("try")
@click.argument("tests", type=File)
@root_option
@click.option("--edits", type=int, default=300, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--out", type=File, required=True, help="The results, a line for each edit; those that are there are kept.")
@click.option("--limit", type=float, default=120, show_default=True, help="CPU seconds of an edit.")
@click.option("--most", type=int, help="How many edits to try now. [all]")
@click.option("--workers", type=int, default=1, show_default=True, help="How many edits to try at a time.")
def try_command(
    tests: Path, root: Path, edits: int, seed: int, out: Path, limit: float, most: int | None, workers: int
) -> None:
    """Tries edits with the TESTS of a map."""
    try_edits(Trials(root.resolve(), tests, limit), choose(root, edits, seed), out, most, workers)


@main.command("table")
@click.argument("before", type=File)
@click.argument("after", type=File)
def table_command(before: Path, after: Path) -> None:
    """Compares the results of the same edits, tried with two maps."""
    print(table(before, after))


if __name__ == "__main__":
    main()
