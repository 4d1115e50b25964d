"""Wrong arguments of games in batches for other libraries."""

import numpy as np

from cardenvs.frameworks.games import SelfPlay, check_arguments, check_config, check_rows, make_games
from tests.refusals import refuse

NAMED = ["opponents", "device"]


def played():
    return SelfPlay("euchre", 3, bidding="forced-spades")


REFUSALS = [
    refuse("unknown game 'bridge'", make_games, "bridge", 3, None, "raise"),
    refuse("n must be an int of at least 1, not 0", make_games, "euchre", 0, None, "raise"),
    refuse("illegal must be one of", make_games, "euchre", 3, None, "ignore"),
    refuse("unknown policy 'nobody'", make_games, "euchre", 3, "nobody", "raise"),
    refuse(
        "seat needs opponents: without them all seats are the learner's", make_games, "euchre", 3, None, "raise", seat=1
    ),
    refuse("partner needs opponents", make_games, "euchre", 3, None, "raise", partner="low"),
    refuse("restart cannot be chosen here", make_games, "euchre", 3, None, "raise", restart=True),
    refuse("unknown option 'bids'", make_games, "euchre", 3, None, "raise", bids=1),
    refuse(
        "encoding must be None or 'canonical', not 'canon'", make_games, "hanabi", 3, None, "terminate", encoding="canon"
    ),
    refuse(
        "encoding must be None or 'canonical', not 'canon'", make_games, "hanabi", 3, "random", "raise", encoding="canon"
    ),
    refuse("actions must be", SelfPlay.step, played, [0.5] * 3),
    refuse("shape (3,)", SelfPlay.step, played, [0, 0]),
    refuse("list of 3", SelfPlay.reset, played, [1, 2]),
    refuse("list of 2, one for each game, not 1 of them", SelfPlay.reset, played, [1], np.array([0, 1])),
    refuse("seed must be", SelfPlay.reset, played, -1),
    refuse("the games are 0 to 2, not [0, 3]", check_rows, [0, 3], 3),
    refuse("each game can be named once, not [0, 0]", check_rows, [0, 0], 3),
    refuse("config must have a 'game'", check_config, {"opponents": "random"}, ["seat"]),
    refuse(" beside seat and rule options", check_config, {"opponents": "random"}, ["seat"]),
    refuse("Did you mean game?", check_config, {"gmae": "euchre"}, ["seat"]),
    refuse("unknown game 'euchr'", check_config, {"game": "euchr"}, ["seat"]),
    refuse("Did you mean euchre?", check_config, {"game": "euchr"}, ["seat"]),
    refuse("Did you mean seat?", check_config, {"game": "euchre", "saet": 1}, ["seat"]),
    refuse("config must be", check_config, 3, ["seat"]),
    refuse("unknown option 'oponents'", check_arguments, "euchre", ["oponents"], NAMED),
    refuse("Did you mean opponents?", check_arguments, "euchre", ["oponents"], NAMED),
    refuse("Did you mean partner?", check_arguments, "whist", ["patner"], NAMED),
    refuse("Did you mean bidding?", check_arguments, "euchre", ["biding"], NAMED),
    refuse("Did you mean device?", check_arguments, "euchre", ["divice"], NAMED),
]
