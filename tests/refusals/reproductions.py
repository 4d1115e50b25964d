"""Wrong arguments of the papers' reproductions."""

from cardenvs.baselines.reproduce.hanabi.measure import teams_plan
from cardenvs.baselines.reproduce.openspiel.measure import beside_plan
from tests.refusals import refuse

REFUSALS = [
    refuse("games must be an int of at least 2, not 1", teams_plan, 1),
    refuse("games must be an int of at least 1, not 0", beside_plan, 0),
]
