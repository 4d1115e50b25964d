"""Names, cards, seeds, records and rewards that are none."""

import numpy as np

from cardenvs import Batch, get_game, policy
from cardenvs.compiled import jit
from cardenvs.compiled.streams import as_streams, seed_streams
from cardenvs.contract.cards import EUCHRE_DECK, FULL_DECK
from cardenvs.contract.record import parse_record, seats_line
from cardenvs.contract.symmetry import Symmetry, exchanged_letters
from tests.helpers.one_sided import one_sided
from tests.refusals import refuse

NAMES = [
    ("hanabi:", "hanabi has no form '': its forms are mini, tiny, players=2..5, colours=1..5"),
    ("hanabi:mimi", "lives=1..10. Did you mean mini?"),
    ("hanabi:mimi", "hanabi has no form 'mimi': "),
    ("hanabi:players", "hanabi has no form 'players':"),
    ("hanabi:players", ". Did you mean players=?"),
    ("hanabi:players=3,mini", "hanabi has no form 'mini'"),
    ("hanabi:player=3", "hanabi has no parameter 'player': its parameters are players,"),
    ("hanabi:player=3", ". Did you mean players?"),
    ("hanabi:players=6", "players of hanabi must be an int from 2 to 5, not 6"),
    ("hanabi:players=" + "9" * 5000, "players of hanabi must be an int from 2 to 5, not"),
    ("hanabi:players=-1", "players of hanabi must be an int from 2 to 5, not '-1'"),
    ("hanabi:players=three", "players of hanabi must be an int from 2 to 5, not 'three'"),
    ("hanabi:players=", "players of hanabi must be an int from 2 to 5, not ''"),
    ("hanabi:players=2,players=3", "hanabi:players=2,players=3 has players twice"),
    ("hanabi:players=5,hand_size=8,ranks=2", "hanabi cannot deal 8 cards to each of 5 players: the deck has 20"),
    ("euchre:players=3", "euchre has no forms: its name stands alone, not as 'euchre:players=3'"),
    ("hearts:players=3", "hearts has no forms: its name stands alone, not as 'hearts:players=3'"),
    ("hearts.rcy:tiny", "hearts.rcy has no forms: its name stands alone, not as 'hearts.rcy:tiny'"),
    ("gone.rcy:tiny", "unknown game 'gone.rcy:tiny'"),
    ("hanabu:players=3", "unknown game 'hanabu:players=3':"),
    ("hanabu:players=3", ". Did you mean hanabi?"),
]
CARDS = ("", "A", "1h", "8h", "Ax", "hA", "AhK", "10", "100h", "♠A", "Ahh")
SEEDS = (-1, -(2**70), 2**256, 3.5, True, "3", None)
LINE_ENDS = ("a\nb", "a\r", "a\x0bb", "a\x1cb", "a\x85b", "a\u2028b", "a;b", "a;")
"""Names that would be read as several."""
KUHN = "kuhn-poker chance=0123456789abcdef actions="
SMALL = get_game("hanabi:colours=3,ranks=2,hand_size=2")
SUITS = Symmetry("suits", ((0, 1), (1, 0)), exchanged_letters("CD"))
NO_SYMMETRY = ", which announces none, not 'colours'"

REFUSALS = [
    *(refuse(words, get_game, name) for name, words in NAMES),
    *(
        refuse(f"unknown card {text!r}: a card is one of the ranks 9 T J Q K A followed by one of the suits c d h s, as in",
               EUCHRE_DECK.card, text)
        for text in CARDS
    ),
    *(refuse(f"unknown card number {k}: this deck has the cards 0 to 23", EUCHRE_DECK.text, k) for k in (-1, 24)),
    refuse("the card 2c is named twice in '2cAs2c'", FULL_DECK.parse_set, "2cAs2c"),
    refuse("unknown card 'A'", FULL_DECK.parse, "2cA"),
    *(refuse(f"seed must be an int from 0 to 2**256 - 1, not {seed!r}", seed_streams, seed, 1) for seed in SEEDS),
    *(refuse("rng must be uint64 streams of shape (3,), not ", as_streams, a, 3) for a in (np.uint64([1, 2]), np.ones(3))),
    refuse("line 1: a deal begins with", parse_record, "chess e4"),
    refuse("line 2: ", parse_record, f"{KUHN}\n{KUHN}column-9"),
    refuse("line 2: kuhn-poker has 2 seats, not 3", parse_record, f"# seats: a; b; c\n{KUHN}"),
    refuse("cannot stand in a record", seats_line, ["a; b", "c"]),
    *(refuse("no line end and no ';' may be in a name", seats_line, ["c", name]) for name in LINE_ENDS),
    *(
        refuse("is no game's name, but a path", parse_record, f"{word} chance=0123456789abcdef actions=")
        for word in ("sub/my%20game.rcy", "sub%2Fmy%20game.rcy", "/etc/x.rcy")
    ),
    refuse("suits: the labels C1, C2, D1 do not become each other: ", SUITS.places, ("C1", "C2", "D1")),
    refuse("suits: the labels C1, D do not become each other: ", SUITS.places, ("C1", "D")),
    refuse("symmetry must be None or 'colours', not 'colors'. Did you mean colours?", SMALL.symmetry, "colors"),
    refuse(NO_SYMMETRY, get_game("hanabi:colours=1").symmetry, "colours"),
    refuse(NO_SYMMETRY, get_game("euchre").symmetry, "colours"),
    refuse("hat-recommendation ", policy.make, "hanabi", "hat-recommendation"),
    refuse("learned ", policy.make, "hanabi:tiny", "learned"),
    refuse("unknown policy 'piers' for whist: it plays hanabi alone", policy.make, "whist", "piers"),
    *(
        refuse("needs an information token and hands of two cards, unlike", policy.make, "hanabi:hand_size=1", name)
        for name in ("smartbot", "hat-information")
    ),
    refuse("the policy 'piers' plays hanabi:players=3, not hanabi", policy.make, "hanabi",
           policy.make("hanabi:players=3", "piers")),
    refuse("reward must be one of 'points', 'score', not 'win': one-sided-team has one side", Batch,
           lambda: one_sided("team"), 1, reward="win"),
    refuse("reward must be one of 'points', 'tricks', 'win', not 'score'", Batch, "whist", 1, reward="score"),
    refuse("an observation of euchre has the shape (457,) and a state (577,), not (3,)", get_game("euchre").labels,
           np.zeros(3, np.int8)),
    *(
        refuse("a closure is named by its module, a colon and its own name", jit.closure, name)
        for name in ("worlds.whist.redeal", ":redeal", "cardenvs.worlds:")
    ),
]  # fmt: skip
