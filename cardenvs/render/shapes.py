"""The suits as polygons in a square of side 1, y downwards, which every painter fills."""

import math

Point = tuple[float, float]
Polygon = tuple[Point, ...]

_STEPS = 40


def _fit_polygon(points: list[Point], left: float, top: float, right: float, bottom: float) -> Polygon:
    """Moves and stretches points to fill a rectangle."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    across, down = (right - left) / (max(xs) - min(xs)), (bottom - top) / (max(ys) - min(ys))
    return tuple((left + (x - min(xs)) * across, top + (y - min(ys)) * down) for x, y in points)


def _heart() -> list[Point]:
    turns = [2 * math.pi * k / _STEPS for k in range(_STEPS)]
    return [
        (16 * math.sin(t) ** 3, -13 * math.cos(t) + 5 * math.cos(2 * t) + 2 * math.cos(3 * t) + math.cos(4 * t))
        for t in turns
    ]


def _disc(x: float, y: float, radius: float) -> Polygon:
    turns = [2 * math.pi * k / _STEPS for k in range(_STEPS)]
    return tuple((x + radius * math.cos(t), y + radius * math.sin(t)) for t in turns)


def _stem(top: float) -> Polygon:
    """Returns a foot in the middle of the lower edge, which widens downwards from ``top``."""
    steps = [k / 8 for k in range(9)]
    right = [(0.53 + 0.17 * s**2.5, top + (0.98 - top) * s) for s in steps]
    return (*right, *((1 - x, y) for x, y in reversed(right)))


def _diamond() -> Polygon:
    steps = [k / 6 for k in range(6)]
    corners = [(0.5, 0.02), (0.88, 0.5), (0.5, 0.98), (0.12, 0.5)]
    points = []
    for k, (x, y) in enumerate(corners):
        to_x, to_y = corners[(k + 1) % 4]
        for s in steps:
            bend = 0.16 * s * (1 - s)
            along_x, along_y = x + (to_x - x) * s, y + (to_y - y) * s
            points.append((along_x + (0.5 - along_x) * bend, along_y + (0.5 - along_y) * bend))
    return tuple(points)


SHAPES: dict[str, tuple[Polygon, ...]] = {
    "c": (_disc(0.5, 0.26, 0.22), _disc(0.26, 0.58, 0.22), _disc(0.74, 0.58, 0.22), _disc(0.5, 0.5, 0.1), _stem(0.5)),
    "d": (_diamond(),),
    "h": (_fit_polygon(_heart(), 0.05, 0.08, 0.95, 0.95),),
    "s": (_fit_polygon([(x, -y) for x, y in _heart()], 0.07, 0.03, 0.93, 0.8), _stem(0.55)),
}
"""The polygons of each suit, by the suit's letter."""

TINTED = {
    "": ("#ffffff", "#6b7280"),
    "red": ("#ffd9d6", "#c8141f"),
    "yellow": ("#fff1b3", "#c99700"),
    "green": ("#cdeed8", "#08703a"),
    "white": ("#ffffff", "#8b8f94"),
    "blue": ("#d3e2ff", "#1a55c4"),
}
"""The sheet and the edge of a card that is not of the pack of 52, by its tint (`cardenvs.contract.board.TINTS`)."""

SUITS_ON_CARD = ((0.08, 0.44, 0.26), (0.68, 0.1, 0.24), (0.38, 0.72, 0.54))
"""Left edge, upper edge and size of each suit's sign on a card of the pack of 52, as parts of its width."""

COLOURS = {"c": "#15803d", "d": "#1d4ed8", "h": "#dc2626", "s": "#111827"}
"""The colours of a four-colour deck, by the suit's letter."""
