"""What control variates and duplicate deals take off the noise of a match in Euchre; writes docs/results/variance.md.

    python benchmarks/variance.py --report docs/results/variance.md

Variances are of a figure for two games of cards, so that rows can be compared: a deal played twice, or two single deals.
The number of games needed for an interval of a given width is proportional to the variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
from measuring import count_option, hand_over, tell, written_by

from cardenvs import cli
from cardenvs.baselines.evaluation import evaluate_against
from cardenvs.baselines.match import Side, match_deals, play_deals, play_match
from cardenvs.baselines.observers.control import DEALER_VALUE, dealer_values
from cardenvs.baselines.reports.document import Code, Document, Estimate, Heading, Table, Text, said
from cardenvs.baselines.reports.markdown import text_of
from cardenvs.baselines.reports.statistics import Z95
from cardenvs.baselines.search.trick.double_dummy import deal_points, solve, solve_cards
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.games import euchre

Values = npt.NDArray[np.float64]
FORCED = {"bidding": "forced-spades"}
"""Rule options of the published protocol."""
PAIRS = (
    ("coop-high-low", "high-low"),
    ("hybrid", "random"),
    ("monte-carlo", "coop-high-low"),
    ("pimc:worlds=10", "hybrid"),
)
"""The policies that meet over single deals."""
PUBLISHED = (("coop-high-low", "high-low"), ("hybrid", "low"), ("hybrid", "random"), ("monte-carlo", "coop-high-low"))
"""The policies that meet over whole games of the published protocol."""
SURROGATES = ("low", "high", "high-low", "coop-high-low", "hybrid", "markov2", "random", "card-counting")
"""Fast agents whose results on the same deals are tried as controls."""
REDEALS = 24
"""Re-deals drawn for the mean value of an opening lead."""
PAIRING = ("bidding", "first", "second")
VARIANCES = ("single", "single, with double-dummy", "duplicate")
CONTROLS = ("size of value", "opening lead", "agents")
GAME_HEADS = (
    "first", "second", "games won, %", "with control", "worth", "points a game above", "points with control",
    "worth in points", "mean of the control",
)  # fmt: skip


def spread(values: Values) -> float:
    """The variance of values, float64 (n,)."""
    return float(values.var(ddof=1))


def left_over(values: Values, controls: Sequence[Values]) -> float:
    """The share of the variance of values that controls leave, fitted on one half and used on the other.

    Args:
        values: the values, float64 (n,).
        controls: the control variates, each float64 (n,) with expectation 0.
    """
    features = np.column_stack([np.ones(len(values)), *controls])
    half = len(values) // 2
    rest = np.empty(len(values))
    for fitted, used in ((slice(half), slice(half, None)), (slice(half, None), slice(half))):
        multiples = np.linalg.lstsq(features[fitted], values[fitted], rcond=None)[0]
        rest[used] = values[used] - features[used, 1:] @ multiples[1:]
    return spread(rest) / spread(values)


def side_0(points: npt.NDArray[np.int64]) -> Values:
    """Side 0's points less side 1's, float64 (n,), from the points of both sides, int64 (n, 2)."""
    return (points[:, 0] - points[:, 1]).astype(np.float64)


def suit_values(games: Games) -> list[Values]:
    """Double-dummy tricks of side 0 less side 1 with each trump, the dealer's side being the makers.

    Args:
        games: deals before the bidding, a structured array of shape (n,).

    Returns:
        Four arrays, float64 (n,): for the turned suit (not picked up), the other suit of its colour, and the two suits of
        the other colour. The values change sign when the sides are exchanged, so their expectation is 0.
    """
    turned = np.array([euchre.SUIT_OF[4, int(card).bit_length() - 1] for card in games["turned"]])
    across = np.array([[suit for suit in range(4) if suit not in (shown, 3 - shown)] for shown in turned])
    values = []
    for suit in (turned, 3 - turned, across[:, 0], across[:, 1]):
        trial = games.copy()
        trial["phase"], trial["trump"], trial["maker"] = euchre.PLAYING, suit, trial["dealer"]
        trial["leader"] = trial["to_act"] = (trial["dealer"] + 1) & 3
        values.append(side_0(solve(trial)))
    return values


def lead_points(games: Games) -> Values:
    """Double-dummy points, less the other side's, of every opening lead, float64 (n, 24); nan for cards not to be led."""
    tricks, side, rows = solve_cards(games), np.asarray(games["to_act"]) & 1, np.arange(len(games))
    leads = np.full(tricks.shape, np.nan)
    for card in range(24):
        both = np.zeros((len(games), 2), np.int64)
        legal = tricks[:, card] >= 0
        both[rows, side], both[rows, 1 - side] = tricks[:, card], np.where(legal, 5 - tricks[:, card], 0)
        points = deal_points(games, both)
        leads[legal, card] = (points[rows, side] - points[rows, 1 - side])[legal]
    return leads


def lead_luck(games: Games, seed: int) -> Values:
    """`lead_points` less their mean over hands consistent with the leader's view, float64 (n, 24): expectation 0."""
    n = len(games)
    views, drawn, streams = euchre.SPEC.new_games(n), euchre.SPEC.new_games(n), seed_streams(seed, n)
    for i in range(n):
        euchre.view(games, i, int(games[i]["to_act"]), views, i)
    total = np.zeros((n, 24))
    for _ in range(REDEALS):
        for i in range(n):
            euchre.redeal(views, i, streams, i, drawn, i)
        total += lead_points(drawn)
    return lead_points(games) - total / REDEALS


def rows_of_deals(deals: int, seed: int) -> list[list[Text]]:
    """What duplicate play and controls leave of the noise of single deals: cells of `PAIRING`, `VARIANCES`, `CONTROLS`."""
    table: list[list[Text]] = []
    for name, rules in (("forced spades", FORCED), ("full", {})):
        games, _ = match_deals(euchre.SPEC, 0, deals, seed, rules)
        if rules:
            sign = np.where(games["dealer"] % 2 == 0, 1, -1)
            features = [side_0(deal_points(games, solve(games)))]
            luck = lead_luck(games, seed + 1)
            strength = [np.abs(features[0]), (features[0] * sign == 2).astype(float)]
        else:
            features = suit_values(games)
            strength = [np.abs(feature) for feature in features]
        for first, second in PAIRS:
            seen: list[tuple[Games, npt.NDArray[np.int64]]] = []
            play_match(
                "euchre", first, second, deals=deals, seed=seed, batch_size=2 * deals,
                observer=lambda states, owner, seen=seen: seen.append((states.copy(), owner.copy())), **rules,
            )  # fmt: skip
            points = play_deals("euchre", first, second, range(deals), seed=seed, **rules).points
            single = (points[:, 0, 0] - points[:, 0, 1]).astype(np.float64)
            paired = (points[..., 0] - points[..., 1]).mean(1)
            surrogates = []
            for agent in SURROGATES:
                if agent not in (first, second):
                    played = play_deals("euchre", agent, second, range(deals), seed=seed, **rules).points
                    surrogates.append((played[..., 0] - played[..., 1]).mean(1))
            lead = ""
            if rules:
                states, owner = seen[0]
                control = np.zeros(deals)
                rows = np.arange(deals)
                for copy in (0, 1):
                    part = slice(copy * deals, (copy + 1) * deals)
                    card = states["history"][part, 0].astype(int)
                    leads = owner[part][rows, (states["dealer"][part] + 1) & 3]
                    control += np.where(leads == 0, 0.5, -0.5) * luck[rows, card]
                lead = f"{left_over(paired, [control]):.2f}"
            table.append(
                [
                    name,
                    Code(first),
                    Code(second),
                    f"{spread(single) / 2:.3f}",
                    f"{spread(single) / 2 * left_over(single, features):.3f}",
                    f"{spread(paired):.3f}",
                    f"{left_over(paired, strength):.2f}",
                    lead,
                    f"{left_over(paired, surrogates):.2f}",
                ]
            )
            tell(" ".join(map(text_of, table[-1])))
    return table


def rows_of_games(games: int, seed: int) -> list[list[Text]]:
    """What the control takes off the noise of whole games: rows of cells under `GAME_HEADS`."""
    table: list[list[Text]] = []
    for first, second in PUBLISHED:
        sides = Side(euchre.SPEC, first), Side(euchre.SPEC, second)
        result = evaluate_against(
            euchre.SPEC, *sides, deals=games, seed=seed, protocol="published", cooperation=False, control="double-dummy"
        )
        controlled, match = result.controlled, result.match
        assert controlled is not None
        table.append(
            [
                Code(first),
                Code(second),
                Estimate(match.win_rate, percent=True),
                Estimate(controlled.win_rate, percent=True),
                f"{controlled.games_without_win_rate:,}",
                Estimate(match.points_margin),
                Estimate(controlled.points_margin),
                f"{controlled.games_without_points:,}",
                Estimate(controlled.control_mean),
            ]
        )
        tell(" ".join(map(text_of, table[-1])))
    return table


def document(of_deals: list[list[Text]], of_games: list[list[Text]], games: int, origin: str) -> Document:
    """The report."""
    parts = [
        said(f"{origin}."),
        Heading("Deals"),
        said(
            """Variance of the first side's points less the other's, for two games of cards; the games needed for the same
            interval are in proportion. **Single**: two different deals; **with double-dummy**: the deal's value taken out,
            in full bidding by regression on the tricks with each of the four trumps. **Duplicate**: one deal played twice
            with the sides exchanged."""
        ),
        Table([*PAIRING, *VARIANCES], [row[:6] for row in of_deals], left=3, spare=VARIANCES[:1]),
        said(
            f"""Duplicate play is the better of the two everywhere, and the deal's value cancels in it. What other controls
            leave of its variance (1.00: nothing gained; each fitted on half of the deals and used on the other half): the
            **size** of the deal's values; the luck of the **opening lead**, its exact value less the mean over hands
            consistent with the leader's view ({REDEALS} drawn); and the results of the fast **agents** against the same
            opponent on the same deals."""
        ),
        Table([*PAIRING, *CONTROLS], [[*row[:3], *row[6:]] for row in of_deals], left=3),
        said(
            """Where fast agents explain a good part, the policy is one of them in all but a few decisions and fast itself:
            it is cheaper to play more deals. None of these is offered for duplicate play."""
        ),
        Heading("Whole games of the published protocol"),
        said(
            f"""{games:,} games without bidding; `cardenvs evaluate euchre POLICY --protocol published --control
            double-dummy`. **Worth** is the number of games that would give the same interval without the control. The
            control's expectation is 0."""
        ),
        Table(GAME_HEADS, of_games, left=2, spare=GAME_HEADS[5:]),
        said(
            """With the control, games are played through observations and solved, without it those of the heuristic agents
            run in one kernel, many times as fast: it saves time for searching and learned policies only."""
        ),
    ]
    return Document("Noise in Euchre matches: duplicate deals and control variates", parts)


def mean_dealer_value(deals: int, seed: int) -> tuple[float, float]:
    """The mean of `dealer_values` over ``deals`` deals and half of its 95% interval."""
    total = square = 0.0
    done = 0
    while done < deals:
        count = min(100_000, deals - done)
        games, _ = match_deals(euchre.SPEC, done, count, seed, FORCED)
        values = dealer_values(games)
        total, square, done = total + float(values.sum()), square + float((values**2).sum()), done + count
    mean = total / done
    return mean, Z95 * math.sqrt((square / done - mean**2) / done)


@click.command()
@count_option("--deals", 4000, "Deals of each pairing over single deals.")
@count_option("--games", 10_000, "Games of each pairing over whole games.")
@click.option("--dealer-value", type=click.IntRange(min=1), metavar="DEALS", help="Only measure the mean value of a deal.")
@cli.report_option
@cli.seed_option
def main(deals: int, games: int, dealer_value: int | None, report: Path | None, seed: int) -> None:
    """What control variates and duplicate deals take off the noise of a match in Euchre."""
    if dealer_value is not None:
        mean, half = mean_dealer_value(dealer_value, seed)
        print(f"{mean:.5f} ±{half:.5f} over {dealer_value:,} deals; in use: {DEALER_VALUE}")
        return
    origin = written_by(__file__, deals=deals, games=games, seed=seed)
    told = document(rows_of_deals(deals, seed), rows_of_games(games, seed), games, origin)
    hand_over(None, told, report, as_json=False)


if __name__ == "__main__":
    main()
