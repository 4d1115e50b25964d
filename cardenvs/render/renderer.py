"""The renderer of an environment: pictures as arrays or in a window, by the render mode."""

from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import plugins
from cardenvs.render.painter import MissingRendererError, Painter
from cardenvs.render.scene import Scene
from cardenvs.render.window import Window

PICTURES = ("human", "rgb_array")
"""The render modes that need pygame."""


def check_renderer(mode: str | None) -> None:
    """Checks that a render mode's packages are installed; imports nothing.

    Args:
        mode: a render mode, or None.

    Raises:
        MissingRendererError: the mode needs pygame, which is not installed.
    """
    if mode in PICTURES:
        plugins.require("pygame", "render", f"render_mode={mode!r}", error=MissingRendererError)


class Renderer:
    """Paints scenes for an environment, into arrays or a window.

    Args:
        title: the window's title.
        mode: the render mode, ``"human"`` or ``"rgb_array"``.
        fps: maximum scenes a second in the window.
    """

    def __init__(self, title: str, mode: str, fps: float) -> None:
        self.mode = mode
        self._made_of = title, mode, fps
        self._window = Window(title, fps)
        self._painter: Painter | None = None

    def __reduce__(self) -> Any:
        """Pickles the renderer by its arguments: a copy makes its own surfaces, and window, with its first picture."""
        return Renderer, self._made_of

    def render(self, scene: Scene) -> npt.NDArray[np.uint8] | None:
        """Paints a scene: returns uint8 (600, 800, 3) in mode ``"rgb_array"``, shows it in mode ``"human"``."""
        if self.mode == "human":
            self._window.show(scene)
            return None
        if self._painter is None:
            self._painter = Painter()
        return self._painter.array(scene)

    def close(self) -> None:
        """Closes the window, if it is open."""
        self._window.close()
