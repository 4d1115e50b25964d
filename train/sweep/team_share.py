"""The effect of the setting ``team_share``: Euchre policies trained with 0, 0.5 and 1, measured side by side.

With ``team_share`` 1 both partners are paid their side's points, with 0 each its own part of them: then a trick taken from
one's partner pays, and a trick left to it does not. Policies that differ in that share and the training seed alone play
with each other against the same opponents over the same duplicate deals. For each share the report has the points that a
side of it makes, how often partners take from each other and what that costs with all cards open
(`cardenvs.baselines.observers.cooperation`), and how policies of one share and of different shares play together
(`cardenvs.baselines.crossplay`). Means over training seeds have intervals of Student's t over the seeds, which hold for the
recipe; intervals over deals hold for the policies trained here only.

Source of the question: rewards for partners that range from shared to each one's own are how multi-agent work tells
cooperation from competition, such as Leibo, Zambaldi, Lanctot, Marecki and Graepel, "Multi-agent reinforcement learning in
sequential social dilemmas", AAMAS 2017; for cross-play see `cardenvs.baselines.crossplay`.
"""

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cardenvs.baselines.crossplay import Gap, crossplay_results, crossplay_settings
from cardenvs.baselines.crossplay.report import SHOWN
from cardenvs.baselines.observers import METRICS
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column
from cardenvs.baselines.reports.document import (
    Block,
    Code,
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
    joined,
)
from cardenvs.baselines.reports.pictures import draw_heatmap, new_figure, png, reach
from cardenvs.baselines.reports.template import fill_report
from cardenvs.train.config import ALIKE, Config
from cardenvs.train.sweep.play import Play
from cardenvs.train.sweep.report import estimate_text, training_text
from cardenvs.train.sweep.results import estimate, interval_over_deals
from cardenvs.train.sweep.settings import Measure, Sweep, Variant, check_different

GAME = "euchre"
# Fields of `Config` that the experiment sets itself: all runs have the same budget and differ in share and seed only.
FIXED = ("game", "options", "reward", "team_share", "seed", "minutes")


def team_share_sweep(
    biddings: Sequence[str], shares: Sequence[float], seeds: Sequence[int], training: Mapping[str, Any], measure: Measure
) -> Sweep:
    """The sweep of every variant of Euchre, by its rule option ``bidding``, with every one of two or more shares, with
    folders such as ``full/share-0.5-seed-1``. ``training`` has fields of `Config` for every run, none of them in `FIXED`;
    others are those of `ALIKE`, or the defaults. Raises ValueError, which names the argument, for a list that is too short
    or has a value twice, or a wrong value."""
    check_different("biddings", biddings)
    check_different("shares", shares, 2)
    variants = [
        Variant(
            f"bidding {bidding}, team_share {share:g}",
            Config(GAME, options={"bidding": bidding}, team_share=share, **{**ALIKE, **training}),
            f"{bidding}/share-{share:g}",
        )
        for bidding, share in itertools.product(biddings, shares)
    ]
    sweep = Sweep("team-share", tuple(variants), tuple(seeds), measure)
    for bidding in biddings:  # the opponents and the deals, before there are policies
        crossplay_settings(
            GAME, ["low", "high"], opponents=measure.opponents, deals=measure.deals, seed=measure.seed, bidding=bidding
        )
    return sweep


def experiment_settings(sweep: Sweep) -> dict[str, Any]:
    """The settings of the experiment that a sweep is, for JSON; ``training`` has all that the runs have in common."""
    configs = [variant.config for variant in sweep.variants]
    return {
        "biddings": list(dict.fromkeys(str(config.options.get("bidding")) for config in configs)),
        "shares": list(dict.fromkeys(config.team_share for config in configs)),
        "seeds": list(sweep.seeds),
        "training": {name: value for name, value in configs[0].as_dict().items() if name not in FIXED},
        "opponents": list(sweep.measure.opponents),
        "deals": sweep.measure.deals,
        "seed": sweep.measure.seed,
    }


def experiment_of(sweep: Sweep, file: str) -> Sweep:
    """The experiment that a sweep is, with the experiment's names and folders. Raises ValueError, which names ``file``, if
    it is none: of another game, or with variants that are not every bidding with every share."""
    known = sweep.game == GAME and sweep.measure.reference is None
    if known:
        settings = experiment_settings(sweep)
        lists = settings["biddings"], settings["shares"], sweep.seeds, settings["training"]
        try:
            experiment = team_share_sweep(*lists, sweep.measure)
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None
        meant = [variant.config for variant in experiment.variants]
        known = len(meant) == len(sweep.variants) and all(variant.config in meant for variant in sweep.variants)
    if not known:
        raise ValueError(
            f"{file}: the report team-share is for sweeps in Euchre, without a reference, whose variants are every bidding "
            "with every team_share and differ in nothing else"
        )
    return experiment


def measure_all(sweep: Sweep, out: Path, play: Play) -> Row | None:
    """Measures the trained policies of `team_share_sweep`; deals that were played before are not played again. Returns the
    results, an `ExperimentResult`; None if ``play`` was interrupted."""
    settings, variants, runs = experiment_settings(sweep), [], iter(sweep.runs)
    for bidding in settings["biddings"]:
        paths = [[str(out / next(runs).policy) for _ in sweep.seeds] for _ in settings["shares"]]
        groups = {f"team_share {share:g}": own for share, own in zip(settings["shares"], paths, strict=True)}
        plan = crossplay_settings(
            GAME,
            [path for own in paths for path in own],
            opponents=sweep.measure.opponents,
            deals=sweep.measure.deals,
            seed=sweep.measure.seed,
            costs=True,
            bidding=bidding,
        )
        store = play(plan, out / bidding / "crossplay")
        if store is None:
            return None
        played = crossplay_results(store, groups)
        variants.append(BiddingResult(bidding, _measure_shares(settings["shares"], played), played))
    return ExperimentResult(settings, variants)


def _measure_shares(shares: Sequence[float], played: Row) -> list[Row]:
    """The results of each share of a variant, whose policies are the groups of cross-play."""
    cells = [[played.cell(path, path) for path in group.policies] for group in played.groups]
    points = [[cell.points_margin.mean for cell in alone] for alone in cells]
    team = points[shares.index(max(shares))]
    return [
        ShareResult(
            team_share=share,
            policies=group.policies,
            points=estimate(own),
            points_ci95_deals=group.self_play.ci95,
            cross_play=None if group.cross_play is None else group.cross_play.mean,
            cross_play_ci95_deals=None if group.cross_play is None else group.cross_play.ci95,
            rates={metric: estimate([cell.cooperation[metric]["rate"] for cell in alone], 0.0, 1.0) for metric in METRICS},
            points_lost={
                metric: estimate([cell.cooperation[metric]["points_lost_per_deal"] for cell in alone]) for metric in METRICS
            },
            against_team=None if own is team else estimate([a - b for a, b in zip(own, team, strict=True)]),
        )
        for share, group, alone, own in zip(shares, played.groups, cells, points, strict=True)
    ]


def document(result: Row, command: str = "") -> Document:
    """The report of the experiment; ``command`` is the command line that repeats it."""
    settings = result.settings
    return fill_report(
        Path(__file__).with_name("team_share_report.md"),
        deals=settings["deals"],
        opponents=joined(map(Code, settings["opponents"])),
        command=Command(command),
        seeds=", ".join(map(str, settings["seeds"])),
        training=training_text(settings["training"]),
        several=len(settings["seeds"]) > 1,
        picture=Picture(
            "Points, cooperation and cross-play", "team_share", functools.partial(picture_png, result), as_report=True
        ),
        variants=[block for variant in result.variants for block in _variant_blocks(variant)],
    )


def _variant_blocks(variant: Row) -> Iterator[Block | Only]:
    """The results of a variant of Euchre."""

    def by_metric(values: str, percent: bool, spare: Sequence[str] = ()) -> Table:
        rows = [
            [f"{share.team_share:g}", *(estimate_text(getattr(share, values)[metric], percent) for metric in METRICS)]
            for share in variant.shares
        ]
        return Table(["team_share", *METRICS.values()], rows, spare=spare)

    between: list[list[Text]] = [
        [" with ".join(one.groups), Estimate(one.points_margin)] for one in variant.crossplay.between
    ]
    yield Heading(f"Bidding {variant.bidding}")
    yield in_file(
        Words(
            "Points are those of two copies of one policy above the opponents, a deal; the last column is those points "
            "less those of the largest share from the same seed."
        )
    )
    yield ShareResult.table(variant.shares)
    yield Words("How often partners took from each other, of the times they could have left it, %:")
    yield by_metric("rates", True, [name for metric, name in METRICS.items() if metric not in SHOWN])
    yield in_file(
        Words("Points a deal that this cost with all cards open:"),
        by_metric("points_lost", False),
        Words("Self-play against cross-play, points a deal, intervals over deals:"),
        Gap.table([*variant.crossplay.groups, variant.crossplay.gap]),
        Words("Policies of one share with partners of another, intervals over deals:"),
        Table(["shares", "points a deal"], between),
    )


ShareResult = Columns(
    "ShareResult",
    Column("team_share", "the share", "team_share", "{:g}".format),
    Column("policies", "paths of the trained policies, by seed"),
    Column("points", "points a deal of two copies of a policy above the opponents", "points a deal", estimate_text),
    computed_column(
        "over_deals", lambda row: interval_over_deals(row.points, row.points_ci95_deals),
        title="interval over deals only", cell=Estimate, spare=True,
    ),
    Column("points_ci95_deals", "95% interval of that mean over deals, low and high end, with the policies as they are"),
    Column("cross_play", "points a deal of policies of two different seeds of this share; None with one seed"),
    Column("cross_play_ci95_deals", "95% interval of `cross_play` over deals; None with one seed"),
    Column("rates", "how often partners take tricks from each other, 0 to 1, by metric (`METRICS`)"),
    Column("points_lost", "points a deal that these tricks cost with all cards open, by metric"),
    Column(
        "against_team", "points a deal less those of the largest share, from the same seeds; None for that share itself",
        "less the largest share's", estimate_text,
    ),
)  # fmt: skip
"""The policies of one share in one variant, measured. All means are over training seeds."""

BiddingResult = Columns(
    "BiddingResult",
    Column("bidding", "the variant of Euchre"),
    Column("shares", "the results of each share (`ShareResult`)"),
    Column("crossplay", "all policies as each other's partners; its groups are the shares"),
)
"""The results of one variant of Euchre."""

ExperimentResult = Columns(
    "ExperimentResult",
    Column("settings", "the experiment's settings, from `experiment_settings`"),
    Column("variants", "the results of each variant of Euchre (`BiddingResult`)"),
    document=document,
)
"""The results of the experiment."""


# --- plots -----------------------------------------------------------------------------------------------------------


def picture_png(result: Row) -> bytes:
    """The plot as the content of a PNG file: for each variant points by share, how often partners take tricks from each
    other, and cross-play as a heat map."""
    policies = max(len(variant.crossplay.policies) for variant in result.variants)
    figure = new_figure(11.5 + 0.45 * policies, (2.6 + 0.4 * policies) * len(result.variants))
    grid = figure.subplots(len(result.variants), 3, squeeze=False, width_ratios=[1.0, 1.0, 0.6 + 0.16 * policies])
    for row, variant in zip(grid, result.variants, strict=True):
        at = [share.team_share for share in variant.shares]
        _draw(row[0], at, {"": [share.points for share in variant.shares]}, 1.0)
        row[0].set(title=f"bidding {variant.bidding}", ylabel="points a deal above the opponents")
        rates = {METRICS[metric]: [share.rates[metric] for share in variant.shares] for metric in SHOWN}
        _draw(row[1], at, rates, 100.0)
        row[1].set(title="partners take from each other", ylabel="%, of the times it could be left")
        row[1].set_ylim(0, 100)
        row[1].legend(fontsize=8)
        names = [Path(path).parent.name for path in variant.crossplay.policies]
        draw_heatmap(row[2], variant.crossplay.points, names, names)
        row[2].set_title("points a deal as partners")
    return png(figure)


def _draw(axes: Any, at: Sequence[float], lines: Mapping[str, Sequence[Row]], scale: float) -> None:
    """Draws means with their intervals as lines, and the seeds as dots."""
    for k, (name, line) in enumerate(lines.items()):
        colour = f"C{k}"
        known = [(x, e.interval, e) for x, e in zip(at, line, strict=True) if e.interval is not None]
        means, bars = [scale * mean.mean for _, mean, _ in known], scale * reach([mean for _, mean, _ in known])
        axes.errorbar(
            [x for x, *_ in known], means, yerr=bars, marker="o", markersize=4, capsize=3, color=colour, label=name
        )
        for x, _, e in known:
            values = [scale * value for value in e.by_seed if value is not None]
            axes.plot([x] * len(values), values, ".", color=colour, alpha=0.5, markersize=5)
    axes.set_xlabel("team_share")
    axes.set_xticks(list(at))
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
