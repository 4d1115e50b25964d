"""Wrong parameters of searches and of the hand-coded policies."""

import math

import numpy as np

from cardenvs import get_game, policy
from cardenvs.baselines.heuristics.hanabi_recommendation import HatRecommendation
from cardenvs.baselines.search.any_game.flat import FlatMonteCarlo
from cardenvs.baselines.search.any_game.pimc import TeamPimc
from cardenvs.baselines.search.five_o.chances import win_probability
from cardenvs.baselines.search.five_o.exact_chances import exact_chances
from cardenvs.baselines.search.five_o.expectiminimax import Expectiminimax
from cardenvs.baselines.search.five_o.rollout import Rollout
from cardenvs.baselines.search.trick.double_dummy import MAX_CARDS, deal_points, solve, solve_cards
from tests.helpers.beacon_relay import beacon_relay
from tests.helpers.hanabi_agents import AGENTS
from tests.refusals import refuse

INTS = [("an int of at least 1", wrong) for wrong in (0, True, 1.5, 2.5)]
SECONDS = [("a number above 0", wrong) for wrong in (0, -1.0, "nan", math.nan, math.inf)]
PARAMETERS = [
    *(("euchre whist", "pimc", f"{name} must be {told}, not {wrong!r}", {name: wrong})
      for name, told, wrong in (
          *(("worlds", *one) for one in INTS), *(("seconds", *one) for one in SECONDS),
          ("goal", "one of 'points', 'tricks'", "x"), ("solver", "one of 'auto', 'numba', 'dds'", "gib"),
          *(("exact_cards", "an int from 0 to 13", wrong) for wrong in (14, -1, 2.0, True)),
      )),
    ("euchre whist", "pimc", "calling must be one of …'three-trumps'…, not 'x'", {"calling": "x"}),
    ("euchre whist", "pimc", "unknown parameter 'world' of policy 'pimc': its parameters are worlds, seconds, goal",
     {"world": 3}),
    ("whist", "pimc", f"exact_cards must be at most {MAX_CARDS} with the numba solver, not {MAX_CARDS + 1}",
     {"solver": "numba", "exact_cards": MAX_CARDS + 1}),
    ("five-o hanabi", "pimc", "unknown policy 'pimc' for ", {}),
    *(("euchre", "monte-carlo", f"{name} must be {told}, not {wrong!r}", {name: wrong})
      for name, told, wrong in (
          *(("worlds", *one) for one in INTS), *(("seconds", *one) for one in SECONDS),
          ("goal", "one of 'points', 'tricks'", "fame"),
      )),
    ("euchre", "monte-carlo", "playout must be one of 'random', …'hybrid2', not 'perfect'", {"playout": "perfect"}),
    ("euchre", "monte-carlo", "calling must be one of …'three-trumps'…'monte-carlo', not 'loud'", {"calling": "loud"}),
    ("euchre", "monte-carlo", "parameter 'world' of policy 'monte-carlo': its parameters are worlds, seconds, playout",
     {"world": 3}),
    ("euchre", "split", "unknown policy 'loud' for euchre", {"calls": "loud"}),
    ("whist", "split", "unknown policy 'split' for whist", {}),
    *(("euchre", "ismcts", words, given) for words, given in (
        ("simulations must be an int of at least 1, not 0", {"simulations": 0}),
        ("simulations must be an int of at least 1, not 2.5", {"simulations": 2.5}),
        ("seconds must be a number above 0, not 0", {"seconds": 0}),
        ("variant must be one of 'single', 'multiple', not 'triple'", {"variant": "triple"}),
        ("selection must be one of 'auto', 'ucb', 'puct', not 'ucb1'", {"selection": "ucb1"}),
        ("paired must be True or False, not 1", {"paired": 1}),
        ("c must be a number of at least 0, not -1", {"c": -1}),
        ("others must be one of 'auto', 'tree', 'playout', not 'me'", {"others": "me"}),
        ("variant must be 'single' with others='playout'", {"others": "playout", "variant": "multiple"}),
        ("playout must be compiled with others='playout'", {"others": "playout", "playout": "pimc"}),
        ("unknown policy 'nobody' for euchre", {"playout": "nobody"}),
        ("name must be a policy or the name of one", {"playout": 3}),
        ("calling must be one of …'three-trumps'", {"calling": "loud"}),
        ("network must be none with selection='ucb', not 'learned'", {"network": "learned", "selection": "ucb"}),
        ("network must be a policy that has probabilities, such as 'learned'", {"network": "low", "selection": "puct"}),
        ("leaves must be one of 'auto', 'playout', 'value', not 'tea'", {"leaves": "tea"}),
        ("network must be a policy that has values with leaves='value', not None", {"leaves": "value"}),
        ("network must be a policy that has values …, not 'learned:generation=1'",
         {"network": "learned:generation=1", "leaves": "value"}),
        ("wave must be an int from 1 to 4096, not 0", {"wave": 0}),
        ("reward must be one of … not 'fame'", {"goal": "fame"}),
        ("unknown parameter 'world' of policy 'ismcts': its parameters are simulations, seconds, variant", {"world": 3}),
    )),
    ("whist", "poe", "worlds must be an int of at least 1, not 0", {"worlds": 0}),
    ("whist", "poe", "worlds must be an int of at least 1, not 2.5", {"worlds": 2.5}),
    ("whist", "poe", "calling must be one of …'three-trumps'…, not 'loud'", {"calling": "loud"}),
    ("whist", "poe", "unknown parameter 'deals' of policy 'poe': its parameters are worlds, calling", {"deals": 3}),
    ("five-o", "poe", "unknown policy 'poe'", {}),
    ("whist", "pipmc", "worlds must be", {"worlds": 0}),
    ("whist", "pipmc", "seconds must be", {"seconds": 0}),
    ("whist", "pipmc", "unknown parameter 'simulations' of policy 'pipmc': its parameters are worlds, seconds",
     {"simulations": 3}),
    ("five-o", "monte-carlo:samples=0", "samples must be an int of at least 1, not 0", {}),
    ("five-o", "monte-carlo:seconds=0", "seconds must be a number above 0, not 0", {}),
    ("five-o", "monte-carlo:worlds=3", "unknown parameter 'worlds'", {}),
    ("five-o", "exact:row=1", "row must be an int from 2 to 5, not 1", {}),
    ("euchre", "search:blueprint=low,candidates=0", "candidates must be", {}),
    *(("euchre", name, f"threshold must be a number of at least 0, not {wrong!r}", {"threshold": wrong})
      for name in ("hybrid", "hybrid2", "markov", "markov2", "markov2-published")
      for wrong in ("much", -0.5, math.nan, math.inf, True, None)),
    ("euchre", "markov3", "unknown policy 'markov3' for euchre: the policies are …markov2, ", {}),
    ("euchre", "markov:tau=0.3", "parameter 'tau' of policy 'markov': its parameters are threshold, calling", {}),
    ("euchre", "card-counting:threshold=0.3", "unknown parameter 'threshold' of policy 'card-counting'", {}),
    ("euchre", "hybrid:calling=loudly", "calling must be one of …'three-trumps'…, not 'loudly'", {}),
    ("euchre", "hybrid", "calling must be one of 'standard', …'random', not 'loud'", {"calling": "loud"}),
    ("euchre", "hybrid:threshold=much", "threshold must be a number of at least 0, not 'much'", {}),
]  # fmt: skip
"""Games, a policy's name, the words, and the policy's parameters."""


def beacons():
    return beacon_relay("beacon-relay-mini").spec


REFUSALS = [
    *(
        refuse(words, policy.make, game, name, **given)
        for games, name, words, given in PARAMETERS
        for game in games.split()
    ),
    *(
        refuse(words, FlatMonteCarlo, "whist", **given)
        for words, given in (
            ("worlds must be an int of at least 1, not 0", {"worlds": 0}),
            ("seconds must be a number above 0, not -1", {"seconds": -1}),
            ("unknown policy 'nobody' for whist", {"playout": "nobody"}),
            ("reward must be one of … not 'fame'", {"goal": "fame"}),
        )
    ),
    *(
        refuse(f"{name} must be ", policy.make, beacons, "pimc", **{name: wrong})
        for name, wrong in (("worlds", 0), ("positions", 0), ("positions", 1.5), ("seconds", -1))
    ),
    *(refuse("plays games of one side that are described", TeamPimc, game) for game in ("hanabi", "five-o")),
    *(
        refuse(words, Expectiminimax, "five-o", **given)
        for words, given in (
            *((f"depth must be an int of at least 1, not {wrong}", {"depth": wrong}) for wrong in (0, 2.5, True)),
            *((f"decks must be an int of at least 1, not {wrong!r}", {"decks": wrong}) for wrong in (0, -3, "many")),
            *((f"seconds must be a number above 0, not {wrong}", {"seconds": wrong}) for wrong in (0, math.nan)),
            ("evaluation must be one of 'greedy1', 'greedy2', 'fast-greedy2', …, not 'eval'", {"evaluation": "eval"}),
        )
    ),
    *(
        refuse(words, Rollout, "five-o", **given)
        for words, given in (
            *((f"worlds must be an int of at least 1, not {wrong}", {"worlds": wrong}) for wrong in (0, 2.5)),
            *((f"seconds must be a number above 0, not {wrong!r}", {"seconds": wrong}) for wrong in (0, "1")),
            *((f"row must be an int from 2 to 5, not {wrong}", {"row": wrong}) for wrong in (1, True)),
        )
    ),
    refuse("plays five-o, not whist", Rollout, "whist"),
    refuse("plays five-o, not euchre", Expectiminimax, "euchre"),
    refuse("chances must have the shape (..., 5), not (4,)", win_probability, [0.5] * 4),
    *(refuse(f"chances must be 0 to 1, not {wrong}", win_probability, [0.5] * 4 + [wrong]) for wrong in (1.5, math.nan)),
    *(
        refuse(words, function, games, **given)
        for function in (solve, solve_cards)
        for words, games, given in (
            ("games must be states of euchre or whist, not ", get_game("five-o").new_games(1), {}),
            ("games must be states of euchre or whist, not ", np.zeros(3), {}),
            ("games must be states of euchre or whist, not ", np.zeros(3, [("hands", np.int64, (4,))]), {}),
            *((f"games must have the shape (n,), not {shape}", get_game(name).new_games(np.prod(shape, dtype=int))
               .reshape(shape), {}) for name in ("euchre", "whist") for shape in ((2, 2), ())),
            ("threads must be at least 1, not 0", get_game("whist").new_games(0), {"threads": 0}),
            ("threads must be at least 1, not -1", get_game("whist").new_games(0), {"threads": -1}),
        )
    ),
    refuse("games must be states of euchre or whist, not ", deal_points, get_game("five-o").new_games(1),
           np.zeros((1, 2), np.int64)),
    refuse("have the shape", exact_chances, np.zeros((1, 3)), np.ones((1, 5))),
    *(
        refuse(f"{agent.policy.__name__} needs an information token and hands of two cards, unlike hanabi:",
               agent.policy, f"hanabi:{form}")
        for agent in AGENTS for form in ("information=0", "hand_size=1")
    ),
    *(refuse(f"{agent.policy.__name__} plays hanabi, not whist", agent.policy, "whist") for agent in AGENTS),
    *(
        refuse("HatRecommendation plays hanabi of 5 with 4 cards each, not hanabi:", HatRecommendation, f"hanabi:{form}")
        for form in ("players=4", "players=5,hand_size=5")
    ),
]  # fmt: skip
