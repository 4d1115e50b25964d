"""Trained teams as strangers to each other: the policies of a sweep in cross-play, within each variant and between them.

The question is how much of what a team makes of a game rests on what its seats have agreed on in training. A *gap* is what
policies make with copies of themselves less what they make with those of other seeds, its interval is over trainings; a
variant *closes* as much of the first one's gap as its own is smaller.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardenvs.baselines.crossplay import crossplay_results, crossplay_settings
from cardenvs.baselines.crossplay.report import crossplay_png
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import (
    Block,
    Command,
    Document,
    Estimate,
    Heading,
    Only,
    Picture,
    Table,
    Text,
    Words,
    in_file,
)
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.contract.registry import short_name
from cardenvs.train.sweep.play import FOLDER, Play
from cardenvs.train.sweep.report import training_text
from cardenvs.train.sweep.settings import Sweep

FEWEST_SEEDS = 3
"""Trainings of a variant below which its gap has no interval over them."""


@dataclass(frozen=True, repr=False)
class Closed(Result):
    """The part of the first variant's gap that another one closes.

    Attributes:
        name: the other variant's name.
        closed: points a deal by which its gap is smaller, with a 95% interval over the trainings of both.
        share: the same as a share of the first variant's gap, without an interval; None where the interval of that gap does
            not lie above 0: then there may be no gap to close.
    """

    name: str
    closed: Interval
    share: float | None


@dataclass(frozen=True, repr=False)
class StrangersResult(Result):
    """The policies of a sweep as each other's partners.

    Attributes:
        settings: the sweep's settings, from `Sweep.as_dict`.
        closed: for each variant but the first, how much of the first one's gap it closes.
        crossplay: the cross-play of all policies, whose groups are the variants.
    """

    settings: dict[str, Any]
    closed: list[Closed]
    crossplay: Row

    def document(self, command: str = "") -> Document:
        """The report; ``command`` is the command line that makes the results again, quoted if there is one."""
        return _document(self, command)


def check_strangers(sweep: Sweep, file: str) -> None:
    """Checks that the policies of a sweep can be each other's partners.

    Args:
        sweep: the sweep.
        file: what messages call it.

    Raises:
        ValueError: other rules, a reference, too few seeds, or another game than one that several play as one side.
    """
    if len(list(sweep.same_rules())) > 1:
        raise ValueError(f"{file}: the report strangers is for variants with the same rule options")
    if sweep.measure.reference is not None:
        raise ValueError(f"{file}: the report strangers has no reference: gaps are compared with the first variant's")
    if len(sweep.seeds) < FEWEST_SEEDS:
        raise ValueError(f"{file}: the report strangers needs {FEWEST_SEEDS} seeds or more, not {len(sweep.seeds)}")
    spec = sweep.variants[0].config.spec
    if not spec.one_sided or spec.seats < 2:
        raise ValueError(f"{file}: the report strangers is for games that several play as one side, not for {spec.name}")


def meet(sweep: Sweep, out: Path, play: Play) -> StrangersResult | None:
    """Plays every trained policy with every other one; deals that were played before are not played again.

    Args:
        sweep: a sweep that `check_strangers` has passed.
        out: the sweep's folder, with all trainings complete.
        play: plays the deals.

    Returns:
        The results; None if ``play`` was interrupted.

    Raises:
        ValueError, OSError, RuntimeError: as `crossplay_settings`, ``play`` and `crossplay_results`.
    """
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
    if store is None:
        return None
    return _result(sweep, groups, crossplay_results(store, groups))


def _result(sweep: Sweep, groups: Mapping[str, list[str]], played: Row) -> StrangersResult:
    """The results of cross-play of a sweep's policies."""
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


def _document(result: StrangersResult, command: str) -> Document:
    """The report, as `StrangersResult.document`."""
    settings, played = result.settings, result.crossplay
    first = next(iter(settings["variants"]))
    closed = {each.name: each for each in result.closed}

    def row(gap: Row) -> list[Text]:
        """A variant's figures."""
        one = closed.get(gap.name)
        return [
            gap.name, Estimate(gap.self_play), Estimate(gap.cross_play), Estimate(gap.gap_over_teams),
            "" if one is None else Estimate(one.closed),
            "" if one is None else "no gap to close" if one.share is None else f"{100 * one.share:.0f}%",
        ]  # fmt: skip

    between = {frozenset(each.groups): each.points_margin for each in played.between}
    within = {gap.name: gap.cross_play for gap in played.groups}
    names = list(within)
    pairs: list[list[Text]] = [
        [a, *(Estimate(within[a] if a == b else between[frozenset((a, b))], signed=False) for b in names)] for a in names
    ]
    parts: list[Block | Only] = [
        in_file(
            Words(
                f"Teams trained in {short_name(played.spec)} with the seeds {', '.join(map(str, settings['seeds']))}, "
                f"then every policy with every other one over the same {settings['deals']:,} deals, in both orders of the "
                "seats. Written by"
            ),
            Command(command),
            Words(f"In common: {training_text(settings['training'])}."),
        ),
        Words(
            "Points a deal, with 95% intervals: of self-play and cross-play over deals, of gaps over trainings. "
            f"The last columns are the points by which a gap is smaller than that of {first}, and their share of it. "
            "A gap of seeds that all score alike has no interval."
        ),
        Table(["variant", "self-play", "cross-play", "gap", "closed", "share"], list(map(row, played.groups))),
        Heading("With the policies of other variants"),
        Words("Points a deal of a policy of the row with one of the column; in the diagonal with other seeds of its own."),
        Table(["", *names], pairs),
        in_file(
            Heading("Every policy with every other one"),
            Picture("Points a deal", "heatmap", functools.partial(crossplay_png, played)),
            Heading("Variants"),
            Table(
                ["variant", "settings of its own"],
                [[name, training_text(own)] for name, own in settings["variants"].items()],
            ),
        ),
    ]
    return Document(f"{settings['name']}: trained teams as strangers", parts)
