"""The settings of a judgement: all that its figures depend on, checked before anything is played."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.evaluation.stopping import looks
from cardenvs.baselines.judge.valuing import Valuer, table_of
from cardenvs.baselines.match.play import play_deals
from cardenvs.baselines.match.results import DealResults
from cardenvs.baselines.match.side import Side, largest_side
from cardenvs.baselines.reports.statistics import anytime_interval
from cardenvs.baselines.runs.pairings import PairingPlan
from cardenvs.checks import MOST_DRAWN, check_bool, check_int, check_names, check_number, short
from cardenvs.compiled.bits import Ints
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.policy.contract import Policy
from cardenvs.policy.registry import default_names, split_names
from cardenvs.policy.replay import beliefs_of

WORLDS = 200
"""Default number of worlds for a decision."""
DEALS = 100
"""Default number of deals."""
MOST_DEALS = 10_000
"""Default of the most deals where a judgement ends at a precision."""
CANDIDATES = 10
"""Number of uniform worlds from which each is drawn by the reference's beliefs, where it has no table."""
STEPS = {"whist": 25}
"""Number of steps of a Markov chain that moves each world on where the choice is not the reference's, by game, else 0: of
Euchre's candidates enough are likely."""
REFERENCE = "learned"
"""The default reference, where it plays the game."""
FIRST_LOOK = 32
"""Number of deals before which no judgement ends."""
_HASHED_DEALS = 8  # deals of the reference with itself whose lines are hashed


@dataclass(frozen=True, repr=False)
class JudgedDeals(DealResults):
    """Deals in which the decisions of one seat were valued."""

    advantages: npt.NDArray[np.float64]  # (deals,), points above the reference by the values, the mean of the copies
    match: npt.NDArray[np.float64]  # (deals,), points above the reference as they were made, the mean of the copies
    told: npt.NDArray[np.str_]  # (deals,), the decisions with a choice as JSON, a list of the fields of `Decision`

    BY_PIECE: ClassVar[tuple[str, ...]] = (*DealResults.BY_PIECE, "advantages", "match", "told")


@dataclass(frozen=True, kw_only=True)
class JudgeSettings(PairingPlan):
    """The settings of a judgement."""

    policies: list[str]  # names or paths of the judged policies
    reference: str  # the policy in all other seats, to which choices are compared
    choices: str  # hex digits that change with the reference's choices
    worlds: int  # worlds for a decision
    candidates: int  # uniform worlds from which each is drawn; 0 where the reference's table is exact
    steps: int  # of a Markov chain that moves each on where the choice is not the reference's
    whole_side: bool  # whether a policy holds all seats of its side
    weight: float  # of the match's own result as a control variate, from 0 to 1
    until: float | None  # the half width of the interval at which a policy's judgement ends; None: after all deals

    kind: ClassVar[str] = "judgement"
    rows: ClassVar[type[DealResults]] = JudgedDeals

    @property
    def sides(self) -> list[list[str]]:
        """The policies of every side: each judged one, with the reference in all other seats, then the reference."""
        others = [self.reference] * (largest_side(self.spec) - 1)
        judged = [split_names(name) if self.whole_side else [name, *others] for name in self.policies]
        return [*judged, [self.reference]]

    @property
    def pairs(self) -> list[tuple[int, ...]]:
        """The pairings, each as the indices of its two sides in `sides`: every judged one and the reference."""
        return [(k, len(self.policies)) for k in range(len(self.policies))]

    @property
    def looks(self) -> list[int]:
        """Numbers of deals after which `is_enough` is asked, half as many again each time, up to all."""
        return [self.deals] if self.until is None else looks(self.deals, FIRST_LOOK)

    def is_enough(self, played: DealResults, deals: int) -> bool:
        """Whether the interval of a policy's points after ``deals`` deals is as narrow as was asked for."""
        assert isinstance(played, JudgedDeals) and self.until is not None
        return anytime_interval(self.controlled(played)[:deals]).half_width <= self.until

    def controlled(self, played: JudgedDeals) -> npt.NDArray[np.float64]:
        """Points above the reference a deal, (deals,): by the values, moved towards the match's by the `weight`."""
        return np.asarray(played.advantages + self.weight * (played.match - played.advantages))

    def play(self, first: Side, second: Side | None, deals: range) -> DealResults:
        """Plays some deals of a pairing and values the decisions of the judged policy."""
        assert second is not None
        states: list[tuple[Games, Ints]] = []
        played = play_deals(
            self.spec, first, second, deals, seed=self.seed,
            observer=lambda games, owners: states.append((games, owners)), **self.options,
        )  # fmt: skip
        valuer = Valuer(self.spec, second.policies[0], self.worlds, self.candidates, self.steps)
        games, owners = states[0]  # in a game of one side the reference's own come after them
        copies = len(games) // len(deals)
        advantages, told = np.zeros(len(deals)), []
        for k, number in enumerate(deals):
            rows = np.arange(copies) * len(deals) + k
            found = list(valuer.decisions(games[rows], owners[rows], number, self.seed, self.whole_side))
            advantages[k] = sum(one.advantage for one in found) / copies
            told.append(json.dumps([asdict(one) for one in found]))
        return JudgedDeals(**vars(played), advantages=advantages, match=played.points_margins, told=np.array(told))


def judge_settings(
    game: str | GameSpec,
    policies: Sequence[str],
    *,
    reference: str | None = None,
    deals: int | None = None,
    worlds: int = WORLDS,
    whole_side: bool = False,
    weight: float = 0.0,
    until: float | None = None,
    seed: int | str = 0,
    **options: Any,
) -> JudgeSettings:
    """Checks and completes the settings of a judgement.

    Args:
        policies: names with parameters, or paths of trained policies, at least one; with ``whole_side`` sides, too.
        reference: a fast policy that does not remember; None: ``"learned"``.
        deals: how many deals, each played with the policy on every side; with ``until`` the most. None: `DEALS`, or
            `MOST_DEALS` with ``until``.
        worlds: number of worlds for a decision, at least 2.
        whole_side: whether a policy holds all seats of its side: then the values are biased, as its partner is not the
            reference that worlds and play-outs take it for.
        weight: the share of the match's own result in the points, from 0 to 1.
        until: half width of the interval, in points, at which a policy's judgement ends.

    Raises:
        ValueError: a game without re-deals, unknown game, policy or option, a reference that cannot be one, whole games, or
            a number out of range.
        OSError: a policy's file that cannot be read.
    """
    spec, options = form_of(game, options, judge_settings)
    if spec.kernels.redeal is None:
        raise ValueError(f"a judge draws worlds, and {spec.name} has no re-deals (the kernel redeal)")
    if options.get("episode", "deal") != "deal":
        raise ValueError("single deals are judged: episode must be 'deal'")
    names = check_names("policies", policies)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"policies must be one or several different ones, not {', '.join(names) or 'none'}")
    for name in names:
        if len(split_names(name)) > 1 and not whole_side:
            raise ValueError(f"one seat is judged, by a single policy: {name!r} is a side, for whole_side")
    until = None if until is None else check_number("until", until, above=True)
    most = (DEALS if until is None else MOST_DEALS) if deals is None else deals
    player = _checked_reference(spec, reference)
    settings = JudgeSettings.checked(
        spec, options, deals=most, seed=seed, policies=list(names), reference=player.name, choices="",
        worlds=check_int("worlds", worlds, 2, MOST_DRAWN),
        candidates=0 if table_of(spec, player) else CANDIDATES,
        steps=STEPS.get(spec.name, 0) if beliefs_of(player) else 0,
        whole_side=check_bool("whole_side", whole_side), weight=check_number("weight", weight, 0, 1), until=until,
    )  # fmt: skip
    return replace(settings, choices=choices_hash(spec, player, options))  # last, as deals are played for it


def _checked_reference(spec: GameSpec, name: str | None) -> Policy:
    if name is None:
        if not policy.has(spec, REFERENCE):
            known = [one for one in default_names(spec) if not policy.make(spec, one).slow]
            raise ValueError(f"reference must be named, as no network comes with {spec.name}: {', '.join(known)}")
        name = REFERENCE
    if not isinstance(name, str):
        raise ValueError(f"reference must be the name of a policy, not {short(name)}")
    player = policy.make(spec.plain, name)
    if player.slow or player.remembers or player.can_forfeit:
        raise ValueError(f"reference must be a policy that decides fast and does not remember, not {player.name!r}")
    return player


def choices_hash(spec: GameSpec, reference: Policy, options: Mapping[str, Any]) -> str:
    """16 hex digits that change with a policy's choices: a hash of deals in which it holds all seats."""
    lines: list[str] = []

    def add_lines(games: Games, owners: Ints) -> None:
        lines.extend(spec.text(state) for state in games)

    other = None if spec.one_sided else reference
    play_deals(spec, reference, other, range(_HASHED_DEALS), observer=add_lines, **options)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
