"""Model cards: an exported policy's description, training and learning curve, as Markdown and a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from cardenvs.baselines.reports.pictures import can_draw, picture_lines
from cardenvs.contract.options import show
from cardenvs.contract.registry import named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.files import write_whole
from cardenvs.printing import code, escaped, table_lines
from cardenvs.train.config import Config
from cardenvs.train.curve import Point, curve_png
from cardenvs.train.inference.symmetry import SuitSymmetry

_EXTRA = ("commit", "command", "results", "note")
"""Entries that may be added to a record when a policy is exported; a card shows those that are there."""


def model_card(record: Mapping[str, Any], name: str, picture: str | None, size: int) -> str:
    """The card of an exported policy, as Markdown.

    Args:
        record: the record that `cardenvs.train.export` returned.
        name: the exported file's name.
        picture: the file name of the learning curve's picture; None if there is none.
        size: the exported file's size in bytes.
    """
    game = named_game(record["game"])
    rules = ", ".join(f"{key} {show(value)}" for key, value in record["options"].items())
    config = Config.from_dict(record["config"])
    defaults = Config(game.name)
    changed = [
        [f"`{f.name}`", escaped(_text(getattr(config, f.name)))]
        for f in fields(Config)
        if f.name not in ("game", "options") and getattr(config, f.name) != getattr(defaults, f.name)
    ]
    facts = [
        ["game", f"{game.title} ({rules})"],
        ["decisions trained on", f"{record['steps']:,}"],
        ["hours", f"{record['hours']:.2f}"],
        ["seed", str(record["seed"])],
        ["file", f"{size:,} bytes, weights {record['weights_sha256'][:16]}"],
        ["cardenvs", f"{record['version']}, rules {record['rules_hash']}, layout {record['layout_hash']}"],
        *([["torch's threads", _text(tuple(record["torch_threads"]))]] if "torch_threads" in record else []),
        *([key, str(record[key])] for key in _EXTRA if key in record),
    ]
    if "belief" in record:
        nats = record["belief"]["nats"]
        facts.append(
            ["belief network", f"{record['belief']['decisions']:,} decisions, {nats[0]:.3f} to {nats[-1]:.3f} nats a card"]
        )
    lines = [
        f"# {escaped(name)}",
        "",
        "Written by `cardenvs export`. The actor of a policy trained by self-play (`cardenvs.train`); it sees what its",
        f"seat sees{_seen(game, config)}.",
        "",
        *table_lines(["", ""], facts, foreign=True),
        "Settings that differ from the defaults of `cardenvs.train.Config`:",
        "",
        *table_lines(["setting", "value"], changed),
        *picture_lines("Learning curve", picture),
        f"Against {code(config.eval_opponent)}, {config.eval_deals:,} duplicate deals, deterministic play:",
        "",
        *table_lines(
            ["decisions", "hours", "points a deal above it", "games won, %"],
            [
                [f"{p.steps:,}", f"{p.seconds / 3600:.2f}", f"{p.mean:+z.3f} ±{p.ci95:.3f}", f"{100 * p.win_rate:.1f}"]
                for p in _thinned([Point(**point) for point in record["curve"]])
            ],
        ),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _seen(game: GameSpec, config: Config) -> str:
    """The end of a sentence on the network's observation: columns with shared weights, order of play, suit names."""
    if config.network == "columns":
        return ", column by column, all with the same weights (`cardenvs.train.inference.columns`)"
    order = ", in the order of play" if config.recall else ""
    named = config.canonical_suits and SuitSymmetry(game).rule is not None
    return order + (", under canonical suit names" if named else "")


def write_card(record: Mapping[str, Any], name: str, size: int, path: str | Path) -> None:
    """Writes the card and, beside it, the picture of the learning curve if matplotlib is installed.

    Args:
        record: the record that `cardenvs.train.export` returned.
        name: the exported file's name.
        size: the exported file's size in bytes.
        path: the Markdown file to write.

    Raises:
        OSError: a file cannot be written.
    """
    path = Path(path)
    picture = path.with_name(f"{path.stem}_curve.png") if can_draw() else None
    if picture is not None:
        config = Config.from_dict(record["config"])
        points = [Point(**point) for point in record["curve"]]
        write_whole(picture, curve_png(points, f"{config.spec.title}, self-play", config.eval_opponent))
    write_whole(path, model_card(record, name, picture.name if picture is not None else None, size))


def _text(value: Any) -> str:
    """The value of a setting in words."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _thinned(points: list[Point]) -> list[Point]:
    """At most a dozen of the points, the first and the last among them."""
    if len(points) <= 12:
        return points
    return [points[round(k * (len(points) - 1) / 11)] for k in range(12)]
