"""Scenes as SVG for web pages: shapes are defined once a page, pictures refer to them; `STYLE` has the colours."""

from collections.abc import Iterable

from cardenvs.contract.cards import SUITS, rank_text
from cardenvs.printing import html_text
from cardenvs.render.scene import CARD_RATIO, Box, CardItem, FaceItem, Scene, SuitItem, TextItem
from cardenvs.render.shapes import COLOURS, SHAPES, SUITS_ON_CARD, TINTED

_WIDTH = 50.0
_HEIGHT = _WIDTH * CARD_RATIO

STYLE = (
    """
.table { background: var(--felt); border-radius: 10px; max-width: 100%; height: auto; display: block; }
.table text { font-family: system-ui, sans-serif; fill: var(--on-felt); }
.table .quiet { fill: var(--on-felt-quiet); }
.table .title, .table .caption { font-weight: 700; }
.table .box { fill: var(--panel); stroke: transparent; stroke-width: 2; }
.table .turn { stroke: var(--mark); } .table .won { stroke: var(--mark); }
.face { fill: #fff; stroke: #6b7280; } .back { fill: #475569; stroke: #cbd5e1; } .weave { fill: none; stroke: #94a3b8; }
.shade { fill: #0f172a; opacity: .42; }
.ring { fill: none; stroke: var(--mark); stroke-width: 5; }
"""
    + "\n".join(f".suit-{suit} {{ fill: {colour}; }}" for suit, colour in COLOURS.items())
    + "\n.table .sign { stroke: #fff; stroke-width: .12; paint-order: stroke; }\n"
)
"""CSS for `picture`; a page sets the variables --felt, --on-felt, --on-felt-quiet, --panel and --mark."""


def _length(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _suit_path(suit: str) -> str:
    parts = ["M" + "L".join(f"{x:.3g} {y:.3g}" for x, y in polygon) + "Z" for polygon in SHAPES[suit]]
    return "".join(parts)


def definitions(cards: Iterable[str]) -> str:
    """Returns the shapes that pictures refer to, for face-up ``cards``: one invisible SVG element, once a page."""
    parts = [f'<path id="suit-{suit}" d="{_suit_path(suit)}"/>' for suit in SUITS]
    face = f'<rect x=".5" y=".5" width="{_WIDTH - 1:g}" height="{_HEIGHT - 1:g}" rx="5" class="'
    scaled = [[f"{_WIDTH * part:g}" for part in place] for place in SUITS_ON_CARD]
    moves = [f"translate({x} {y}) scale({size})" for x, y, size in scaled]
    for card in sorted(set(cards)):
        rank, suit = rank_text(card), card[1]
        squeeze = ' textLength="17" lengthAdjust="spacingAndGlyphs"' if rank == "10" else ""
        parts.append(
            f'<symbol id="card-{card}" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}">{face}face"/>'
            f'<text x="4" y="18" font-size="18" font-weight="700" class="suit-{suit}"{squeeze} '
            f'style="fill:{COLOURS[suit]}">{rank}</text>'
            + "".join(f'<use href="#suit-{suit}" transform="{move}" class="suit-{suit}"/>' for move in moves)
            + "</symbol>"
        )
    weave = "".join(f"M{k} 6v{_HEIGHT - 12:g}" for k in range(8, 48, 5))
    weave += "".join(f"M6 {k}h{_WIDTH - 12:g}" for k in range(8, int(_HEIGHT) - 4, 5))
    back = f'<symbol id="card-back" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}">{face}back"/>'
    parts.append(f'{back}<path class="weave" d="{weave}"/></symbol>')
    return f'<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>{"".join(parts)}</defs></svg>'


def _face_element(item: FaceItem) -> str:
    """Returns a card that is not of the pack of 52, or its back with a sign."""
    sheet, edge = TINTED[item.tint]
    width, height = item.width, item.width * CARD_RATIO
    size = f'width="{_length(width)}" height="{_length(height)}"'
    where = f'x="{_length(item.x)}" y="{_length(item.y)}" {size} rx="{_length(0.1 * width)}"'
    x, y = item.x + width / 2, item.y + height / 2
    parts = [f'<rect {where} style="fill:{"#475569" if item.back else sheet};stroke:{edge};stroke-width:2.5"/>']
    if item.back:
        plate = f'x="{_length(x - 0.36 * width)}" y="{_length(y - 0.32 * width)}" width="{_length(0.72 * width)}"'
        parts.append(f'<rect {plate} height="{_length(0.64 * width)}" rx="2" style="fill:{sheet}"/>')
    parts.append(
        f'<text x="{_length(x)}" y="{_length(y + 0.18 * width)}" font-size="{_length(0.5 * width)}" font-weight="700" '
        f'text-anchor="middle" style="fill:#111827">{html_text(item.sign)}</text>'
    )
    if item.marked:
        parts.append(f'<rect {where} class="ring"/>')
    return "".join(parts)


def cards_in(scene: Scene) -> set[str]:
    """Returns the names of the face-up cards of a scene."""
    return {item.card for item in scene.items if isinstance(item, CardItem) and item.card is not None}


def picture(scene: Scene, label: str) -> str:
    """Returns the scene as an SVG element that refers to the shapes of `definitions`; ``label`` is its text."""
    parts = [
        f'<svg class="table" role="img" viewBox="0 0 {scene.width} {scene.height}" width="{scene.width}" '
        f'height="{scene.height}" aria-label="{html_text(label)}">'
    ]
    for item in scene.items:
        if isinstance(item, Box):
            size = f'width="{_length(item.width)}" height="{_length(item.height)}"'
            kind = "" if item.kind == "seat" else f" {item.kind}"
            parts.append(f'<rect class="box{kind}" x="{_length(item.x)}" y="{_length(item.y)}" {size} rx="10"/>')
        elif isinstance(item, CardItem):
            height = item.width * CARD_RATIO
            where = f'x="{_length(item.x)}" y="{_length(item.y)}" width="{_length(item.width)}" height="{_length(height)}"'
            parts.append(f'<use href="#card-{item.card or "back"}" {where}/>')
            if item.kind:
                parts.append(f'<rect class="{"ring" if item.kind == "mark" else "shade"}" {where} rx="6"/>')
        elif isinstance(item, FaceItem):
            parts.append(_face_element(item))
        elif isinstance(item, SuitItem):
            move = f"translate({_length(item.x)} {_length(item.y)}) scale({_length(item.size)})"
            parts.append(f'<use href="#suit-{item.suit}" transform="{move}" class="sign suit-{item.suit}"/>')
        elif isinstance(item, TextItem):
            kind = f' class="{item.kind}"' if item.kind else ""
            anchor = "" if item.anchor == "start" else f' text-anchor="{item.anchor}"'
            where = f'x="{_length(item.x)}" y="{_length(item.y)}" font-size="{_length(item.size)}"'
            parts.append(f"<text {where}{anchor}{kind}>{html_text(item.text)}</text>")
    return "".join([*parts, "</svg>"])
