"""Output of ``cardenvs reproduce calling``: the report, and tables on the terminal."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from cardenvs.baselines.heuristics.standard_calling import ALONE, REQUIRED
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.baselines.reproduce.calling.break_even import (
    CALLS,
    FEWEST,
    LONE_BINS,
    POSITIONS,
    SURPLUS_BINS,
    BreakEven,
    mean_gains,
)
from cardenvs.baselines.reproduce.calling.matches import GamePairing, Pairing
from cardenvs.baselines.reproduce.shared import console_for, print_table, written_by
from cardenvs.printing import table_lines

_WIDTH = 170
"""Characters that all columns of the callers' table take."""
_NARROW = (0, 1, 2, 4, 5, 6, 11)
"""Indices of the columns for which there is always room."""

_HEAD = [
    "cards played by",
    "caller",
    "calls, % of deals",
    "in the first round, %",
    "euchred, %",
    "marches, %",
    "alone, %",
    "alone: march, %",
    "alone: euchred, %",
    "points a call",
    "points a deal",
    "points a deal above the other (95%)",
]


def _signed(value: float | None) -> str:
    """Points with a sign; empty where too few decisions came up."""
    return "" if value is None else f"{value:+z.2f}"


def _percent(share: Interval) -> str:
    """A share in percent, with two digits, and half the width of its interval."""
    return f"{100 * share.mean:.2f} ±{100 * share.half_width:.2f}"


def _rows(pairing: Pairing) -> list[list[str]]:
    """A pairing as two rows of cells, one for each side, under `_HEAD`."""
    rows = []
    for k, figures in enumerate(pairing.sides):
        shares = (
            figures.called,
            figures.first_round,
            figures.euchred,
            figures.marches,
            figures.alone,
            figures.lone_marches,
            figures.lone_euchred,
        )
        cells = [f"{100 * share:.1f}" for share in shares]
        if figures.alone == 0:
            cells[-2:] = ["", ""]
        margin = plus_minus(pairing.points_margin) if k == 0 else ""
        rows.append(
            [
                pairing.plays if k == 0 else "",
                figures.caller,
                *cells,
                f"{figures.points_per_call:+z.3f}",
                f"{figures.points_per_deal:.3f}",
                margin,
            ]
        )
    return rows


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

1. *Worth of cards and length.* Linear regression of the points that calling wins over passing, pooled over rounds
   and seats, near the edge; then rounded towards the published point counts where that cost less than 0.01 points a
   deal. The published counts, which have nothing for length, lost 0.07 points a deal to it. Once trumps were
   counted, voids were worth nothing.
2. *Worth alone.* The same regression of going alone against calling. Here aces, kings and voids count, and one
   requirement serves all seats.
3. *Required points.* For each round, seat and kind of suit the edge at which calling won most, repeated until it
   stood still, for what others call changes what passing is worth. Done with `coop-high-low`'s play and with a
   sounder one, which leads trumps and wins cheaply, and taken between the two. They are flat: moving one of them by
   two costs less than 0.005 points a deal, going alone with 26 or 28 at most 0.011, never going alone 0.07 to 0.11.
   What the dealer requires in the second round makes no difference that could be measured.
4. *Discard.* Every discard from a million hands of six was played out. Making a void won 0.054 points more than
   throwing the worst card; giving up a singleton ace for it lost most of that.
5. *Score.* The same decisions, valued by the chance to win the game from the score after the deal (a table computed
   from how often a deal ends how); the shifts are rounded from the best edges.

Advice from the literature that made no difference under these agents and is left out: another requirement for the
dealer's partner when a bower is turned, reverse next for the dealer itself, other requirements when the dealer is
stuck.
"""


def _gains_lines(followed: BreakEven) -> list[str]:
    """Gains of calling instead of passing, and of going alone instead of calling with the partner, as Markdown tables."""
    means = mean_gains(followed)
    surplus = [f"{low:+d} to {high:+d}" for low, high in SURPLUS_BINS]
    lone = [*(f"{low} and {high}" for low, high in LONE_BINS[:-1]), f"{LONE_BINS[-1][0]} or more"]
    rows = [
        [call, position, *map(_signed, means["gains"][call][position])]
        for call, position in itertools.product(CALLS, POSITIONS)
    ]
    return [
        f"Cards played by {followed.plays}, {followed.deals:,} deals:",
        "",
        *table_lines(["call", "seat", *surplus], rows, left=2),
        f"Points won by going alone on a hand worth calling, by its lone count ({ALONE} are required):",
        "",
        *table_lines(lone, [list(map(_signed, means["lone_gains"]))], left=0),
    ]


def markdown(
    pairings: Sequence[Pairing], games: Sequence[GamePairing], gains: Sequence[BreakEven], command: str, seed: int
) -> str:
    """The report.

    Args:
        pairings: callers over single deals, at least one pairing.
        games: callers over whole games.
        gains: where calling breaks even, for each policy that plays the cards.
        command: the command that plays all of it again.
        seed: seed of the run.
    """
    lines = [
        "# Euchre: what calling is worth",
        "",
        f"{written_by(command)}.",
        "",
        "Full Euchre, single deals for points. Both sides play the cards alike and differ in the caller alone, which bids",
        "and discards; every deal is played twice with the sides exchanged.",
        "",
        "## Callers against each other",
        "",
        f"{pairings[0].deals:,} deals a pairing, each played twice, seed {seed}. Shares are of the side's own calls,",
        'behind "alone:" of its calls alone; points a call are less what the other side won by euchring it.',
        "",
        *table_lines(_HEAD, [row for pairing in pairings for row in _rows(pairing)], left=2),
    ]
    if games:
        lines += [
            "## In whole games",
            "",
            f"{games[0].games:,} games to 10 points a pairing, each played twice.",
            "",
            *table_lines(
                ["cards played by", "caller", "against", "games won, % (95%)"],
                [[game.plays, *game.callers, _percent(game.win_rate)] for game in games],
                left=3,
            ),
        ]
    lines += ["## How they decide", "", _CALLERS_TEXT, "Points that `standard` requires:", ""]
    lines += table_lines(["call", *POSITIONS], [[call, *map(str, REQUIRED[k])] for k, call in enumerate(CALLS)])
    if gains:
        lines += [
            "## Where calling breaks even",
            "",
            "`standard` against itself: at every decision that came up each call was tried, and so was passing, and the",
            "deal played on from there. Points won by calling instead of passing, by how far the hand is above the points",
            f"required; empty where fewer than {FEWEST} such decisions came up.",
            "",
        ]
        for followed in gains:
            lines += _gains_lines(followed)
    lines += ["## How the numbers were found", "", _TUNED_TEXT]
    return "\n".join(lines)


def show(pairings: Sequence[Pairing], games: Sequence[GamePairing], deals: int) -> None:
    """Prints the callers' figures on the terminal, all columns where there is room for them.

    Args:
        pairings: callers over single deals.
        games: callers over whole games.
        deals: number of deals of a pairing.
    """
    console, wide = console_for(_WIDTH)
    columns = range(len(_HEAD)) if wide else _NARROW
    rows = ([row[k] for k in columns] for pairing in pairings for row in _rows(pairing))
    title = f"Callers in Euchre: {deals:,} deals a pairing, each played twice"
    print_table(title, [_HEAD[k] for k in columns], rows, text_columns=(0, 1), wrapped=True, console=console)
    for game in games:
        won = f"{_percent(game.win_rate)}% of {2 * game.games:,} games"
        console.print(f"{game.plays}: {game.callers[0]} wins {won} against {game.callers[1]}")
