"""The command ``cardenvs``: its commands are the click commands of the entry-point group ``cardenvs.commands``.

Commands that report figures take ``--json`` and then print one JSON object on standard output; progress and remarks go to
standard error. Wrong input ends in one line on standard error and status 2.
"""

import io
import math
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column

from cardenvs.compiled.jit import DISABLED
from cardenvs.contract.entries import Registry
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.files import json_text
from cardenvs.printing import PlainColumn, printable, remark, say
from cardenvs.printing import stderr as stderr
from cardenvs.randomness import DRAWN_BITS, RANDOM, drawn_seed

ENTRY_POINT_GROUP = "cardenvs.commands"

Command = TypeVar("Command", bound=Callable[..., Any])

SECTIONS = {
    "Play": ("play", "advise", "review", "render"),
    "Measure": (
        "match", "evaluate", "tournament", "crossplay", "adhoc", "suite", "ceiling", "judge", "exploit", "reproduce",
    ),
    "Train": ("train", "export", "sweep", "experiment"),
    "Describe and build": ("list", "observation", "prompt", "recycle", "audit", "serve-policy", "bench", "warmup"),
}  # fmt: skip
"""Commands by heading, as the help lists them; commands of other packages follow."""

_LONGEST = 1000  # maximum length of a command's first sentence in a list of commands, in characters, above that of any

FORFEITED = 3
"""Exit status of a command that reports the results finished before, or beside, a match that a policy has forfeited."""


class GameType(click.ParamType):
    """A game by name."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> GameSpec:
        try:
            return get_game(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class OptionType(click.ParamType):
    """A rule option as ``name=value``."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Returns the option's name with hyphens as underscores, and the text of its value."""
        if isinstance(value, tuple):
            return value
        key, equals, text = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r} is not name=value", param, ctx)
        return key.replace("-", "_"), text


class RenamedOption(click.Option):
    """An option whose old names ``was``, such as ``("--markdown",)``, still work, but are not in the help."""

    def __init__(self, *args: Any, was: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.was = list(was)

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Adds all names of the option to the parser."""
        shown, self.opts = self.opts, [*self.opts, *self.was]
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.opts = shown


def game_argument(command: Command) -> Command:
    """Adds the argument GAME to a command, which gets it as ``game: GameSpec``."""
    return click.argument("game", type=GameType())(command)


def rule_option(command: Command) -> Command:
    """Adds ``-o name=value`` to a command, which gets ``options: tuple[tuple[str, str], ...]`` for `rule_options`."""
    return click.option(
        "-o",
        "--option",
        "options",
        type=OptionType(),
        multiple=True,
        help="A rule option, such as bidding=forced-spades; may be repeated. `cardenvs list GAME` shows them.",
    )(command)


def seed_option(command: Command, bits: int = DRAWN_BITS) -> Command:
    """Adds ``--seed`` to a command, which gets it as ``seed: int``; ``--seed random`` draws one of ``bits`` bits."""
    text = "Random seed; `random` draws a secret one and prints it at the end."
    return click.option("--seed", type=Seed(bits), default=0, show_default=True, help=text)(command)


def json_option(command: Command) -> Command:
    """Adds ``--json`` to a command, which gets it as ``as_json: bool``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")(command)


def rule_options(game: GameSpec, options: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """Returns the rule options of a command line by name, with values as environments take them."""
    return {name: game.option(name).parse(text) for name, text in options}


def report_option(command: Command) -> Command:
    """Adds ``--report FILE`` to a command, which gets it as ``report: Path | None``."""
    return click.option(
        "--report",
        cls=RenamedOption,
        was=("--markdown",),
        type=OutFile(make=True),
        help="Also write a report to this Markdown file.",
    )(command)


@contextmanager
def progress_bar(what: str, total: float, unit: str = "", *, percent: bool = False) -> Iterator[Callable[..., None]]:
    """A progress bar on standard error, if that is a terminal; yields ``advance(done, now=None)``.

    Args:
        what: the text of the bar; ``now`` replaces it.
        total: the number of items; ``done`` is the number finished since the last call.
        unit: the word for the items, written behind the numbers; empty for none.
        percent: shows the finished share instead of numbers, and the text behind it.
    """
    if not stderr.is_terminal:  # rich before 14.3 ends the bar that it does not show with a line
        yield lambda done, now=None: None
        return
    text = PlainColumn("{task.description}", shrinks=True)
    whole = Column(no_wrap=True)  # on narrow lines the bar and the description give way, numbers and times do not
    elapsed, remaining = TimeElapsedColumn(table_column=whole), TimeRemainingColumn(table_column=whole.copy())
    counted = text, BarColumn(), MofNCompleteColumn(table_column=whole.copy()), *([PlainColumn(unit)] if unit else [])
    columns = (BarColumn(), TaskProgressColumn(), text) if percent else counted
    with Progress(*columns, elapsed, remaining, console=stderr, transient=True) as progress:
        task = progress.add_task(what, total=total)

        def advance(done: float, now: str | None = None) -> None:
            progress.update(task, advance=done, description=now)

        yield advance


def print_json(figures: Mapping[str, Any]) -> None:
    """Prints figures as one JSON object on standard output; infinite numbers and nan become null."""
    say(json_text(figures), end="")


class PageGroup(click.Group):
    """A command group whose help has each command's whole first sentence, under headings; shown without a command, too.

    Args:
        sections: names of commands by heading; the other commands come last.
    """

    def __init__(self, *args: Any, sections: Mapping[str, Sequence[str]] | None = None, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.sections = sections or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; in its errors, parameters of functions become the options of the command line."""
        try:
            return super().invoke(ctx)
        except ValueError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            if command is not None:
                _name_options(error, command)
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands with their first sentences, by headings."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        lines = {name: command.get_short_help_str(_LONGEST) for name, command in commands.items() if command is not None}
        column = max(map(len, lines), default=0)
        placed = {name for names in self.sections.values() for name in names}
        rest = {"More" if self.sections else "Commands": [name for name in lines if name not in placed]}
        for heading, names in {**self.sections, **rest}.items():
            rows = [(name.ljust(column), lines[name]) for name in names if name in lines]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def _name_options(error: ValueError, command: click.Command) -> None:
    """Replaces parameters of functions in an error by the options of a command line."""
    for option in command.params if error.args else ():
        if isinstance(option, click.Option):
            known = "|".join([str(option.name), *(old[2:] for old in getattr(option, "was", ()))])
            named = rf"^({known})(?= must )|\b({known})=(True\b|\.\.\.)"
            error.args = (re.sub(named, option.opts[-1], str(error.args[0])), *error.args[1:])


class EntryPointGroup(PageGroup):
    """A command group whose commands are a group of entry points, loaded when they are run or listed."""

    def __init__(self, *, entry_points: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.registry: Registry[click.Command] = Registry(entry_points)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self.registry.names()

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command that ``args`` begin with; the usage error for an unknown name suggests the nearest one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            meant = self.registry.meant(args[0]) if args else ""
            if not meant or "Did you mean" in error.message:
                raise
            raise click.UsageError(error.message.rstrip(".") + meant, error.ctx) from None

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.registry.find(cmd_name)


# --- types of parameters, checked before any work is done ------------------------------------------------------------


def split_names(text: str) -> list[str]:
    """Splits a text at the commas between names, such as ``"pimc:worlds=30,solver=dds,learned"`` into two.

    Parameters stay with their policy, and a command line or the path of a file is one name. ValueError for an empty name.
    """
    names: list[str] = []
    for part in text.split(","):
        if names and ("exec:" in names[-1] or re.match(r"[\w-]+=", part) or Path(f"{names[-1]},{part}").is_file()):
            names[-1] += f",{part}"
        else:
            names.append(part)
    if not all(names):
        raise ValueError(f"{text!r} has an empty name between its commas")
    return names


class Several(click.ParamType):
    """One or several values in a word of the command line, with commas between; for `flat`."""

    def __init__(self, kind: click.ParamType = click.STRING) -> None:
        self.kind = kind
        self.name = kind.name

    def get_metavar(self, *args: Any, **named: Any) -> str | None:
        return self.kind.get_metavar(*args, **named)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        if isinstance(value, tuple):
            return value
        try:
            names = split_names(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return tuple(self.kind.convert(name, param, ctx) for name in names)


def flat(ctx: click.Context, param: click.Parameter, values: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Concatenates the values of all words (`Several`), as a click callback."""
    return tuple(one for word in values for one in word)


class _OutPath(click.ParamType):
    def find_problem(self, path: Path) -> str:
        """Returns why a path cannot be written, behind its name; empty if it can."""
        raise NotImplementedError

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(value)
        try:
            problem = self.find_problem(path) if str(value) else f" is no {self.name}'s name"
        except OSError as error:
            problem = f": {error.strerror}"
        if problem:
            self.fail(repr(os.fspath(value)) + problem, param, ctx)
        return path


class OutFile(_OutPath):
    """The path of a file to be written; its folder must exist, unless the command will ``make`` it."""

    name = "file"

    def __init__(self, make: bool = False) -> None:
        self.make = make

    def find_problem(self, path: Path) -> str:
        if path.is_dir():
            return " is a directory"
        if path.exists() and not path.is_file():
            return " is no plain file"
        return _folder_problem(_nearest_existing(path.parent) if self.make else path.parent)


class OutFolder(_OutPath):
    """The path of a folder to be written to, which the command makes if it is missing."""

    name = "folder"

    def find_problem(self, path: Path) -> str:
        return " is not a folder" if path.exists() and not path.is_dir() else _folder_problem(_nearest_existing(path))


def _nearest_existing(folder: Path) -> Path:
    return next(each for each in (folder, *folder.absolute().parents) if each.exists())


def _folder_problem(folder: Path) -> str:
    if not folder.exists():
        return f": there is no folder {str(folder)!r}"
    if not folder.is_dir():
        return f": {str(folder)!r} is not a folder"
    return "" if os.access(folder, os.W_OK | os.X_OK) else f": the folder {str(folder)!r} cannot be written to"


class Seed(click.ParamType):
    """A random seed; ``random`` draws an unpredictable one of ``bits`` bits, which is printed when the command is over."""

    name = "seed"

    def __init__(self, bits: int = DRAWN_BITS) -> None:
        self.bits = bits

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if value != RANDOM:
            return int(click.IntRange(min=0, max=None).convert(value, param, ctx))
        seed = drawn_seed(self.bits)
        if ctx is not None:
            ctx.call_on_close(lambda: remark(f"the seed was {seed}: the same again with --seed {seed}"))
        return seed


class FiniteRange(click.FloatRange):
    """A number within bounds; nan and the infinities are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = click.FLOAT.convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number in the range {self._describe_range()}", param, ctx)
        return float(super().convert(value, param, ctx))


# --- the command ----------------------------------------------------------------------------------------------------


def _begin_uncompiled(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    """Restarts this program with kernels as plain Python if that is wanted; numba reads the setting when it is imported."""
    if wanted and not DISABLED:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


@click.command(
    cls=EntryPointGroup,
    entry_points=ENTRY_POINT_GROUP,
    sections=SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="cardenvs COMMAND --help lists a command's arguments and options.",
)
@click.version_option(package_name="cardenvs")
@click.option(
    "--no-compile", is_flag=True, is_eager=True, expose_value=False, callback=_begin_uncompiled,
    help="Start at once and play slowly, as plain Python: to try a description while writing it, not for searches or "
    "check --play.",
)  # fmt: skip
def app() -> None:
    """Whist, Euchre, Five-O poker, Hanabi and games described in text, for multi-agent reinforcement learning."""


def main(arguments: list[str] | None = None, command: click.Command = app, program: str = "cardenvs") -> int:
    """Runs the command line.

    Args:
        arguments: the words behind ``program``; None takes those of this process.
        command: the command that they are for, such as that of a script.
        program: the words that run it, for help and reports.

    Returns:
        The exit status. 0: done. 1: the work itself failed. 2: wrong input, reported in one line. 3: done, but a policy has
        forfeited, which is reported with the finished results. 130: interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show ends no command
    try:
        result = command.main(args=arguments, prog_name=program, standalone_mode=False)
        return int(result) if isinstance(result, int) else 0
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _report_error("interrupted", 128 + signal.SIGINT)
    except click.ClickException as error:
        return _report_error(error.format_message(), 2)
    except (ValueError, OSError) as error:
        if os.environ.get("CARDENVS_TRACEBACK"):
            raise
        if isinstance(error, ValueError):
            _name_options(error, command)
        return _report_error(_one_line(error), 2)
    except Exception:
        if os.environ.get("CARDENVS_TRACEBACK"):
            raise
        remark(traceback.format_exc().rstrip())  # by our own hands: messages may hold names that are not ours
        return 1


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename!r}" if error.filename is not None else error.strerror
    return " ".join(str(error).split())


def _report_error(message: str, status: int) -> int:
    remark("cardenvs: " + printable(" ".join(message.split())))
    return status


if __name__ == "__main__":
    sys.exit(main())
