"""The report's sections on chances: Table II, the cost of assuming independence, and the cost of exact chances."""

from __future__ import annotations

from cardenvs.baselines.reproduce.five_o.cells import Figures, rate_of, rate_text
from cardenvs.baselines.reproduce.five_o.settings import JOINT_SAMPLES, SAMPLES
from cardenvs.printing import table_lines


def table2_section(figures: Figures) -> list[str]:
    """Table II: simulated and exact chances, as lines of Markdown."""
    heads = ["row", "samples", "mean error", "expected", "std", "expected", "largest", "win: mean error", "largest"]
    heads += ["another choice, %", "given away, %"]

    def cells(row: str, of: Figures) -> list[str]:
        line = [row, f"{of['samples']:,}"]
        line += [f"{of[key]:.4f}" for key in ("mean_absolute", "expected_mean_absolute", "deviation", "expected_deviation")]
        line += [f"{of['largest']:.4f}", f"{of['win_mean_absolute']:.4f}", f"{of['win_largest']:.4f}"]
        if "choices_differ" not in of:
            return [*line, "", ""]
        return [*line, f"{100 * of['choices_differ']:.0f}", f"{100 * of['given_away']:.3f}"]

    lines = [cells("paper", of) for of in figures["table2"]["paper"]]
    lines += [cells(str(row["row"]), of) for row in figures["table2"]["rows"] for of in row["samples"]]
    count = figures["settings"]["positions"]
    stds = ", ".join(f"{of['deviation']:.4f}" for of in figures["table2"]["paper"])
    return [
        "## Table II: simulated and exact chances",
        "",
        "How far simulated column chances are from the exact ones. The paper shows one position (put and wait of five",
        f"columns); here are {count} of each row from games of `greedy2` against itself, each the first turn of its row,",
        "when all five columns are open as in the paper's. *Expected*: what independent draws give, with a standard error",
        "of sqrt(p (1 - p) / samples) for each chance. *Win*: the chance to win the game after a placement, by equation 3.",
        "*Another choice*: how often the agent would put its card elsewhere than by the exact chances, and *given away*:",
        "how much of the chance to win (equation 3, exact) that costs on average.",
        "",
        "![Errors of simulated chances]({table2})",
        "",
        *table_lines(heads, lines),
        f"The paper's errors ({stds} in standard deviation) are those of binomial draws, and so are",
        "ours: they fall tenfold for a hundred times the samples. From the paper's printed put and wait chances equation 3",
        "gives its printed win chances, but for the rounding of the sixth digit.",
        "",
    ]


def independence_section(figures: Figures) -> list[str]:
    """The cost of taking the columns for independent, as lines of Markdown."""
    part = figures["independence"]
    match = part["match"]
    lines = [
        [
            str(row["row"]), f"{row['positions']:,}", f"{100 * row['mean_absolute_difference']:.2f}",
            f"{100 * row['mean_difference']:+z.2f}", f"{100 * row['choices_differ']:.0f}", f"{100 * row['mean_loss']:.3f}",
        ]
        for row in part["rows"]
    ]  # fmt: skip
    return [
        "## What independence costs",
        "",
        "Equation 3 multiplies the columns' chances as if they were independent; they share a deck. Beside it the share of",
        f"the same completions in which three columns are won ({SAMPLES[-1]:,} completions of a position, all of them in",
        "the last row). Positions are of all turns with a choice, in games of `greedy2`. Percentage points of the",
        "chance to win:",
        "",
        *table_lines(
            ["row", "positions", "mean difference", "equation 3 less the other", "another choice, %", "given away"],
            lines,
        ),
        f"In play: `monte-carlo` that counts games (`joint=yes`) wins {rate_text(rate_of(match))}% of "
        f"{match['games']:,} games against the paper's, both with {JOINT_SAMPLES:,} completions.",
        "",
    ]


def exact_section(figures: Figures) -> list[str]:
    """The cost of exact chances, by row, as lines of Markdown."""
    rows = figures["exact"]
    lines = [
        [
            str(row["row"]), f"{row['exact_mean']:.2f}", f"{row['exact_largest']:.2f}",
            *(f"{row[f'sampled_{samples}']:.2f}" for samples in SAMPLES),
        ]
        for row in rows
    ]  # fmt: skip

    def first(samples: int) -> str:
        fitting = [row["row"] for row in rows if row["exact_mean"] <= row[f"sampled_{samples}"]]
        return f"row {min(fitting)}" if fitting else "no row"

    small, large = SAMPLES[1], SAMPLES[2]
    return [
        "## From which row on exact chances are affordable",
        "",
        f"Milliseconds of processor time a decision, {rows[0]['decisions']} decisions of each row, one at a time:",
        "",
        *table_lines(["row", "exact", "at most", *(f"{samples:,} samples" for samples in SAMPLES)], lines),
        f"Counting all completions takes no longer than {large:,} samples from {first(large)} on and than {small:,} from "
        f"{first(small)} on. The paper counts in the last row, and by tables held in memory in all rows but the first to "
        "be filled; here all rows are within reach (`exact:row=2`), and `exact` counts from row 3 on unless told",
        "otherwise.",
        "",
    ]
