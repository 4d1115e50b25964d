"""``learned``: the policy of the trained networks that come with the package."""

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from cardenvs.checks import check_int
from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.compiled.streams import RandomSource
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy, choose_in_rows
from cardenvs.policy.explanation import Explanation
from cardenvs.train.inference.exported import SUFFIX
from cardenvs.train.inference.learned import TrainedPolicy, load

FOLDER = Path(str(resources.files("cardenvs.train"))) / "policies"
"""The folder of the shipped policies: ``generation-1``, ``generation-2`` and so on, each with the files of some games.

A file has the game's name, and its rules behind two hyphens if there are several. Games without a file in a generation
keep that of the generation before.
"""


def generations(game: str | GameSpec) -> list[int]:
    """Returns the generations in which a game has shipped policies, ascending."""
    name = get_game(game).name
    return [number for number, files in enumerate(_files_by_generation(), 1) if name in map(_game_of, files)]


def shipped_files(game: str | GameSpec, generation: int | None = None) -> list[Path]:
    """Returns the files of a game's shipped policies, sorted, one for each set of rules; generation None is the latest.
    Raises ValueError, listing the known ones, if the game has no policies of that generation."""
    name, known = get_game(game).name, generations(game)
    if generation is None:
        generation = max(known, default=0)
    elif check_int("generation", generation, 1) not in known:
        listed = f"must be one of {', '.join(map(str, known))}" if known else "has no meaning"
        raise ValueError(f"generation {listed} in {name}, not {generation}")
    upto = _files_by_generation()[:generation]
    latest = {file.name: file for files in upto for file in files if _game_of(file) == name}
    return [latest[file] for file in sorted(latest)]


def _files_by_generation() -> list[list[Path]]:
    """The files of each generation, from the first on, sorted."""
    numbers = range(1, 1 + len(list(FOLDER.glob("generation-*"))))
    return [sorted((FOLDER / f"generation-{number}").glob(f"*{SUFFIX}")) for number in numbers]


def _game_of(file: Path) -> str:
    return file.stem.partition("--")[0]


def by_rules(parts: Sequence[TrainedPolicy], observations: Bytes) -> list[tuple[TrainedPolicy, Ints]]:
    """Pairs each policy with the rows, int64 (k,), under the rules that it was trained with; the first one with those of
    all other rules, too, which it refuses."""
    left = np.ones(len(observations), np.bool_)
    rows_of = []
    for part in parts[1:]:
        mine = left & part.plays(observations)
        left &= ~mine
        rows_of.append((part, np.flatnonzero(mine)))
    return [(parts[0], np.flatnonzero(left)), *rows_of]


class Learned(Policy):
    """``learned``: the networks that come with the package, each for its game and rules, trained by self-play.

    Where a game has several networks (Euchre with full bidding and in the published protocol), each position goes to the
    network that was trained with the position's rules.

    Source: our own; `cardenvs.train.recipes` has the settings to train the networks again, docs/results/models their model
        cards.

    Args:
        sample: draw actions from the network's distribution (SB3's ``deterministic=False``) instead of taking its mode.
        generation: generation of the shipped networks, from 1 on; None: the game's latest.

    Raises:
        ValueError: no policy comes with the game, none of that generation, or a file was damaged. `choose` raises it for
            positions under rules that no shipped policy was trained with.
    """

    games = tuple(sorted({_game_of(file) for files in _files_by_generation() for file in files}))
    has_chances = True
    can_be_foretold = True

    def __init__(self, game: str | GameSpec, sample: bool = False, generation: int | None = None) -> None:
        if not isinstance(sample, bool):
            raise ValueError(f"sample must be yes or no, not {sample!r}")
        spec = get_game(game)
        # The trained policies, one for each set of rules.
        self.parts: list[TrainedPolicy] = [load(spec, path, sample=sample) for path in shipped_files(spec, generation)]
        super().__init__(spec.with_recall(any(part.game.recall for part in self.parts)))
        self.can_be_foretold = not sample
        self.has_beliefs = all(part.has_beliefs for part in self.parts)
        kinds = {part.value_kind for part in self.parts}
        self.value_kind = kinds.pop() if len(kinds) == 1 else ""

    @classmethod
    def unfit(cls, game: GameSpec) -> str:
        """Says why no network plays a game, as `Policy.unfit`: of Hanabi only the standard form has one."""
        if why := super().unfit(game):
            return why
        return "" if generations(game) else f"comes with no network for {game.name}: train one with cardenvs train"

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Chooses the networks' actions, as `Policy.choose`; ValueError for rules that none was trained with."""
        for part in self.parts:
            if part.plays(observations).all():
                return part.decide(observations, action_masks, streams)
        return choose_in_rows(by_rules(self.parts, observations), observations, action_masks, streams)

    def chances_of(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """Returns the networks' probabilities, as `Policy.chances_of`; ValueError for rules that none was trained with."""
        out = np.zeros(action_masks.shape, np.float32)
        for part, rows in by_rules(self.parts, observations):
            if len(rows):
                out[rows] = part.chances_of(observations[rows], action_masks[rows])
        return out

    def values_of(self, states: Bytes) -> Floats:
        """Returns expected rewards of the seats to act, as `Policy.values_of`; ValueError if the networks have none."""
        if not self.value_kind:
            return super().values_of(states)
        out = np.zeros(len(states), np.float32)
        for part, rows in by_rules(self.parts, np.ascontiguousarray(states[:, : self.game.observation_size])):
            if len(rows):
                out[rows] = part.values_of(states[rows])
        return out

    def believed(
        self, observations: Bytes, row: int, streams: Streams, worlds: int, candidates: int, doubt: float | None,
        steps: int = 0,
    ) -> Games:  # fmt: skip
        """Draws worlds by the beliefs of the network for a position's rules, as `Policy.believed`."""
        part = self._part_for(np.ascontiguousarray(observations[row : row + 1, : self.game.observation_size]))
        return part.believed(observations, row, streams, worlds, candidates, doubt, steps)

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
        """Returns the legal actions and the network's probabilities, as `Policy.explain`."""
        row, _, _ = self._check_one(observation, rng)
        return self._part_for(row).explain(observation, rng)

    def _part_for(self, row: Bytes) -> TrainedPolicy:
        """Returns the policy for the rules of one observation, int8 (1, observation_size)."""
        return next(part for part, rows in by_rules(self.parts, row) if len(rows))
