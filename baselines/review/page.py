"""A review as a page of HTML, with a picture of the table at each of the most expensive moves."""

import string
from collections.abc import Iterable
from pathlib import Path

from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.review import texts
from cardenvs.baselines.review.replay import moves_of
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import full_title, named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import KINDS
from cardenvs.printing import html_text
from cardenvs.render import svg
from cardenvs.render.scene import scene


def _html_table(caption: str, head: list[str], rows: Iterable[list[str]], numbers: set[int]) -> str:
    """A table as HTML; the columns of ``numbers`` are aligned to the right."""

    def row_cells(row: list[str], tag: str, scope: str = "") -> str:
        kinds = [' class="number"' if k in numbers else "" for k in range(len(row))]
        return "".join(f"<{tag}{scope}{kind}>{cell}</{tag}>" for cell, kind in zip(row, kinds, strict=True))

    heads = row_cells([html_text(name) for name in head], "th", ' scope="col"')
    body = "".join(f"<tr>{row_cells(row, 'td')}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html_text(caption)}"><table>'
        f"<caption>{html_text(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _choices_table(review: Row, deal: int, move: Row) -> str:
    """A table of a move's legal actions with their values and the policies that choose them."""
    asked: dict[str, list[str]] = {}
    for name, action in move.policies.items():
        asked.setdefault(action, []).append(name)
    low, high = min(move.scores.values()), max(move.scores.values())
    rows = []
    for action, score in move.scores.items():
        name = html_text(texts.action_text(action))
        if action == move.action:
            name = f'<strong class="cost">{name} (played)</strong>'
        elif action == move.best:
            name = f'<strong class="best">{name} (best)</strong>'
        width = 100 * (score - low) / (high - low) if high > low else 100
        bar = f'<div class="bar" style="width:{width:.0f}px"></div>'
        row = [name, texts.value_text(score, review.unit), bar]
        if move.truth is not None:
            row.append(texts.value_text(move.truth[action], review.unit).replace(".00", ""))
        rows.append([*row, html_text(", ".join(asked.get(action, [])))])
    truths = ["all hands open"] if move.truth is not None else []
    head = ["choice", f"mean, {review.unit}", "compared", *truths, "chosen by"]
    worlds = f"mean of {move.worlds} worlds" if move.worlds else "appraised without drawing worlds"
    caption = f"What could be played in move {move.move} of deal {deal}: {worlds}"
    return _html_table(caption, head, rows, {1, 3} if truths else {1})


def _explanation_tables(deal: int, move: Row) -> str:
    """The asked policies' scores of a move's legal actions as tables, each folded away; or nothing."""
    parts = []
    for name, explained in move.explained.items():
        rows = [[html_text(cell) for cell in row] for row in texts.explanation_rows(explained)]
        caption = f"{name} in move {move.move} of deal {deal}: {KINDS[explained.kind]}"
        table = _html_table(caption, ["choice", "number", "behind it, 95%"], rows, {1})
        parts.append(f"<details><summary>What {html_text(name)} makes of it</summary>{table}</details>")
    return "".join(parts)


def _move_figure(review: Row, deal: Row, game: GameSpec, states: Games, move: Row, cards: set[str]) -> str:
    """An expensive move: the table as the mover saw it, the actions' values, the table with all hands open."""
    state = states[move.move - 1 : move.move]
    names = [name if name.startswith("player_") else f"{seat}: {name}" for seat, name in enumerate(deal.players)]
    hand = ", ".join(texts.action_text(card) for card in move.hand) or "nothing"
    seen = scene(game, state, move.seat, names=names, marked={move.action, move.best})
    known = svg.picture(seen, f"{move.player} to act, {texts.on_table(game, states, move)}; in hand {hand}")
    whole = scene(game, state, names=names)
    cards |= svg.cards_in(seen) | svg.cards_in(whole)
    best = f'<span class="best">{html_text(texts.action_text(move.best))}</span> would have been better'
    cost = html_text(texts.cost_with_unit(move, review.unit))
    return (
        f"<figure>{known}<figcaption>Move {move.move}: <strong>{html_text(move.player)}</strong> (seat {move.seat}) played "
        f'<span class="cost">{html_text(texts.action_text(move.action))}</span>; {best}. '
        f'Cost: <strong class="cost">{cost}</strong>.</figcaption>{_choices_table(review, deal.number, move)}'
        f"{_explanation_tables(deal.number, move)}<details><summary>All hands open</summary>"
        f"{svg.picture(whole, 'the same with all cards open')}</details></figure>"
    )


def _deal_section(review: Row, deal: Row, cards: set[str]) -> str:
    """A deal: its result, its expensive moves, all its moves, and the deal as text."""
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
    parts += [_move_figure(review, deal, game, states, move, cards) for move in deal.pointed_out] or [
        "<p>No move cost anything.</p>"
    ]
    asked = review.policies[1:]
    rows = []
    for move in deal.moves:
        cost = html_text(texts.cost_text(move, review.unit))
        known = f"{move.seat}: {move.player}", *texts.move_texts(game, states, move), texts.lost_text(move)
        *cells, lost = map(html_text, known)
        cost = f'<span class="cost">{cost}</span>' if move.cost else cost
        answers = [html_text(texts.action_text(move.policies[name])) for name in asked]
        rows.append([str(move.move), *cells, cost, lost, *answers])
    head = ["move", "player", "hand", "table", "played", "best", f"cost, {review.unit}", "lost, all open", *asked]
    table = _html_table(f"Deal {deal.number}, move by move", head, rows, {0, 6, 7})
    parts.append(f"<details><summary>All {len(deal.moves)} moves</summary>{table}</details>")
    parts.append(
        f"<details><summary>The deal as text</summary><p><code>{html_text(deal.line)}</code></p></details></section>"
    )
    return "".join(parts)


def html_page(review: Row) -> str:
    """A `Review` as a self-contained page of HTML, in which the shapes of cards are defined once for all pictures."""
    cards: set[str] = set()
    deals = "".join(_deal_section(review, deal, cards) for deal in review.deals)
    number = len(review.deals)
    title = f"{full_title(named_game(review.game))}: a review of {number} deal{'s' * (number != 1)}"
    head, rows = texts.totals_rows(review)
    totals = _html_table("Players", head, [[html_text(cell) for cell in row] for row in rows], set(range(1, len(head))))
    page = string.Template(Path(__file__).with_name("page.html").read_text("utf-8"))
    return page.substitute(
        title=html_text(title), style=svg.STYLE, definitions=svg.definitions(cards), reviewer=html_text(review.reviewer),
        unit=html_text(review.unit), totals=totals, deals=deals,
    )  # fmt: skip
