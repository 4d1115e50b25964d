"""Wrong settings of trainings, wrong arguments of what learns and of sweeps."""

import numpy as np

from cardenvs.train import per_seat_gae, recipe
from cardenvs.train.config import Config
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


REFUSALS = [
    # ranges and choices
    refuse("steps must be an int of at least 1, not 0", Config, "euchre", steps=0),
    refuse("steps and minutes cannot both be None", Config, "euchre", steps=None),
    refuse("minutes must be a number above 0, not 0", Config, "euchre", minutes=0.0),
    refuse("minutes must be", Config, "euchre", minutes=float("inf")),
    refuse("games must be an int", Config, "euchre", games=True),
    refuse("lr must be a number above 0", Config, "euchre", lr=0),
    refuse("lr must be a number above 0", Config, "euchre", lr=float("nan")),
    refuse("lr must be a number above 0", Config, "euchre", lr=10**400),
    refuse("gamma must be a number of at least 0 and at most 1, not 1.5", Config, "euchre", gamma=1.5),
    refuse("clip must be", Config, "euchre", clip=0.0),
    refuse("seed must be an int of at least 0", Config, "euchre", seed=-1),
    refuse("trick_weight must be a number of at least 0", Config, "euchre", trick_weight=-1),
    refuse("ent_coef_end must be a number of at least 0, not -1", Config, "euchre", ent_coef_end=-1),
    refuse("imitate_decisions must be an int of at least 1", Config, "euchre", imitate_decisions=0),
    refuse("past_every must be an int of at least 1", Config, "euchre", past_every=0),
    refuse("lookahead_steps must be an int of at least 0, not -1", Config, "five-o", lookahead_steps=-1, **COLUMNS),
    refuse("playout_steps must be an int of at least 0, not -1", Config, "euchre", playout_steps=-1),
    refuse("off_belief must be an int of at least 0, not -1", Config, HANABI, off_belief=-1),
    refuse("lr_schedule must be one of linear, constant, not 'cosine'", Config, "euchre", lr_schedule="cosine"),
    refuse("activation must be one of relu, tanh", Config, "euchre", activation="step"),
    refuse("critic must be one of full, seat", Config, "euchre", critic="all"),
    refuse("network must be one of plain, columns, not 'graph'", Config, "five-o", **(COLUMNS | {"network": "graph"})),
    refuse("others_seats must be one of any, opponents, not 'all'", Config, "euchre", others_seats="all"),
    refuse("device must be one of auto, cpu, cuda, not 'tpu'", Config, "euchre", device="tpu"),
    refuse("precision must be one of auto, float32, bfloat16, not 'int8'", Config, "euchre", precision="int8"),
    # kinds
    refuse("eval_opponent must be a text, not None", Config, "euchre", eval_opponent=None),
    refuse("others must be texts", Config, "euchre", others="hybrid"),
    refuse("net must be ints, not 5", Config, "euchre", net=5),
    refuse("options must be values by name, not 3", Config, "euchre", options=3),
    refuse("critic must be a text", Config, "euchre", critic=5),
    refuse("symmetry must be a text or None, not 3", Config, HANABI, symmetry=3),
    refuse("recall must be True or False, not 1", Config, "euchre", recall=1),
    # games, rewards and policies
    refuse("unknown game 'bridge'", Config, "bridge"),
    refuse("reward must be one of", Config, "euchre", reward="money"),
    refuse("team_share must be", Config, "euchre", team_share=2.0),
    refuse("bidding must be one of", Config, "euchre", options={"bidding": "blind"}),
    refuse("eval_opponent must be one of", Config, "euchre", eval_opponent="nobody"),
    refuse("imitate must be one of", Config, "euchre", imitate="nobody"),
    refuse("others must be one of", Config, "euchre", others=("nobody",)),
    # the network, and what it sees
    refuse("net must be widths", Config, "euchre", net=()),
    refuse("net must be widths", Config, "euchre", net=(8, 0)),
    refuse("net must be widths of hidden layers, 1 to 32 ints from 1 to 16384", Config, "euchre", net=(10**9,)),
    refuse("network 'columns' is for five-o, not for euchre", Config, "euchre", **COLUMNS),
    refuse(
        "has critic='seat' and two hidden layers in net, not critic='full'", Config, "five-o",
        **(COLUMNS | {"critic": "full"}),
    ),
    refuse("two hidden layers in net, not critic='seat' and 1", Config, "five-o", **(COLUMNS | {"net": (8,)})),
    refuse("recall must be False", Config, "five-o", recall=True, **COLUMNS),
    refuse("symmetry must be None or 'colours', not 'suits'", Config, HANABI, symmetry="suits"),
    refuse("Did you mean colours?", Config, HANABI, symmetry="colors"),
    refuse("must be None in hanabi:colours=1, which announces none", Config, "hanabi:colours=1", symmetry="colours"),
    refuse(
        "symmetry 'suit' of agram is none of the order of play: leave out recall", Config, "agram", symmetry="suit",
        recall=True,
    ),
    refuse("encoding must be None or 'canonical', not 'field'", Config, HANABI, encoding="field"),
    refuse("has no order of play", Config, HANABI, encoding="canonical", recall=True),
    # settings that do not go together
    refuse("others must name a policy where others_share is 0.2", Config, "euchre", others_share=0.2),
    refuse("at most 1 together", Config, "euchre", past_share=0.7, others_share=0.6, others=("high",)),
    refuse(
        "trick_weight must be 0 where lookahead_steps is given, not 0.5", Config, "five-o", lookahead_steps=1,
        trick_weight=0.5, **COLUMNS,
    ),
    refuse(
        "trick_weight must be 0 where playout_steps is given, not 0.5", Config, "euchre", playout_steps=1, trick_weight=0.5
    ),
    refuse(
        "steps must be at least 0 of lookahead_steps and 9 of playout_steps, not 8", Config, "euchre", playout_steps=9,
        steps=8,
    ),
    refuse(
        "steps must be at least 0 of lookahead_steps and 9 of playout_steps, not None", Config, "euchre", playout_steps=9,
        steps=None, minutes=1,
    ),
    refuse(
        "network must be 'plain' where playout_steps is given, not 'columns'", Config, "five-o", playout_steps=9, **COLUMNS
    ),
    refuse(
        "lookahead_steps must be 0 where symmetry is given, not 5", Config, HANABI, symmetry="colours", lookahead_steps=5
    ),
    refuse(
        "playout_steps must be 0 where encoding is given, not 5", Config, HANABI, encoding="canonical", playout_steps=5
    ),
    refuse("start must be None where imitate is given, not 'learned'", Config, "euchre", start="learned", imitate="high"),
    refuse("below must be None where off_belief is 1, not 'smartbot'", Config, HANABI, below="smartbot", **OFF_BELIEF),
    refuse(
        "or a file, not 'smartbots'", Config, HANABI, below="smartbots", **(OFF_BELIEF | {"off_belief": 2})
    ),
    refuse("critic must be 'seat' where off_belief is given, not 'full'", Config, HANABI, off_belief=1),
    refuse("symmetry must be None where off_belief", Config, HANABI, symmetry="colours", **OFF_BELIEF),
    refuse("playout_steps must be 0 where off_belief is given, not 32", Config, HANABI, playout_steps=32, **OFF_BELIEF),
    refuse("ent_coef must be a number above 0, not 0", Config, HANABI, ent_coef=0, **OFF_BELIEF),
    refuse("off_belief must be 0 in euchre, which has 2 sides", Config, "euchre", **OFF_BELIEF),
    # leagues, advantages, recipes, names of sweeps and of policies
    refuse(
        "rewards must have the shape (steps, n, seats), none of them 0, not (2, 3)", estimate_advantages,
        rewards=np.zeros((2, 3)),
    ),
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
