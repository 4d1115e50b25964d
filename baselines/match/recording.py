"""Matches as records: each deal as a line of text, under a line that says who sat where (`cardenvs.contract.record`)."""

import os
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.match.side import Side, indices_in_side
from cardenvs.contract.fields import Games
from cardenvs.contract.record import seats_line
from cardenvs.contract.spec import GameSpec
from cardenvs.files import write_whole


class Recorder:
    """Keeps the text of a match's deals, in memory; an observer for `cardenvs.baselines.match.play_match`.

    Deals are grouped by who sat where, in the order in which they were numbered; deals of one game stay together. A record
    does not depend on how many deals are played at a time. Raises ValueError for a policy whose name cannot stand in it.
    """

    def __init__(self, game: GameSpec, sides: Sequence[Side]) -> None:
        self.game = game
        self._names = [[player.name for player in side.policies] for side in sides]
        for names in self._names:
            seats_line(names)  # before anything is played
        self._lines: dict[tuple[tuple[int, int], ...], list[str]] = {}

    def __call__(self, games: Games, owner: npt.NDArray[np.int64]) -> None:
        """Keeps finished deals, structured (k,), with histories; ``owner``, int64 (k, seats), has the side of each seat."""
        indices = indices_in_side(self.game.seat_sides(games))
        for state, seated in zip(games, np.stack([owner, indices], 2).tolist(), strict=True):
            self._lines.setdefault(tuple(map(tuple, seated)), []).append(self.game.text(state))

    def text(self, remark: str = "") -> str:
        """The record so far, below a line of comment with ``remark``, such as the command that repeats the deals."""
        lines = [f"# {' '.join(remark.split())}"] if remark else []
        for seated, deals in sorted(self._lines.items()):
            lines.append(seats_line([self._names[side][index] for side, index in seated]))
            lines += deals
        return "\n".join([*lines, ""])

    def write(self, path: str | os.PathLike[str], remark: str = "") -> None:
        """Writes `text` to a file, whole or not at all; raises OSError where the folder cannot be written."""
        write_whole(path, self.text(remark))
