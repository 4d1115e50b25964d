"""The command ``cardenvs tournament``."""

import click

from cardenvs.baselines.runs.terminal import Asked, play_and_report, study_options
from cardenvs.baselines.tournament.results import results_of
from cardenvs.baselines.tournament.settings import settings_for
from cardenvs.cli import Several, flat
from cardenvs.files import name_in_path


@click.command("tournament")
@study_options(
    click.argument("policies", nargs=-1, type=Several(), callback=flat),
    click.option(
        "--deals", type=click.IntRange(min=1), default=1000, show_default=True,
        help="Deals of each pairing, each played on every side: with two sides twice.",
    ),
    out="Folder of the tournament; a stopped one continues there. [runs/tournament-GAME]",
)  # fmt: skip
def tournament_command(asked: Asked, deals: int) -> int:
    """Play a round robin of POLICIES (default: all named ones without an extra) over duplicate deals.

    Policies are names with parameters (pimc:worlds=30), mixed sides (high+low) or files. The folder keeps finished
    deals: after a stop, the same command continues. At the end it has results.json, report.md and (with matplotlib)
    heatmap.png and ladder.png.
    """
    settings = settings_for(asked.game, asked.policies or None, deals=deals, seed=asked.seed, **asked.rules)
    session = asked.session("tournament", {"--deals": deals}, f"tournament-{name_in_path(asked.game.name)}")
    return play_and_report(session, settings, results_of)
