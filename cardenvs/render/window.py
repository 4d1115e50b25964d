"""A window that shows scenes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cardenvs.render.painter import Painter
from cardenvs.render.scene import Scene

if TYPE_CHECKING:
    import pygame


class Window:
    """A window that shows scenes; it opens with the first one.

    Args:
        title: the window's title.
        fps: maximum scenes a second; `show` waits for it, except with SDL's video driver ``dummy``.
    """

    def __init__(self, title: str, fps: float) -> None:
        self._title, self._fps = title, fps
        self._painter: Painter | None = None
        self._screen: pygame.Surface | None = None
        self._clock: Any = None
        self._dismissed = False

    def show(self, scene: Scene) -> None:
        """Shows a scene. After a person has closed the window, nothing happens until `close` is called.

        Raises:
            MissingRendererError: pygame-ce is not installed.
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
        """Closes the window, if it is open; the next scene opens another."""
        if self._painter is not None and self._screen is not None:
            self._painter.pygame.display.quit()
        self._screen = None
        self._dismissed = False
