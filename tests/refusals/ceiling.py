"""Wrong arguments of measured ceilings."""

from cardenvs.baselines.ceiling import call_values, measure
from cardenvs.baselines.match import match_deals
from cardenvs.contract.registry import get_game
from tests.refusals import refuse

REFUSALS = [
    refuse("deals", measure, "euchre", ["low"], deals=1),
    refuse("seed", measure, "euchre", ["low"], seed=-1),
    refuse("effect must be above 0, not 0.0", measure, "euchre", ["low"], effect=0.0),
    refuse("effect must be above 0, not nan", measure, "euchre", ["low"], effect=float("nan")),
    refuse("bidding", measure, "euchre", ["low"], bidding="half"),
    refuse("players must be a list of policies or names of policies, not the text", measure, "euchre", "learned", deals=2),
    refuse("different ones, not none", measure, "euchre", []),
    refuse(
        "games must be states of euchre in which a call or a discard is to be made",
        call_values, lambda: match_deals(get_game("euchre"), 0, 1, 0, {"bidding": "forced-spades"})[0],
    ),
]  # fmt: skip
