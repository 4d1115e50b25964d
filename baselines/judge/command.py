"""The command ``cardenvs judge``."""

import click

from cardenvs.baselines.judge.results import results_of
from cardenvs.baselines.judge.settings import DEALS, MOST_DEALS, WORLDS, judge_settings
from cardenvs.baselines.runs.terminal import Asked, play_and_report, study_options
from cardenvs.cli import FiniteRange, Several, flat
from cardenvs.files import name_in_path


@click.command("judge")
@study_options(
    click.argument("policies", nargs=-1, required=True, type=Several(), callback=flat),
    click.option(
        "--reference", metavar="NAME",
        help="The policy in all other seats, to whose choices those of POLICY are compared. [learned]",
    ),
    click.option(
        "--deals", type=click.IntRange(min=1),
        help=f"Deals, each played on every side: with two sides twice; the most, with --until. [{DEALS}; {MOST_DEALS}]",
    ),
    click.option(
        "--worlds", type=click.IntRange(min=2), default=WORLDS, show_default=True, help="Worlds for each decision."
    ),
    click.option(
        "--until", type=FiniteRange(min=0, min_open=True), metavar="X",
        help="End a policy's judgement when the interval of its points is ±X; it may be looked at at any time.",
    ),
    click.option("--whole-side", is_flag=True, help="Let POLICY hold all seats of its side; its points are biased then."),
    click.option(
        "--weight", type=FiniteRange(0, 1), default=0.0, show_default=True,
        help="Share of the match's own result in the points, as a control variate.",
    ),
    out="Folder of the judgement; a stopped one continues there. [runs/judge-GAME]",
)  # fmt: skip
def judge_command(
    asked: Asked, reference: str | None, deals: int | None, worlds: int, until: float | None, whole_side: bool,
    weight: float,
) -> int:  # fmt: skip
    """Judge POLICIES by the points that each decision of one seat gains or loses: fewer deals tell more than a match's.

    A policy holds one seat, and the reference all others. At each decision with a choice every action is valued in worlds
    that the reference's beliefs draw: the value of the choice less that of the reference's choice, summed over a deal, is
    what the policy makes above the reference. Also: the loss against the best action, by kind of decision, and the dearest
    positions.
    """
    settings = judge_settings(
        asked.game, asked.policies, reference=reference, deals=deals, worlds=worlds, until=until, whole_side=whole_side,
        weight=weight, seed=asked.seed, **asked.rules,
    )  # fmt: skip
    given = {
        "--reference": reference, "--deals": deals, "--worlds": worlds if worlds != WORLDS else None,
        "--until": None if until is None else f"{until:g}", "--whole-side": whole_side,
        "--weight": f"{weight:g}" if weight else None,
    }  # fmt: skip
    return play_and_report(asked.session("judge", given, f"judge-{name_in_path(asked.game.name)}"), settings, results_of)
