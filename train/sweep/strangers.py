"""Trained teams as strangers to each other: the policies of a sweep in cross-play, within each variant and between them.

A *gap* is what policies make with copies of themselves less what they make with those of other seeds: as much rests on what
seats have agreed on in training. Its interval is over trainings; a variant *closes* as much of the first one's gap as its
own is smaller.
"""

import functools
import math
from collections.abc import Mapping
from pathlib import Path

from cardenvs.baselines.crossplay import crossplay_results, crossplay_settings
from cardenvs.baselines.crossplay.report import crossplay_png
from cardenvs.baselines.reports.columns import Column, Columns, Row
from cardenvs.baselines.reports.document import Command, Document, Estimate, Picture, Table, Text
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.template import fill_report
from cardenvs.contract.registry import short_name
from cardenvs.train.sweep.play import FOLDER, Play
from cardenvs.train.sweep.report import training_text
from cardenvs.train.sweep.settings import Sweep

FEWEST_SEEDS = 3  # trainings of a variant below which its gap has no interval over them


def check_strangers(sweep: Sweep, file: str) -> None:
    """Raises ValueError, which names ``file``, unless the policies of a sweep can be each other's partners."""
    spec = sweep.variants[0].config.spec
    for wrong, why in (
        (len(list(sweep.same_rules())) > 1, "is for variants with the same rule options"),
        (sweep.measure.reference is not None, "has no reference: gaps are compared with the first variant's"),
        (len(sweep.seeds) < FEWEST_SEEDS, f"needs {FEWEST_SEEDS} seeds or more, not {len(sweep.seeds)}"),
        (not spec.one_sided or spec.seats < 2, f"is for games that several play as one side, not for {spec.name}"),
    ):
        if wrong:
            raise ValueError(f"{file}: the report strangers {why}")


def meet(sweep: Sweep, out: Path, play: Play) -> Row | None:
    """Plays every trained policy of a sweep that `check_strangers` has passed with every other one; deals that were played
    before are not played again. Returns the results, a `StrangersResult`; None if ``play`` was interrupted."""
    groups: dict[str, list[str]] = {}
    for run in sweep.runs:
        groups.setdefault(run.variant.name, []).append(str(out / run.policy))
    settings = crossplay_settings(
        sweep.game,
        [path for paths in groups.values() for path in paths],
        deals=sweep.measure.deals,
        seed=sweep.measure.seed,
        **sweep.variants[0].config.options,
    )
    store = play(settings, out / FOLDER)
    return None if store is None else strangers_result(sweep, groups, crossplay_results(store, groups))


def strangers_result(sweep: Sweep, groups: Mapping[str, list[str]], played: Row) -> Row:
    """The results of cross-play of a sweep's policies, a `StrangersResult`."""
    gaps = {gap.name: gap.gap_over_teams for gap in played.groups}
    first, *others = (gaps.get(name) for name in groups)
    closed = []
    for name, gap in zip(list(groups)[1:], others, strict=True):
        if first is not None and gap is not None:  # each is of trainings of its own
            reach = math.hypot(first.half_width, gap.half_width)
            by = first.mean - gap.mean
            share = by / first.mean if first.low > 0 else None
            closed.append(Closed(name, Interval(by, by - reach, by + reach), share))
    return StrangersResult(sweep.as_dict(), closed, played)


def document(result: Row, command: str = "") -> Document:
    """The report of trained teams as strangers; ``command`` is the command line that repeats it."""
    settings, played = result.settings, result.crossplay
    closed = {each.name: each for each in result.closed}

    def show_gap(gap: Row) -> list[Text]:
        one = closed.get(gap.name)
        return [
            gap.name, Estimate(gap.self_play), Estimate(gap.cross_play), Estimate(gap.gap_over_teams),
            "" if one is None else Estimate(one.closed),
            "" if one is None else "no gap to close" if one.share is None else f"{100 * one.share:.0f}%",
        ]  # fmt: skip

    between = {frozenset(each.groups): each.points_margin for each in played.between}
    between |= {frozenset((gap.name,)): gap.cross_play for gap in played.groups}
    names = [gap.name for gap in played.groups]
    pairs = [[a, *(Estimate(between[frozenset((a, b))], signed=False) for b in names)] for a in names]
    variants = [[name, training_text(own)] for name, own in settings["variants"].items()]
    return fill_report(
        Path(__file__).with_name("strangers_report.md"),
        name=settings["name"],
        game=short_name(played.spec),
        seeds=", ".join(map(str, settings["seeds"])),
        deals=settings["deals"],
        command=Command(command),
        training=training_text(settings["training"]),
        first=next(iter(settings["variants"])),
        gaps=Table(["variant", "self-play", "cross-play", "gap", "closed", "share"], list(map(show_gap, played.groups))),
        pairs=Table(["", *names], pairs),
        picture=Picture("Points a deal", "heatmap", functools.partial(crossplay_png, played)),
        variants=Table(["variant", "settings of its own"], variants),
    )


Closed = Columns(
    "Closed",
    Column("name", "the other variant's name"),
    Column(
        "closed", "points a deal by which its gap is smaller, with an interval over the trainings of both", interval=True
    ),
    Column(
        "share",
        "the same as a share of the first variant's gap, without an interval; None where the interval of that gap does not "
        "lie above 0: then there may be no gap to close",
    ),
)
"""The part of the first variant's gap that another one closes."""

StrangersResult = Columns(
    "StrangersResult",
    Column("settings", "the sweep's settings, from `Sweep.as_dict`"),
    Column("closed", "for each variant but the first, how much of the first one's gap it closes (`Closed`)"),
    Column("crossplay", "the cross-play of all policies, whose groups are the variants"),
    document=document,
)
"""The policies of a sweep as each other's partners."""
