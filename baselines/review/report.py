"""What a review looks like: tables for the terminal, a page of HTML with the table drawn at each expensive move."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from rich.table import Table
from rich.text import Text

from cardenvs.baselines.review.reviewer import DealReview, MoveReview, Review, moves_of
from cardenvs.cards import SUIT_SYMBOLS, SUITS
from cardenvs.games import euchre
from cardenvs.render import svg
from cardenvs.render.scene import Scene, scene
from cardenvs.spec import Games, GameSpec, get_game

SHOWN_DEALS = 20
"""Of longer records the terminal shows the dearest moves and the totals only."""

_RICH = {"c": "green", "d": "blue", "h": "red", "s": "default"}

# --- words ---------------------------------------------------------------------------------------------------------


def shown(action: str) -> str:
    """An action for people: ``Th`` as 10♥, ``call-hearts`` as call hearts."""
    if len(action) == 2 and action[1] in SUITS:
        return action[0].replace("T", "10") + SUIT_SYMBOLS[SUITS.index(action[1])]
    return action.replace("-", " ")


def cost_text(move: MoveReview, unit: str) -> str:
    """A cost with its standard error."""
    if move.forced:
        return "forced"
    if not move.cost:
        return "0"
    if unit == "chance to win":
        return f"{100 * move.cost:.1f}%" + ("" if move.error is None else f" ±{100 * move.error:.1f}")
    return f"{move.cost:.2f}" + ("" if move.error is None else f" ±{move.error:.2f}")


def _value(value: float, unit: str) -> str:
    if unit == "chance to win":
        return f"{100 * value:.1f}%"
    return f"{value:+.2f}" if unit == "points" else f"{value:.2f}"


def _grouped(cards: list[str]) -> str:
    """A hand by suits: ♠AK ♥9."""
    groups = []
    for suit in "shcd":
        ranks = "".join(card[0] for card in reversed(cards) if card[1] == suit)
        if ranks:
            groups.append(SUIT_SYMBOLS[SUITS.index(suit)] + ranks)
    return " ".join(groups)


def _open_loss(move: MoveReview) -> str:
    if move.lost is None or move.forced:
        return ""
    return f"{move.lost:g}"


def _on_table(game: GameSpec, states: Games, move: MoveReview) -> str:
    """What lies on the table before a move, in short; all of it can be seen by everybody, or by the mover."""
    views = game.new_games(1)
    game.kernels.view(states, move.move - 1, move.seat, views, 0)
    v = views[0]
    if game.name == "five-o":
        return f"row {2 + (int(v['drawn']) - 11) // 10}"
    cards = [game.actions[int(card).bit_length() - 1] if card else "" for card in v["trick"]]
    order = [(int(v["leader"]) + k) % 4 for k in range(4)] if v["leader"] >= 0 else []
    played = " ".join(shown(cards[k]) for k in order if cards[k])
    if game.name == "euchre" and v["phase"] != euchre.PLAYING:
        turned = shown(game.actions[int(v["turned"]).bit_length() - 1])
        return (
            f"{turned} turned"
            if v["phase"] == euchre.ORDERING
            else f"{turned} " + ("picked up" if v["phase"] == euchre.DISCARDING else "turned down")
        )
    return played or "leads"


# --- the terminal --------------------------------------------------------------------------------------------------


def _coloured(action: str) -> Text:
    text = Text(shown(action))
    if len(action) == 2 and action[1] in SUITS:
        text.stylize(_RICH[action[1]])
    return text


def _moves_table(review: Review, deal: DealReview) -> Table:
    game = get_game(review.game)
    states = moves_of(game, game.parse(deal.line))[0]
    table = Table(title=f"deal {deal.number}", title_justify="left", caption_justify="left")
    others = review.policies[1:]
    for head in ("", "player", "knew: hand", "table", "played", "best"):
        table.add_column(head)
    table.add_column(f"cost, {review.unit}", justify="right")
    for name in others:
        table.add_column(name)
    truths = any(move.truth is not None for move in deal.moves)
    if truths:
        table.add_column("open", justify="right")
    dear = {move.move for moves in deal.expensive.values() for move in moves}
    for move in deal.moves:
        cells: list[Any] = [
            str(move.move),
            f"{move.seat} {move.player}",
            _grouped(move.hand),
            _on_table(game, states, move),
        ]
        cells += [_coloured(move.action), _coloured(move.best), cost_text(move, review.unit)]
        cells += [_coloured(move.policies[name]) for name in others]
        table.add_row(*cells, *([_open_loss(move)] if truths else []), style="bold" if move.move in dear else None)
    words = ["bold: the most expensive moves of each seat; ± standard error"]
    if truths:
        words.append(f"open: {review.unit} lost with all hands open")
    table.caption = "; ".join(words)
    return table


def _dearest_table(review: Review, moves: list[tuple[DealReview, MoveReview]], title: str) -> Table:
    table = Table(title=title, title_justify="left")
    for head in ("deal", "move", "player", "played", "best"):
        table.add_column(head)
    table.add_column(f"cost, {review.unit}", justify="right")
    for deal, move in moves:
        cells = [str(deal.number), str(move.move), f"{move.seat} {move.player}"]
        table.add_row(*cells, _coloured(move.action), _coloured(move.best), cost_text(move, review.unit))
    return table


def _totals_rows(review: Review) -> tuple[list[str], list[list[str]]]:
    head = ["player", "hands", "decisions", "without cost", f"cost a hand, {review.unit}"]
    truths = any(move.truth is not None for deal in review.deals for move in deal.moves)
    if truths:
        head.append("lost a hand, all open")
    rows = []
    for player, figures in review.totals.items():
        share = figures["as_reviewer"]
        per_hand = figures["cost_per_hand"]
        cost = f"{100 * per_hand:.1f}%" if review.unit == "chance to win" else f"{per_hand:.3f}"
        cells = [player, str(figures["hands"]), str(figures["decisions"]), "-" if share is None else f"{100 * share:.0f}%"]
        rows.append([*cells, cost, *([f"{figures['lost'] / figures['hands']:.3f}"] if truths else [])])
    return head, rows


def tables(review: Review) -> Iterable[Table | str]:
    """What a person at the terminal is shown: rich tables and lines of text."""
    if len(review.deals) > SHOWN_DEALS:
        every = [(deal, move) for deal in review.deals for moves in deal.expensive.values() for move in moves]
        every.sort(key=lambda pair: -pair[1].cost)
        yield f"{len(review.deals)} deals: --deal N shows one move by move, --html and --json have them all."
        yield _dearest_table(review, every[:SHOWN_DEALS], "the most expensive moves")
    else:
        for deal in review.deals:
            yield _moves_table(review, deal)
            yield "" if deal.result is None else deal.result["text"]
            if deal.result is not None and "columns" in deal.result:
                for k, column in enumerate(deal.result["columns"], 1):
                    sign = {None: "=", 0: ">", 1: "<"}[column["winner"]]
                    yield f"  column {k}: {column['hands'][0]} {sign} {column['hands'][1]}"
            yield from deal.remarks
            dear = [(deal, move) for moves in deal.expensive.values() for move in moves]
            yield _dearest_table(review, dear, "the most expensive moves of each seat")
            for _, move in dear:
                yield f"What player_{move.seat} saw at move {move.move}:\n{move.table}\n"
    totals = Table(title=f"by {review.reviewer}", title_justify="left")
    head, rows = _totals_rows(review)
    for k, name in enumerate(head):
        totals.add_column(name, justify="left" if k == 0 else "right")
    for row in rows:
        totals.add_row(*row)
    yield totals


# --- HTML ----------------------------------------------------------------------------------------------------------

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


class _Pages:
    """Collects a page's pictures, so that the shapes they need are defined once."""

    def __init__(self) -> None:
        self.cards: set[str] = set()

    def picture(self, table: Scene, label: str) -> str:
        self.cards |= svg.cards_in(table)
        return svg.picture(table, label)


def _html_table(caption: str, head: list[str], rows: Iterable[list[str]], numbers: set[int]) -> str:
    """A table; the cells are HTML already."""

    def cells(row: list[str], tag: str, scope: str = "") -> str:
        kinds = [' class="number"' if k in numbers else "" for k in range(len(row))]
        return "".join(f"<{tag}{scope}{kind}>{cell}</{tag}>" for cell, kind in zip(row, kinds, strict=True))

    heads = cells([escape(name) for name in head], "th", ' scope="col"')
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _known_words(game: GameSpec, states: Games, move: MoveReview) -> str:
    hand = ", ".join(shown(card) for card in move.hand) or "nothing"
    return f"{move.player} to act, {_on_table(game, states, move)}; in hand {hand}"


def _choices(review: Review, deal: int, move: MoveReview) -> str:
    """A move's alternatives with what they are worth."""
    asked: dict[str, list[str]] = {}
    for name, action in move.policies.items():
        asked.setdefault(action, []).append(name)
    low, high = min(move.scores.values()), max(move.scores.values())
    rows = []
    for action, score in move.scores.items():
        name = escape(shown(action))
        if action == move.action:
            name = f'<strong class="cost">{name} (played)</strong>'
        elif action == move.best:
            name = f'<strong class="best">{name} (best)</strong>'
        width = 100 * (score - low) / (high - low) if high > low else 100
        bar = f'<div class="bar" style="width:{width:.0f}px"></div>'
        row = [name, _value(score, review.unit), bar]
        if move.truth is not None:
            row.append(_value(move.truth[action], review.unit).replace(".00", ""))
        rows.append([*row, escape(", ".join(asked.get(action, [])))])
    head = [
        "choice",
        f"mean, {review.unit}",
        "compared",
        *(["all hands open"] if move.truth is not None else []),
        "chosen by",
    ]
    worlds = f"mean of {move.worlds} worlds" if move.worlds else "appraised without drawing worlds"
    return _html_table(
        f"What could be played in move {move.move} of deal {deal}: {worlds}",
        head,
        rows,
        {1} if move.truth is None else {1, 3},
    )


def _figure(review: Review, deal: DealReview, game: GameSpec, states: Games, move: MoveReview, page: _Pages) -> str:
    k = move.move - 1
    state = states[k : k + 1]
    names = [name if name.startswith("player_") else f"{seat}: {name}" for seat, name in enumerate(deal.players)]
    drawn = scene(game, state, move.seat, names=names, marked={move.action, move.best})
    known = page.picture(drawn, _known_words(game, states, move))
    everything = page.picture(scene(game, state, names=names), "the same with all cards open")
    best = f'<span class="best">{escape(shown(move.best))}</span> would have been better'
    worth = f"{escape(cost_text(move, review.unit))} {escape('' if '%' in cost_text(move, review.unit) else review.unit)}"
    return (
        f"<figure>{known}<figcaption>Move {move.move}: <strong>{escape(move.player)}</strong> (seat {move.seat}) played "
        f'<span class="cost">{escape(shown(move.action))}</span>; {best}. '
        f'Cost: <strong class="cost">{worth.strip()}</strong>.</figcaption>{_choices(review, deal.number, move)}'
        f"<details><summary>All hands open</summary>{everything}</details></figure>"
    )


def _section(review: Review, deal: DealReview, page: _Pages) -> str:
    game = get_game(review.game)
    states = moves_of(game, game.parse(deal.line))[0]
    parts = [f'<section aria-labelledby="deal-{deal.number}"><h2 id="deal-{deal.number}">Deal {deal.number}</h2>']
    if deal.result is not None:
        parts.append(f"<p>{escape(deal.result['text'])}</p>")
        if "columns" in deal.result:
            rows = [
                [
                    str(k),
                    *map(escape, column["hands"]),
                    {None: "even"}.get(column["winner"]) or f"player_{column['winner']}",
                ]
                for k, column in enumerate(deal.result["columns"], 1)
            ]
            parts.append(_html_table("The columns", ["column", "player_0", "player_1", "won by"], rows, set()))
    parts += [f"<p>{escape(remark)}</p>" for remark in deal.remarks]
    dear = [move for moves in deal.expensive.values() for move in moves]
    parts.append("<h3>The most expensive moves of each seat</h3>")
    parts += [_figure(review, deal, game, states, move, page) for move in dear] or ["<p>No move cost anything.</p>"]
    others = review.policies[1:]
    rows = []
    for move in deal.moves:
        cost = escape(cost_text(move, review.unit))
        cells = [str(move.move), escape(f"{move.seat}: {move.player}"), escape(_grouped(move.hand))]
        cells += [escape(_on_table(game, states, move)), escape(shown(move.action)), escape(shown(move.best))]
        cells += [f'<span class="cost">{cost}</span>' if move.cost else cost, escape(_open_loss(move))]
        rows.append([*cells, *(escape(shown(move.policies[name])) for name in others)])
    head = ["move", "player", "hand", "table", "played", "best", f"cost, {review.unit}", "lost, all open", *others]
    table = _html_table(f"Deal {deal.number}, move by move", head, rows, {0, 6, 7})
    parts.append(f"<details><summary>All {len(deal.moves)} moves</summary>{table}</details>")
    parts.append(f"<details><summary>The deal as text</summary><p><code>{escape(deal.line)}</code></p></details></section>")
    return "".join(parts)


def html_page(review: Review) -> str:
    """The review as a page of HTML that needs nothing beside itself."""
    page = _Pages()
    sections = [_section(review, deal, page) for deal in review.deals]
    title = f"{get_game(review.game).title}: a review of {len(review.deals)} deal{'s' * (len(review.deals) != 1)}"
    head, rows = _totals_rows(review)
    totals = _html_table("Players", head, [[escape(cell) for cell in row] for row in rows], set(range(1, len(head))))
    about = (
        f"Every decision was searched again by {review.reviewer} from what its player could know. A cost is how much less "
        f"a move is worth on average than the best, in {review.unit}, with its standard error: one of less than twice its "
        "error may be none. What all hands open would have told, nobody at the table knew."
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_CSS}{svg.STYLE}</style></head><body>{svg.definitions(page.cards)}"
        f'<main><h1>{escape(title)}</h1><p class="quiet">{escape(about)}</p>{totals}'
        f"{''.join(sections)}</main></body></html>\n"
    )
