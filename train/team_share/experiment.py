"""What the dial ``team_share`` does: Euchre policies trained with 0, 0.5 and 1, measured side by side.

With ``team_share`` 1 both partners are paid their side's points, with 0 each its own part of them: then a trick taken from
one's partner pays, and a trick left to it does not. The experiment trains self-play policies that differ in nothing but
that share (and the training seed), then puts all of them with each other against the same opponents over the same duplicate
deals. For each share it reports the points that a side of it makes, how often partners take from each other and what
that costs with all cards open (`cardenvs.baselines.observers.cooperation`), and how policies of one share and of different
shares play together (`cardenvs.baselines.crossplay`).

The unit of the statistics is the training run: means over seeds have 95% intervals of Student's t over the seeds, which
hold for the recipe. Intervals over deals hold for the policies trained here only.

Source of the question: rewards for partners that range from shared to each one's own are how multi-agent work tells
cooperation from competition, such as Leibo, Zambaldi, Lanctot, Marecki and Graepel, "Multi-agent reinforcement learning in
sequential social dilemmas", AAMAS 2017; for cross-play see `cardenvs.baselines.crossplay`.
"""

from __future__ import annotations

import itertools
import math
import shlex
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from scipy import stats

from cardenvs import cli
from cardenvs.baselines.crossplay import OPPONENTS, CrossplayResult, crossplay_results, crossplay_settings
from cardenvs.baselines.crossplay.report import GAP_HEAD, SHOWN, gap_rows
from cardenvs.baselines.observers import METRICS
from cardenvs.baselines.reporting import draw_heatmap, new_figure, plus_minus, png, table_lines
from cardenvs.baselines.statistics import Interval
from cardenvs.baselines.tournament import Store, play_all
from cardenvs.baselines.tournament.terminal import play_or_stop
from cardenvs.files import finite, json_text, write_whole
from cardenvs.train.config import Config

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAME = "euchre"
SHARES = (0.0, 0.5, 1.0)
BIDDINGS = ("forced-spades", "full")
FIXED = ("game", "options", "reward", "team_share", "seed", "minutes")
"""Fields of `Config` that the experiment sets itself: all runs have the same budget and differ in the share only."""


# --- settings ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Experiment:
    """What to train and how to measure it.

    Attributes:
        biddings: variants of Euchre, each an experiment of its own.
        shares: values of ``team_share``.
        seeds: training seeds, the same for every share.
        training: fields of `Config` for every run, beside those of `FIXED`.
        opponents: sides to measure against.
        deals: duplicate deals of each couple against each opponent in each order of its seats.
        seed: of those deals.

    Raises:
        ValueError: an empty or repeated list, or a wrong value; names it.
    """

    biddings: tuple[str, ...] = BIDDINGS
    shares: tuple[float, ...] = SHARES
    seeds: tuple[int, ...] = (0, 1, 2)
    training: Mapping[str, Any] = field(default_factory=dict)
    opponents: tuple[str, ...] = OPPONENTS
    deals: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("biddings", 1), ("shares", 2), ("seeds", 1), ("opponents", 1)):
            values = getattr(self, name)
            if len(set(values)) < len(values):
                raise ValueError(f"{name} must differ, not {', '.join(map(str, values))}")
            if len(values) < least:
                raise ValueError(f"{name} must be at least {least}, not {len(values)}")
        allowed = [f.name for f in fields(Config) if f.name not in FIXED]
        for name in self.training:
            if name not in allowed:
                raise ValueError(f"unknown training setting {name!r}: the settings are {', '.join(allowed)}")
        if self.training.get("steps", 1) is None:
            raise ValueError("steps must be an int of at least 1, not None: all runs have the same budget")
        for run in itertools.product(self.biddings, self.shares, self.seeds):
            self.config(*run)
        # The opponents and the deals: whatever the policies will be.
        for bidding in self.biddings:
            crossplay_settings(
                GAME, ["low", "high"], opponents=self.opponents, deals=self.deals, seed=self.seed, bidding=bidding
            )

    def config(self, bidding: str, share: float, seed: int) -> Config:
        """The settings of one training run."""
        return Config(GAME, options={"bidding": bidding}, team_share=share, seed=seed, **self.training)

    def as_dict(self) -> dict[str, Any]:
        """The fields for JSON, and all settings of the training."""
        whole = self.config(self.biddings[0], self.shares[0], self.seeds[0]).as_dict()
        return {**asdict(self), "training": {name: value for name, value in whole.items() if name not in FIXED}}


def run_folder(out: Path, bidding: str, share: float, seed: int) -> Path:
    """The folder of one training run: ``OUT/BIDDING/share-0.5-seed-1``."""
    return out / bidding / f"share-{share:g}-seed-{seed}"


# --- training ------------------------------------------------------------------------------------------------------


def _is_finished(config: Config, path: Path) -> bool:
    """Whether a run with these settings is complete; False if there is none or it was interrupted.

    Raises:
        ValueError: the run there has other settings, or is damaged.
    """
    from cardenvs.train.checkpoint import read_checkpoint
    from cardenvs.train.learning.self_play import stored_config

    if not path.exists():
        return False
    checkpoint = read_checkpoint(path)
    stored = stored_config(checkpoint)
    differences = config.differences(stored)
    if stored.steps != config.steps:
        differences.append(f"steps: {stored.steps!r}, not {config.steps!r}")
    if differences:
        raise ValueError(f"the run in {str(path.parent)!r} has other settings: {'; '.join(differences)}")
    assert config.steps is not None
    return int(checkpoint.record["steps"]) >= config.steps


def train_all(experiment: Experiment, out: Path, report: Callable[[str], None] | None = None) -> bool:
    """Trains what has not been trained yet; a run that was interrupted goes on.

    Args:
        experiment: the settings.
        out: folder of the experiment; a run's is `run_folder`.
        report: told of every run, in a line.

    Returns:
        Whether all runs are complete: False if a signal asked to stop.

    Raises:
        ValueError: a run in the folder has other settings.
        OSError: the folder cannot be written.
    """
    from cardenvs.train.learning.self_play import train

    runs = list(itertools.product(experiment.biddings, experiment.shares, experiment.seeds))
    # Whatever does not fit is found out before the first hour of training.
    finished = [_is_finished(experiment.config(*run), run_folder(out, *run) / "policy.zip") for run in runs]
    for k, (run, done) in enumerate(zip(runs, finished, strict=True), 1):
        folder = run_folder(out, *run)
        what = f"{k}/{len(runs)} bidding {run[0]}, team_share {run[1]:g}, seed {run[2]}"
        if done:
            if report is not None:
                report(f"{what}: trained before")
            continue
        result = train(experiment.config(*run), folder, resume=(folder / "policy.zip").exists())
        if result.interrupted:
            return False
        if report is not None:
            report(f"{what}: {result.steps:,} moves in {result.seconds:.0f} s")
    return True


# --- results -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """A mean over training seeds.

    Attributes:
        mean: of the seeds that have a value; None if none has.
        ci95: its 95% interval by Student's t over the seeds; None with fewer than two.
        by_seed: the values, None where there is none.
    """

    mean: float | None
    ci95: list[float] | None
    by_seed: list[float | None]


def estimate(values: Sequence[float | None]) -> Estimate:
    """The mean over training seeds with its interval."""
    known = np.array([value for value in values if value is not None], np.float64)
    if not len(known):
        return Estimate(None, None, list(values))
    mean = float(known.mean())
    if len(known) < 2:
        return Estimate(mean, None, list(values))
    half = float(stats.t.ppf(0.975, len(known) - 1) * known.std(ddof=1) / math.sqrt(len(known)))
    return Estimate(mean, [mean - half, mean + half], list(values))


@dataclass(frozen=True)
class ShareResult:
    """What one share brought in one variant. All means are over training seeds.

    Attributes:
        team_share: the share.
        policies: paths of the trained policies, by seed.
        points: points a deal of a side of two copies of a policy above the opponents.
        points_ci95_deals: 95% confidence interval of that mean over deals, with the policies as they are.
        cross_play: points a deal of two different seeds of this share as partners; None with one seed.
        cross_play_ci95_deals: its interval, likewise over deals.
        rates: how often partners take from each other, by metric of `cardenvs.baselines.observers.cooperation.METRICS`, 0
            to 1.
        points_lost: what that costs a deal played with all cards open, likewise.
        against_team: points less those of the largest share, trained from the same seeds; None for that share itself.
    """

    team_share: float
    policies: list[str]
    points: Estimate
    points_ci95_deals: list[float]
    cross_play: float | None
    cross_play_ci95_deals: list[float] | None
    rates: dict[str, Estimate]
    points_lost: dict[str, Estimate]
    against_team: Estimate | None


@dataclass(frozen=True)
class VariantResult:
    """One variant of Euchre.

    Attributes:
        bidding: the variant.
        shares: by share.
        crossplay: of all policies, groups being the shares.
    """

    bidding: str
    shares: list[ShareResult]
    crossplay: CrossplayResult


@dataclass(frozen=True)
class ExperimentResult:
    """What the experiment brought.

    Attributes:
        settings: of it.
        variants: by bidding.
    """

    settings: dict[str, Any]
    variants: list[VariantResult]

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        variants = [
            {
                "bidding": variant.bidding,
                "shares": [asdict(share) for share in variant.shares],
                "crossplay": variant.crossplay.as_dict(),
            }
            for variant in self.variants
        ]
        return dict(finite({"settings": self.settings, "variants": variants}))


def _group(share: float) -> str:
    return f"team_share {share:g}"


def measure_all(
    experiment: Experiment, out: Path, play: Callable[[Any, Path], Store | None] = play_all
) -> ExperimentResult | None:
    """Measures the trained policies, or what of that is missing; None if ``play`` was interrupted.

    Args:
        experiment: the settings.
        out: folder of the experiment, with all runs complete.
        play: plays cross-play in a folder, as `cardenvs.baselines.tournament.play_all` does.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.baselines.tournament.play_all`.
    """
    variants = []
    for bidding in experiment.biddings:
        groups = {
            _group(share): [str(run_folder(out, bidding, share, seed) / "policy.zip") for seed in experiment.seeds]
            for share in experiment.shares
        }
        settings = crossplay_settings(
            GAME,
            [path for paths in groups.values() for path in paths],
            opponents=experiment.opponents,
            deals=experiment.deals,
            seed=experiment.seed,
            costs=True,
            bidding=bidding,
        )
        store = play(settings, out / bidding / "crossplay")
        if store is None:
            return None
        variants.append(_variant(experiment, bidding, groups, crossplay_results(store, groups)))
    return ExperimentResult(experiment.as_dict(), variants)


def _variant(
    experiment: Experiment, bidding: str, groups: Mapping[str, list[str]], played: CrossplayResult
) -> VariantResult:
    alone = {name: [played.cell(path, path) for path in paths] for name, paths in groups.items()}
    team = alone[_group(max(experiment.shares))]
    shares = []
    for share in experiment.shares:
        name = _group(share)
        paths, cells = groups[name], alone[name]
        points, of_team = ([cell.points_margin.mean for cell in some] for some in (cells, team))
        lead = estimate([own - other for own, other in zip(points, of_team, strict=True)])
        gap = next(group for group in played.groups if group.name == name)
        shares.append(
            ShareResult(
                team_share=share,
                policies=paths,
                points=estimate(points),
                points_ci95_deals=gap.self_play.ci95,
                cross_play=None if gap.cross_play is None else gap.cross_play.mean,
                cross_play_ci95_deals=None if gap.cross_play is None else gap.cross_play.ci95,
                rates={metric: estimate([c.cooperation[metric]["rate"] for c in cells]) for metric in METRICS},
                points_lost={
                    metric: estimate([c.cooperation[metric]["points_lost_per_deal"] for c in cells]) for metric in METRICS
                },
                against_team=None if cells is team else lead,
            )
        )
    return VariantResult(bidding, shares, played)


# --- report --------------------------------------------------------------------------------------------------------


def _text(value: Estimate | None, percent: bool = False) -> str:
    if value is None or value.mean is None:
        return "-"
    low, high = value.ci95 or (-math.inf, math.inf)
    return plus_minus(Interval(value.mean, low, high), percent=percent)


def markdown(result: ExperimentResult, command: str, picture: str) -> str:
    """The report.

    Args:
        result: of the experiment.
        command: that makes it again.
        picture: the plot's file name.
    """
    settings = result.settings
    training = ", ".join(f"{name} {value}" for name, value in settings["training"].items() if value not in (None, [], ()))
    over = (
        "Means and 95% intervals are over the training seeds (Student's t) where nothing else is said."
        if len(settings["seeds"]) > 1
        else "There is one training seed for each share: how far another would differ is not known."
    )
    lines = [
        "# Team rewards in Euchre: `team_share`",
        "",
        "Policies trained by self-play that differ in nothing but `team_share`: with 1 both partners are paid their side's "
        "points, with 0 each its own part of them. All are then measured against the same opponents over the same "
        f"{settings['deals']:,} deals, each played twice with the sides exchanged: "
        f"{', '.join(f'`{name}`' for name in settings['opponents'])}. Written by",
        "",
        f"    {command}",
        "",
        f"Training seeds: {', '.join(map(str, settings['seeds']))}. Training: {training}.",
        "",
        over,
        "",
        f"![Points, cooperation and cross-play]({picture})",
        "",
    ]
    for variant in result.variants:
        lines += [
            f"## Bidding {variant.bidding}",
            "",
            "Points are those of two copies of one policy above the opponents, a deal; the last column is those points "
            "less those of the largest share from the same seed.",
            "",
            *table_lines(
                ["team_share", "points a deal", "interval over deals only", "less the largest share's"],
                (
                    [
                        f"{s.team_share:g}",
                        _text(s.points),
                        plus_minus(Interval(s.points.mean or 0.0, *s.points_ci95_deals)),
                        _text(s.against_team),
                    ]
                    for s in variant.shares
                ),
            ),
            "How often partners took from each other, of the times they could have left it:",
            "",
            *table_lines(
                ["team_share", *METRICS.values()],
                ([f"{s.team_share:g}", *(_text(s.rates[m], percent=True) for m in METRICS)] for s in variant.shares),
            ),
            "Points a deal that this cost with all cards open:",
            "",
            *table_lines(
                ["team_share", *METRICS.values()],
                ([f"{s.team_share:g}", *(_text(s.points_lost[m]) for m in METRICS)] for s in variant.shares),
            ),
            "Self-play against cross-play, points a deal, intervals over deals:",
            "",
            *table_lines(GAP_HEAD, gap_rows([*variant.crossplay.groups, variant.crossplay.gap])),
            "Policies of one share with partners of another, intervals over deals:",
            "",
            *table_lines(
                ["shares", "points a deal"],
                ([" with ".join(b.groups), plus_minus(b.points_margin)] for b in variant.crossplay.between),
            ),
        ]
    return "\n".join(lines).rstrip() + "\n"


def picture_png(result: ExperimentResult) -> bytes:
    """A row for each variant: points by share, how often partners take from each other, cross-play as a heat map."""
    couples = max(len(variant.crossplay.policies) for variant in result.variants)
    figure = new_figure(11.5 + 0.45 * couples, (2.6 + 0.4 * couples) * len(result.variants))
    grid = figure.subplots(len(result.variants), 3, squeeze=False, width_ratios=[1.0, 1.0, 0.6 + 0.16 * couples])
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


def _draw(axes: Axes, at: Sequence[float], lines: Mapping[str, Sequence[Estimate]], scale: float) -> None:
    """Means with their intervals as lines, the seeds as dots."""
    for k, (name, line) in enumerate(lines.items()):
        colour = f"C{k}"
        known = [(x, e) for x, e in zip(at, line, strict=True) if e.mean is not None]
        means = [scale * (e.mean or 0.0) for _, e in known]
        reach = [scale * (e.ci95[1] - e.ci95[0]) / 2 if e.ci95 else 0.0 for _, e in known]
        axes.errorbar(
            [x for x, _ in known], means, yerr=reach, marker="o", markersize=4, capsize=3, color=colour, label=name
        )
        for x, e in known:
            values = [scale * value for value in e.by_seed if value is not None]
            axes.plot([x] * len(values), values, ".", color=colour, alpha=0.5, markersize=5)
    axes.set_xlabel("team_share")
    axes.set_xticks(list(at))
    axes.grid(color="0.92")
    axes.set_axisbelow(True)


def write_report(result: ExperimentResult, command: str, out: Path, report: Path | None = None) -> list[Path]:
    """Writes results.json, report.md and team_share.png to the experiment's folder, and a copy of them elsewhere.

    Args:
        result: of the experiment.
        command: that makes it again, for the report.
        out: the folder.
        report: a Markdown file for a copy; its picture and JSON lie beside it under its own name.

    Returns:
        The files, in the order above.

    Raises:
        OSError: a file cannot be written.
    """
    figures, png = json_text(result.as_dict()), picture_png(result)
    targets = [(out / "results.json", out / "report.md", out / "team_share.png")]
    if report is not None:
        targets.append((report.with_suffix(".json"), report, report.with_suffix(".png")))
    written = []
    for data, text, picture in targets:
        contents: list[tuple[Path, str | bytes]] = [
            (data, figures),
            (text, markdown(result, command, picture.name)),
            (picture, png),
        ]
        for path, content in contents:
            write_whole(path, content)
            written.append(path)
    return written


# --- the command ---------------------------------------------------------------------------------------------------


class _Setting(click.ParamType):
    """A training setting as ``name=value``: numbers, yes or no, ``none``, text, or several of them with commas between."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        """The name and the value."""
        if isinstance(value, tuple):
            return value
        key, equals, text = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r} is not name=value", param, ctx)
        key = key.replace("-", "_")
        if key in ("net", "others"):
            return key, tuple(_value(part) for part in text.split(",") if part)
        return key, _value(text)


def _value(text: str) -> Any:
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return {"yes": True, "no": False, "true": True, "false": False, "none": None}.get(text.lower(), text)


@click.group("experiment")
def experiment_command() -> None:
    """Train and measure policies to answer one question."""


@experiment_command.command("team-share")
@click.option(
    "--bidding", "biddings", multiple=True, type=click.Choice(BIDDINGS), default=BIDDINGS, show_default=True,
    help="A variant of Euchre; may be repeated.",
)  # fmt: skip
@click.option(
    "--share", "shares", multiple=True, type=float, default=SHARES, show_default=True,
    help="A value of team_share; may be repeated.",
)  # fmt: skip
@click.option(
    "--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="Training seeds of each share: 0, 1 and on."
)
@click.option("--steps", type=click.IntRange(min=1), help="Moves to train each policy on. [3000000]")
@click.option(
    "--train", "training", multiple=True, type=_Setting(),
    help="A training setting, such as net=256,128 or lr=0.001, as `cardenvs train` names it; may be repeated.",
)  # fmt: skip
@click.option(
    "--opponents", multiple=True, metavar="NAME", default=OPPONENTS, show_default=True,
    help="Whom all are measured against; may be repeated: results are means.",
)  # fmt: skip
@click.option(
    "--deals", type=click.IntRange(min=1), default=2000, show_default=True,
    help="Deals of each two policies as partners, each played twice, in both orders of their seats.",
)  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), help="Processes that measure. [all cores]")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("runs", "team-share"), show_default=True,
    help="Folder of the experiment; it goes on there.",
)  # fmt: skip
@click.option(
    "--markdown", "report", type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the report to this file, its picture and JSON beside it.",
)  # fmt: skip
@cli.seed_option
@cli.json_option
def team_share_command(
    biddings: tuple[str, ...],
    shares: tuple[float, ...],
    seeds: int,
    steps: int | None,
    training: tuple[tuple[str, Any], ...],
    opponents: tuple[str, ...],
    deals: int,
    workers: int | None,
    out: Path,
    report: Path | None,
    seed: int,
    as_json: bool,
) -> int:
    """Train Euchre policies with team_share 0, 0.5 and 1 and compare how they play together.

    Trains every share with every training seed, then measures all against the same opponents and as each other's partners.
    The folder gets results.json, report.md and team_share.png. What is finished is kept: the same command goes on where it
    was stopped. --seed is that of the deals played to measure.
    """
    given = [*([("steps", steps)] if steps is not None else []), *training]
    settings = dict(given)
    if len(settings) < len(given):
        raise ValueError("a training setting is given twice")
    experiment = Experiment(biddings, shares, tuple(range(seeds)), settings, opponents, deals, seed)
    command = shlex.join(_words(experiment))
    to_go_on = shlex.join(
        [*_words(experiment), "--out", str(out), *(["--markdown", str(report)] if report is not None else [])]
    )
    if not train_all(experiment, out, lambda line: cli.stderr.print(line, highlight=False, soft_wrap=True)):
        cli.stderr.print(f"cardenvs: interrupted, saved; to go on: {to_go_on}", highlight=False, soft_wrap=True)
        return 128 + signal.SIGINT
    result = measure_all(experiment, out, lambda settings, folder: play_or_stop(settings, folder, workers, to_go_on))
    if result is None:
        return 128 + signal.SIGINT
    written = write_report(result, command, out, report)
    if as_json:
        cli.print_json(result.as_dict())
    else:
        _print(result)
    cli.stderr.print(f"report: {written[1]}" + (f", {report}" if report is not None else ""), highlight=False)
    return 0


def _words(experiment: Experiment) -> list[str]:
    """The command line, as it is given in the report."""

    def show(value: Any) -> str:
        return ",".join(map(show, value)) if isinstance(value, (tuple, list)) else str(value).lower()

    words = ["cardenvs", "experiment", "team-share"]
    words += [word for bidding in experiment.biddings for word in ("--bidding", bidding)]
    words += [word for share in experiment.shares for word in ("--share", f"{share:g}")]
    words += ["--seeds", str(len(experiment.seeds))]
    words += [word for name, value in experiment.training.items() for word in ("--train", f"{name}={show(value)}")]
    words += [word for name in experiment.opponents for word in ("--opponents", name)]
    return [*words, "--deals", str(experiment.deals), "--seed", str(experiment.seed)]


def _print(result: ExperimentResult) -> None:
    from rich.console import Console
    from rich.table import Table

    for variant in result.variants:
        table = Table("team_share", "points a deal", "less the largest share's", *(METRICS[metric] for metric in SHOWN))
        table.title = f"bidding {variant.bidding}"
        for share in variant.shares:
            rates = (_text(share.rates[metric], percent=True) for metric in SHOWN)
            table.add_row(f"{share.team_share:g}", _text(share.points), _text(share.against_team), *rates)
        Console().print(table)
