"""Wrong arguments of matches, their observers and evaluations."""

import math

from cardenvs import baselines, get_game
from cardenvs.baselines import match, observers
from cardenvs.baselines.evaluation.stopping import looks
from cardenvs.baselines.observers.control import check_control
from tests.refusals import refuse

PLAY = baselines.play_match
EVALUATE = baselines.evaluate_against
EUCHRE = get_game("euchre")
LOW, RANDOM = (lambda: match.Side(EUCHRE, "low")), (lambda: match.Side(EUCHRE, "random"))

REFUSALS = [
    refuse("unknown game 'bridge'", get_game, "bridge"),
    refuse("deals must be an int of at least 1, not 0", PLAY, "euchre", "random", "random", deals=0),
    refuse("protocol must be one of 'duplicate', 'published', not 'odd'", PLAY, "whist", "low", "low", protocol="odd"),
    refuse("batch_size must be an int of at least 1", PLAY, "euchre", "random", "random", batch_size=0),
    refuse("unknown option 'bids'", PLAY, "euchre", "random", "random", bids=3),
    refuse("plays with episode=game, not deal", PLAY, "euchre", "low", "low", protocol="published", episode="deal"),
    refuse("a side of euchre is one policy or 2 joined by +, not 3", PLAY, "euchre", "random+low+high", "random"),
    refuse("a side of five-o is one policy", PLAY, "five-o", "random+reflex2", "random"),
    refuse("second must be a policy: whist has 2 sides", PLAY, "whist", "random"),
    refuse("a side must be", PLAY, "hanabi:tiny", None),
    refuse("published protocol is for games of two like sides", PLAY, "hanabi:tiny", "random", protocol="published"),
    refuse("must be a range of consecutive numbers from 0 on", baselines.play_deals, "euchre", "low", "low", range(0)),
    refuse("no deal has been seen yet", observers.BiddingObserver().result, ("one", "two")),
    refuse("cooperation is counted in euchre and whist, not in five-o", observers.CooperationObserver, "five-o"),
    refuse("control must be one of 'double-dummy', not 'luck'", check_control, "luck", EUCHRE, "published"),
    *(
        refuse(
            f"is for euchre with the published protocol, not for {game}, {protocol}",
            check_control, "double-dummy", get_game(game), protocol,
        )
        for game, protocol in (("whist", "published"), ("euchre", "duplicate"))
    ),
    refuse("most must be an int of at least 1, not 0", looks, 0),
    refuse("deals must be an int of at least 1, not 0", EVALUATE, EUCHRE, LOW, RANDOM, deals=0),
    refuse("precision must be a number of points above 0, not 0.0", EVALUATE, EUCHRE, LOW, RANDOM, deals=1, precision=0.0),
    refuse("a number of points above 0, not nan", EVALUATE, EUCHRE, LOW, RANDOM, deals=1, precision=math.nan),
    refuse("protocol must be one of", EVALUATE, EUCHRE, LOW, RANDOM, deals=1, protocol="rubber"),
    refuse(
        "cooperation must be None or False in five-o, which has no partners",
        baselines.evaluate, "five-o", "random", against=["random"], deals=2, cooperation=True,
    ),
    refuse(
        "against must be a list of opponents, not the text 'high': write ['high']",  # whose letters are no opponents
        baselines.evaluate, "euchre", "low", "high", deals=2,
    ),
]  # fmt: skip
