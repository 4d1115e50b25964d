"""Wrong settings of trainings, wrong arguments of what learns and of sweeps."""

import numpy as np

from cardenvs.train import Config, per_seat_gae, recipe
from cardenvs.train.sweep import read_sweep
from tests.refusals import refuse

GAE = {
    "rewards": np.zeros((2, 3, 4)), "values": np.zeros((3, 3)), "ended": np.zeros((2, 3), np.int64),
    "to_act": np.zeros((3, 3), np.int64),
}  # fmt: skip
COLUMNS = {"network": "columns", "critic": "seat", "net": (8, 8)}
HANABI = "hanabi:colours=2,ranks=2,hand_size=1"
OFF_BELIEF = {"off_belief": 1, "critic": "seat"}


def estimate_advantages(**wrong):
    """Advantages of a small rollout with some arguments in place of right ones."""
    return per_seat_gae(**(GAE | wrong))


def read_other_text(tmp_path):
    """A sweep from a file that is no text."""
    (tmp_path / "a.toml").write_bytes(b"game = '\xff'")
    return str(tmp_path / "a.toml")


CONFIGS = {
    "euchre": [
        # ranges and choices
        ("steps must be an int of at least 1, not 0", {"steps": 0}),
        ("steps and minutes cannot both be None", {"steps": None}),
        ("minutes must be a number above 0, not 0", {"minutes": 0.0}),
        ("minutes must be", {"minutes": float("inf")}),
        ("games must be an int", {"games": True}),
        ("lr must be a number above 0", {"lr": 0}),
        ("lr must be a number above 0", {"lr": float("nan")}),
        ("lr must be a number above 0", {"lr": 10**400}),
        ("gamma must be a number of at least 0 and at most 1, not 1.5", {"gamma": 1.5}),
        ("clip must be", {"clip": 0.0}),
        ("seed must be an int of at least 0", {"seed": -1}),
        ("trick_weight must be a number of at least 0", {"trick_weight": -1}),
        ("ent_coef_end must be a number of at least 0, not -1", {"ent_coef_end": -1}),
        ("imitate_decisions must be an int of at least 1", {"imitate_decisions": 0}),
        ("past_every must be an int of at least 1", {"past_every": 0}),
        ("playout_steps must be an int of at least 0, not -1", {"playout_steps": -1}),
        ("lr_schedule must be one of linear, constant, not 'cosine'", {"lr_schedule": "cosine"}),
        ("activation must be one of relu, tanh", {"activation": "step"}),
        ("critic must be one of full, seat", {"critic": "all"}),
        ("others_seats must be one of any, opponents, not 'all'", {"others_seats": "all"}),
        ("device must be one of auto, cpu, cuda, not 'tpu'", {"device": "tpu"}),
        ("precision must be one of auto, float32, bfloat16, not 'int8'", {"precision": "int8"}),
        # kinds
        ("eval_opponent must be a text, not None", {"eval_opponent": None}),
        ("others must be texts", {"others": "hybrid"}),
        ("net must be ints, not 5", {"net": 5}),
        ("options must be values by name, not 3", {"options": 3}),
        ("critic must be a text", {"critic": 5}),
        ("recall must be True or False, not 1", {"recall": 1}),
        # rewards and policies
        ("reward must be one of", {"reward": "money"}),
        ("team_share must be", {"team_share": 2.0}),
        ("bidding must be one of", {"options": {"bidding": "blind"}}),
        ("eval_opponent must be one of", {"eval_opponent": "nobody"}),
        ("imitate must be one of", {"imitate": "nobody"}),
        ("others must be one of", {"others": ("nobody",)}),
        # the network
        ("net must be widths", {"net": ()}),
        ("net must be widths", {"net": (8, 0)}),
        ("net must be widths of hidden layers, 1 to 32 ints from 1 to 16384", {"net": (10**9,)}),
        ("network 'columns' is for five-o, not for euchre", COLUMNS),
        # settings that do not go together
        ("others must name a policy where others_share is 0.2", {"others_share": 0.2}),
        ("at most 1 together", {"past_share": 0.7, "others_share": 0.6, "others": ("high",)}),
        ("trick_weight must be 0 where playout_steps is given, not 0.5", {"playout_steps": 1, "trick_weight": 0.5}),
        ("steps must be at least 0 of lookahead_steps and 9 of playout_steps, not 8", {"playout_steps": 9, "steps": 8}),
        ("steps must be at least 0 of lookahead_steps and 9 of playout_steps, not None",
         {"playout_steps": 9, "steps": None, "minutes": 1}),
        ("start must be None where imitate is given, not 'learned'", {"start": "learned", "imitate": "high"}),
        ("off_belief must be 0 in euchre, which has 2 sides", OFF_BELIEF),
    ],
    "five-o": [
        ("lookahead_steps must be an int of at least 0, not -1", COLUMNS | {"lookahead_steps": -1}),
        ("network must be one of plain, columns, not 'graph'", COLUMNS | {"network": "graph"}),
        ("has critic='seat' and two hidden layers in net, not critic='full'", COLUMNS | {"critic": "full"}),
        ("two hidden layers in net, not critic='seat' and 1", COLUMNS | {"net": (8,)}),
        ("recall must be False", COLUMNS | {"recall": True}),
        ("trick_weight must be 0 where lookahead_steps is given, not 0.5",
         COLUMNS | {"lookahead_steps": 1, "trick_weight": 0.5}),
        ("network must be 'plain' where playout_steps is given, not 'columns'", COLUMNS | {"playout_steps": 9}),
    ],
    HANABI: [
        ("off_belief must be an int of at least 0, not -1", {"off_belief": -1}),
        ("symmetry must be a text or None, not 3", {"symmetry": 3}),
        ("symmetry must be None or 'colours', not 'suits'", {"symmetry": "suits"}),
        ("Did you mean colours?", {"symmetry": "colors"}),
        ("encoding must be None or 'canonical', not 'field'", {"encoding": "field"}),
        ("has no order of play", {"encoding": "canonical", "recall": True}),
        ("lookahead_steps must be 0 where symmetry is given, not 5", {"symmetry": "colours", "lookahead_steps": 5}),
        ("playout_steps must be 0 where encoding is given, not 5", {"encoding": "canonical", "playout_steps": 5}),
        ("below must be None where off_belief is 1, not 'smartbot'", OFF_BELIEF | {"below": "smartbot"}),
        ("or a file, not 'smartbots'", OFF_BELIEF | {"off_belief": 2, "below": "smartbots"}),
        ("critic must be 'seat' where off_belief is given, not 'full'", {"off_belief": 1}),
        ("symmetry must be None where off_belief", OFF_BELIEF | {"symmetry": "colours"}),
        ("playout_steps must be 0 where off_belief is given, not 32", OFF_BELIEF | {"playout_steps": 32}),
        ("ent_coef must be a number above 0, not 0", OFF_BELIEF | {"ent_coef": 0}),
    ],
    "bridge": [("unknown game 'bridge'", {})],
    "hanabi:colours=1": [("must be None in hanabi:colours=1, which announces none", {"symmetry": "colours"})],
    "agram": [("symmetry 'suit' of agram is none of the order of play: leave out recall",
               {"symmetry": "suit", "recall": True})],
}  # fmt: skip
"""Wrong settings of trainings by game."""

REFUSALS = [
    *(refuse(words, Config, game, **settings) for game, wrong in CONFIGS.items() for words, settings in wrong),
    # leagues, advantages, recipes, names of sweeps and of policies
    refuse("rewards must have the shape (steps, n, seats), none of them 0, not (2, 3)", estimate_advantages,
           rewards=np.zeros((2, 3))),
    refuse("none of them 0, not (0, 3, 4)", estimate_advantages, rewards=np.zeros((0, 3, 4))),
    refuse("rewards must be numbers, not <U1", estimate_advantages, rewards=[[["a"]]]),
    refuse("values must have the shape (3, 3), not (2, 3)", estimate_advantages, values=np.zeros((2, 3))),
    refuse("ended must be bools or numbers of Ended, 0 to 3, not 4", estimate_advantages, ended=np.full((2, 3), 4)),
    refuse("ended must be ints, not float64", estimate_advantages, ended=np.zeros((2, 3))),
    refuse("ended must have the shape (2, 3), not (3, 3)", estimate_advantages, ended=np.zeros((3, 3), bool)),
    refuse("to_act must be seats, 0 to 3, or -1 for none, not 4", estimate_advantages, to_act=np.full((3, 3), 4)),
    refuse("to_act must be seats, 0 to 3, or -1 for none, not -2", estimate_advantages, to_act=np.full((3, 3), -2)),
    refuse("decided must be True or False, not float64", estimate_advantages, decided=np.ones((3, 3))),
    refuse("decided must have the shape (3, 3), not (2, 3)", estimate_advantages, decided=np.ones((2, 3), bool)),
    refuse("gamma must be a number of at least 0 and at most 1, not 1.5", estimate_advantages, gamma=1.5),
    refuse("gae_lambda must be a number of at least 0 and at most 1, not -1", estimate_advantages, gae_lambda=-1),
    refuse("unknown recipe 'bridge': the recipes are euchre, ", recipe, "bridge"),
    refuse("no sweep 'team-shares': it is no file, and those that ship are", read_sweep, "team-shares"),
    refuse("Did you mean team-share?", read_sweep, "team-shares"),
    refuse("a.toml: this is no text in UTF-8", read_sweep, read_other_text),
]  # fmt: skip
