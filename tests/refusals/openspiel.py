"""Wrong arguments of games as OpenSpiel's, and of its bots as policies."""

import importlib.util

from cardenvs import policy
from cardenvs.baselines.audit import audit_game, audit_module
from cardenvs.baselines.match import play_match
from cardenvs.openspiel import load
from tests.refusals import refuse

GAMES = [
    refuse("unknown game 'eucre'", load, "eucre"),
    refuse("unknown option 'biding' for euchre: the options are bidding,", load, "euchre", biding="full"),
    refuse("bidding must be one of 'full', 'forced-spades', not 'half'", load, "euchre", bidding="half"),
    refuse("one of 'points', 'tricks', 'win', 'score', not 'point'. Did you", load, "euchre", reward="point"),
    refuse("reward must be one of 'points', 'tricks', 'win', 'score', not 1", load, "euchre", reward=1),
    refuse("seed must be an int from 0 to 2147483647", load, "euchre", seed=2**31),
    refuse("max_decisions must be", load, "euchre", max_decisions=-1),
    refuse("max_decisions must be", load, "kuhn-poker", max_decisions=501),
]
BOTS = [
    refuse("bot must be one of 'ismcts', 'random', not 'alphazero'", policy.make, "euchre", "openspiel:alphazero"),
    refuse("simulations must be", policy.make, "euchre", "openspiel:ismcts,simulations=0"),
    refuse("simulations must be", policy.make, "euchre", "openspiel:,simulations=0"),
    refuse("'ismcts' of policy 'openspiel': write key=value", policy.make, "euchre", "openspiel:simulations=10,ismcts"),
    refuse("for whist: it plays euchre alone; the policies are", policy.make, "whist", "openspiel:ismcts"),
    refuse("is played with bidding=full, not with bidding=forced-spades", play_match, "euchre", "openspiel:simulations=2",
           "random", deals=1, bidding="forced-spades"),
]  # fmt: skip
AUDITS = [
    refuse("unknown game 'chess2' of OpenSpiel. Did you mean chess?", audit_game, "chess2", 1, 1, 0),
    refuse("OpenSpiel cannot load 'kuhn_poker(players=99)': ", audit_game, "kuhn_poker(players=99)", 1, 1, 0),
    refuse("name it turn_based_simultaneous_game(game=goofspiel)", audit_game, "goofspiel", 1, 1, 0),
    refuse("tarok draws chance itself", audit_game, "tarok", 1, 1, 0),
    refuse("has 1,000,001 outcomes of chance, and 10,000 are the most",
           audit_game, "first_sealed_auction(max_value=1000000)", 1, 1, 0),
    refuse("'json' is no module of an AEC environment with discrete actions: Attr", audit_module, "json", 1, 1, 0),
    refuse("'no.such' is no module of an AEC environment", audit_module, "no.such", 1, 1, 0),
]  # fmt: skip

REFUSALS = [*GAMES, *BOTS, *AUDITS] if importlib.util.find_spec("pyspiel") else []
