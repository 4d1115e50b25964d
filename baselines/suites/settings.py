"""The settings of play with a suite: policies with its frozen partners, over its deals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cardenvs.baselines.crossplay.settings import CrossSettings, checked_settings
from cardenvs.baselines.suites.suite import Suite, check_frozen
from cardenvs.checks import check_int


@dataclass(frozen=True, kw_only=True)
class SuiteSettings(CrossSettings):
    """The settings of play with a suite's partners, with the attributes of `CrossSettings`.

    Attributes:
        suite: all that the suite says (`Suite.as_dict`).
    """

    suite: dict[str, Any] = field(metadata={"differs": "another suite of {game}"})

    kind: ClassVar[str] = "suite"


def suite_settings(
    suite: Suite, policies: Sequence[str], *, deals: int | None = None, costs: bool = False
) -> SuiteSettings:
    """Checks and completes the settings of play with a suite's partners.

    Args:
        suite: the suite, of `find_suite`.
        policies: names or paths of the policies to be judged, at least one.
        deals: how many of the suite's deals are played, the first ones; None: all.
        costs: also compute what counted decisions cost with all cards open; in Euchre and Whist.

    Raises:
        ValueError: an unknown policy, no policy, one given twice, a mixed side, more deals than the suite has; a partner
            that decides otherwise than when it was frozen.
        OSError: a policy's file that cannot be read.
    """
    number = suite.deals if deals is None else check_int("deals", deals, 1, suite.deals)
    opponents = None if suite.spec.one_sided else suite.opponents
    made = checked_settings(
        SuiteSettings, suite.spec, policies, suite.names, opponents, number, suite.seed, costs, suite.options,
        suite=suite.as_dict(),
    )  # fmt: skip
    check_frozen(suite)
    return made
