"""Options and quoted command lines that the commands for playing and comparing policies share."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from cardenvs import cli
from cardenvs.baselines.engine.work import check_cluster
from cardenvs.cli import Several, flat
from cardenvs.compiled.machine import cores
from cardenvs.contract.options import show

Command = TypeVar("Command", bound=Callable[..., Any])


def against_option(help_text: str, **settings: Any) -> Callable[[Command], Command]:
    """Returns the option ``--against NAME``, repeatable or with several names, ``a,b``; as ``against: tuple[str, ...]``."""
    return click.option(
        "--against",
        cls=cli.RenamedOption,
        was=("--opponents",),
        multiple=True,
        metavar="NAME",
        type=Several(),
        callback=flat,
        help=help_text,
        **settings,
    )


def out_option(folder: str, pieces: str = "games") -> Callable[[Command], Command]:
    """Returns ``--out FOLDER``, by default ``folder`` within ``runs``, for finished ``pieces``; as ``out: Path``."""
    return click.option(
        "--out",
        type=cli.OutFolder(),
        default=Path("runs", folder),
        show_default=True,
        help=f"Folder for finished {pieces}; the same command continues there.",
    )


def or_cores(workers: int | None, cluster: str | None) -> int | None:
    """Returns the number of workers; the cores of this machine where neither a number nor a cluster is given."""
    return cores() if workers is None and cluster is None else workers


def _validate_cluster(ctx: click.Context, param: click.Parameter, address: str | None) -> str | None:
    if address is not None and not ctx.resilient_parsing:
        check_cluster(address)
    return address


def engine_options(verb: str, *, begins_here: bool = False) -> Callable[[Command], Command]:
    """Returns ``--workers N`` and ``--cluster ADDRESS``; as ``workers: int | None``, ``cluster: str | None``.

    ``verb`` is the work of the processes. The cluster is checked at once if the command ``begins_here``, on this machine.
    """
    workers = click.option("--workers", type=click.IntRange(min=1), help=f"Processes that {verb}. [all cores]")
    cluster = click.option(
        "--cluster",
        metavar="auto|ADDRESS",
        callback=_validate_cluster if begins_here else None,
        help='Play on a Ray cluster; "auto" is the cluster of this machine. [only this machine]',
    )
    return lambda command: workers(cluster(command))


def command_words(
    *words: str, given: Mapping[str, Any] | None = None, rules: Mapping[str, Any] | None = None, seed: int | None = None
) -> list[str]:
    """Returns the words of a ``cardenvs`` command line that a report quotes and that can be typed again.

    ``given`` are options as `option_words` takes them, ``rules`` become ``-o name=value``; without a seed there is no
    option.
    """
    rule_words = [word for name, value in (rules or {}).items() for word in ("-o", f"{name}={show(value)}")]
    seed_words = [] if seed is None else ["--seed", str(seed)]
    return ["cardenvs", *words, *option_words(given or {}), *rule_words, *seed_words]


def option_words(given: Mapping[str, Any]) -> list[str]:
    """Returns options with their values as words of a command line, in order.

    None and False are left out, True is a flag, and a list or tuple repeats the option for each value or tuple of values.
    """
    words: list[str] = []
    for option, value in given.items():
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            values = value if isinstance(value, (list, tuple)) else (value,)
            words += [word for each in values for word in (option, *map(str, each if isinstance(each, tuple) else (each,)))]
    return words
