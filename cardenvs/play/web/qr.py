"""Links as QR codes in a terminal, for a phone's camera (segno, of the extra ``play``)."""

from __future__ import annotations

from cardenvs import plugins

plugins.require("segno", "play", "links for a phone")
import segno  # noqa: E402  (an extra)

_HALVES = "█▀▄ "  # two modules of a code one above the other: light modules are drawn, as terminals are dark


def qr_text(link: str) -> str:
    """Returns a link as a QR code, lines of text with blocks of half a line's height and a margin of two modules."""
    rows = [list(row) for row in segno.make(link, micro=False).matrix_iter(border=2)]
    if len(rows) % 2:
        rows.append(rows[0])  # the margin, once more
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return "\n".join("".join(_HALVES[2 * one + two] for one, two in zip(*pair, strict=True)) for pair in pairs)
