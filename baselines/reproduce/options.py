"""The options that the commands of all reproductions have, and their run."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from cardenvs import cli
from cardenvs.baselines.commands import command_words, engine_options, or_cores, out_option
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.runs.plan import Plan
from cardenvs.baselines.runs.store import Store, work_through
from cardenvs.baselines.runs.terminal import Session, work_and_report


@dataclass(frozen=True)
class Asked:
    """The values of the options that all reproductions have."""

    workers: int | None
    cluster: str | None
    report: Path | None
    seed: int
    as_json: bool
    out: Path | None = None  # None for commands that keep nothing

    @property
    def engine(self) -> dict[str, Any]:
        """The arguments that say where a series of matches is played."""
        return {"workers": or_cores(self.workers, self.cluster), "cluster": self.cluster}

    def reproduce(
        self, *words: str, given: Mapping[str, Any], total: int, work: Callable[..., Row], pieces: str = "games",
        title: str = "", failed: Callable[[Row], bool] = lambda result: False,
    ) -> int:  # fmt: skip
        """Works under a progress bar and reports the results; returns the exit status.

        Args:
            words: the command's name behind ``cardenvs reproduce``, and its arguments.
            given: the options to be quoted, as `option_words` takes them.
            total: number of pieces.
            work: computes the results; is called with the function that moves the bar on.
            pieces: the word for a piece where a folder keeps them.
            title: the text of the bar at first; empty: the command's name.
            failed: whether results make the exit status 1.
        """
        session = Session(
            command_words("reproduce", *words, given=given), self.out, self.workers, self.cluster, self.report,
            as_json=self.as_json, figures_beside=self.out is not None,
        )  # fmt: skip
        if self.out is not None:
            return work_and_report(session, title or words[0], total, pieces, work, failed)
        with cli.progress_bar(words[0], total) as count:
            result = work(count)
        session.hand_over(result)
        return 0

    def work_through(self, *words: str, games: int, plan: Plan, results: Callable[[Store[Any]], Row], **more: Any) -> int:
        """Reproduces the ``results`` of a plan's games, of which ``--games`` asks for so many; see `reproduce`."""
        return self.reproduce(
            *words,
            given={"--games": games, "--seed": self.seed},
            total=len(plan.units) * plan.pieces,
            work=lambda count: results(
                work_through(plan, self.out, workers=self.workers, cluster=self.cluster, progress=count)
            ),
            **more,
        )


def reproduction_options(
    *own: Callable[[Any], Any], work: str = "play", begins_here: bool = False, out: str = "", pieces: str = "games"
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Returns a decorator with a command's own options and, as one `Asked`, those that all reproductions have.

    Args:
        own: the command's own arguments and options, in the order of the help.
        work: the work of the processes, and ``begins_here``, as in `engine_options`.
        out: the folder of the option ``--out`` for finished ``pieces``; empty: there is no such option.
    """
    shared = (
        engine_options(work, begins_here=begins_here), *([out_option(out, pieces)] if out else []),
        cli.report_option, cli.seed_option, cli.json_option,
    )  # fmt: skip

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(command)
        def bundled(**values: Any) -> int:
            asked = {field.name: values.pop(field.name) for field in fields(Asked) if field.name in values}
            return command(Asked(**asked), **values)

        return functools.reduce(lambda made, add: add(made), reversed((*own, *shared)), bundled)

    return decorate
