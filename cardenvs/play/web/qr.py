"""Links as QR codes in a terminal, for a phone's camera (segno, of the extra ``play``)."""

import io

from cardenvs import plugins

plugins.require("segno", "play", "links for a phone")
import segno  # noqa: E402  (an extra)


def qr_text(link: str) -> str:
    """Returns a link as a QR code, lines of text with blocks of half a line's height and a margin of two modules."""
    drawn = io.StringIO()
    segno.make(link, micro=False).terminal(drawn, border=2, compact=True)
    return drawn.getvalue().rstrip("\n")
