"""The command ``cardenvs train``; needs the extra ``[train]``."""

from __future__ import annotations

import functools
import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from cardenvs import cli
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import Document, Estimate, Name, Table, Text
from cardenvs.baselines.reports.pictures import tell_left_out
from cardenvs.baselines.reports.terminal import show as show_document
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.checks import did_you_mean
from cardenvs.cli import OutFolder
from cardenvs.contract.options import show
from cardenvs.contract.registry import address, full_title, short_name
from cardenvs.contract.spec import GameSpec
from cardenvs.files import name_in_path
from cardenvs.printing import PlainConsole, remark
from cardenvs.train.config import Config, stored_config
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.options import settings_option
from cardenvs.train.recipes import RECIPES
from cardenvs.train.recipes import recipe as named_recipe

if TYPE_CHECKING:
    from cardenvs.train.learning.self_play import TrainingStatus


def _default_out(game: GameSpec, options: dict[str, Any], recipe: str | None, seed: int) -> Path:
    """Returns the default folder of a run, ``runs/GAME-OPTION-VALUE-seed-0``, or of a recipe's, ``runs/RECIPE-seed-0`` or
    ``runs/RECIPE-FORM-seed-0``."""
    words = [name_in_path(game.name), *(f"{name}-{show(value)}".replace("_", "-") for name, value in options.items())]
    if recipe is not None:
        words = [recipe, *([] if game.name == game.family else words[:1])]
    return Path("runs", "-".join([*words, f"seed-{seed}"]))


def _parse_net(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Parses the widths of ``--net``."""
    try:
        return None if value is None else tuple(map(int, value.split(",")))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of widths such as 256,256", ctx, param) from None


@click.command("train")
@cli.game_argument
@cli.rule_option
@click.option("--recipe", help="Begin with the settings of a recipe (`cardenvs.train.recipes`), rules included.")
@click.option("--steps", type=int, help="Moves to train on (SB3: total_timesteps). [3000000, or no limit with --minutes]")
@click.option("--minutes", type=float, help="Wall time to train for, all sessions together, without compiling.")
@click.option("--games", type=int, help="Games played side by side (SB3: n_envs). [512]")
@click.option("--rollout", type=int, help="Moves in each game for an iteration (SB3: n_steps). [64]")
@click.option("--batch-size", type=int, help="Decisions in a minibatch. [2048]")
@click.option("--epochs", type=int, help="Passes over an iteration's decisions (SB3: n_epochs). [2]")
@click.option("--lr", type=float, help="Learning rate at the start (SB3: learning_rate). [0.002]")
@click.option("--lr-schedule", type=str, help="linear (to 0 over the run) or constant. [linear]")
@click.option("--ent-coef", type=float, help="Weight of the entropy bonus. [0.015]")
@click.option("--gamma", type=float, help="Discount from one decision of a seat to its next. [1]")
@click.option("--gae-lambda", type=float, help="Lambda of the generalised advantage estimates. [0.9]")
@click.option("--clip", type=float, help="Largest distance of the probability ratio from 1 (SB3: clip_range). [0.2]")
@click.option("--net", callback=_parse_net, help="Widths of the hidden layers (SB3: net_arch). [256,128]")
@click.option("--reward", type=str, help="Kind of reward; `cardenvs list` shows them. [the game's first]")
@click.option("--team-share", type=float, help="1: partners share their side's reward; 0: each gets its own part. [1]")
@click.option("--eval-opponent", type=str, help="Opponent of the learning curve. [auto: one for the game]")
@click.option("--eval-deals", type=int, help="Deals of a measurement, each played twice. [1000]")
@click.option("--eval-every", type=int, help="Iterations between two measurements. [10]")
@settings_option("critic=seat or others=hybrid,high-low")
@click.option("--threads", type=int, help="Threads for playing and learning. [all cores, at most 4]")
@click.option("--device", type=str, help="Device for learning: cpu, cuda, or auto, a GPU if there is one. [auto]")
@click.option("--checkpoint-minutes", type=float, help="Minutes between two checkpoints. [2]")
@click.option("--out", type=OutFolder(), help="The run's folder. [runs/GAME-...]")
@click.option("--resume", is_flag=True, help="Continue the run in the folder with its settings.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
@functools.partial(cli.seed_option, bits=31)  # the learning libraries take no more
@cli.json_option
@click.pass_context
def train_command(
    ctx: click.Context,
    game: GameSpec,
    options: tuple[tuple[str, str], ...],
    seed: int,
    recipe: str | None,
    more: dict[str, Any],
    out: Path | None,
    resume: bool,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Train a policy for GAME by self-play with MaskablePPO.

    The folder gets policy.zip, a checkpoint that is also a policy for `cardenvs match`, the learning curve as curve.csv and
    (with matplotlib) curve.png, and tensorboard logs. Ctrl-C saves and stops; --resume continues as if never stopped.
    """
    rules = cli.rule_options(game, options)
    settings = {name: value for name, value in given.items() if value is not None} | more
    if rules or not resume:
        settings["options"] = rules
    if recipe is not None and resume:
        raise ValueError("--recipe cannot go with --resume: a run keeps its settings")
    if not resume or ctx.get_parameter_source("seed") is not ParameterSource.DEFAULT:
        settings["seed"] = seed
    folder = out or _default_out(game, rules, recipe, seed)
    if resume:
        config = _resumed_config(folder, game, settings)
    else:
        if "minutes" in settings:
            settings.setdefault("steps", None)
        config = Config(game.name, **settings) if recipe is None else _by_recipe(recipe, game, settings)

    from cardenvs.train.learning.self_play import Training

    with _progress_bar(config, not quiet) as report:
        result = Training(config, folder, resume=resume, report=report).run()
    tell_left_out("curve.png, the picture of the learning curve, is left out")
    if as_json:
        cli.print_json(result.as_dict())
    elif not result.interrupted:
        _print_result(game, config, result)
    if result.interrupted:
        command = shlex.join(["cardenvs", "train", address(game), "--out", str(folder), "--resume"])
        remark(f"cardenvs: interrupted after {result.steps} moves, saved; to go on: {command}")
        return 128 + signal.SIGINT
    return 0


def _by_recipe(name: str, game: GameSpec, settings: dict[str, Any]) -> Config:
    """Returns the recipe's settings, replaced by those from the command line."""
    known = RECIPES.names_for_game(game)
    if name not in known:
        listed = f"its recipes are {', '.join(known)}{did_you_mean(name, known)}" if known else "it has none"
        raise ValueError(f"unknown recipe {name!r} for {game.name}: {listed}")
    start = named_recipe(name)
    return replace(start, **settings | {"game": game.name, "options": {**start.options, **settings["options"]}})


def _resumed_config(folder: Path, game: GameSpec, settings: dict[str, Any]) -> Config:
    """Returns the settings of the run in ``folder``, replaced by those from the command line."""
    if not (folder / "policy.zip").exists():
        raise ValueError(f"there is no run to resume in {str(folder)!r}: it has no policy.zip")
    stored = stored_config(read_checkpoint(folder / "policy.zip"), game)
    if "options" in settings:
        settings["options"] = {**stored.options, **settings["options"]}
    return replace(stored, **settings)


@contextmanager
def _progress_bar(config: Config, wanted: bool) -> Iterator[Callable[[TrainingStatus], None] | None]:
    """Shows a progress bar if wanted and standard error is a terminal; yields the function that advances it."""
    if not wanted:
        yield None
        return
    with cli.progress_bar(f"training {short_name(config.spec)}", 1.0, percent=True) as advance:
        shown = 0.0

        def show_status(status: TrainingStatus) -> None:
            nonlocal shown
            words = [f"{status.steps:,} moves", f"{status.decisions_per_s:,.0f}/s"]
            if status.point is not None:
                words.append(f"{plus_minus(status.point.margin, 2)} a deal over {config.eval_opponent}")
            advance(status.done - shown, ", ".join(words))
            shown = status.done

        yield show_status


def _print_result(game: GameSpec, config: Config, result: Row) -> None:
    """Prints the learning curve as a table, and the command that plays the policy."""
    title = f"{full_title(game)}: {result.steps:,} moves in {result.seconds:.0f} s, {result.decisions_per_s:,.0f} a second"
    if result.compiling_seconds >= 0.5:
        title += f"; compiling took {result.compiling_seconds:.0f} s besides"
    head = ["moves", "seconds", ("points a deal above ", Name(config.eval_opponent), " (95%)"), "win rate"]
    rows: list[list[Text]] = [
        [f"{point.steps:,}", f"{point.seconds:.0f}", Estimate(point.margin), f"{100 * point.win_rate:.1f}%"]
        for point in result.curve
    ]
    show_document(Document(title, [Table(head, rows, 0)]), PlainConsole())
    command = shlex.join(["cardenvs", "match", address(game), str(result.policy), config.eval_opponent])
    cli.stderr.print(f"saved to {result.policy}; play it with: {command}", soft_wrap=True)
