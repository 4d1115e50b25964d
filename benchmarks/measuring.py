"""What all benchmarks share: clocks, rounds taken in turn, options of the command line, and how figures are handed over."""

from __future__ import annotations

import importlib.metadata
import platform
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from cardenvs import cli
from cardenvs.baselines.match import play_deals
from cardenvs.baselines.match.results import Margins
from cardenvs.baselines.reports.document import Document
from cardenvs.baselines.reports.files import write_document
from cardenvs.baselines.reports.statistics import Interval, margin_interval
from cardenvs.baselines.reports.terminal import show
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.machine import processor
from cardenvs.contract.registry import get_game
from cardenvs.files import write_whole
from cardenvs.policy.contract import Policy
from cardenvs.printing import PlainConsole

Key = TypeVar("Key")
Figure = TypeVar("Figure")


# --- measuring -----------------------------------------------------------------------------------------------------


def processor_seconds(run: Callable[[], Any]) -> float:
    """Processor time of this thread that a call takes, in seconds."""
    began = time.thread_time()
    run()
    return time.thread_time() - began


def wall_seconds(run: Callable[[], Any]) -> float:
    """Wall-clock time that a call takes, in seconds."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def in_turn(rounds: int, measured: Mapping[Key, Callable[[], Figure]], warm: bool = False) -> dict[Key, list[Figure]]:
    """Measures several things in turn, round by round, so that their ratios hold on a machine with busy neighbours.

    Args:
        rounds: how often each thing is measured.
        measured: by the name of each thing, a function that measures the thing once.
        warm: whether everything is compiled and loaded already; otherwise a first round does not count.

    Returns:
        By the name of each thing, its figures, one for each round.
    """
    if not warm:
        for measure in measured.values():
            measure()
    figures: dict[Key, list[Figure]] = {name: [] for name in measured}
    for _ in range(rounds):
        for name, measure in measured.items():
            figures[name].append(measure())
    return figures


def in_same_deals(
    game: str,
    variants: Mapping[Key, str | Policy],
    opponent: str,
    deals: int,
    seed: int,
    options: Mapping[str, Any] | None = None,
    at_once: int = 20,
) -> dict[Key, tuple[Interval, Interval]]:
    """What variants of a player win from an opponent in the same duplicate deals.

    Args:
        game: the game's name.
        variants: the players by their names; the others are compared with the first.
        opponent: the policy that each of them meets.
        deals: how many deals, at least 1.
        seed: the match's seed.
        options: rule options.
        at_once: deals that are played side by side, between two remarks on how far the match has come.

    Returns:
        By the name of each variant, points a deal above the opponent, and how many more than the first variant's.
    """
    margins: dict[Key, list[float]] = {name: [] for name in variants}
    for start in range(0, deals, at_once):
        some = range(start, min(start + at_once, deals))
        for name, player in variants.items():
            margins[name] += play_deals(game, player, opponent, some, seed=seed, **options or {}).points_margins.tolist()
        tell(f"{game}, {opponent}: {some.stop} deals")
    won = {name: np.array(values) for name, values in margins.items()}
    first = won[next(iter(won))]
    most = Margins.of_game(get_game(game), options or {}).points
    return {
        name: (margin_interval(values, most), margin_interval(values - first, 2 * most)) for name, values in won.items()
    }


class Timed(Policy):
    """A policy that counts its decisions and their processor time."""

    def __init__(self, player: Policy) -> None:
        super().__init__(player.game)
        self.player, self.name = player, player.name
        self.restart()

    def restart(self) -> None:
        """Counts from zero."""
        self.seconds, self.decisions = 0.0, 0

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The player's actions, int64 (n,); see `cardenvs.policy.Policy.choose`."""
        began = time.thread_time()
        actions = self.player.choose(observations, action_masks, streams)
        self.seconds += time.thread_time() - began
        self.decisions += len(actions)
        return actions

    @property
    def mean(self) -> float:
        """Mean processor time of a decision, in seconds."""
        return self.seconds / self.decisions


def machine(*packages: str) -> dict[str, str]:
    """The processor, and the versions of Python and of some packages, for JSON."""
    versions = {package: importlib.metadata.version(package) for package in packages}
    return {"processor": processor(), "python": platform.python_version(), **versions}


# --- the command line ----------------------------------------------------------------------------------------------


def count_option(name: str, default: int, text: str, least: int = 1) -> Callable[[cli.Command], cli.Command]:
    """A decorator that adds an option for a count to a command.

    Args:
        name: the option's name, such as ``"--rounds"``.
        default: the count if the option is not given.
        text: the option's help.
        least: the smallest count that is allowed.
    """
    return click.option(name, type=click.IntRange(min=least), default=default, show_default=True, help=text)


def written_by(script: str, **options: Any) -> str:
    """The sentence in a report that names the command which wrote it, without a full stop.

    Args:
        script: the benchmark's ``__file__``.
        options: the values of the command's options, by their names with ``_`` for ``-``.
    """
    words = ["python", f"benchmarks/{Path(script).name}"]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return f"Written by `{shlex.join(words)} --report FILE`"


def tell(text: object) -> None:
    """Prints on standard error how far a benchmark has come."""
    print(text, file=sys.stderr, flush=True)


def rate_text(rate: float, ci95: list[float]) -> str:
    """A win rate in percent with half the width of its 95% interval, low and high end given."""
    return plus_minus(Interval(rate, *ci95), percent=True)


def hand_over(figures: Mapping[str, Any] | None, told: Document | str, report: Path | None, as_json: bool) -> None:
    """Writes a report and, beside it, its figures as JSON, if a file was named; prints the report or the figures.

    Args:
        figures: the figures, as `cardenvs.baselines.reports.results.plain` makes them; None: the report alone has them.
        told: the report; one that is Markdown already is written without the figures.
        report: the Markdown file; None: no file is written.
        as_json: whether the figures are printed as one JSON object instead of the report.
    """
    if report is not None and isinstance(told, str):
        write_whole(report, told)
    elif report is not None:
        write_document(told, figures, None, report)
    if as_json and figures is not None:
        cli.print_json(figures)
    elif isinstance(told, str):
        click.echo(told, nl=False)
    else:
        show(told, PlainConsole())
