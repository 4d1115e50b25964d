"""Wrong arguments of tournaments and of cross-play."""

from cardenvs.baselines.crossplay import parse_group
from cardenvs.baselines.match import play_deals
from tests.refusals import refuse

KNOWN = ["low", "pimc:worlds=3,calling=standard", "high"]

REFUSALS = [
    *(
        refuse("range of consecutive numbers", play_deals, "euchre", "low", "random", wrong)
        for wrong in (range(0), range(0, 10, 2), range(-3, 2))
    ),
    refuse("is not NAME=POLICY,POLICY", parse_group, "low,high", KNOWN),
    refuse("the group 'a' has 'none', which is not among the policies low,", parse_group, "a=low,none", KNOWN),
    refuse("the group 'a' has a policy twice", parse_group, "a=low,low", KNOWN),
]
