"""The settings of a tournament: all that its results depend on, checked before anything is played."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from cardenvs import plugins, policy
from cardenvs.baselines.match.play import play_deals
from cardenvs.baselines.match.results import DealResults, Margins
from cardenvs.baselines.match.side import Side
from cardenvs.baselines.resume import OTHERWISE
from cardenvs.checks import check_int, check_list, check_seed
from cardenvs.contract.registry import get_game, named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.registry import split_names
from cardenvs.randomness import given_seed

MOST_DEALS = 9_999_999
"""The most deals of a pairing, which the names of the files of results have digits for."""


@dataclass(frozen=True)
class TournamentSettings:
    """The settings of a tournament: all that its results depend on.

    Subclasses are the settings of other play over the same deals (`cardenvs.baselines.crossplay`): who plays whom, and
    which results are kept.

    Attributes:
        kind: a word for what is played, such as ``tournament``; also the stem of the settings' file.
        otherwise: what can be done where a folder has other settings, besides going on with those (`was_begun`).
        results: the class of the results that a chunk holds.
        game: the game's name.
        policies: names or paths of the sides, in the order given.
        deals: deals of each pairing, each played with the pairing's first on every side: with two sides twice.
        options: all rule options.
        seed: the seed of the deals and of the policies' random choices.
        files: SHA-256 hash of the file of each trained policy, and of each that is named by its file, by path.
        description: the digits of the game's description (`cardenvs.contract.spec.GameSpec.digest`); empty for a game
            without one.
    """

    game: str
    policies: list[str]
    deals: int
    options: dict[str, Any]
    seed: int
    files: dict[str, str] = field(default_factory=dict)
    description: str = ""

    kind: ClassVar[str] = "tournament"
    otherwise: ClassVar[str] = OTHERWISE
    results: ClassVar[type[DealResults]] = DealResults

    @property
    def sides(self) -> list[list[str]]:
        """The policies of every side: one for all seats of the side, or one for each seat."""
        return [split_names(name) for name in self.policies]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairings, each as the indices of its two sides in `sides`.

        In a game of more than two sides, where the second holds several, two policies are paired both ways.
        """
        numbers = range(len(self.policies))
        two = named_game(self.game).num_sides == 2
        return list(itertools.combinations(numbers, 2) if two else itertools.permutations(numbers, 2))

    @property
    def most(self) -> Margins:
        """The greatest margins that a deal can bring."""
        return Margins.of(named_game(self.game), self.options)

    def play(self, game: GameSpec, first: Side, second: Side, deals: range) -> DealResults:
        """Plays some deals of a pairing, given by their numbers; returns an object of the class `results`."""
        return play_deals(game, first, second, deals, seed=self.seed, **self.options)

    def differences(self, stored: dict[str, Any]) -> list[str]:
        """The differences from the settings ``stored`` in a folder, a phrase for each."""
        mine = asdict(self)
        changes = []
        for key in ("game", "deals", "seed"):
            if stored[key] != mine[key]:
                changes.append(f"{key} {stored[key]}, not {mine[key]}")
        if stored["policies"] != mine["policies"]:
            changes.append(f"the policies {', '.join(stored['policies'])}, not {', '.join(mine['policies'])}")
        if stored["game"] == mine["game"]:
            if stored.get("description", "") != mine["description"]:
                changes.append(f"another description of {self.game}")
            for name, value in mine["options"].items():
                if stored["options"].get(name) != value:
                    changes.append(f"{name} {stored['options'].get(name)}, not {value}")
        for path in sorted(set(stored["files"]) & set(mine["files"])):
            if stored["files"][path] != mine["files"][path]:
                changes.append(f"another content of {path}")
        return changes


def settings_for(
    game: str | GameSpec, policies: Sequence[str] | None = None, *, deals: int = 1000, seed: int | str = 0, **options: Any
) -> TournamentSettings:
    """Checks and completes the settings of a tournament.

    Args:
        policies: names with parameters, mixed sides (``"high+low"``) or paths of trained policies; None: those of the
            game that play by default (`cardenvs.policy.default_names`).
        deals: deals of each pairing, each played with the pairing's first on every side: with two sides twice.
        seed: an int of at least 0, or ``"random"``.
        options: rule options.

    Raises:
        ValueError: unknown game, policy or option, fewer than two policies, a policy given twice, ``deals`` below 1.
        OSError: a policy's file that cannot be read.
    """
    spec = get_game(game)
    values = all_options(spec, options)
    chosen = policy.default_names(spec) if policies is None else check_list("policies", policies, "names of policies")
    if len(chosen) < 2:
        raise ValueError(f"a tournament needs at least two policies, not {len(chosen)}: {', '.join(chosen) or 'none'}")
    for name in chosen:
        if chosen.count(name) > 1:
            raise ValueError(f"policies must differ, and {name!r} is given twice")
    seed = given_seed(seed)
    check_size(deals, seed)
    return TournamentSettings(spec.name, chosen, deals, values, seed, files_of(spec, chosen), spec.digest)


def all_options(spec: GameSpec, options: dict[str, Any]) -> dict[str, Any]:
    """All rule options of a game by name: the values given, and the defaults of the options not given.

    Raises:
        ValueError: unknown option or value.
    """
    codes = spec.option_codes(options)
    return {option.name: option.decode(codes[option.name]) for option in spec.options}


def check_size(deals: int, seed: int) -> None:
    """Raises ValueError if ``deals`` is no int from 1 to `MOST_DEALS`, or ``seed`` no seed."""
    check_int("deals", deals, 1)
    if deals > MOST_DEALS:
        raise ValueError(f"deals must be at most {MOST_DEALS}, not {deals}")
    check_seed(seed)


def files_of(game: GameSpec, sides: Sequence[str]) -> dict[str, str]:
    """SHA-256 hashes of the files of the policies of some sides, by path; checks that all these policies can be made.

    Args:
        sides: the sides' names or paths, mixed sides joined by ``+``.

    Raises:
        ValueError: unknown policy, or another number of policies than one or as many as a side has seats.
        OSError: a file that cannot be read.
    """
    files = {}
    for name in sides:
        Side(game, name)
        for part in split_names(name):
            code = plugins.split_code(part, lambda base: policy.has(game, base))
            path = policy.path_of(part) if code is None else code.where if code.where.endswith(".py") else None
            if path is not None:
                files[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return files
