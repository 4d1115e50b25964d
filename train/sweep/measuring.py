"""The matches of a sweep: every trained policy against the opponents, and against the reference of its seed.

They are played as a tournament's pairings are, by the same workers and into the same kind of folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from cardenvs.baselines.match.side import Side
from cardenvs.baselines.runs.store import Store
from cardenvs.baselines.tournament.settings import TournamentSettings, files_of
from cardenvs.contract.registry import named_game
from cardenvs.policy.registry import split_names
from cardenvs.train.sweep.settings import Run, Sweep, Variant

FOLDER = "measurement"
"""The folder of the matches within a sweep's folder."""


@dataclass(frozen=True)
class MatchSettings(TournamentSettings):
    """The settings of the matches of variants with the same rules.

    Attributes:
        policies: paths of the trained policies.
        opponents: the sides that all of them play against.
        references: of each policy that plays against another one of them, both numbers in ``policies``.
    """

    opponents: list[str] = field(default_factory=list)
    references: list[tuple[int, int]] = field(default_factory=list)

    kind: ClassVar[str] = "measurement"
    otherwise: ClassVar[str] = "delete that folder, and all is measured anew: what is trained stays"

    @property
    def sides(self) -> list[list[str]]:
        """The policies of every side: the trained ones, then the opponents."""
        return [*([path] for path in self.policies), *map(split_names, self.opponents)]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairings: every trained policy against every opponent, then those against references."""
        trained = len(self.policies)
        against = [(a, trained + b) for a in range(trained) for b in range(len(self.opponents))]
        return [*against, *self.references]

    def differences(self, stored: dict[str, Any]) -> list[str]:
        """The differences from the settings ``stored`` in a folder, a phrase for each."""
        changes = super().differences(stored)
        if stored["opponents"] != self.opponents:
            changes.append(f"the opponents {', '.join(stored['opponents'])}, not {', '.join(self.opponents)}")
        if list(map(tuple, stored["references"])) != self.references:
            changes.append("another reference")
        return changes


def match_settings(sweep: Sweep, group: Sequence[Variant], out: Path) -> tuple[MatchSettings, list[Run]]:
    """The settings of the matches of variants with the same rules, and the trainings whose policies they name.

    Args:
        sweep: the sweep.
        group: the variants, a group of `Sweep.same_rules`.
        out: the sweep's folder, with all trainings complete.

    Raises:
        ValueError: a policy that cannot be made.
        OSError: a file that cannot be read.
    """
    runs = [run for run in sweep.runs if run.variant in group]
    first = {run.seed: k for k, run in enumerate(runs) if run.variant.name == sweep.measure.reference}
    references = [(k, first[run.seed]) for k, run in enumerate(runs) if first and k != first[run.seed]]
    spec, opponents = named_game(sweep.game), list(sweep.measure.opponents)
    paths = [str(out / run.policy) for run in runs]
    settings = MatchSettings(
        spec.name, paths, sweep.measure.deals, dict(group[0].config.options), sweep.measure.seed,
        files_of(spec, [*paths, *opponents]), spec.digest, opponents, references,
    )  # fmt: skip
    return settings, runs


def try_opponents(sweep: Sweep) -> None:
    """Lets every opponent decide once under all rules that it will play, so that one that cannot play is known at once.

    Raises:
        ValueError: an opponent cannot play, such as a program that is not there; names it.
    """
    spec = named_game(sweep.game)
    for group in sweep.same_rules():
        for name in sweep.measure.opponents:
            try:
                Side(spec, name).warm_up(spec, **group[0].config.options)
            except ValueError as error:
                raise ValueError(f"the opponent {name!r} cannot play: {error}") from error


def play_matches(
    sweep: Sweep, out: Path, play: Callable[[TournamentSettings, Path], Store | None]
) -> list[tuple[Store, list[Run]]] | None:
    """Plays the matches of a sweep; deals that were played before are not played again.

    Args:
        sweep: the sweep.
        out: the sweep's folder, with all trainings complete.
        play: plays matches in a folder, as `cardenvs.baselines.tournament.play_all` does.

    Returns:
        For each group of `Sweep.same_rules` the folder that holds its matches, and the trainings in their order there; None
        if ``play`` was interrupted.

    Raises:
        ValueError, OSError, RuntimeError: as `match_settings` and ``play``.
    """
    played = []
    groups = list(sweep.same_rules())
    for group in groups:
        settings, runs = match_settings(sweep, group, out)
        store = play(settings, out / FOLDER / (group[0].folder if len(groups) > 1 else ""))
        if store is None:
            return None
        played.append((store, runs))
    return played
