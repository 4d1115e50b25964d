"""A study at a terminal: under a progress bar until it is finished or stopped, then its reports and its results."""

import contextlib
import functools
import shlex
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from cardenvs import cli
from cardenvs.baselines.commands import command_words, engine_options, option_words
from cardenvs.baselines.reports.document import Document
from cardenvs.baselines.reports.files import write_document
from cardenvs.baselines.reports.pictures import tell_left_out
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.terminal import show
from cardenvs.baselines.runs.pairings import PairingPlan, play_all
from cardenvs.baselines.runs.progress import Count
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.contract.registry import address
from cardenvs.contract.spec import GameSpec
from cardenvs.files import write_whole
from cardenvs.printing import PlainConsole, remark

Done = TypeVar("Done")
Found = TypeVar("Found", bound=Result)


@dataclass(frozen=True)
class Session:
    """A command's run of a study, with the options that results do not depend on."""

    words: Sequence[str]  # the command line that makes the results again
    out: Path | None  # the folder for what is finished and for the reports; None: nothing is kept
    workers: int | None = None
    cluster: str | None = None
    report: Path | None = None  # a Markdown file for a copy of the report
    plot: Path | None = None  # a PNG file for a copy of the report's first picture
    as_json: bool = False  # whether one JSON object is printed instead of tables
    quiet: bool = False  # whether no progress bar is shown
    figures_beside: bool = True  # whether a JSON file with the results is written beside the report

    def until_stopped(
        self, what: str, total: int, pieces: str, go: Callable[[Count], Done], *, percent: bool = False
    ) -> Done | None:
        """Works under a progress bar; returns what ``go`` does, or None if it was interrupted, which is reported.

        Args:
            what: the bar's text at first.
            total: number of pieces, finished ones included.
            pieces: their word: ``"deals"``.
            go: does the work, and moves the bar on.
            percent: whether the bar shows the share that is done instead of numbers of pieces.

        Raises:
            ValueError: as ``go``; says where what is finished is kept.
        """
        done = 0.0
        bar = cli.progress_bar(what, total, pieces, percent=percent)
        with contextlib.nullcontext(lambda more, called: None) if self.quiet else bar as show_progress:

            def count(more: float, called: str | None = None) -> None:
                nonlocal done
                done += more
                show_progress(more, called)

            try:
                return go(count)
            except KeyboardInterrupt:
                kept = "which nothing keeps without --out"
                if self.out is not None:
                    engine = {"--workers": self.workers, "--cluster": self.cluster}
                    here = {"--out": self.out, "--plot": self.plot, "--report": self.report, **engine}
                    kept = f"kept in {str(self.out)!r}; to go on: {shlex.join([*self.words, *option_words(here)])}"
                finished = f"{done:.2f}".removesuffix(".00")
                remark(f"cardenvs: interrupted after {finished} of {total} {pieces}, {kept}")
                return None
            except ValueError as error:
                if done and self.out is not None:
                    raise ValueError(f"{error}; finished results are kept in {str(self.out)!r}") from error
                raise

    def play(self, plan: PairingPlan, out: Path | None = None) -> PairingStore | None:
        """Plays pairings in a folder, None for that of the session; see `until_stopped`."""
        pairings, before, folder = len(plan.pairs), 0, out or self.out
        assert folder is not None

        def go(count: Count) -> PairingStore:
            def progress(deals: int, finished: int) -> None:
                nonlocal before
                count(deals - before, f"{finished}/{pairings} pairings")
                before = deals

            return play_all(plan, folder, workers=self.workers, cluster=self.cluster, progress=progress)

        return self.until_stopped(f"0/{pairings} pairings", pairings * plan.deals, "deals", go)

    def hand_over(self, result: Result, document: Document | None = None) -> None:
        """Writes the reports of results, and prints them or their JSON; their report is ``document`` or their own."""
        figures, document = result.as_dict(), document or result.document(shlex.join(self.words))
        assert document is not None
        if self.out or self.report:
            write_document(document, figures if self.figures_beside else None, self.out, self.report)
        if self.plot is not None:
            write_whole(self.plot, next(iter(document.pictures().values()))())
        if self.as_json:
            cli.print_json(figures)
        else:
            show(document, PlainConsole())
        if reports := [*filter(None, [self.out and self.out / "report.md", self.report])]:
            if pictures := document.pictures():
                tell_left_out(f"the report's picture{'s are' if len(pictures) > 1 else ' is'} left out")
            cli.stderr.print(f"report: {', '.join(map(str, reports))}", soft_wrap=True)


def tell_forfeits(store: PairingStore) -> int:
    """Reports forfeited pairings, and how they are played on, on standard error; returns the exit status."""
    if not store.forfeits:
        return 0
    count = len(store.forfeits)
    remark(f"cardenvs: {count} {'pairing was' if count == 1 else 'pairings were'} forfeited; {store.to_play_anew}")
    return cli.FORFEITED


STOPPED = 128 + signal.SIGINT  # exit status of a command that was interrupted


def work_and_report(
    session: Session,
    what: str,
    total: int,
    pieces: str,
    go: Callable[[Count], Found],
    failed: Callable[[Found], bool] = lambda result: False,
) -> int:
    """Works (`Session.until_stopped`) and hands over the results; no reports are written into the session's folder.

    Returns the exit status: 0; 1 if a check has ``failed``; `STOPPED` if the work was interrupted.
    """
    result = session.until_stopped(what, total, pieces, go)
    if result is None:
        return STOPPED
    replace(session, out=None).hand_over(result)
    return int(failed(result))


def play_and_report(session: Session, plan: PairingPlan, results: Callable[[PairingStore], Result]) -> int:
    """Plays pairings, writes their reports and prints the results that ``results`` makes of the folder.

    Returns the exit status: 0; `cardenvs.cli.FORFEITED` if a pairing was forfeited; `STOPPED` if playing was interrupted.
    Errors are those of `cardenvs.baselines.runs.pairings.play_all`.
    """
    store = session.play(plan)
    if store is None:
        return STOPPED
    session.hand_over(results(store))
    return tell_forfeits(store)


@dataclass(frozen=True)
class Asked:
    """The values of the arguments and options that the commands of all studies have."""

    game: GameSpec
    policies: tuple[str, ...]
    out: Path | None
    workers: int | None
    cluster: str | None
    report: Path | None
    options: tuple[tuple[str, str], ...]
    seed: int
    as_json: bool

    @property
    def rules(self) -> dict[str, Any]:
        """The rule options by name, with values as environments take them."""
        return cli.rule_options(self.game, self.options)

    def session(self, command: str, given: Mapping[str, Any], folder: str, **more: Any) -> Session:
        """The run of the study, in a ``folder`` within ``runs`` unless another was given.

        Args:
            command: the command's name.
            given: options of its own with their values, as `option_words` takes them.
            more: what `command_words` takes beside them. [rule options and seed]
        """
        own = more or {"rules": self.rules, "seed": self.seed}
        words = command_words(command, address(self.game), *self.policies, given=given, **own)
        context = click.get_current_context()
        if context.parent is None:  # the command is a program of its own
            words[:2] = shlex.split(context.command_path)
        return Session(
            words, self.out or Path("runs", folder), self.workers, self.cluster, self.report, as_json=self.as_json
        )


def study_options(
    *own: Callable[[Any], Any], game: Callable[[Any], Any] = cli.game_argument, out: str
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """The arguments and options that all studies have, which a command takes as one `Asked`, and some of its own.

    Args:
        own: arguments and options of the command's own, in the order of the help.
        game: adds the argument GAME.
        out: the help text of ``--out``.
    """
    shared = (
        engine_options("play"), click.option("--out", type=cli.OutFolder(), help=out),
        cli.report_option, cli.rule_option, cli.seed_option, cli.json_option,
    )  # fmt: skip

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(command)
        def bundled(policies: tuple[str, ...] = (), **values: Any) -> int:
            asked = {field.name: values.pop(field.name) for field in fields(Asked) if field.name != "policies"}
            return command(Asked(policies=policies, **asked), **values)

        return functools.reduce(lambda made, add: add(made), reversed((game, *own, *shared)), bundled)

    return decorate
