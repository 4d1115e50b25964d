"""Wrong arguments of matches and evaluations."""

from cardenvs import baselines
from tests.refusals import refuse

REFUSALS = [
    refuse("deals must be an int of at least 1, not 0", baselines.play_match, "euchre", "random", "random", deals=0),
]
