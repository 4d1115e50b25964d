"""Judging policies in Python."""

import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from typing import Any

from cardenvs.baselines.judge.results import results_of
from cardenvs.baselines.judge.settings import judge_settings
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.runs.pairings import Progress, play_all
from cardenvs.contract.spec import GameSpec


def judge(
    game: str | GameSpec,
    policies: Sequence[str],
    out: str | os.PathLike[str] | None = None,
    *,
    workers: int | None = 1,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Row:
    """Judges policies by what every decision of one seat gains or loses beside a reference's, a `Judgement`.

    Args:
        policies: names with parameters, or paths of trained policies.
        out: a folder for finished deals, in which a stopped judgement goes on; None keeps nothing.
        workers: processes that play; None: one for each core. With more than one, a script that calls this needs the usual
            ``if __name__ == "__main__":``.
        settings: arguments of `judge_settings` and rule options.

    Raises:
        ValueError, OSError: as of `judge_settings` and `cardenvs.baselines.runs.pairings.play_all`.
    """
    plan = judge_settings(game, policies, **settings)
    with tempfile.TemporaryDirectory() if out is None else nullcontext(out) as folder:
        return results_of(play_all(plan, folder, workers=workers, cluster=cluster, progress=progress))
