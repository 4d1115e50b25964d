"""Pairings: sides that play each other over the same deals, by workers, resumably."""

import functools
import hashlib
import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from cardenvs import plugins, policy
from cardenvs.baselines.engine.work import Task
from cardenvs.baselines.match.play import play_deals, warm_up
from cardenvs.baselines.match.results import DealResults, Margins
from cardenvs.baselines.match.side import Side
from cardenvs.baselines.runs.plan import Chunk, Plan, all_options
from cardenvs.baselines.runs.series import Prepared, make_player
from cardenvs.baselines.runs.store import PairingStore, work_off
from cardenvs.checks import check_int, check_seed
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.policy.registry import split_names
from cardenvs.randomness import given_seed

MOST_DEALS = 9_999_999  # of a pairing: the names of the files of results have so many digits
MAX_BATCH = 1024  # most deals played at a time

Progress = Callable[[int, int], None]
"""A function that is called with two numbers: the deals finished so far, over all pairings, and the pairings finished."""


@dataclass(frozen=True, kw_only=True)
class PairingPlan(Plan):
    """The plan of play between sides, all pairings over the same deals.

    Attributes:
        deals: deals of each pairing, each played with the pairing's first on every side: with two sides twice.
        description: the digits of the game's description (`cardenvs.contract.spec.GameSpec.digest`); empty for a game
            without one.
    """

    deals: int
    description: str = field(default="", metadata={"differs": "another description of {game}"})

    rows: ClassVar[type[DealResults]] = DealResults

    @classmethod
    def checked(
        cls, game: str | GameSpec, options: Mapping[str, Any], *, deals: int, seed: int | str = 0, **own: Any
    ) -> Self:
        """Makes a plan with all rule options and the hashes of its policies' files.

        Args:
            options: rule options; in a game that has forms, parameters of the form, too.
            own: the fields that the class adds.

        Raises:
            ValueError: unknown game, policy, option or value, ``deals`` that are none.
            OSError: a policy's file that cannot be read.
        """
        spec, options = form_of(game, options)
        values, seed = all_options(spec, options), given_seed(seed)
        check_size(deals, seed)
        plan = cls(spec=spec, options=values, seed=seed, deals=deals, description=spec.digest, **own)
        return replace(plan, files=files_of(spec, ["+".join(side) for side in plan.sides]))

    @property
    @abstractmethod
    def sides(self) -> list[list[str]]:
        """The policies of every side: one for all seats of the side, or one for each seat."""

    @property
    @abstractmethod
    def pairs(self) -> list[tuple[int, ...]]:
        """The pairings, each as the indices of its two sides in `sides`; in a game of one side a team's alone."""

    @property
    def units(self) -> list[str]:
        """A word for each pairing, of the numbers of its sides."""
        return ["-".join(f"{side:03}" for side in pair) for pair in self.pairs]

    @property
    def pieces(self) -> int:
        """Number of deals of each pairing."""
        return self.deals

    @property
    def looks(self) -> list[int]:
        """Numbers of deals after which it is asked which pairings end (`is_enough`), and all deals at last."""
        return [self.deals]

    def is_enough(self, played: DealResults, deals: int) -> bool:
        """Whether a pairing ends after its first ``deals`` deals, which have been played."""
        return False

    @property
    def most(self) -> Margins:
        """The greatest margins that a deal can bring."""
        return Margins.of_game(self.spec, self.options)

    def begin(self) -> Callable[[Task[int]], Chunk[DealResults]]:
        """Makes the function that plays tasks; policies of the same name are one object on all sides."""
        named = functools.cache(functools.partial(policy.make, self.spec))

        @functools.cache
        def side_of(number: int) -> Side:
            return Side(self.spec, list(map(named, self.sides[number])))

        def prepare(pairing: int) -> Prepared:
            sides = list(map(side_of, self.pairs[pairing]))
            warm_up(self.spec, sides, **self.options)
            play = functools.partial(self.play, sides[0], sides[1] if len(sides) > 1 else None)
            return Prepared(sides, play, 2, MAX_BATCH)

        return make_player(prepare, lambda pairing: " - ".join(self.names(pairing)))

    def names(self, pairing: int) -> list[str]:
        """The names of the sides of a pairing."""
        return ["+".join(self.sides[side]) for side in self.pairs[pairing]]

    def play(self, first: Side, second: Side | None, deals: range) -> DealResults:
        """Plays some deals of a pairing, given by their numbers; returns an object of the class `rows`."""
        return play_deals(self.spec, first, second, deals, seed=self.seed, **self.options)


def check_size(deals: int, seed: int) -> None:
    """Raises ValueError if ``deals`` is no int from 1 to `MOST_DEALS`, or ``seed`` no seed."""
    check_int("deals", check_int("deals", deals, 1), 1, MOST_DEALS)
    check_seed(seed)


def files_of(game: GameSpec, sides: Sequence[str]) -> dict[str, str]:
    """SHA-256 hashes of the files of the policies of some sides, by path; checks that all these policies can be made.

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


def play_all(
    settings: PairingPlan,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> PairingStore:
    """Plays all deals of all pairings that are not finished yet, and keeps their results in a folder.

    A pairing that is forfeited (`cardenvs.policy.Forfeit`) keeps its finished deals and is not played on, now or when the
    folder is taken up again, as long as the folder has its record of forfeits.

    Args:
        settings: the plan, such as that of a tournament from `cardenvs.baselines.tournament.settings_for`.
        workers: processes that play; None: one for each core. With more than one, a script that calls this needs the usual
            ``if __name__ == "__main__":``.

    Raises:
        ValueError: another plan in the folder, or as of `cardenvs.baselines.runs.store.work_off`; an illegal action of a
            policy, named with its seat and position, after the finished deals have been kept.
        OSError, RuntimeError: as of `cardenvs.baselines.runs.store.work_off`.
    """
    store = PairingStore(out, settings)

    def count() -> None:
        if progress is not None:
            progress(int(store.done.sum()), int(store.done.all(1).sum()))

    count()
    going, played = [k for k in range(len(settings.pairs)) if k not in store.forfeits], 0
    for upto in settings.looks:
        going = [k for k in going if not (played and settings.is_enough(store.finished(k), played))]
        work_off(store, going, upto=upto, workers=workers, cluster=cluster, kept=lambda task, rows: count())
        going, played = [k for k in going if k not in store.forfeits], upto
    return store
