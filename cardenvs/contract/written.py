"""Kernels for what observations leave out, hidden parts and the order of play, for games that bring none."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.jit import kernel
from cardenvs.contract.fields import Part
from cardenvs.contract.generated import KernelMaker
from cardenvs.contract.kernels import Kernel


@kernel
def _write_nothing(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
    pass


def make_reveal(made: KernelMaker, hidden: tuple[Part, ...], names: Sequence[str]) -> tuple[Kernel, tuple[Part, ...]]:
    """Returns the kernel ``reveal`` and the parts that it writes; ``names`` are those of the seats of a view."""
    layout, view, seats = made.layout, made.brought["view"], made.seats
    private = tuple(part for part in layout.parts if part.private) or layout.parts
    parts = tuple(
        replace(part, name=f"{part.name}_{seat}", meaning=f"{part.meaning} (as {seat} sees it)", source=None)
        for seat in names[1:]
        for part in private
    )
    width = sum(part.size for part in private)
    write_private = layout.writer_kernel(made.module_name, "private", private)
    write_hidden = layout.writer_kernel(made.module_name, "hidden", hidden) if hidden else _write_nothing

    @made.compiled("reveal")
    def reveal(games: Any, i: int, seat: int, out: Bytes, row: int, column: int) -> None:
        """Writes the views of the other seats, then the hidden parts."""
        views = np.empty_like(games[i : i + 1])
        for k in range(1, seats):
            view(games, i, (seat + k) % seats, views, 0)
            write_private(views, 0, out, row, column)
            column += width
        write_hidden(games, i, out, row, column)

    return reveal, parts + hidden


def make_recall(made: KernelMaker) -> dict[str, Any]:
    """Returns the kernels ``recall`` and ``recollect``, one-hot actions of a view's history, and their parts."""
    most, actions = made.most, len(made.actions)
    labels = (*made.actions, "hidden") if "seen" in made.brought else made.actions
    width = len(labels)

    @made.compiled("recall")
    def recall(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
        v = views[i]
        for k in range(most * width):
            out[row, column + k] = 0
        for k in range(v.moves):
            action = int(v.history[k])  # of a small type, in which the index could overflow
            out[row, column + width * k + (action if action >= 0 else actions)] = 1

    @made.compiled("recollect")
    def recollect(observations: Bytes, row: int, column: int, views: Any, j: int) -> None:
        v = views[j]
        for k in range(most):
            for action in range(width):
                if observations[row, column + width * k + action] != 0:
                    v.history[k] = action if action < actions else -1
                    v.moves = k + 1

    parts = tuple(Part(f"act_{k + 1}", labels, f"action {k + 1} of the deal") for k in range(most))
    return {"recall": recall, "recollect": recollect, "recall_parts": parts}
