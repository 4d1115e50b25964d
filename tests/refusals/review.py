"""Wrong arguments of reviews."""

from cardenvs.baselines.review import Reviewer
from cardenvs.contract.record import parse_record
from tests.refusals import refuse

EUCHRE = "euchre bidding=forced-spades dealer=3 hands=Ah9d9cJs9s/KhQsAcQcTc/QhKdTsThTd/KsAdKcJcQd turned=As actions=Ah"


def review_as_whist(line):
    return Reviewer("whist", worlds=1).review(parse_record(line)[0])


REFUSALS = [
    refuse("a deal of euchre cannot be reviewed as one of whist", review_as_whist, EUCHRE),
    refuse("worlds must be an int of at least 1, not 0", Reviewer, "whist", worlds=0),
]
