"""Model cards: documents on an exported policy, its training and learning curve."""

import functools
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from cardenvs.baselines.reports.document import Code, Document, Estimate, Picture, Span, Table, Text
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reports.text import options_text
from cardenvs.contract.registry import full_title, named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.train.config import Config
from cardenvs.train.curve import Point, curve_png
from cardenvs.train.inference.symmetry import SuitSymmetry

_EXTRA = ("commit", "command", "results", "note")  # optional entries of a record that a card shows


def model_card(record: Mapping[str, Any], name: str, size: int) -> Document:
    """Returns the card of a policy from the record that `cardenvs.train.export` returned, file name and size in bytes."""
    game = named_game(record["game"])
    config = Config.from_dict(record["config"])
    defaults = Config(game.name)
    changed: list[list[Text]] = [
        [Code(f.name), _setting_text(getattr(config, f.name))]
        for f in fields(Config)
        if f.name not in ("game", "options") and getattr(config, f.name) != getattr(defaults, f.name)
    ]
    facts = [
        ["game", f"{full_title(game)} ({options_text(record['options'])})"],
        ["decisions trained on", f"{record['steps']:,}"],
        ["hours", f"{record['hours']:.2f}"],
        ["seed", str(record["seed"])],
        ["file", f"{size:,} bytes, weights {record['weights_sha256'][:16]}"],
        ["cardenvs", f"{record['version']}, rules {record['rules_hash']}, layout {record['layout_hash']}"],
        *([["torch's threads", _setting_text(tuple(record["torch_threads"]))]] if "torch_threads" in record else []),
        *([key, str(record[key])] for key in _EXTRA if key in record),
    ]
    if "belief" in record:
        decisions, nats = record["belief"]["decisions"], record["belief"]["nats"]
        facts.append(["belief network", f"{decisions:,} decisions, {nats[0]:.3f} to {nats[-1]:.3f} nats a card"])
    points = [Point(**point) for point in record["curve"]]
    last = len(points) - 1
    shown = [round(k * last / 11) for k in range(12)] if last > 11 else range(len(points))
    measured: list[list[Text]] = [
        [f"{p.steps:,}", f"{p.seconds / 3600:.2f}", Estimate(p.margin), f"{100 * p.win_rate:.1f}"]
        for p in (points[k] for k in shown)  # at most a dozen, the first and the last among them
    ]
    drawn = functools.partial(curve_png, points, f"{full_title(game)}, self-play", config.eval_opponent)
    return fill_report(
        Path(__file__).with_name("card_report.md"),
        name=name,
        seen=_observation_spans(game, config),
        facts=Table(["", ""], facts),
        settings=Table(["setting", "value"], changed),
        curve=Picture("Learning curve", "curve", drawn),
        opponent=Code(config.eval_opponent),
        deals=config.eval_deals,
        measured=Table(["decisions", "hours", "points a deal above it", "games won, %"], measured),
    )


def _observation_spans(game: GameSpec, config: Config) -> tuple[Span, ...]:
    """Returns the end of a sentence on the network's observation: shared columns, order of play, suit names."""
    if config.network == "columns":
        return (", column by column, all with the same weights (", Code("cardenvs.train.inference.columns"), ")")
    order = ", in the order of play" if config.recall else ""
    named = config.canonical_suits and SuitSymmetry(game).symmetry is not None
    return (order, ", under canonical suit names" if named else "")


def _setting_text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
