"""Names that are not ours, as somebody might write them who wants to break or to take over what shows them."""

import re

NAMES = (
    "[/b]",
    "[bold]loud[/bold] [red",
    "[link=http://example.com]x[/link]",
    "[@click=app.bell]x[/]",
    ":skull: \\[b]",
    "\x1b[2J\x1b]0;title\x07 \x9b31m",
    "a\rb\nc\x08\x7f\x00",
    "\u202egnp.exe\u2066\u200f\ufeff",
    "| a | `b` | \\| ``c``",
    "</td><script>alert(1)</script> \"'&amp",
    "*a* _b_ ![i](http://x) [l](javascript:x) ~~s~~ # h",
    "$\\frac$ $x_1",
    "{task.description} {0} %s %(x)s",
    "\udce9\ud83d",
    "a" * 90,
)
"""Names, each hostile in a way of its own."""

FILE_NAME = "a[/b] \x1b[31m\u202e|`$\\frac$_<i>&:x:.safetensors"
"""A path with something of each of them: folders and files can be called so."""


def assert_harmless(text: str) -> None:
    """Makes sure that a text has no character by which it could do something to a terminal; line feeds are none."""
    found = re.findall(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]", text
    )
    assert not found, [hex(ord(character)) for character in found]
