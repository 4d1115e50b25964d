"""The command ``cardenvs render``: a deal between policies as an animated GIF, or a position as a PNG."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from cardenvs import cli, policy
from cardenvs.cards import FULL_DECK, SUITS, card_name, seed_streams
from cardenvs.drivers import RUNNING
from cardenvs.files import write_whole
from cardenvs.policy import Policy
from cardenvs.render.scene import Scene, scene
from cardenvs.render.window import MissingRendererError, Painter
from cardenvs.spec import Games, GameSpec

if TYPE_CHECKING:
    from PIL.Image import Image

_COLOURS = 96
"""Colours of a GIF: with flat areas and a four-colour deck more are not seen."""
_HOLD = 3
"""For how many frames' time the first and the last picture of a GIF stand."""
_POLICY_STREAMS = 0x61F
_CALLS = {"pass": "passes", "order-up": "orders up", "order-up-alone": "orders up and goes alone"}


def seat_names(game: GameSpec, text: str) -> list[str]:
    """A policy for each seat, from names with commas between them: one for all seats, one a side, or one a seat.

    See `policy.split_list` for parameters.

    Raises:
        ValueError: another number of names.
    """
    names = policy.split_list(text)
    if len(names) not in (1, 2, game.seats):
        raise ValueError(f"--seats: {game.name} has {game.seats} seats, so 1, 2 or {game.seats} policies, not {len(names)}")
    return [names[seat % len(names)] for seat in range(game.seats)]


def in_words(game: GameSpec, states: Games, action: int, names: list[str]) -> str:
    """What the seat to act does, for a caption."""
    name, seat = game.actions[action], int(states[0]["to_act"])
    if name.startswith("column-"):
        placed = card_name(FULL_DECK.format(int(states[0]["card"])))
        return f"{names[seat]} puts the {placed} into {name.replace('-', ' ')}"
    if name in _CALLS:
        return f"{names[seat]} {_CALLS[name]}"
    if name.startswith("call-"):
        suit = name.removeprefix("call-")
        return f"{names[seat]} calls {suit.replace('-alone', ' and goes alone')}"
    if len(name) == 2 and name[1] in SUITS:
        verb = "puts away" if game.name == "euchre" and _discarding(states) else "plays"
        return f"{names[seat]} {verb} the {card_name(name)}"
    return f"{names[seat]}: {name}"


def _discarding(states: Games) -> bool:
    from cardenvs.games import euchre

    return bool(states[0]["phase"] == euchre.DISCARDING)


def frames(
    game: GameSpec,
    start: Games,
    actions: list[int],
    players: list[Policy],
    *,
    seed: int = 0,
    moves: int | None = None,
    seat: int | None = None,
) -> tuple[list[Scene], Games]:
    """A deal as scenes, one before the first action and one after each; at the end one more, which says who won.

    Args:
        game: spec.
        start: the deal before its first action, shape (1,).
        actions: what was played already; from there on the players choose.
        players: at the seats.
        seed: of their random choices.
        moves: how many actions in all; None plays to the deal's end.
        seat: whose view is shown; None opens all hands.

    Returns:
        The scenes, and the state behind the last one.
    """
    state = start.copy()
    names = [f"{k}: {player.name}" for k, player in enumerate(players)]
    streams = seed_streams(seed ^ _POLICY_STREAMS, 1)
    found = [scene(game, state, seat, names=names, caption="")]
    played = 0
    while state[0]["over"] == RUNNING and (played < len(actions) or moves is None or played < moves):
        mover = int(state[0]["to_act"])
        if played < len(actions):
            action = actions[played]
        else:
            legal = int(game.kernels.legal(state, 0))
            mask = np.array([[legal >> k & 1 for k in range(game.num_actions)]], np.int8)
            action = int(players[mover].act(game.observation(state, mover)[None], mask, streams)[0])
        said = in_words(game, state, action, names)
        hidden = game.name == "euchre" and _discarding(state)
        card = int(state[0]["card"]) if game.name == "five-o" else 0
        game.kernels.step(state, 0, action)
        if game.name == "five-o":
            hidden = bool(card & int(state[0]["down"][mover]))
        if hidden and seat not in (None, mover):
            said = f"{names[mover]} puts a card away" + (f" in {game.actions[action].replace('-', ' ')}" if card else "")
        played += 1
        found.append(scene(game, state, seat, names=names, caption=said))
    if state[0]["over"] != RUNNING:
        found.append(scene(game, state, seat, names=names, caption=_outcome(game, state, names)))
    return found, state


def _outcome(game: GameSpec, state: Games, names: list[str]) -> str:
    """Who won the deal, for the last caption."""
    points, tricks = np.zeros((1, 2), np.int64), np.zeros((1, game.seats), np.int64)
    game.kernels.outcome(state, 0, points, tricks)
    if points[0, 0] == points[0, 1]:
        return "nobody wins"
    side = int(points[0, 1] > points[0, 0])
    made, taken = int(points[0, side]), int(tricks[0, side::2].sum())
    if not game.team:
        return f"{names[side]} wins, {taken} columns to {int(tricks[0, 1 - side])}"
    plural = "" if made == 1 else "s"
    return f"{' and '.join(names[side::2])} win {made} point{plural} with {taken} tricks"


def _image() -> Any:
    if importlib.util.find_spec("PIL") is None:
        raise MissingRendererError("pictures in files need the package pillow: pip install cardenvs[render]")
    return importlib.import_module("PIL.Image")


def gif(scenes: list[Scene], width: int, fps: float) -> bytes:
    """An animated GIF's content, repeated for ever; it begins and ends with a longer look."""
    image = _image()
    painter = Painter(width)
    pictures: list[Image] = [image.fromarray(painter.array(one)) for one in scenes]
    # One palette for all, so that what does not change is not stored again.
    sample = image.new("RGB", (width, sum(picture.height for picture in pictures[:: max(1, len(pictures) // 6)])))
    top = 0
    for picture in pictures[:: max(1, len(pictures) // 6)]:
        sample.paste(picture, (0, top))
        top += picture.height
    palette = sample.quantize(_COLOURS, dither=image.Dither.NONE)
    flat = [picture.quantize(palette=palette, dither=image.Dither.NONE) for picture in pictures]
    each = round(1000 / fps)
    times = [each] * len(flat)
    times[0] = times[-1] = _HOLD * each
    content = io.BytesIO()
    flat[0].save(
        content, "GIF", save_all=True, append_images=flat[1:], duration=times, loop=0, optimize=True, disposal=1
    )  # fmt: skip
    return content.getvalue()


def png(one: Scene, width: int) -> bytes:
    """A PNG's content."""
    content = io.BytesIO()
    _image().fromarray(Painter(width).array(one)).save(content, "PNG", optimize=True)
    return content.getvalue()


@click.command("render")
@cli.game_argument
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The file: .gif for a deal move by move, .png for the position at its end.",
)
@click.option(
    "--seats",
    default="random",
    show_default=True,
    help="Who plays: policies with commas between them, one for all seats, one a side or one a seat.",
)
@click.option("--deal", "line", help="A deal as a line of text; its actions are shown, then the policies go on.")
@click.option("--moves", type=click.IntRange(min=0), help="Stop after so many moves. [the deal's end]")
@click.option("--view", type=click.IntRange(min=0), help="Show what this seat may see. [all hands open]")
@click.option("--fps", type=click.FloatRange(min=0.1, max=20), default=1.0, show_default=True, help="Moves a second.")
@click.option("--width", type=click.IntRange(min=200, max=1600), default=640, show_default=True, help="Pixels.")
@cli.rule_option
@cli.seed_option
@cli.json_option
def render_command(
    game: GameSpec,
    out: Path,
    seats: str,
    line: str | None,
    moves: int | None,
    view: int | None,
    fps: float,
    width: int,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> None:
    """Draw a deal between policies: as an animated GIF, or its last position as a PNG."""
    if out.suffix.lower() not in (".gif", ".png"):
        raise ValueError(f"--out: the file must end in .gif or .png, not {out.name!r}")
    if view is not None and view >= game.seats:
        raise ValueError(f"--view: {game.name} has the seats 0 to {game.seats - 1}, not {view}")
    _image()
    players = [policy.make(game, name) for name in seat_names(game, seats)]
    rules = cli.rule_options(game, options)
    start, actions = game.deal(seed, **rules), []
    if line is not None:
        given = game.parse(line, **rules)
        actions = [game.action(name) for name in game.history(given[0])]
        start = game.parse(game.text(given[0], actions=False))
    scenes, end = frames(game, start, actions, players, seed=seed, moves=moves, seat=view)
    content = gif(scenes, width, fps) if out.suffix.lower() == ".gif" else png(scenes[-1], width)
    write_whole(out, content)
    if as_json:
        text = game.text(end[0])
        cli.print_json({"file": str(out), "pictures": len(scenes), "bytes": len(content), "deal": text})
    else:
        cli.stderr.print(f"{out}: {len(content) / 1000:,.0f} kB", highlight=False, soft_wrap=True)
