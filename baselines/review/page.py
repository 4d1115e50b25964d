"""A review as a page of HTML, with a picture of the table at each of the most expensive moves."""

from __future__ import annotations

from collections.abc import Iterable

from cardenvs.baselines.review.replay import moves_of
from cardenvs.baselines.review.result import DealReview, MoveReview, Review
from cardenvs.baselines.review.texts import (
    action_text,
    cost_text,
    explanation_rows,
    hand_text,
    lost_text,
    on_table,
    totals_rows,
    value_text,
)
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import full_title, named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import KINDS
from cardenvs.printing import html_text
from cardenvs.render import svg
from cardenvs.render.scene import Scene, scene

_CSS = """
:root { color-scheme: light dark; --page: #f8fafc; --ink: #0f172a; --quiet: #475569; --line: #cbd5e1; --bad: #b91c1c;
  --good: #166534; --bar: #93c5fd; --felt: #14532d; --on-felt: #f8fafc; --on-felt-quiet: #bbf7d0;
  --panel: rgba(0, 0, 0, .2); --mark: #facc15; }
@media (prefers-color-scheme: dark) { :root { --page: #0f172a; --ink: #f1f5f9; --quiet: #cbd5e1; --line: #475569;
  --bad: #fca5a5; --good: #86efac; --bar: #1d4ed8; --felt: #052e16; } }
body { background: var(--page); color: var(--ink); font: 16px/1.45 system-ui, sans-serif; max-width: 62rem; margin: 0 auto;
  padding: 1rem; }
table { border-collapse: collapse; margin: .5rem 0 1rem; } caption { text-align: left; color: var(--quiet); }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; } .scroll:focus-visible, summary:focus-visible { outline: 3px solid var(--bar); }
.quiet { color: var(--quiet); } .cost { color: var(--bad); font-weight: 700; } .best { color: var(--good); }
figure { margin: 1.5rem 0; } figcaption { margin: .4rem 0; } code { overflow-wrap: anywhere; }
summary { cursor: pointer; } .bar { background: var(--bar); height: .7rem; min-width: 1px; }
"""


class _Pictures:
    """The pictures of a page, whose cards' shapes are defined once for all of them."""

    def __init__(self) -> None:
        self.cards: set[str] = set()

    def picture(self, drawn: Scene, label: str) -> str:
        self.cards |= svg.cards_in(drawn)
        return svg.picture(drawn, label)


def _html_table(caption: str, head: list[str], rows: Iterable[list[str]], numbers: set[int]) -> str:
    """Returns a table as HTML; the columns of ``numbers`` are aligned to the right."""

    def row_cells(row: list[str], tag: str, scope: str = "") -> str:
        kinds = [' class="number"' if k in numbers else "" for k in range(len(row))]
        return "".join(f"<{tag}{scope}{kind}>{cell}</{tag}>" for cell, kind in zip(row, kinds, strict=True))

    heads = row_cells([html_text(name) for name in head], "th", ' scope="col"')
    body = "".join(f"<tr>{row_cells(row, 'td')}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html_text(caption)}"><table>'
        f"<caption>{html_text(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _known_words(game: GameSpec, states: Games, move: MoveReview) -> str:
    """Returns the mover's knowledge before a move, in words: the label of the picture."""
    hand = ", ".join(action_text(card) for card in move.hand) or "nothing"
    return f"{move.player} to act, {on_table(game, states, move)}; in hand {hand}"


def _choices_table(review: Review, deal: int, move: MoveReview) -> str:
    """Returns a table of a move's legal actions with their values and the policies that choose them."""
    asked: dict[str, list[str]] = {}
    for name, action in move.policies.items():
        asked.setdefault(action, []).append(name)
    low, high = min(move.scores.values()), max(move.scores.values())
    rows = []
    for action, score in move.scores.items():
        name = html_text(action_text(action))
        if action == move.action:
            name = f'<strong class="cost">{name} (played)</strong>'
        elif action == move.best:
            name = f'<strong class="best">{name} (best)</strong>'
        width = 100 * (score - low) / (high - low) if high > low else 100
        bar = f'<div class="bar" style="width:{width:.0f}px"></div>'
        row = [name, value_text(score, review.unit), bar]
        if move.truth is not None:
            row.append(value_text(move.truth[action], review.unit).replace(".00", ""))
        rows.append([*row, html_text(", ".join(asked.get(action, [])))])
    truths = ["all hands open"] if move.truth is not None else []
    head = ["choice", f"mean, {review.unit}", "compared", *truths, "chosen by"]
    worlds = f"mean of {move.worlds} worlds" if move.worlds else "appraised without drawing worlds"
    caption = f"What could be played in move {move.move} of deal {deal}: {worlds}"
    return _html_table(caption, head, rows, {1, 3} if truths else {1})


def _explanation_tables(deal: int, move: MoveReview) -> str:
    """Returns the asked policies' scores of a move's legal actions as tables, each folded away; or nothing."""
    parts = []
    for name, explained in move.explained.items():
        rows = [[html_text(cell) for cell in row] for row in explanation_rows(explained)]
        caption = f"{name} in move {move.move} of deal {deal}: {KINDS[explained.kind]}"
        table = _html_table(caption, ["choice", "number", "behind it, 95%"], rows, {1})
        parts.append(f"<details><summary>What {html_text(name)} makes of it</summary>{table}</details>")
    return "".join(parts)


def _move_figure(
    review: Review, deal: DealReview, game: GameSpec, states: Games, move: MoveReview, pictures: _Pictures
) -> str:
    """Returns an expensive move: the table as the mover saw it, the actions' values, the table with all hands open."""
    k = move.move - 1
    state = states[k : k + 1]
    names = [name if name.startswith("player_") else f"{seat}: {name}" for seat, name in enumerate(deal.players)]
    drawn = scene(game, state, move.seat, names=names, marked={move.action, move.best})
    known = pictures.picture(drawn, _known_words(game, states, move))
    everything = pictures.picture(scene(game, state, names=names), "the same with all cards open")
    best = f'<span class="best">{html_text(action_text(move.best))}</span> would have been better'
    cost = cost_text(move, review.unit)
    worth = f"{html_text(cost)} {html_text('' if '%' in cost else review.unit)}"
    return (
        f"<figure>{known}<figcaption>Move {move.move}: <strong>{html_text(move.player)}</strong> (seat {move.seat}) played "
        f'<span class="cost">{html_text(action_text(move.action))}</span>; {best}. '
        f'Cost: <strong class="cost">{worth.strip()}</strong>.</figcaption>{_choices_table(review, deal.number, move)}'
        f"{_explanation_tables(deal.number, move)}<details><summary>All hands open</summary>{everything}</details></figure>"
    )


def _deal_section(review: Review, deal: DealReview, pictures: _Pictures) -> str:
    """Returns a deal: its result, its expensive moves, all its moves, and the deal as text."""
    game = named_game(review.game)
    states = moves_of(game, game.parse(deal.line))[0]
    parts = [f'<section aria-labelledby="deal-{deal.number}"><h2 id="deal-{deal.number}">Deal {deal.number}</h2>']
    if deal.result is not None:
        parts.append(f"<p>{html_text(deal.result['text'])}</p>")
        if "columns" in deal.result:
            rows = []
            for k, column in enumerate(deal.result["columns"], 1):
                winner = "even" if column["winner"] is None else f"player_{column['winner']}"
                rows.append([str(k), *map(html_text, column["hands"]), winner])
            parts.append(_html_table("The columns", ["column", "player_0", "player_1", "won by"], rows, set()))
    parts += [f"<p>{html_text(remark)}</p>" for remark in deal.remarks]
    parts.append("<h3>The most expensive moves of each seat</h3>")
    parts += [_move_figure(review, deal, game, states, move, pictures) for move in deal.pointed_out] or [
        "<p>No move cost anything.</p>"
    ]
    asked = review.policies[1:]
    rows = []
    for move in deal.moves:
        cost, played, best = cost_text(move, review.unit), action_text(move.action), action_text(move.best)
        known = f"{move.seat}: {move.player}", hand_text(move.hand), on_table(game, states, move)
        cells = [str(move.move), *map(html_text, (*known, played, best))]
        cells += [
            f'<span class="cost">{html_text(cost)}</span>' if move.cost else html_text(cost),
            html_text(lost_text(move)),
        ]
        rows.append([*cells, *(html_text(action_text(move.policies[name])) for name in asked)])
    head = ["move", "player", "hand", "table", "played", "best", f"cost, {review.unit}", "lost, all open", *asked]
    table = _html_table(f"Deal {deal.number}, move by move", head, rows, {0, 6, 7})
    parts.append(f"<details><summary>All {len(deal.moves)} moves</summary>{table}</details>")
    parts.append(
        f"<details><summary>The deal as text</summary><p><code>{html_text(deal.line)}</code></p></details></section>"
    )
    return "".join(parts)


def html_page(review: Review) -> str:
    """Returns the review as a self-contained page of HTML."""
    pictures = _Pictures()
    sections = [_deal_section(review, deal, pictures) for deal in review.deals]
    title = f"{full_title(named_game(review.game))}: a review of {len(review.deals)} deal{'s' * (len(review.deals) != 1)}"
    head, rows = totals_rows(review)
    totals = _html_table("Players", head, [[html_text(cell) for cell in row] for row in rows], set(range(1, len(head))))
    about = (
        f"Every decision was searched again by {review.reviewer} from what its player could know. A cost is how much less "
        f"a move is worth on average than the best, in {review.unit}, with its standard error: one of less than twice its "
        "error may be none. What all hands open would have told, nobody at the table knew."
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html_text(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_CSS}{svg.STYLE}</style></head><body>{svg.definitions(pictures.cards)}"
        f'<main><h1>{html_text(title)}</h1><p class="quiet">{html_text(about)}</p>{totals}'
        f"{''.join(sections)}</main></body></html>\n"
    )
