"""The settings of an evaluation: its opponents, the lengths of its matches, and what they have in common, checked."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from cardenvs import policy
from cardenvs.baselines.match.protocols import PROTOCOLS, PUBLISHED_GAMES, protocol_options
from cardenvs.baselines.match.results import Margins
from cardenvs.baselines.match.side import Player
from cardenvs.baselines.observers.control import check_control
from cardenvs.baselines.observers.taking import GAMES as COOPERATION_GAMES
from cardenvs.baselines.runs.plan import all_options
from cardenvs.checks import check_choice, check_list
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.randomness import given_seed

DEALS, SLOW_DEALS = 1000, 200
"""Number of deals of a match, and of a match in which a policy is slow (`cardenvs.policy.Policy.slow`)."""

MOST_DEALS, MOST_SLOW_DEALS = 100_000, 2000
"""The most deals of a match with a wanted precision, and of such a match in which a policy is slow."""

_TRICK_FIELD = ("random", "coop-high-low", "hybrid", "poe", "monte-carlo", "pimc", "learned")
FIELD: Mapping[str, Sequence[str]] = {
    "euchre": _TRICK_FIELD,
    "whist": _TRICK_FIELD,
    "five-o": ("random", "reflex2", "greedy1", "expectiminimax", "monte-carlo", "rollout", "learned"),
}
"""The opponents where none are named, by game: one of each kind, from chance to the best; in other games all named ones."""

ALL = "all"
"""Among the names of opponents, the name of all that play by default (`cardenvs.policy.default_names`)."""


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings:
    """The settings that the matches of an evaluation have in common; ValueError for those that do not fit together."""

    spec: GameSpec  # without recall
    seed: int
    protocol: str
    precision: float | None = None  # half width of the 95% interval of the points at which a match ends; None: never early
    cooperation: bool = False  # whether the metrics of cooperation are counted, in games in which they can be
    control: str | None = None  # a control variate's name
    options: dict[str, Any]  # all rule options, those of the protocol among them

    @classmethod
    def of(
        cls, called: Callable[..., Any], game: str | GameSpec, seed: int | str, options: dict[str, Any], **more: Any
    ) -> Self:
        """The settings by the arguments of the function that was called; ValueError for an unknown game or option, too."""
        spec, options = form_of(get_game(game).plain, options, called)
        rules = all_options(spec, protocol_options(spec, more["protocol"], options))
        return cls(spec=spec, seed=given_seed(seed), options=rules, **more)

    def __post_init__(self) -> None:
        check_choice("protocol", self.protocol, PROTOCOLS)
        check_control(self.control, self.spec, self.protocol)
        if self.precision is not None and not 0 < self.precision < math.inf:
            raise ValueError(f"precision must be a number of points above 0, not {self.precision!r}")

    @functools.cached_property
    def bounds(self) -> Margins:
        """The greatest margins that a deal (game) can bring."""
        return Margins.of_game(self.spec, self.options)

    @property
    def single_deals(self) -> dict[str, Any]:
        """The rule options of single deals by the rules of the protocol."""
        published = self.protocol != "duplicate"
        return {name: value for name, value in self.options.items() if not (published and name == "episode")}

    @property
    def bidding(self) -> bool:
        """Whether there is bidding to be counted."""
        return has_bidding(self.spec, self.protocol, self.options)

    def most_deals(self, given: int | None, slow: bool) -> int:
        """The most deals (games) of a match: the number given, or what is usual, ``slow`` if one of its policies is so."""
        if given is not None:
            return given
        if self.precision is not None:
            return MOST_SLOW_DEALS if slow else MOST_DEALS
        if slow:
            return SLOW_DEALS
        return DEALS if self.protocol == "duplicate" else PUBLISHED_GAMES


def has_bidding(game: GameSpec, protocol: str, options: Mapping[str, Any]) -> bool:
    """Whether there is bidding to be counted: in duplicate play of Euchre with full bidding."""
    return game.bids_trump and protocol == "duplicate" and options.get("bidding", "full") == "full"


def check_cooperation(game: GameSpec, cooperation: bool | None) -> None:
    """Raises ValueError if cooperation is to be counted in a game in which it cannot be; says why."""
    if cooperation and game.name not in COOPERATION_GAMES:
        why = "which has no partners" if not game.team else f"it is counted in {' and '.join(COOPERATION_GAMES)}"
        raise ValueError(f"cooperation must be None or False in {game.name}, {why}")


def opponents_of(game: GameSpec, name: str, against: Sequence[Player] | None) -> list[Player]:
    """The opponents of a policy of this name.

    Args:
        against: those given, `ALL` among them for all that play by default; None: those of `FIELD`.
    """
    everybody = [other for other in policy.default_names(game) if other != name]
    if against is None:
        return [other for other in FIELD.get(game.name, everybody) if other != name]
    given = check_list("against", against, "opponents")
    if ALL not in [other for other in given if isinstance(other, str)]:
        return list(given)
    return [*everybody, *(other for other in given if not (isinstance(other, str) and other in (ALL, *everybody)))]
