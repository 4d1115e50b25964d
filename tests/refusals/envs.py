"""Wrong arguments of environments, of batches, and of the policies that sit in them."""

import gymnasium
import numpy as np
import pettingzoo

from cardenvs import Batch, SeatEnv, SeatVectorEnv, get_game, hanabi_v0, policy, recycle
from cardenvs.envs.arguments import ResetNeeded
from cardenvs.frameworks.games import make_games
from tests.helpers.environments import SHELLS
from tests.helpers.one_sided import one_sided
from tests.helpers.players import First
from tests.refusals import refuse

TINY = {"colours": 2, "ranks": 3, "hand_size": 2, "information": 3, "lives": 2}
DECK = [0, 3, 1, 4, 2, 5, 0, 0, 3, 3, 1, 4]
FACES = "must have faces from 0 to 5, or their names R1 R2 R3 Y1 Y2 Y3, not "
MASK = "reset_mask must be a bool array of shape (3,) with at least one True"
SOME = {"reset_mask": np.array([True, False, False])}
ENVIRONMENTS = [name for name in SHELLS if name != "batch"]
AGENTS = "player_0, player_1, player_2, player_3"


def make(shell, game="euchre", **given):
    return SHELLS[shell](game, **given)


def reset(shell, game="euchre", settings=None, **given):
    env = make(shell, game, **settings or {})
    env.reset(seed=0)
    env.reset(**given)


def ask(shell, method, *args, settings=None):
    """Calls a method of an environment of Euchre that has begun."""
    env = make(shell, **settings or {})
    env.reset(seed=0)
    getattr(env, method)(*args)


def set_state(mode, **changed):
    env = SeatVectorEnv("euchre", 3, autoreset_mode=mode)
    env.reset(seed=0)
    env.set_state(env.get_state() | changed)


def set_deck(deck):
    spec = get_game("hanabi:tiny")
    spec.set_deck(spec.new_games(1), 0, deck)


def impossible_dealer():
    state = get_game("euchre").deal(0)
    state["dealer"] = 77
    return {"deal": state}


def another_card(old, new):
    """A deal of Euchre of which a hand is changed."""
    return {"deal": get_game("euchre").text(get_game("euchre").deal(7)[0], actions=False).replace(old, new, 1)}


def patience():
    return one_sided("patience")


def two_moves():
    state = get_game("whist").deal(0)
    for _ in range(2):
        get_game("whist").kernels.step(state, 0, get_game("whist").legal(state).bit_length() - 1)
    return {"deal": state}


BATCHES = [
    refuse(words, getattr(Batch, method), lambda: Batch("euchre", 2, seed=0), *args)
    for words, method, *args in (
        ("i, the number of the game, must be an int from 0 to 1, not 5", "observe", 5, 0),
        ("seat must be an int from 0 to 3, not 4", "observe", 0, 4),
        ("rows must be the numbers of games, 0 to 1, not 7", "deal", [7]),
        ("rows must be the numbers of games, 0 to 1, not -1", "deal", [-1]),
        ("rows must be ints, not float64", "deal", [0.0]),
        ("actions must be ints, not float64", "step", [24.9, 24.9]),
        ("actions must be ints, not bool", "step", [True, True]),
        ("actions must have the shape (2,), not ()", "step", None),
        ("actions must have the shape (2,)", "step", np.array([24])),
        ("actions must be an array", "step", [[1], [2, 3]]),
        ("actions must be ints below", "step", np.array([2**63, 24], np.uint64)),
        ("actions must be ints", "check", [0.5, 1]),
        ("seed must be one int or a list of 2", "reset", [1, 2, 3]),
        ("seed[1] must be an int from 0", "reset", [1, -2]),
        ("games must be 2 states of euchre, not 1", "set_games", lambda: get_game("euchre").deal(0)),
        ("games must hold states of euchre", "set_games", None),
        ("states of euchre", "set_games", get_game("whist").new_games(2)),
    )
]

ARGUMENTS = [
    refuse("n must be an int of at least 1, not True", Batch, "euchre", True),
    refuse("n must be an int of at least 1", Batch, "euchre", 0),
    refuse("threads must be an int of at least 1", Batch, "euchre", 1, threads=0),
    refuse("restart must be True or False, not 'no'", Batch, "euchre", 2, restart="no"),
    refuse("seed must be an int from 0", Batch, "euchre", 1, seed=-1),
    refuse("unknown game 'bridge'", Batch, "bridge", 1),
    refuse("unknown game 'bridge': the games are euchre, five-o, hanabi, whist", SeatEnv, "bridge"),
    refuse("game must be a game's name, one of euchre", SeatEnv, 3),
    refuse("or its spec, not 3", SeatEnv, 3),
    refuse("seat must be 0 to 3 or 'random', not 4", SeatEnv, "euchre", seat=4),
    refuse("illegal must be one of 'terminate', 'raise'", SeatEnv, "euchre", illegal="ignore"),
    refuse("illegal must be one of 'terminate', 'raise'", SeatVectorEnv, "euchre", 2, illegal="ignore"),
    refuse("illegal must be one of", make, "raw", illegal=None),
    refuse("num_envs must be an int of at least 1", SeatVectorEnv, "euchre", 0),
    refuse("num_envs must be an int of at least 1, not 2.5", SeatVectorEnv, "euchre", 2.5),
    refuse("render_mode must be None or one of", make, "raw", render_mode=5),
    refuse("render_mode must be None or one of", make, "raw", render_mode="video"),
    refuse("waiting must be one of 'zeros', 'noop', not 'no-op'", make, "parallel", waiting="no-op"),
    refuse("or 'NextStep', 'SameStep', 'Disabled', not 'never'", make, "vector", autoreset_mode="never"),
    refuse("or 'NextStep', 'SameStep', 'Disabled', not array", make, "vector", autoreset_mode=np.zeros(2, "V8")),
    refuse("bidding must be one of 'full', 'forced-spades', not 'auction'", make, "raw", bidding="auction"),
    refuse("stick_the_dealer must be one of False, True, not 1", make, "raw", stick_the_dealer=1),
    refuse("target must be one of", make, "raw", target=12),
    refuse("reward must be one of 'points', 'tricks', 'win', not 'money'", make, "raw", reward="money"),
    refuse("team_share must be a number from 0 to 1, not 2", make, "raw", team_share=2),
    refuse("no partners", make, "env", "five-o", team_share=0.5),
    *(
        refuse("max_decisions must be an int", make, shell, "whist", max_decisions=wrong)
        for wrong in (0, -1, 2.5, True, "10")
        for shell in ("batch", "seat")
    ),
]

UNKNOWN = [
    refuse("unknown option 'bids' for euchre: the options are bidding, stick_the_dealer", make, "raw", bids=1),
    refuse("target, render_mode, illegal, seat, opponents, partner, reward, ", make, "seat", opponent="high"),
    refuse("Did you mean opponents?", make, "seat", opponent="high"),
    refuse("Did you mean partner?", gymnasium.make, "cardenvs/EuchreSeat-v0", partners="high"),
    refuse("Did you mean num_envs?", make, "vector", n_envs=2),
    refuse("A deal is given to reset: reset(options={'deal': ...})", make, "vector", deal="x"),
    refuse("A dealer is given to reset: reset(options={'dealer': ...})", make, "raw", dealer=1),
    refuse("A deck is given to reset: reset(options={'deck': ...})", make, "raw", "hanabi", deck=DECK),
    refuse("Did you mean max_decisions?", make, "env", max_cycles=9),
    refuse("Did you mean bidding?", make, "raw", biding="full"),
    refuse("Did you mean waiting?", make, "parallel", wating="noop"),
    refuse("unknown option 'rewards' for kuhn-poker: ", recycle.env, "kuhn-poker", rewards="win"),
    refuse("mean reward?", recycle.env, "kuhn-poker", rewards="win"),
    refuse("reward must be one of 'points'…. Did you mean tricks?", make, "raw", reward="trick"),
    refuse("unknown action 'orderup' in euchre…. Did you mean order-up?", get_game("euchre").action, "orderup"),
    refuse("playout must be one of …. Did you mean high-low?", policy.make, "euchre", "monte-carlo", playout="highlow"),
    refuse("Did you mean skip_forced?", Batch, "euchre", 2, skip_force=True),
    refuse("Did you mean partner?", make_games, "euchre", 2, "random", "raise", partnr="low"),
    refuse("unknown option 'players' for euchre: the options are bidding, ", Batch, "euchre", 1, players=3),
    *(
        refuse(words, maker, *args, **given)
        for maker, *args in (
            *((make, shell, "hanabi") for shell in SHELLS),
            (hanabi_v0.env,), (hanabi_v0.raw_env,), (hanabi_v0.parallel_env,), (recycle.raw_env, "hanabi"),
            (pettingzoo.make, "aec", "cardenvs/hanabi-v0"),
        )
        for words, given in (
            ("players of hanabi must be an int from 2 to 5, not 6", {"players": 6}),
            (": the options are score, players, ", {"player": 3}),
        )
    ),
]  # fmt: skip

SEATED = [
    refuse("such as 'random', a list of them or a dict of them by agent", make, "seat", opponents=None),
    refuse("partner must be a policy or the name of one", make, "seat", partner=1.5),
    refuse("partner must be None in five-o", make, "seat", "five-o", partner="random"),
    refuse("in one-sided-patience, which has no partners", lambda game: SeatEnv(game, partner="random"), patience),
    refuse("unknown policy 'five-o'", make, "seat", opponents="five-o"),
    refuse("unknown policy 'nobody' for euchre: the policies are", make, "seat", opponents="nobody"),
    refuse("name must be a policy or the name of one", policy.make, "euchre", 3),
    refuse("game must be a game's name", policy.make, 3, "random"),
    *(
        refuse(words, make, shell, **given)
        for shell in ("seat", "vector")
        for words, given in (
            ("opponents must name at least one seat, as {'player_1': 'random'} does, not {}", {"opponents": {}}),
            ("opponents must be a policy or a list of at least one, not []", {"opponents": []}),
            ("partner must be a policy or a list of at least one, not ()", {"partner": ()}),
            ("opponents['player_1'] must be a policy or a list of at least one", {"opponents": {"player_1": []}}),
            ("player_1, player_2, player_3, not 'player_0', which is the learner's", {"opponents": {"player_0": "high"}}),
            ("among player_1, player_2, player_3, not 'player_4'. Did you mean", {"opponents": {"player_4": "high"}}),
            (f"among {AGENTS}, not", {"opponents": {"player_4": "high"}, "seat": "random"}),
            ("opponents must be a dict with names as keys, not {1: 'high'}", {"opponents": {1: "high"}}),
            ("unknown policy 'hihg' for euchre", {"opponents": {"player_1": "hihg"}}),
            ("Did you mean high", {"opponents": {"player_1": "hihg"}}),
            ("opponents[1] must be a policy or the name of one, such as 'random', not 3", {"opponents": ["high", 3]}),
            ("the name of one, such as 'random', not ['high']", {"opponents": [["high"]]}),
            ("opponents['player_1'] must be a policy or the name of one", {"opponents": {"player_1": {"player_2": "low"}}}),
            ("the policy 'First' plays whist, not euchre", {"opponents": [First("whist")]}),
            ("names the learner's partners, not 'low'", {"opponents": {"player_2": "high"}, "partner": "low"}),
        )
    ),
]

CALLS = [
    *(
        refuse(f"agent must be one of {AGENTS}, not 'player_4'", ask, "env", method, "player_4")
        for method in ("observe", "observation_space", "action_space")
    ),
    *(
        refuse("an action of euchre is an int from 0 to 34, not", ask, shell, "step", action)
        for action in (24.0, True, "24", None, [24])
        for shell in ("env", "raw")
    ),
    refuse("illegal action 0 (9c) for player_1 in euchre: legal are 24, 25, 26 (pass, order-up", ask, "raw", "step", 0),
    *(
        refuse("illegal action 99 for player_", ask, shell, "step", 99, settings={"illegal": "raise"})
        for shell in ("raw", "env", "seat")
    ),
    refuse("shape (3,)", ask, "vector", "step", [1]),
    *(refuse("actions must", ask, "parallel", "step", wrong) for wrong in ({}, {"player_9": 1}, None, 24)),
    *(
        refuse(words, reset, shell, options=options)
        for shell in ENVIRONMENTS
        for words, options in (
            ("unknown key 'dealr' in options: the keys are deal, dealer", {"dealr": 1}),
            ("Did you mean deal", {"dealr": 1}),
            ("unknown key 'x' in options: the keys are deal, dealer", {"x": 1}),
        )
    ),
    *(refuse("options must be a dict with names as keys, not 'x'", reset, s, options="x") for s in ("seat", "raw", "env")),
    *(refuse("what it says of 'dealer'", reset, shell, options=impossible_dealer) for shell in ("seat", "raw")),
    *(
        refuse("seed must be an int from 0 to", reset, shell, seed=seed)
        for seed in (3.5, True, -1, np.int64(-3), 2**256, "3")
        for shell in ENVIRONMENTS
    ),
    *(refuse("seed", reset, "vector", seed=wrong) for wrong in ([5, 6], [5, 6, -7], [5, 6, 1.5])),
    refuse("0 to 3", reset, "raw", options={"dealer": 4}),
    refuse("0 to 3", reset, "raw", options={"dealer": "left"}),
    refuse("has none", reset, "raw", "five-o", options={"dealer": 0}),
    refuse("must have 5 cards", reset, "raw", options=lambda: another_card("hands=Kc", "hands=")),
    refuse("twice", reset, "raw", options=lambda: another_card("hands=Kc", "hands=Ah")),
    refuse("begins with the word 'euchre'", reset, "raw", options={"deal": "whist euchre"}),
    refuse("text line or a state", reset, "raw", options={"deal": 5}),
    refuse("cut off after 2", reset, "raw", "whist", {"max_decisions": 2}, options=two_moves),
    refuse("call reset() first", lambda options: make("vector").reset(options=options), SOME, error=ResetNeeded),
    *(
        refuse(MASK, reset, "vector", options={"reset_mask": mask})
        for mask in ([True, False, False], np.array([1, 0, 0]), np.zeros(3, np.bool_), np.ones(2, np.bool_))
    ),
    refuse("the keys are deal, dealer, reset_mask", reset, "vector", options={"mask": np.ones(3, np.bool_)}),
    refuse("its 'over' is", set_state, "NextStep", over=np.zeros(2, np.bool_)),
    refuse("its 'shown' is", set_state, "NextStep", shown=None),
    refuse("its 'over' has games", set_state, "SameStep", over=np.array([True, False, False])),
    refuse("deal and deck cannot both be given", reset, "raw", "hanabi", TINY, options={"deck": DECK, "deal": "hanabi"}),
    refuse("unknown key 'deck' in options: the keys are deal, dealer", reset, "raw", options={"deck": DECK}),
]  # fmt: skip

DECKS = [
    refuse(words, *call, deck if call[0] is set_deck else {"deck": deck})
    for call in (
        (set_deck,),
        *((lambda shell, options: reset(shell, "hanabi", TINY, options=options), s) for s in ENVIRONMENTS),
    )
    for words, deck in (
        (" must have 3 cards R1, not 1", [0]),
        ("deck= of hanabi:colours=2", [0]),
        ("must have 1 cards Y3, not 2", [*DECK, 5]),
        (f"{FACES}6", [*DECK[:-1], 6]),
        (f"{FACES}-1", [*DECK[:-1], -1]),
        (f"{FACES}1000000000000", [*DECK[:-1], 10**12]),
        (f"{FACES}'Y1Y2'", ["R1", "Y1Y2"]),
        ("must have 3 cards R1, not 12", ["R1"] * 12),
        ("deck must be ints, not object", [*DECK[:-1], None]),
        ("deck must be ints, not float64", [float(card) for card in DECK]),
        ("deck must be a list of cards, not the text 'R1'", "R1"),
        ("deck must have one dimension", 7),
    )
]

ENCODINGS = [
    refuse(words, make, shell, game, encoding=encoding, recall=recall)
    for shell in SHELLS
    for words, game, encoding, recall in (
        ("encoding must be None in euchre, which has no others, not 'canonical'", "euchre", "canonical", False),
        ("must be None or 'canonical', not 'canonicl'. Did you mean canonical?", "hanabi", "canonicl", False),
        ("encoding must be None or 'canonical', not 658", "hanabi", 658, False),
        ("encoding 'canonical' of hanabi has no order of play: leave out recall", "hanabi", "canonical", True),
    )
]

REFUSALS = [*BATCHES, *ARGUMENTS, *UNKNOWN, *SEATED, *CALLS, *DECKS, *ENCODINGS]
