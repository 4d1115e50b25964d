"""Output of ``cardenvs reproduce five-o``: the report with its plots, and tables on the terminal."""

from __future__ import annotations

import functools
import textwrap
from pathlib import Path

import numpy as np

from cardenvs.baselines.reports.files import write_report
from cardenvs.baselines.reproduce.five_o.cells import Figures, rate_of, rate_text
from cardenvs.baselines.reproduce.five_o.plots import PLOTS
from cardenvs.baselines.reproduce.five_o.sections_chances import exact_section, independence_section, table2_section
from cardenvs.baselines.reproduce.five_o.sections_figures import figure2_section, figure3_section, figure4_section
from cardenvs.baselines.reproduce.five_o.sections_table3 import cycle_line, cycle_section, greedy1_section, table3_section
from cardenvs.baselines.reproduce.five_o.settings import SAMPLES
from cardenvs.baselines.reproduce.shared import print_table, written_by
from cardenvs.printing import PlainConsole

_SECTIONS = (
    table2_section,
    table3_section,
    greedy1_section,
    cycle_section,
    figure2_section,
    figure3_section,
    figure4_section,
    independence_section,
    exact_section,
)


def _wrapped(block: str) -> str:
    """A block of Markdown: a paragraph in lines of like length; tables, heads and lists as they are."""
    if block.startswith(("|", "#", "-", "!", "Written by")):
        return block
    return textwrap.fill(" ".join(block.split("\n")), 120, break_long_words=False, break_on_hyphens=False)


def markdown(figures: Figures, command: str, plots: dict[str, str | None]) -> str:
    """The report.

    Args:
        figures: all figures, as `figures.reproduce` gives them.
        command: the command that measures the figures again.
        plots: the plots' file names, by their names in `PLOTS`; None for a plot that is left out.
    """
    lines = [
        "# Five-O: the paper's tables and figures again",
        "",
        f"{written_by(command)}, seed {figures['settings']['seed']}.",
        "",
        'Source: S. Aharon and M. Mandel, "Five-O Poker". Intervals are 95% confidence intervals from the spread between',
        "deals.",
        "",
    ]
    for section in _SECTIONS:
        lines += section(figures)
    blocks = [_wrapped(block) for block in "\n".join(lines).strip().split("\n\n")]
    for name, file in plots.items():
        mark = f"({{{name}}})"
        blocks = [block.replace(mark, f"({file})") for block in blocks if file is not None or mark not in block]
    return "\n\n".join(blocks) + "\n"


def write_figures(figures: Figures, path: Path, command: str) -> None:
    """Writes the report, its plots (without matplotlib there are none) and a JSON file beside it, each whole or not at all.

    Args:
        figures: all figures, as `figures.reproduce` gives them.
        path: the report's file; plots and JSON file are named after it.
        command: the command that measures the figures again.

    Raises:
        OSError: a file cannot be written.
    """

    def text(*names: str | None) -> str:
        return markdown(figures, command, dict(zip(PLOTS, names, strict=True)))

    pictures = {name: functools.partial(draw, figures) for name, draw in PLOTS.items()}
    write_report(path, path.with_suffix(".json"), f"{path.stem}_", figures, text, pictures)


def show(figures: Figures) -> None:
    """Prints the ladder, the cycle and the errors of Table II on the terminal."""
    table = figures["table3"]
    totals = {row["agent"]: row for row in table["comparison"]["totals"]}
    rows = []
    for row in [*table["standings"], *table["extra"]]:
        printed = totals.get(row["agent"])
        rows.append(
            [
                row["agent"],
                "-".join(map(str, printed["paper"])) if printed else "",
                f"{row['wins_of_70']:.1f}" if printed else "",
                rate_text(rate_of(row)),
            ]
        )
    title = "Five-O: Table III, against the paper's eight agents"
    print_table(title, ["agent", "W-L, paper", "of 70, ours", "won, %"], rows)
    console = PlainConsole()
    for row in table["paper_cycle"]:
        console.print(cycle_line(row)[2:])
    for printed in figures["table2"]["paper"]:
        ours = [row["samples"][SAMPLES.index(printed["samples"])] for row in figures["table2"]["rows"]]
        console.print(
            f"{printed['samples']:,} samples: mean error {np.mean([of['mean_absolute'] for of in ours]):.4f}, "
            f"{np.mean([of['expected_mean_absolute'] for of in ours]):.4f} expected, "
            f"{printed['mean_absolute']:.4f} in the paper",
            highlight=False,
        )
