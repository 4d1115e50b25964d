"""Scenes as the content of picture files, PNG and animated GIF, made with pygame and pillow (the extra ``render``)."""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cardenvs import plugins
from cardenvs.render.painter import MissingRendererError, Painter
from cardenvs.render.scene import Scene

if TYPE_CHECKING:
    from PIL.Image import Image

_COLOURS = 96  # number of colours in a GIF: enough for flat areas and a four-colour deck
_HOLD = 3  # duration of the first and the last picture of a GIF, in durations of the others


def check_pictures() -> None:
    """Raises MissingRendererError if pygame-ce or pillow is not installed; imports nothing."""
    for module, package in (("pygame", "pygame-ce"), ("PIL", "pillow")):
        plugins.require(module, "render", "pictures in files", package=package, error=MissingRendererError)


def _load_pillow() -> Any:
    check_pictures()
    return importlib.import_module("PIL.Image")


def gif(scenes: Sequence[Scene], width: int, fps: float) -> bytes:
    """Returns the content of an animated GIF of scenes, repeated for ever; the first and the last picture stay longer.

    Args:
        width: the pictures' width in pixels.
        fps: pictures a second.

    Raises:
        MissingRendererError: pygame-ce or pillow is not installed.
    """
    image = _load_pillow()
    painter = Painter(width)
    pictures: list[Image] = [image.fromarray(painter.array(one)) for one in scenes]
    # One palette for all, so that what does not change is not stored again.
    some = pictures[:: max(1, len(pictures) // 6)]
    sample, top = image.new("RGB", (width, sum(picture.height for picture in some))), 0
    for picture in some:
        sample.paste(picture, (0, top))
        top += picture.height
    palette = sample.quantize(_COLOURS, dither=image.Dither.NONE)
    flat = [picture.quantize(palette=palette, dither=image.Dither.NONE) for picture in pictures]
    each = round(1000 / fps)
    times = [each] * len(flat)
    times[0] = times[-1] = _HOLD * each
    content = io.BytesIO()
    flat[0].save(
        content, "GIF", save_all=True, append_images=flat[1:], duration=times, loop=0, optimize=True, disposal=1
    )  # fmt: skip
    return content.getvalue()


def png(one: Scene, width: int) -> bytes:
    """Returns the content of a PNG of a scene, ``width`` pixels wide.

    Raises:
        MissingRendererError: pygame-ce or pillow is not installed.
    """
    content = io.BytesIO()
    _load_pillow().fromarray(Painter(width).array(one)).save(content, "PNG", optimize=True)
    return content.getvalue()
