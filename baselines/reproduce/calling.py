"""What callers in Euchre are worth: ``cardenvs reproduce calling``.

Two callers meet over duplicate deals with the same play of the cards on both sides, so that the calls alone make the
difference. No paper gives figures for full Euchre; these are the project's own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from cardenvs import cli, policy
from cardenvs.baselines.heuristics.calling import CALLERS
from cardenvs.baselines.heuristics.standard_calling import (
    ALONE,
    REQUIRED,
    goes_alone,
    lone_worth,
    playing_hand,
    standard,
    surplus,
)
from cardenvs.baselines.heuristics.trick_taking import TrickTakingPolicy, euchre_card
from cardenvs.baselines.match.play import play_match
from cardenvs.baselines.observers.bidding import BiddingObserver, CallerFigures
from cardenvs.baselines.search.split import Split
from cardenvs.cards import Ints, Streams, lowest, seed_streams
from cardenvs.drivers import RUNNING
from cardenvs.files import write_whole
from cardenvs.games import euchre
from cardenvs.jit import kernel
from cardenvs.spec import get_game
from cardenvs.tricks import NO_TRUMP_YET

PAIRINGS = (("standard", "three-trumps"), ("standard", "random"), ("three-trumps", "random"))
GAMES = (("standard", "three-trumps"), ("standard", "standard-by-deal"))
"""Callers that meet over single deals, and over whole games."""

POSITIONS = ("dealer's left", "dealer's partner", "dealer's right", "dealer")
CALLS = ("first round", "second round, next suit", "second round, another suit")

# --- callers against each other ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pairing:
    """Two callers over duplicate deals.

    Attributes:
        plays: the policy that plays the cards on both sides.
        sides: figures of the two callers.
        deals: deals, each played twice.
        void: share of the deals that all passed twice.
        mean_points: the first side's points less the other's, for each deal played.
        mean_points_ci95: 95% confidence interval of that, [low, high].
    """

    plays: str
    sides: tuple[CallerFigures, CallerFigures]
    deals: int
    void: float
    mean_points: float
    mean_points_ci95: list[float]


@dataclass(frozen=True)
class GamePairing:
    """Two callers over duplicate whole games.

    Attributes:
        plays: the policy that plays the cards on both sides.
        callers: the two.
        games: games, each played twice.
        win_rate: the first side's.
        ci95: 95% confidence interval of that, [low, high].
    """

    plays: str
    callers: tuple[str, str]
    games: int
    win_rate: float
    ci95: list[float]


def with_caller(plays: str, caller: str) -> Split:
    """The policy that plays the cards as ``plays`` and calls and discards as ``caller``.

    Args:
        plays: a policy's name.
        caller: a name from `CALLERS`, or that of a policy that bids.

    Raises:
        ValueError: unknown policy or caller.
    """
    return Split("euchre", calls=f"low:calling={caller}" if caller in CALLERS else caller, plays=plays)


def play_pairing(
    plays: str, callers: tuple[str, str], deals: int, seed: int, progress: Callable[[int], None] | None = None
) -> Pairing:
    """Plays two callers against each other over duplicate deals.

    Args:
        plays: the policy that plays the cards on both sides.
        callers: names as `with_caller` takes them.
        deals: how many, each played twice.
        seed: int >= 0.
        progress: called with the number of deals finished since the last call.

    Raises:
        ValueError: unknown policy or caller.
    """
    seen = BiddingObserver()
    sides = [with_caller(plays, caller) for caller in callers]
    result = play_match("euchre", *sides, deals=deals, seed=seed, progress=progress, observer=seen)
    bidding = seen.result(callers)
    return Pairing(plays, bidding.sides, deals, bidding.void, result.points_margin.mean, result.points_margin.ci95)


def play_games(
    plays: str, callers: tuple[str, str], games: int, seed: int, progress: Callable[[int], None] | None = None
) -> GamePairing:
    """Plays two callers against each other over duplicate games to 10 points; see `play_pairing`."""
    sides = [with_caller(plays, caller) for caller in callers]
    result = play_match("euchre", *sides, deals=games, seed=seed, progress=progress, episode="game")
    return GamePairing(plays, callers, games, result.win_rate.mean, result.win_rate.ci95)


# --- where calling breaks even -------------------------------------------------------------------------------------

SPAN = 12
"""How far on each side of the required points calls are followed."""


@dataclass(frozen=True)
class BreakEven:
    """What ``standard`` would win by calling instead of passing, by how much its hand is above what it requires.

    Attributes:
        plays: the policy that plays the cards.
        deals: how many deals were followed.
        counts: int64 (3, 4, 2 * SPAN + 1), decisions by call (`CALLS`), position (`POSITIONS`) and surplus.
        gains: float64, likewise: points of calling less those of passing, added up.
        lone_counts: int64 (60,), hands worth calling by `lone_worth`.
        lone_gains: float64 (60,): points of going alone less those of calling with the partner, added up.
    """

    plays: str
    deals: int
    counts: npt.NDArray[np.int64]
    gains: npt.NDArray[np.float64]
    lone_counts: npt.NDArray[np.int64]
    lone_gains: npt.NDArray[np.float64]


@kernel
def _play_on(games: Any, i: int, agent: int, threshold: float, streams: Streams, s: int) -> int:
    """Plays a deal to its end, all seats alike; the points of side 0 less those of side 1."""
    g = games[i]
    while g.over == RUNNING:
        actions = euchre.legal(games, i)
        if g.phase == euchre.PLAYING:
            action = euchre_card(agent, threshold, games, i, actions, streams, s)
        else:
            action = standard(games, i, actions, False)
        euchre.step(games, i, action)
    if g.maker < 0:
        return 0
    side = g.maker & 1
    points = euchre.points_made(g.tricks[side] + g.tricks[side + 2], g.alone)
    return points if side == 0 else -points


@kernel
def _try(games: Any, action: int, agent: int, threshold: float, streams: Streams, s: int) -> int:
    """What the side to act in ``games[0]`` wins by an action, tried in ``games[1]``."""
    games[1] = games[0]
    sign = 1 - 2 * (games[0].to_act & 1)
    euchre.step(games, 1, action)
    return sign * _play_on(games, 1, agent, threshold, streams, s)


@kernel
def _follow(
    games: Any,
    agent: int,
    threshold: float,
    streams: Streams,
    counts: Ints,
    gains: npt.NDArray[np.float64],
    lone_counts: Ints,
    lone_gains: npt.NDArray[np.float64],
) -> None:
    """Deals once for each stream and tries every call at every decision on the way."""
    g = games[0]
    span = counts.shape[2] // 2
    for s in range(len(streams)):
        euchre.deal(games, 0, streams, s)
        while g.phase == euchre.ORDERING or g.phase == euchre.CALLING:
            actions = euchre.legal(games, 0)
            turned = euchre.SUIT_OF[NO_TRUMP_YET, lowest(g.turned)]
            position = (g.to_act - g.dealer - 1) & 3
            passed = _try(games, euchre.PASS, agent, threshold, streams, s)
            for suit in range(4):
                if g.phase == euchre.ORDERING:
                    call, alone, row = euchre.ORDER_UP, euchre.ORDER_UP_ALONE, 0
                    legal = suit == turned
                else:
                    call, alone, row = euchre.CALL + suit, euchre.CALL_ALONE + suit, 1 if suit == 3 - turned else 2
                    legal = suit != turned
                above = surplus(games, 0, suit) if legal else -span - 1
                if above < -span:
                    continue
                together = _try(games, call, agent, threshold, streams, s)
                single = _try(games, alone, agent, threshold, streams, s)
                if above >= 0:
                    value = lone_worth(playing_hand(games, 0, suit), suit)
                    lone_counts[value] += 1
                    lone_gains[value] += single - together
                if above <= span:
                    chosen = single if goes_alone(games, 0, suit, False) else together
                    counts[row, position, above + span] += 1
                    gains[row, position, above + span] += chosen - passed
            euchre.step(games, 0, standard(games, 0, actions, False))


def break_even(plays: str, deals: int, seed: int) -> BreakEven | None:
    """Follows deals of ``standard`` against itself; None for a policy that is not one of the heuristic agents.

    At every decision that comes up, each call is tried and so is passing, and the deal is played on from there.

    Raises:
        ValueError: unknown policy.
    """
    spec = get_game("euchre")
    player = policy.make(spec, plays)
    if not isinstance(player, TrickTakingPolicy):
        return None
    found = BreakEven(
        plays=plays,
        deals=deals,
        counts=np.zeros((3, 4, 2 * SPAN + 1), np.int64),
        gains=np.zeros((3, 4, 2 * SPAN + 1)),
        lone_counts=np.zeros(60, np.int64),
        lone_gains=np.zeros(60),
    )
    _follow(
        spec.new_games(2),
        player.agent,
        player.threshold,
        seed_streams(seed, deals),
        found.counts,
        found.gains,
        found.lone_counts,
        found.lone_gains,
    )
    return found


# --- the report ----------------------------------------------------------------------------------------------------

_BINS = ((-12, -7), (-6, -4), (-3, -1), (0, 2), (3, 5), (6, 12))
_LONE_BINS = ((19, 20), (21, 22), (23, 24), (25, 26), (27, 28), (29, 30), (31, 59))
_FEWEST = 100
"""Decisions below which a mean is not shown."""
_ALL_COLUMNS = 170
"""Width that the whole table of callers takes."""


def _means(counts: npt.NDArray[np.int64], gains: npt.NDArray[np.float64], bins: Any, first: int) -> list[float | None]:
    """The mean gain in each bin; None where too few decisions came up."""
    means: list[float | None] = []
    for low, high in bins:
        part = slice(low - first, high - first + 1)
        number = int(counts[part].sum())
        means.append(float(gains[part].sum()) / number if number >= _FEWEST else None)
    return means


def _bin_name(low: int, high: int, sign: bool) -> str:
    return f"{low:+d} to {high:+d}" if sign else f"{low} and {high}"


def _edges(found: BreakEven) -> dict[str, Any]:
    return {
        "plays": found.plays,
        "deals": found.deals,
        "surplus": [list(pair) for pair in _BINS],
        "gains": {
            call: {
                position: _means(found.counts[k, p], found.gains[k, p], _BINS, -SPAN)
                for p, position in enumerate(POSITIONS)
            }
            for k, call in enumerate(CALLS)
        },
        "lone_worth": [list(pair) for pair in _LONE_BINS],
        "lone_gains": _means(found.lone_counts, found.lone_gains, _LONE_BINS, 0),
    }


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}"


def _points(mean: float, ci95: Sequence[float]) -> str:
    return f"{mean:+.3f} ± {(ci95[1] - ci95[0]) / 2:.3f}"


_HEADS = (
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
)


def _rows(pairing: Pairing) -> list[list[str]]:
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
        margin = _points(pairing.mean_points, pairing.mean_points_ci95) if k == 0 else ""
        rows.append(
            [
                pairing.plays if k == 0 else "",
                figures.caller,
                *cells,
                f"{figures.points_per_call:+.3f}",
                f"{figures.points_per_deal:.3f}",
                margin,
            ]
        )
    return rows


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int) -> list[str]:
    rule = "|" + "---|" * text_columns + "---:|" * (len(heads) - text_columns)
    return ["| " + " | ".join(heads) + " |", rule, *("| " + " | ".join(row) + " |" for row in rows), ""]


def _required_rows() -> list[list[str]]:
    return [[call, *(str(points) for points in REQUIRED[k])] for k, call in enumerate(CALLS)]


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


def markdown(
    pairings: Sequence[Pairing], games: Sequence[GamePairing], edges: Sequence[BreakEven], command: str, seed: int
) -> str:
    """The report."""
    lines = [
        "# Euchre: what calling is worth",
        "",
        f"Written by `{command} --markdown FILE`.",
        "",
        "Full Euchre, single deals for points. Both sides play the cards alike and differ in the caller alone, which bids",
        "and discards; every deal is played twice with the sides exchanged.",
        "",
        "## Callers against each other",
        "",
        f"{pairings[0].deals:,} deals a pairing, each played twice, seed {seed}. Shares are of the side's own calls,",
        'behind "alone:" of its calls alone; points a call are less what the other side won by euchring it.',
        "",
        *_table(_HEADS, [row for pairing in pairings for row in _rows(pairing)], 2),
    ]
    if games:
        lines += [
            "## In whole games",
            "",
            f"{games[0].games:,} games to 10 points a pairing, each played twice.",
            "",
            *_table(
                ("cards played by", "caller", "against", "games won, % (95%)"),
                [
                    [
                        game.plays,
                        *game.callers,
                        f"{100 * game.win_rate:.2f} ± {50 * (game.ci95[1] - game.ci95[0]):.2f}",
                    ]
                    for game in games
                ],
                3,
            ),
        ]
    lines += ["## How they decide", "", _CALLERS_TEXT, "Points that `standard` requires:", ""]
    lines += _table(("call", *POSITIONS), _required_rows(), 1)
    if edges:
        lines += [
            "## Where calling breaks even",
            "",
            "`standard` against itself: at every decision that came up each call was tried, and so was passing, and the",
            "deal played on from there. Points won by calling instead of passing, by how far the hand is above the points",
            f"required; empty where fewer than {_FEWEST} such decisions came up.",
            "",
        ]
        for found in edges:
            figures = _edges(found)
            lines += [f"Cards played by {found.plays}, {found.deals:,} deals:", ""]
            lines += _table(
                ("call", "seat", *(_bin_name(low, high, True) for low, high in _BINS)),
                [
                    [call, position, *map(_signed, figures["gains"][call][position])]
                    for call, position in itertools.product(CALLS, POSITIONS)
                ],
                2,
            )
            lines += [f"Points won by going alone on a hand worth calling, by its lone count ({ALONE} are required):", ""]
            heads = [_bin_name(low, high, False) for low, high in _LONE_BINS[:-1]] + [f"{_LONE_BINS[-1][0]} or more"]
            lines += _table(heads, [list(map(_signed, figures["lone_gains"]))], 0)
    lines += ["## How the numbers were found", "", _TUNED_TEXT]
    return "\n".join(lines)


# --- the command ---------------------------------------------------------------------------------------------------


@click.command("calling")
@click.option("--deals", type=click.IntRange(min=2), default=20_000, show_default=True, help="Deals of each pairing.")
@click.option(
    "--plays",
    multiple=True,
    default=("coop-high-low", "hybrid"),
    show_default=True,
    metavar="POLICY",
    help="Who plays the cards on both sides; may be repeated.",
)
@click.option(
    "--caller",
    "callers",
    multiple=True,
    metavar="POLICY",
    help="Also let this policy's calls meet those of the standard caller; may be repeated.",
)
@click.option("--markdown", "report", type=click.Path(dir_okay=False), help="Also write a report to this file.")
@cli.seed_option
@cli.json_option
def calling_command(
    deals: int, plays: tuple[str, ...], callers: tuple[str, ...], report: str | None, seed: int, as_json: bool
) -> None:
    """What callers in full Euchre are worth, with the same play of the cards."""
    for name in (*plays, *callers):
        if name not in CALLERS:
            policy.make("euchre", name)  # an unknown one is named before anything is played
    wanted = (*PAIRINGS, *(("standard", caller) for caller in callers))
    pairings, games, edges = [], [], []
    with cli.counting("calling", len(plays) * (len(wanted) + len(GAMES)) * deals) as count:
        for name in plays:
            pairings += [play_pairing(name, pair, deals, seed, count) for pair in wanted]
            games += [play_games(name, pair, deals, seed, count) for pair in GAMES]
            found = break_even(name, 10 * deals, seed)
            edges += [found] if found is not None else []
    if report:
        words = ["cardenvs reproduce calling", *(f"--plays {name}" for name in plays)]
        words += [*(f"--caller {name}" for name in callers), f"--deals {deals} --seed {seed}"]
        write_whole(report, markdown(pairings, games, edges, " ".join(words), seed))
    if as_json:
        cli.print_json(
            {
                "game": "euchre",
                "seed": seed,
                "pairings": [asdict(pairing) for pairing in pairings],
                "games": [asdict(game) for game in games],
                "break_even": [_edges(found) for found in edges],
            }
        )
        return
    console = Console()
    if not console.is_terminal:
        console = Console(width=_ALL_COLUMNS)
    shown = range(len(_HEADS)) if console.width >= _ALL_COLUMNS else (0, 1, 2, 4, 5, 6, 11)
    table = Table(title=f"Callers in Euchre: {deals:,} deals a pairing, each played twice", box=None)
    for k in shown:
        table.add_column(_HEADS[k], justify="left" if k < 2 else "right", no_wrap=k < 2)
    for row in (row for pairing in pairings for row in _rows(pairing)):
        table.add_row(*(row[k] for k in shown))
    console.print(table)
    for game in games:
        won = f"{100 * game.win_rate:.2f} ± {50 * (game.ci95[1] - game.ci95[0]):.2f}% of {2 * game.games:,} games"
        console.print(f"{game.plays}: {game.callers[0]} wins {won} against {game.callers[1]}")
