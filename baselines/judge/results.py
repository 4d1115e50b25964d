"""The results of a judgement, and its report."""

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cardenvs.baselines.judge.settings import JudgedDeals, JudgeSettings
from cardenvs.baselines.judge.valuing import BLUNDER
from cardenvs.baselines.reports.columns import Column, Columns, Row, count_column, name_column, points_column, share_column
from cardenvs.baselines.reports.document import Document, Estimate, Name, Picture
from cardenvs.baselines.reports.pictures import new_figure, png, reach
from cardenvs.baselines.reports.statistics import Interval, anytime_interval, interval, share_interval
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reports.text import options_text, short_label
from cardenvs.baselines.runs.forfeits import forfeit_parts, forfeited_pairings
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.contract.registry import full_title, named_game

DEAREST = 10
"""Number of a policy's most expensive decisions in results."""


def _loss(value: Interval) -> Estimate:
    return Estimate(value, signed=False)


_BEST_SHARE = share_column(
    "best_share", "share of the decisions in which no action is better by more than two standard errors", "best, %"
)
KindOfDecision = Columns(
    "KindOfDecision",
    Column("kind", "the kind of the decisions", "decision"),
    count_column("decisions", "decisions with a choice", "decisions"),
    points_column("advantage", "points above the reference's choice, a decision", "points above"),
    points_column("loss", "points below the best action, a decision", "points lost", cell=_loss),
    _BEST_SHARE,
    count_column("blunders", "decisions that lost `BLUNDER` points or more", "blunders"),
)
"""A policy's decisions of one kind: their gains and losses."""

Mistake = Columns(
    "Mistake",
    Column("deal", "number of the deal, from 0", "deal"),
    Column("move", "number of the move in the deal, from 1", "move", spare=True),
    Column("kind", "the kind of the decision", "decision", spare=True),
    Column("chosen", "the action chosen", "chosen"),
    Column("usual", "the reference's action", "the reference's"),
    Column("best", "the action of the highest value", "best"),
    Column("loss", "points below the best action", "points lost", "{:.2f}".format),
    Column("line", "the position as a line of text, from which `cardenvs prompt GAME --deal LINE` shows it"),
)
"""An expensive decision."""

Judged = Columns(
    "Judged",
    name_column("policy", "the policy's name", "policy", json="name"),
    points_column("points", "points a deal above the reference in the judged seat", "points a deal above",
                  json="points_above_reference", ends="points_above_reference_ci95"),
    points_column("match", "the same by the points that were made in these deals: unbiased, with more luck", "by the match",
                  json="match_points", ends="match_points_ci95"),
    points_column("bias", "points by the values less those of the match: 0 in expectation where a single seat is judged "
                  "and the beliefs are right", "above the match's"),
    points_column("loss", "points below the best action, a decision", "lost a decision", cell=_loss,
                  json="loss_per_decision", ends="loss_per_decision_ci95"),
    _BEST_SHARE,
    count_column("blunders", "decisions that lost `BLUNDER` points or more", "blunders"),
    count_column("decisions", "decisions with a choice", "decisions"),
    count_column("deals", "deals, each played on every side", "deals"),
    Column("fewer_deals", "variance of a deal's points in the match, divided by that of the points above: so many times "
           "as many deals a match needs; None if one of them is 0", "deals a match needs, times",
           lambda value: "" if value is None else f"{value:.1f}", spare=True),
    Column("by_kind", "decisions by kind (`KindOfDecision`), by its name"),
    Column("dearest", "the most expensive blunders (`Mistake`)"),
)  # fmt: skip
"""A judged policy: the gains and losses of its decisions, beside a reference's in its place."""


def document(result: Row, command: str = "") -> Document:
    """The report of a `Judgement`; ``command`` is the command line that makes it again."""
    game = named_game(result.game)
    kinds = [(one, kind) for one in result.policies for kind in one.by_kind.values()]
    dearest = [(one, mistake) for one in result.policies for mistake in one.dearest]

    def named(rows: Sequence[tuple[Row, Row]]) -> list[Column]:
        names = iter([one.policy for one, _ in rows])
        return [Column("", title="policy", cell=lambda row: Name(next(names)))]

    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=command,
        title=full_title(game),
        options=options_text(result.options),
        reference=Name(result.judge["policy"]),
        blunder=f"{BLUNDER:g}",
        policies=Judged.table(result.policies),
        picture=Picture("points above the reference", "points", functools.partial(picture_png, result.policies)),
        kinds=KindOfDecision.table([kind for _, kind in kinds], before=named(kinds), left=2),
        dearest=Mistake.table([mistake for _, mistake in dearest], before=named(dearest)) if dearest else None,
        forfeits=[*forfeit_parts(result.forfeits, finished="are judged above")],
    )


def picture_png(policies: Sequence[Row]) -> bytes:
    """Every policy's points above the reference with their intervals; the content of a PNG file."""
    figure = new_figure(6, 1.2 + 0.35 * len(policies))
    axes, places = figure.add_subplot(), range(len(policies))
    points = [one.points for one in policies]
    axes.errorbar([value.mean for value in points], places, xerr=reach(points), fmt="o", capsize=3, markersize=4)
    axes.axvline(0, color="black", linewidth=0.6)
    axes.set_yticks(places, [short_label(one.policy) for one in policies])
    axes.invert_yaxis()
    axes.set_xlabel("points a deal above the reference")
    axes.grid(alpha=0.3)
    return png(figure)


Judgement = Columns(
    "Judgement",
    Column("game", "the game's name"),
    Column("options", "all rule options"),
    Column("judge", "the judge, fixed before the first deal: ``policy`` (the reference), ``hash`` (of its choices), "
           "``worlds`` for a decision, ``candidates`` for each (0: a table), ``steps`` that then move each, ``weight`` of "
           "the match and ``seed``"),
    Column("whole_side", "whether all seats of a side were judged: then the points are biased, see ``bias``"),
    Column("until", "half width of the interval at which a policy's judgement ended; None if all deals were played"),
    Column("policies", "what was found of each policy (`Judged`), the best first"),
    Column("forfeits", "forfeited pairings, whose finished deals are judged", optional=True, default=()),
    document=document,
)  # fmt: skip
"""Policies judged by the gains and losses of every decision of one seat."""


def results_of(store: PairingStore) -> Row:
    """The results of the deals in a folder, a `Judgement`.

    Raises:
        ValueError: every policy forfeited before a deal was finished; a damaged file.
    """
    plan = store.plan
    assert isinstance(plan, JudgeSettings)
    played = [k for k in range(len(plan.pairs)) if store.done[k].any()]
    if not played:
        raise store.nothing_left()
    judged = [_judged(plan, plan.policies[k], store.finished(k)) for k in played]
    settings = {name: getattr(plan, name) for name in ("worlds", "candidates", "steps", "weight", "seed")}
    return Judgement.of(
        plan,
        judge={"policy": plan.reference, "hash": plan.choices, **settings},
        policies=sorted(judged, key=lambda one: -one.points.mean),
        forfeits=forfeited_pairings(store),
    )


def _judged(plan: JudgeSettings, name: str, deals: Any) -> Row:
    assert isinstance(deals, JudgedDeals)
    points = plan.controlled(deals)
    told = [(deal, one) for deal, text in enumerate(deals.told) for one in json.loads(text)]
    decisions = [one for _, one in told]
    variance, most = float(points.var()), 2 * plan.most.points
    dearest = sorted((pair for pair in told if pair[1]["line"]), key=lambda pair: -pair[1]["loss"])[:DEAREST]
    return Judged(
        policy=name,
        points=interval(points, -most, most) if plan.until is None else anytime_interval(points),
        match=interval(deals.match, -most, most),
        bias=interval(deals.advantages - deals.match, -2 * most, 2 * most),
        **_shared(decisions, most),
        deals=deals.deals,
        fewer_deals=float(deals.match.var()) / variance if variance and deals.match.any() else None,
        by_kind={
            kind: KindOfDecision(
                kind=kind, advantage=interval(np.array([one["advantage"] for one in some]), -most, most),
                **_shared(some, most),
            )
            for kind in sorted({one["kind"] for one in decisions})
            for some in [[one for one in decisions if one["kind"] == kind]]
        },
        dearest=[
            Mistake(deal=deal, **{key: one[key] for key in Mistake.by_key if key != "deal"} | {"move": one["move"] + 1})
            for deal, one in dearest
        ],
    )  # fmt: skip


def _shared(decisions: Sequence[dict[str, Any]], most: float) -> dict[str, Any]:
    """The figures that a policy and each kind of its decisions have."""
    losses, hits = (np.array([one[key] for one in decisions], np.float64) for key in ("loss", "hit"))
    none = Interval(0.0, -np.inf, np.inf)
    return {
        "decisions": len(decisions),
        "loss": interval(losses, -most, most) if len(losses) else none,
        "best_share": share_interval(hits) if len(hits) else none,
        "blunders": int((losses >= BLUNDER).sum()),
    }
