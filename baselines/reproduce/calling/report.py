"""The report of what callers in Euchre are worth."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from cardenvs.baselines.heuristics.standard_calling import ALONE, REQUIRED
from cardenvs.baselines.reports.document import (
    Block,
    Document,
    Estimate,
    Heading,
    Items,
    Name,
    Only,
    Table,
    Text,
    Words,
    in_file,
    marked,
    said,
)
from cardenvs.baselines.reproduce.calling.break_even import CALLS, FEWEST, LONE_BINS, POSITIONS, SURPLUS_BINS, BreakEven
from cardenvs.baselines.reproduce.papers import written_by

if TYPE_CHECKING:
    from cardenvs.baselines.reproduce.calling.matches import Pairing, Reproduction

_SHARES = {
    "calls, % of deals": "called",
    "in the first round, %": "first_round",
    "euchred, %": "euchred",
    "marches, %": "marches",
    "alone, %": "alone",
    "alone: march, %": "lone_marches",
    "alone: euchred, %": "lone_euchred",
}
"""Shares of a caller's deals or calls, by the heads of their columns."""
_HEAD = ("cards played by", "caller", *_SHARES, "points a call", "points a deal", "points a deal above the other")
_SPARE = tuple(head for head in _HEAD if head not in ("calls, % of deals", "euchred, %", _HEAD[-1]))


def document(result: Reproduction, command: str = "") -> Document:
    """The report.

    Args:
        result: what was played, at least one pairing.
        command: the command line that plays all of it again.
    """
    parts: list[Block | Only] = [
        in_file(written_by(command)),
        said(
            """Full Euchre, single deals for points. Both sides play the cards alike and differ in the caller alone, which
            bids and discards; every deal is played twice with the sides exchanged."""
        ),
        Heading("Callers against each other"),
        said(
            f"""{result.pairings[0].deals:,} deals a pairing, each played twice, seed {result.seed}. Shares are of the
            side's own calls, behind "alone:" of its calls alone; points a call are less what the other side won by euchring
            it. Intervals are of 95%."""
        ),
        Table(_HEAD, [row for pairing in result.pairings for row in _rows(pairing)], left=2, spare=_SPARE),
        Heading("In whole games"),
        Words(f"{result.games[0].games:,} games to 10 points a pairing, each played twice."),
        Table(
            ["cards played by", "caller", "against", "games won, %"],
            [[Name(game.plays), *map(Name, game.callers), Estimate(game.win_rate, percent=True)] for game in result.games],
            left=3,
        ),
        in_file(
            Heading("How they decide"),
            *map(said, _CALLERS_TEXT.split("\n\n")),
            said("Points that `standard` requires:"),
            Table(["call", *POSITIONS], [[call, *map(str, REQUIRED[k])] for k, call in enumerate(CALLS)]),
        ),
    ]
    if result.break_even:
        meaning = said(
            f"""`standard` against itself: at every decision that came up each call was tried, and so was passing, and the
            deal played on from there. Points won by calling instead of passing, by how far the hand is above the points
            required; empty where fewer than {FEWEST} such decisions came up."""
        )
        parts.append(
            in_file(Heading("Where calling breaks even"), meaning, *itertools.chain(*map(_gains, result.break_even)))
        )
    steps = Items(list(map(marked, _TUNED)))
    parts.append(in_file(Heading("How the numbers were found"), said(_TUNED_TEXT), steps, said(_LEFT_OUT)))
    return Document("Euchre: what calling is worth", parts)


def _rows(pairing: Pairing) -> list[list[Text]]:
    """A pairing as two rows of cells, one for each side, under `_HEAD`."""
    rows: list[list[Text]] = []
    for k, side in enumerate(pairing.sides):
        shares = [f"{100 * getattr(side, name):.1f}" for name in _SHARES.values()]
        if side.alone == 0:
            shares[-2:] = ["", ""]
        points = [f"{side.points_per_call:+z.3f}", f"{side.points_per_deal:.3f}"]
        first = k == 0
        plays, margin = (Name(pairing.plays), Estimate(pairing.points_margin)) if first else ("", "")
        rows.append([plays, Name(side.caller), *shares, *points, margin])
    return rows


def _gains(followed: BreakEven) -> list[Block]:
    """Gains of calling instead of passing, and of going alone instead of calling with the partner."""
    means = followed.figures()
    lone = [*(f"{low} and {high}" for low, high in LONE_BINS[:-1]), f"{LONE_BINS[-1][0]} or more"]
    rows = [
        [call, position, *map(_signed, means["gains"][call][position])]
        for call, position in itertools.product(CALLS, POSITIONS)
    ]
    return [
        Words(("Cards played by ", Name(followed.plays), f", {followed.deals:,} deals:")),
        Table(["call", "seat", *(f"{low:+d} to {high:+d}" for low, high in SURPLUS_BINS)], rows, left=2),
        Words(f"Points won by going alone on a hand worth calling, by its lone count ({ALONE} are required):"),
        Table(lone, [list(map(_signed, means["lone_gains"]))], left=0),
    ]


def _signed(value: float | None) -> str:
    """Points with a sign; empty where too few decisions came up."""
    return "" if value is None else f"{value:+z.2f}"


_CALLERS_TEXT = """\
**standard** counts its hand in tenths of a trick: right bower 10, left bower 7, ace of trumps 6, any other trump 5,
a plain ace 4, a plain king 1, and 6 for a third trump or 10 for a third and fourth. It calls a suit if that reaches
what its seat requires (below), in the second round the suit with the greatest surplus. A dealer counts the hand it
would play with, the turned card in and a discard out. Against the other side's deal it requires 13 more to order up
a bower and 3 more to order up an ace; the next suit takes 4 less if its left bower lies turned down. It goes alone
on a second count, of winners: bowers 10 and 8, ace of trumps 7, king and queen 6, ten and nine 5, a plain ace 5, a
plain king 2; 4 for a hand of two suits, 2 for one of three; 2 less with three trumps, 5 less with more; 27 are
needed. It discards a singleton other than an ace, so as to be void; else the lowest plain card, keeping aces and
guarded kings; never a trump unless it has six.

The **score** matters to it in whole games only. It never goes alone with two points or fewer to go; with three or
four to go against a side that needs one or two it does so with 25. With one point to go against three or four (9 to
6 or 9 to 7 in a game to 10), the other side's deal and no bower in hand, it orders up whatever it has: the
donation, which gives two points away lest a lone march lose the game. The points a call needs shift with what both
sides have to go (`SCORE` in `baselines/heuristics/standard_calling.py`): up when the other side needs two, down
when either side needs one.

**standard-by-deal** is the same without a look at the score. **three-trumps** calls with three trumps or more, the
turned card counted for the dealer, never alone, and discards its worst card. **random** takes any legal bid, every
one equally likely, going alone included, and discards at random.
"""

_TUNED_TEXT = """\
The shape of `standard` is the literature's (sources in `baselines/heuristics/standard_calling.py`): points in
tenths of a trick, requirements by round and seat, next and reverse next, no bower ordered into the other side's
hand, voids and aces in the discard, no lone hand with two points to go, the donation. Its numbers were fitted on
deals of the caller against itself, on every decision of which pass, call and call alone were tried and played out,
as in the tables above. The figures here were taken once, while that was done:
"""

_TUNED = (
    """**Worth of cards and length.** Linear regression of the points that calling wins over passing, pooled over rounds
    and seats, near the edge; then rounded towards the published point counts where that cost less than 0.01 points a
    deal. The published counts, which have nothing for length, lost 0.07 points a deal to it. Once trumps were
    counted, voids were worth nothing.""",
    """**Worth alone.** The same regression of going alone against calling. Here aces, kings and voids count, and one
    requirement serves all seats.""",
    """**Required points.** For each round, seat and kind of suit the edge at which calling won most, repeated until it
    stood still, for what others call changes what passing is worth. Done with `coop-high-low`'s play and with a
    sounder one, which leads trumps and wins cheaply, and taken between the two. They are flat: moving one of them by
    two costs less than 0.005 points a deal, going alone with 26 or 28 at most 0.011, never going alone 0.07 to 0.11.
    What the dealer requires in the second round makes no difference that could be measured.""",
    """**Discard.** Every discard from a million hands of six was played out. Making a void won 0.054 points more than
    throwing the worst card; giving up a singleton ace for it lost most of that.""",
    """**Score.** The same decisions, valued by the chance to win the game from the score after the deal (a table computed
    from how often a deal ends how); the shifts are rounded from the best edges.""",
)
"""The steps in which the numbers were found."""

_LEFT_OUT = """\
Advice from the literature that made no difference under these agents and is left out: another requirement for the
dealer's partner when a bower is turned, reverse next for the dealer itself, other requirements when the dealer is
stuck.
"""
