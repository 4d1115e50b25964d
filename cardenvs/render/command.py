"""The command ``cardenvs render``: a deal between policies as an animated GIF, or a position as a PNG."""

from pathlib import Path

import click

from cardenvs import cli, policy
from cardenvs.cli import FiniteRange, OutFile
from cardenvs.contract.spec import GameSpec
from cardenvs.files import write_whole
from cardenvs.render.files import check_pictures, gif, png
from cardenvs.render.frames import deal_frames, policies_of_seats


@click.command("render")
@cli.game_argument
@click.option(
    "--out", type=OutFile(), required=True, help="The file: .gif for a deal move by move, .png for the position at its end."
)
@click.option(
    "--seats",
    default="random",
    show_default=True,
    help="Who plays: policies with commas between them, one for all seats, one a side or one a seat.",
)
@click.option("--deal", "line", help="A deal as a line of text; its actions are shown, then the policies go on.")
@click.option("--moves", type=click.IntRange(min=0), help="Stop after so many moves. [the deal's end]")
@click.option("--view", type=click.IntRange(min=0), help="Draw only what this seat may see. [all hands open]")
@click.option("--fps", type=FiniteRange(min=0.1, max=20), default=1.0, show_default=True, help="Moves a second.")
@click.option("--width", type=click.IntRange(min=200, max=1600), default=640, show_default=True, help="Width in pixels.")
@cli.rule_option
@cli.seed_option
@cli.json_option
def render_command(
    game: GameSpec,
    out: Path,
    seats: str,
    line: str | None,
    moves: int | None,
    view: int | None,
    fps: float,
    width: int,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> None:
    """Draw a deal between policies: as an animated GIF, or its last position as a PNG."""
    if out.suffix.lower() not in (".gif", ".png"):
        raise ValueError(f"--out: the file must end in .gif or .png, not {out.name!r}")
    if view is not None and view >= game.seats:
        raise ValueError(f"--view: {game.name} has the seats 0 to {game.seats - 1}, not {view}")
    check_pictures()
    players = [policy.make(game, name) for name in policies_of_seats(game, seats)]
    rules = cli.rule_options(game, options)
    start, actions = game.deal(seed, **rules), []
    if line is not None:
        given = game.parse(line, **rules)
        actions = [game.action(name) for name in game.history(given[0])]
        start = game.parse(game.text(given[0], actions=False))
    scenes, end = deal_frames(game, start, actions, players, seed=seed, moves=moves, seat=view)
    content = gif(scenes, width, fps) if out.suffix.lower() == ".gif" else png(scenes[-1], width)
    write_whole(out, content)
    if as_json:
        text = game.text(end[0])
        cli.print_json({"file": str(out), "pictures": len(scenes), "bytes": len(content), "deal": text})
    else:
        cli.stderr.print(f"{out}: {len(content) / 1000:,.0f} kB", soft_wrap=True)
