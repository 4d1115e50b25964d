"""Scenes painted with pygame: as arrays, and in a window.

pygame is imported when the first scene is painted, not before.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import DependencyNotInstalled

from cardenvs.render.scene import CARD_RATIO, Box, CardItem, Scene, SuitItem, TextItem
from cardenvs.render.shapes import COLOURS, SHAPES

if TYPE_CHECKING:
    import pygame

PICTURES = ("human", "rgb_array")
"""The render modes that need pygame."""

_FELT, _PANEL, _MARK = "#14532d", "#0f3f22", "#facc15"
_INK = {"": "#f8fafc", "quiet": "#bbf7d0", "title": "#f8fafc", "caption": "#ffffff"}
_FINE = 2
"""Everything is painted so many times larger and then scaled down, which smooths its edges."""


class MissingRendererError(DependencyNotInstalled, ValueError, TypeError):
    """pygame is not installed; a TypeError because Stable-Baselines3, which asks for pictures, does without on one."""


def check_renderer(mode: str | None) -> None:
    """Raises MissingRendererError if a render mode needs pygame and there is none; imports nothing."""
    if mode in PICTURES and importlib.util.find_spec("pygame") is None:
        raise MissingRendererError(f"render_mode={mode!r} needs the package pygame: pip install cardenvs[render]")


def _pygame() -> Any:
    try:
        return importlib.import_module("pygame")
    except ImportError as error:
        raise MissingRendererError("pictures need the package pygame: pip install cardenvs[render]") from error


class Painter:
    """Paints scenes.

    Args:
        width: of the pictures, pixels; the height follows.
    """

    def __init__(self, width: int = 800) -> None:
        self.pygame = _pygame()
        self.pygame.font.init()
        self.width = width
        self._font = functools.cache(self._load_font)
        self._card = functools.cache(self._paint_card)

    def paint(self, scene: Scene) -> pygame.Surface:
        """The scene as a surface of its own."""
        scale = _FINE * self.width / scene.width
        size = (round(scene.width * scale), round(scene.height * scale))
        surface = self.pygame.Surface(size, depth=32)
        surface.fill(_FELT)
        for item in scene.items:
            if isinstance(item, Box):
                self._box(surface, item, scale)
            elif isinstance(item, CardItem):
                self._place(surface, item, scale)
            elif isinstance(item, SuitItem):
                self._suit(surface, item.suit, item.x * scale, item.y * scale, item.size * scale, rim=True)
            elif isinstance(item, TextItem):
                self._text(surface, item, scale)
        small = self.pygame.Surface((self.width, round(scene.height * self.width / scene.width)), depth=32)
        self.pygame.transform.smoothscale(surface, small.get_size(), small)
        return small

    def array(self, scene: Scene) -> npt.NDArray[np.uint8]:
        """The scene as uint8 (height, width, 3)."""
        pixels = self.pygame.surfarray.array3d(self.paint(scene))
        return np.ascontiguousarray(pixels.swapaxes(0, 1), np.uint8)

    def _load_font(self, size: int) -> pygame.font.Font:
        return self.pygame.font.Font(None, size)

    def _box(self, surface: pygame.Surface, item: Box, scale: float) -> None:
        where = self.pygame.Rect(*(round(v * scale) for v in (item.x, item.y, item.width, item.height)))
        radius = round(10 * scale)
        self.pygame.draw.rect(surface, _PANEL, where, border_radius=radius)
        if item.kind != "seat":
            self.pygame.draw.rect(surface, _MARK, where, width=round(2 * scale), border_radius=radius)

    def _text(self, surface: pygame.Surface, item: TextItem, scale: float) -> None:
        # The height of pygame's own font is some four thirds of the size that CSS would call the same.
        font = self._font(round(item.size * scale * 1.25))
        text = font.render(item.text, True, _INK.get(item.kind, _INK[""]))
        x = item.x * scale - {"start": 0.0, "middle": text.get_width() / 2, "end": text.get_width()}[item.anchor]
        surface.blit(text, (round(x), round(item.y * scale - font.get_ascent())))

    def _suit(self, surface: pygame.Surface, suit: str, x: float, y: float, size: float, rim: bool = False) -> None:
        for polygon in SHAPES[suit]:
            points = [(x + px * size, y + py * size) for px, py in polygon]
            if rim:
                self.pygame.draw.polygon(surface, "#ffffff", points, width=max(1, round(size * 0.12)))
        for polygon in SHAPES[suit]:
            points = [(x + px * size, y + py * size) for px, py in polygon]
            self.pygame.draw.polygon(surface, COLOURS[suit], points)

    def _place(self, surface: pygame.Surface, item: CardItem, scale: float) -> None:
        card = self._card(item.card, round(item.width * scale), item.kind == "dim")
        where = (round(item.x * scale), round(item.y * scale))
        surface.blit(card, where)
        if item.kind == "mark":
            ring = self.pygame.Rect(*where, *card.get_size())
            self.pygame.draw.rect(surface, _MARK, ring, width=round(4 * scale), border_radius=round(0.1 * ring.width))

    def _paint_card(self, card: str | None, width: int, dim: bool) -> pygame.Surface:
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
            rank, suit = card[0].replace("T", "10"), card[1]
            text = self._font(round(width * 0.5)).render(rank, True, COLOURS[suit])
            if rank == "10":
                text = self.pygame.transform.smoothscale(text, (round(text.get_width() * 0.8), text.get_height()))
            surface.blit(text, (round(width * 0.08), round(width * 0.07)))
            for x, y, size in ((0.08, 0.44, 0.26), (0.68, 0.1, 0.24), (0.38, 0.72, 0.54)):
                self._suit(surface, suit, x * width, y * width, size * width)
        if dim:
            shade = self.pygame.Surface((width, height), self.pygame.SRCALPHA, 32)
            self.pygame.draw.rect(shade, (15, 23, 42, 105), where, border_radius=radius)
            surface.blit(shade, (0, 0))
        return surface


class Window:
    """A window that shows scenes; it opens with the first one.

    Args:
        title: of the window.
        fps: most scenes a second: `show` waits so long, unless nobody can watch (SDL's video driver ``dummy``).
    """

    def __init__(self, title: str, fps: float) -> None:
        self._title, self._fps = title, fps
        self._painter: Painter | None = None
        self._screen: pygame.Surface | None = None
        self._clock: Any = None
        self._dismissed = False

    def show(self, scene: Scene) -> None:
        """Shows a scene. When a person has closed the window, nothing happens until `close` is called.

        Raises:
            MissingRendererError: pygame is not installed.
            RuntimeError: there is no display.
        """
        if self._dismissed:
            return
        if self._painter is None:
            self._painter = Painter()
        pygame = self._painter.pygame
        picture = self._painter.paint(scene)
        if self._screen is None:
            try:
                pygame.display.init()
                self._screen = pygame.display.set_mode(picture.get_size())
            except pygame.error as error:
                raise RuntimeError(
                    f"render_mode='human' finds no display ({error}): take 'rgb_array', or set SDL_VIDEODRIVER=dummy"
                ) from error
            pygame.display.set_caption(self._title)
            self._clock = pygame.time.Clock()
        self._screen.blit(picture, (0, 0))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            self._dismissed = True
        elif pygame.display.get_driver() != "dummy":
            self._clock.tick(self._fps)

    def close(self) -> None:
        """Closes the window, if it is open; the next scene opens it anew."""
        if self._painter is not None and self._screen is not None:
            self._painter.pygame.display.quit()
        self._screen = None
        self._dismissed = False


class Renderer:
    """What an environment renders with: text, arrays or a window, by its mode.

    Args:
        title: of the window.
        mode: ``"human"`` or ``"rgb_array"``.
        fps: for the window.
    """

    def __init__(self, title: str, mode: str, fps: float) -> None:
        self.mode = mode
        self._window = Window(title, fps)
        self._painter: Painter | None = None

    def render(self, scene: Scene) -> npt.NDArray[np.uint8] | None:
        """Paints a scene: returned as uint8 (600, 800, 3) in mode ``"rgb_array"``, shown in mode ``"human"``."""
        if self.mode == "human":
            self._window.show(scene)
            return None
        if self._painter is None:
            self._painter = Painter()
        return self._painter.array(scene)

    def close(self) -> None:
        """Closes the window, if any."""
        self._window.close()
