"""Wrong arguments of matches, of their observers, of studies of all kinds, and of the engine that plays them."""

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cardenvs import baselines, get_game
from cardenvs.baselines import match, observers
from cardenvs.baselines.ceiling import call_values, measure
from cardenvs.baselines.crossplay import parse_group
from cardenvs.baselines.engine.work import Task, work
from cardenvs.baselines.evaluation.stopping import looks
from cardenvs.baselines.game_statistics import play_all, statistics_settings
from cardenvs.baselines.judge import judge_settings
from cardenvs.baselines.observers.control import check_control
from cardenvs.baselines.review import Reviewer
from cardenvs.contract.record import parse_record
from tests.baselines.engine.jobs import adding, finished
from tests.refusals import refuse

PLAY = baselines.play_match
EVALUATE = baselines.evaluate_against
EUCHRE = get_game("euchre")
LOW, RANDOM = (lambda: match.Side(EUCHRE, "low")), (lambda: match.Side(EUCHRE, "random"))
DEAL = "euchre bidding=forced-spades dealer=3 hands=Ah9d9cJs9s/KhQsAcQcTc/QhKdTsThTd/KsAdKcJcQd turned=As actions=Ah"
KNOWN = ["low", "pimc:worlds=3,calling=standard", "high"]
NO_CLUSTER = "cluster must be an address, an executor of concurrent.futures or None, not "


def made():
    return statistics_settings("whist", games=1, ai="random")


def review_as_whist(line):
    return Reviewer("whist", worlds=1).review(parse_record(line)[0])


def add_up(**settings):
    list(work(adding(7, Path()), [Task("one", 0, 30)], finished, **settings))


MATCHES = [
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
    *(
        refuse("must be a range of consecutive numbers from 0 on", match.play_deals, "euchre", "low", "random", wrong)
        for wrong in (range(0), range(0, 10, 2), range(-3, 2))
    ),
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
]  # fmt: skip

STUDIES = [
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
    refuse("is not NAME=POLICY,POLICY", parse_group, "low,high", KNOWN),
    refuse("the group 'a' has 'none', which is not among the policies low,", parse_group, "a=low,none", KNOWN),
    refuse("the group 'a' has a policy twice", parse_group, "a=low,low", KNOWN),
    refuse("deals", measure, "euchre", ["low"], deals=1),
    refuse("whole_side must be", judge_settings, "euchre", ["low"], whole_side="yes"),
    refuse("reference must be the name of a policy, not 3", judge_settings, "euchre", ["high"], reference=3),
    refuse("seed", measure, "euchre", ["low"], seed=-1),
    refuse("effect must be above 0, not 0.0", measure, "euchre", ["low"], effect=0.0),
    refuse("effect must be above 0, not nan", measure, "euchre", ["low"], effect=float("nan")),
    refuse("bidding", measure, "euchre", ["low"], bidding="half"),
    refuse("players must be a list of policies or names of policies, not the text", measure, "euchre", "learned", deals=2),
    refuse("different ones, not none", measure, "euchre", []),
    refuse(
        "games must be states of euchre in which a call or a discard is to be made",
        call_values, lambda: match.match_deals(EUCHRE, 0, 1, 0, {"bidding": "forced-spades"})[0],
    ),
    refuse("games must be an int of at least 1, not 0", statistics_settings, "whist", games=0),
    refuse("seed must be", statistics_settings, "whist", seed=-1),
    refuse("unknown policy 'nobody' for whist", statistics_settings, "whist", ai="nobody"),
    refuse("worlds must be", statistics_settings, "whist", ai="pipmc:worlds=0"),
    refuse("colour", statistics_settings, "whist", colour="red"),
    refuse("workers must be", play_all, made, workers=0),
    refuse("experiments must be one of 'random', 'one_ai', 'all_ai', not 'most'", play_all, made, experiments=("most",)),
    refuse("a deal of euchre cannot be reviewed as one of whist", review_as_whist, DEAL),
    refuse("worlds must be an int of at least 1, not 0", Reviewer, "whist", worlds=0),
    *(refuse("workers must be an int of at least 1", add_up, workers=wrong) for wrong in (0, -1, 1.5, "2", True)),
    *(refuse(NO_CLUSTER, add_up, cluster=wrong) for wrong in (5, b"auto", ["auto"], ThreadPoolExecutor)),
]  # fmt: skip

REFUSALS = [*MATCHES, *STUDIES]
