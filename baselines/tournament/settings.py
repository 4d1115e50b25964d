"""The settings of a tournament: all that its results depend on, checked before anything is played."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from cardenvs import policy
from cardenvs.baselines.runs.pairings import PairingPlan
from cardenvs.checks import check_list
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.policy.registry import split_names


@dataclass(frozen=True, kw_only=True)
class TournamentSettings(PairingPlan):
    """The settings of a tournament."""

    policies: list[str]  # names or paths of the sides, in the order given

    kind: ClassVar[str] = "tournament"

    @property
    def sides(self) -> list[list[str]]:
        """The policies of every side: one for all seats of the side, or one for each seat; with one side every team."""
        own = [split_names(name) for name in self.policies]
        if not self.spec.one_sided:
            return own
        seats = self.spec.seats
        full = [parts if len(parts) == seats else parts * seats for parts in own]
        return [*own, *([full[a][0], *full[b][1:]] for a, b in self.mixed)]

    @property
    def mixed(self) -> list[tuple[int, int]]:
        """In a game of one side the policies that also play together: the first at the first seat, the second elsewhere."""
        if not self.spec.one_sided or not self.spec.team:
            return []
        return list(itertools.permutations(range(len(self.policies)), 2))

    @property
    def pairs(self) -> list[tuple[int, ...]]:
        """The pairings, each as the indices of its two sides in `sides`.

        In a game of more than two sides, where the second holds several, two policies are paired both ways. With one
        side every team plays by itself.
        """
        numbers = range(len(self.policies))
        if self.spec.one_sided:
            return [(team,) for team in range(len(self.sides))]
        return list(itertools.combinations(numbers, 2) if self.spec.num_sides == 2 else itertools.permutations(numbers, 2))


def settings_for(
    game: str | GameSpec, policies: Sequence[str] | None = None, *, deals: int = 1000, seed: int | str = 0, **options: Any
) -> TournamentSettings:
    """Checks and completes the settings of a tournament.

    Args:
        policies: names with parameters, mixed sides (``"high+low"``) or paths of trained policies; None: those of the
            game that play by default (`cardenvs.policy.default_names`).
        deals: deals of each pairing, each played with the pairing's first on every side: with two sides twice.

    Raises:
        ValueError: unknown game, policy or option, fewer than two policies, a policy given twice, ``deals`` below 1.
        OSError: a policy's file that cannot be read.
    """
    spec, options = form_of(game, options, settings_for)
    chosen = policy.default_names(spec) if policies is None else check_list("policies", policies, "names of policies")
    if len(chosen) < 2:
        raise ValueError(f"a tournament needs at least two policies, not {len(chosen)}: {', '.join(chosen) or 'none'}")
    for name in chosen:
        if chosen.count(name) > 1:
            raise ValueError(f"policies must differ, and {name!r} is given twice")
    return TournamentSettings.checked(spec, options, deals=deals, seed=seed, policies=chosen)
