"""Scenes painted with pygame, as arrays or surfaces. pygame is imported when the first painter is made."""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import DependencyNotInstalled

from cardenvs import plugins
from cardenvs.contract.cards import rank_text
from cardenvs.render.scene import CARD_RATIO, Box, CardItem, FaceItem, Scene, SuitItem, TextItem
from cardenvs.render.shapes import COLOURS, SHAPES, SUITS_ON_CARD, TINTED

if TYPE_CHECKING:
    import pygame

_FELT, _PANEL, _MARK = "#14532d", "#0f3f22", "#facc15"
_INK = {"": "#f8fafc", "quiet": "#bbf7d0", "title": "#f8fafc", "caption": "#ffffff"}
_FINE = 2  # pictures are painted this many times larger and then scaled down, which smooths edges


class MissingRendererError(DependencyNotInstalled, plugins.MissingPackageError, TypeError):
    """pygame-ce or pillow is not installed, or does not load.

    Also a TypeError, because Stable-Baselines3 asks environments for pictures and does without them on a TypeError.
    """


def _load_pygame() -> Any:
    try:
        pygame = importlib.import_module("pygame")
        pygame.font.init()
    except (ImportError, AttributeError, NotImplementedError) as error:
        raise MissingRendererError(
            f"pictures: pygame does not load ({error}); pip uninstall pygame, then pip install --force-reinstall pygame-ce"
        ) from error
    return pygame


class Painter:
    """Paints scenes.

    Args:
        width: the width of the pictures in pixels; the height follows from the scene's.

    Raises:
        MissingRendererError: pygame-ce is not installed, or does not load.
    """

    def __init__(self, width: int = 800) -> None:
        plugins.require("pygame", "render", "pictures", package="pygame-ce", error=MissingRendererError)
        self.pygame = _load_pygame()
        self.width = width
        self._font = functools.cache(self._load_font)
        self._card_surface = functools.cache(self._make_card_surface)

    def paint(self, scene: Scene) -> pygame.Surface:
        """Returns the scene as a pygame surface."""
        scale = _FINE * self.width / scene.width
        size = (round(scene.width * scale), round(scene.height * scale))
        surface = self.pygame.Surface(size, depth=32)
        surface.fill(_FELT)
        for item in scene.items:
            if isinstance(item, Box):
                self._paint_box(surface, item, scale)
            elif isinstance(item, CardItem):
                self._paint_card_item(surface, item, scale)
            elif isinstance(item, FaceItem):
                self._paint_face(surface, item, scale)
            elif isinstance(item, SuitItem):
                self._paint_suit(surface, item.suit, item.x * scale, item.y * scale, item.size * scale, rim=True)
            elif isinstance(item, TextItem):
                self._paint_text(surface, item, scale)
        small = self.pygame.Surface((self.width, round(scene.height * self.width / scene.width)), depth=32)
        self.pygame.transform.smoothscale(surface, small.get_size(), small)
        return small

    def array(self, scene: Scene) -> npt.NDArray[np.uint8]:
        """Returns the scene's pixels, uint8 (height, width, 3)."""
        pixels = self.pygame.surfarray.array3d(self.paint(scene))
        return np.ascontiguousarray(pixels.swapaxes(0, 1), np.uint8)

    def _load_font(self, size: int) -> pygame.font.Font:
        return self.pygame.font.Font(None, size)

    def _paint_box(self, surface: pygame.Surface, item: Box, scale: float) -> None:
        """Paints a panel; ``scale`` is the number of pixels in a unit of the scene."""
        where = self.pygame.Rect(*(round(v * scale) for v in (item.x, item.y, item.width, item.height)))
        radius = round(10 * scale)
        self.pygame.draw.rect(surface, _PANEL, where, border_radius=radius)
        if item.kind != "seat":
            self.pygame.draw.rect(surface, _MARK, where, width=round(2 * scale), border_radius=radius)

    def _paint_text(self, surface: pygame.Surface, item: TextItem, scale: float) -> None:
        # The height of pygame's own font is some four thirds of the size that CSS would call the same.
        font = self._font(round(item.size * scale * 1.25))
        text = font.render(item.text, True, _INK.get(item.kind, _INK[""]))
        x = item.x * scale - {"start": 0.0, "middle": text.get_width() / 2, "end": text.get_width()}[item.anchor]
        surface.blit(text, (round(x), round(item.y * scale - font.get_ascent())))

    def _paint_suit(self, surface: pygame.Surface, suit: str, x: float, y: float, size: float, rim: bool = False) -> None:
        """Paints a suit's sign with its upper left corner at x, y; lengths are in pixels."""
        polygons = [[(x + px * size, y + py * size) for px, py in polygon] for polygon in SHAPES[suit]]
        for points in polygons if rim else ():
            self.pygame.draw.polygon(surface, "#ffffff", points, width=max(1, round(size * 0.12)))
        for points in polygons:
            self.pygame.draw.polygon(surface, COLOURS[suit], points)

    def _paint_card_item(self, surface: pygame.Surface, item: CardItem, scale: float) -> None:
        card = self._card_surface(item.card, round(item.width * scale), item.kind == "dim")
        where = (round(item.x * scale), round(item.y * scale))
        surface.blit(card, where)
        if item.kind == "mark":
            ring = self.pygame.Rect(*where, *card.get_size())
            self.pygame.draw.rect(surface, _MARK, ring, width=round(4 * scale), border_radius=round(0.1 * ring.width))

    def _paint_face(self, surface: pygame.Surface, item: FaceItem, scale: float) -> None:
        sheet, edge = TINTED[item.tint]
        size = (item.width, item.width * CARD_RATIO)
        where = self.pygame.Rect(*(round(v * scale) for v in (item.x, item.y, *size)))
        radius, line = round(0.1 * where.width), round(0.07 * where.width)
        self.pygame.draw.rect(surface, "#475569" if item.back else sheet, where, border_radius=radius)
        self.pygame.draw.rect(surface, edge, where, width=line, border_radius=radius)
        text = self._font(round(0.62 * where.width)).render(item.sign, True, "#111827")
        at = text.get_rect(center=where.center)
        if item.back:
            self.pygame.draw.rect(surface, sheet, at.inflate(line * 2, line), border_radius=radius)
        surface.blit(text, at)
        if item.marked:
            ring = where.inflate(4 * line, 4 * line)
            self.pygame.draw.rect(surface, _MARK, ring, width=round(3 * scale), border_radius=radius)

    def _make_card_surface(self, card: str | None, width: int, dim: bool) -> pygame.Surface:
        """Returns a card on a surface of its own, ``width`` pixels wide; None is a card's back."""
        height = round(width * CARD_RATIO)
        surface = self.pygame.Surface((width, height), self.pygame.SRCALPHA, 32)
        where, radius, line = surface.get_rect(), round(width * 0.1), max(1, round(width * 0.02))
        face, edge = ("#ffffff", "#6b7280") if card else ("#475569", "#cbd5e1")
        self.pygame.draw.rect(surface, face, where, border_radius=radius)
        self.pygame.draw.rect(surface, edge, where, width=line, border_radius=radius)
        if card is None:
            inner = where.inflate(-width // 5, -width // 5)
            for k in range(9):
                x = inner.left + inner.width * k // 8
                self.pygame.draw.line(surface, "#94a3b8", (x, inner.top), (x, inner.bottom), line)
            for k in range(12):
                y = inner.top + inner.height * k // 11
                self.pygame.draw.line(surface, "#94a3b8", (inner.left, y), (inner.right, y), line)
        else:
            rank, suit = rank_text(card), card[1]
            text = self._font(round(width * 0.5)).render(rank, True, COLOURS[suit])
            if rank == "10":
                text = self.pygame.transform.smoothscale(text, (round(text.get_width() * 0.8), text.get_height()))
            surface.blit(text, (round(width * 0.08), round(width * 0.07)))
            for x, y, size in SUITS_ON_CARD:
                self._paint_suit(surface, suit, x * width, y * width, size * width)
        if dim:
            shade = self.pygame.Surface((width, height), self.pygame.SRCALPHA, 32)
            self.pygame.draw.rect(shade, (15, 23, 42, 105), where, border_radius=radius)
            surface.blit(shade, (0, 0))
        return surface
