"""Wrong names and files of policies, wrong questions to them, explanations that cannot be, what cannot be registered."""

import functools
import math

from cardenvs import Batch, Policy, policy
from cardenvs.compiled.streams import seed_streams
from cardenvs.policy.explanation import Explanation
from tests.helpers.players import First
from tests.refusals import refuse


class OfWhist(First):
    games = ("whist",)


@functools.cache
def batch():
    """Three positions of Euchre, dealt when a test first asks for them."""
    return Batch("euchre", 3, seed=0)


def ask(name, method, asked):
    """Asks a policy of Euchre for what a function makes of observations and masks."""
    getattr(policy.make("euchre", name), method)(*asked(batch().observations, batch().action_masks))


def no_policy_file(tmp_path):
    (tmp_path / "no.txt").write_text("")
    return str(tmp_path / "no.txt")


NAMES = [
    ("bridge", "random", "unknown game 'bridge': the games are euchre, five-o"),
    ("euchre", "hi-lo", "unknown policy 'hi-lo' for euchre: …coop-high-low"),
    ("five-o", "high-low", "unknown policy 'high-low' for five-o: …reflex2"),
    ("euchre", "random:seed=3", "unknown parameter 'seed' of policy 'random': its parameters are choices"),
    ("euchre", "random:seed", "write key=value"),
    ("euchre", "exec", "command must be the command of a program"),
    ("euchre", "exec:", ", as in exec:python agent.py, not ''"),
    ("euchre", "exec:python agent.py,seconds=0", "seconds must be a number above 0"),
    ("euchre", "llm", "model must be the name of a language model, as in llm:gpt-5-mini, not ''"),
    ("euchre", "llm:tiny,prompt=all", "prompt must be one of 'rules', 'legal', not 'all'"),
    ("euchre", "llm:tiny,illegal=pass", "illegal must be one of 'forfeit', 'random', not 'pass'"),
    ("euchre", "llm:tiny,base_url=localhost", "base_url must be a server's address, without name, password or query"),
    ("euchre", "llm:tiny,base_url=http://me:secret@host/v1", "base_url must be a server's address, without name, password"),
    (
        "euchre",
        "llm:tiny,key_variable=NO_SUCH_KEY",
        "key_variable must be an environment variable that has the server's key",
    ),
    ("euchre", "llm:tiny,budget_money=1", "budget_money needs price_in and price_out"),
    ("euchre", "llm:tiny,budget_tokens=0,base_url=http://host", "budget_tokens must be an int of at least 1, not 0"),
    ("euchre", "llm:tiny,answers=no/where,base_url=http://host", "answers must be a file in a folder that is there"),
    ("euchre", "llm:tiny,disguise=-1", "disguise must be an int of at least 0, not -1"),
    ("lama", "llm:tiny,disguise=1", "disguise must be none in lama: it is for games that write cards as 9c or as R1"),
    ("euchre", no_policy_file, "the file must end in .safetensors or .zip"),
    ("euchre", lambda: policy.make("whist", "random"), "plays whist, not euchre"),
]
BEHIND = [
    ("errors must be empty or as long as pairs, which is 2, not 1", {"errors": (0.1,)}),
    ("visits must be empty or as long as pairs, which is 2, not 3", {"visits": (1, 2, 3)}),
    *((f"errors must be a number of at least 0, not {one}", {"errors": (one, 0.1)}) for one in (-0.1, math.nan, math.inf)),
    ("errors must be a list of numbers, not 0.1", {"errors": 0.1}),
    *((f"visits must be an int of at least 0, not {wrong}", {"visits": (1, wrong)}) for wrong in (-1, 2.0, True)),
]  # fmt: skip

REFUSALS = [
    *(refuse(words, policy.make, game, name) for game, name, words in NAMES),
    refuse("no policy file", policy.make, "euchre", lambda tmp_path: str(tmp_path / "x.zip"), error=OSError),
    refuse("OfWhist plays whist, not euchre", OfWhist, "euchre"),
    *(
        refuse(words, lambda name, method, asked=asked: ask(name, method, asked), name, method)
        for name, method in (("high-low", "act"), ("monte-carlo", "scores"))
        for words, asked in (
            ("observations of euchre have the shape (n, 457), not (3, 456)", lambda rows, masks: (rows[:, 1:], masks)),
            ("action_masks of euchre have the shape (n, 35), not (2, 35)", lambda rows, masks: (rows, masks[:2])),
            ("without a legal action", lambda rows, masks: (rows, masks * 0)),
            ("streams of shape (3,)", lambda rows, masks: (rows, masks, seed_streams(0, 2))),
        )
    ),
    refuse("action_masks is needed", lambda: ask("high-low", "act", lambda rows, masks: (rows, None))),
    refuse("kind must be one of 'percent', 'probability', 'value', 'choice', not 'guess'", Explanation, "guess", ()),
    *(refuse(words, Explanation, "value", (("Ah", 2.0), ("9c", 1.0)), **wrong) for words, wrong in BEHIND),
    *(
        refuse(words, policy.register, name, factory)
        for name, factory, words in (
            ("random", First, "there is a policy called 'random' already"),
            ("Mine", First, "name must be lower-case letters, digits and -"),
            ("a:b", First, "name must be lower-case letters"),
            (3, First, "name must be lower-case letters"),
            ("mine", 3, "factory must be a Policy subclass or a function"),
            ("mine", dict, "factory must be a Policy subclass or a function that makes a policy, not the class 'dict'"),
            ("mine", Policy, "the class 'Policy' lacks choose"),
            ("mine", max, "factory must be a Policy subclass or a function"),
        )
    ),
]  # fmt: skip
