"""The command ``cardenvs review``."""

from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.review.page import html_page
from cardenvs.baselines.review.result import Review
from cardenvs.baselines.review.reviewer import WORLDS, Reviewer
from cardenvs.baselines.runs.terminal import Session
from cardenvs.cli import OutFile, Several, flat
from cardenvs.files import write_whole
from cardenvs.play.table_record import read_deals


@click.command("review")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--deal", "only", type=click.IntRange(min=1), help="Review this deal only, counted from 1. [all]")
@click.option(
    "--policy", "policies", multiple=True, metavar="NAME", type=Several(), callback=flat,
    help="Also show this policy's choice; may be repeated, a,b are two.",
)  # fmt: skip
@click.option(
    "--worlds",
    type=click.IntRange(min=1),
    help=f"Worlds (re-deals) drawn for each decision. [{', '.join(f'{game} {worlds}' for game, worlds in WORLDS.items())}]",
)
@click.option("--html", type=OutFile(), help="Also write the review as a page to this file.")
@cli.seed_option
@cli.json_option
def review_command(
    file: Path, only: int | None, policies: tuple[str, ...], worlds: int | None, html: Path | None, seed: int, as_json: bool
) -> None:
    """Review the games in FILE, move by move: the cost of each move compared with the best.

    FILE is a record of deals as lines of text, from `cardenvs match --record`, or a table of `cardenvs play`. Every
    decision is searched again with its player's knowledge, by pimc (in Five-O by rollout); next to it is the value of the
    cards with all hands open.
    """
    deals = list(enumerate(read_deals(file), 1))
    if not deals:
        raise ValueError(f"no deals in {str(file)!r}")
    if only is not None:
        if only > len(deals):
            raise ValueError(f"--deal {only}: {str(file)!r} has the deals 1 to {len(deals)}")
        deals = [deals[only - 1]]
    games = sorted({deal.game.name for _, deal in deals})
    if len(games) > 1:
        raise ValueError(f"{str(file)!r} has deals of {' and '.join(games)}: choose one with --deal")
    reviewer = Reviewer(deals[0][1].game, policies, worlds, seed)
    reviewed = []
    with cli.progress_bar("review", len(deals)) as count:
        for number, deal in deals:
            reviewed.append(reviewer.review(deal, number))
            count(1)
    review = Review.of(reviewer, game=reviewer.game.name, reviewer=reviewer.name, deals=reviewed)
    if html is not None:
        write_whole(html, html_page(review))
        cli.stderr.print(f"page: {html}", soft_wrap=True)
    Session((), out=None, as_json=as_json).hand_over(review)
