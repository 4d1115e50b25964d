"""Lines of text that are no deal, options, forms and hands that do not exist."""

import numpy as np

from cardenvs.games import euchre, five_o, hanabi, poker, whist
from tests.refusals import refuse

EUCHRE = "euchre hands=9cTdJdAhKs/JcQdThKhAs/TcKcAdJhQs/QcAc9dKd9s turned=Qh"
OVER = (
    "euchre dealer=0 hands=9hThJhAhJs/9dKh9sKsAs/9cKcJdQdAd/JcQcAcTdKd turned=Qh "
    "actions=pass,pass,pass,order-up,9h,9s,Ad,Qc,Js,Qh,Kh,Jd,Ac,Kc,Jc,Th,As,Jh,9d,Qd,Kd,Ah,Ks,9c,Td"
)
"""A deal that is over."""
EUCHRE_LINES = [
    ("", "begins with the word 'euchre'"),
    ("whist deal=AsKs", "begins with the word 'euchre', not 'whist'"),
    ("euchre", "has hands=, turned= and optionally kitty=, dealer= and score=, not nothing"),
    ("euchre turned=Qh", "has hands=, turned="),
    (f"{EUCHRE} trump=h", "has hands=, turned= and optionally kitty=, dealer= and score=, not hands trump"),
    (f"{EUCHRE} turned=Qh", "each key once"),
    (f"{EUCHRE} open", "words are key=value"),
    (EUCHRE.replace("/QcAc9dKd9s", ""), "4 hands"),
    (EUCHRE.replace("9cTd", "Td"), "hand 0 must have 5 cards in a deal of euchre, not 4"),
    (EUCHRE.replace("9cTd", "9cTd9h"), "hand 0 must have 5 cards in a deal of euchre, not 6"),
    (EUCHRE.replace("Qh", "QhTs"), "turned card must have 1 card in a deal of euchre, not 2"),
    (f"{EUCHRE} kitty=9hTs", "kitty must have 3 cards in a deal of euchre, not 2"),
    (EUCHRE.replace("turned=Qh", "turned="), "turned card must have 1 card in a deal of euchre, not 0"),
    (EUCHRE.replace("9cTd", "TdTd"), "Td is named twice"),
    (EUCHRE.replace("9cTd", "AsTd"), "As is twice"),
    (EUCHRE.replace("Qh", "Ah"), "Ah is twice"),
    (f"{EUCHRE} kitty=9hTsAh", "Ah is twice in this deal of euchre (again in the kitty"),
    (EUCHRE.replace("9cTd", "8cTd"), "ranks 9 T J Q K A followed by one of the suits c d h s"),
    (EUCHRE.replace("9cTd", "9xTd"), "unknown card '9x'"),
    (f"{EUCHRE} dealer=4", "dealer=4: must be 0 to 3"),
    (f"{EUCHRE} dealer=left", "dealer=left: must be 0 to 3"),
    (f"{EUCHRE} dealer=-1", "dealer=-1: must be 0 to 3"),
    (f"{EUCHRE} score=3", "score=3: must be two numbers"),
    (f"{EUCHRE} score=3-x", "score=3-x: must be two numbers"),
    (f"{EUCHRE} score=3-15", "score=3-15: before a deal of this game each side has 0 to 14"),
    (f"{EUCHRE} episode=game score=10-0", "score=10-0: before a deal of this game each side has 0 to 9"),
    (f"{EUCHRE} episode=game target=5 score=0-5", "0 to 4 points"),
    (f"{EUCHRE} bidding=open", "bidding must be one of full, forced-spades, not 'open'"),
    (f"{EUCHRE} stick_the_dealer=maybe", "stick_the_dealer must be one of no, yes, not 'maybe'"),
    (f"{EUCHRE} target=9", "target must be one of 10, 5, 7, 11, 15, not '9'"),
    (f"{EUCHRE} actions=knock", "unknown action 'knock' in euchre: the actions are 9c,"),
    (f"{EUCHRE} actions=?", "unknown action"),
    (f"{EUCHRE} actions=pass,Kh", "action 2, 'Kh', is illegal there: legal are pass, order-up, order-up-alone"),
    (f"{EUCHRE} actions=order-up,9c,Kh,Ad", "action 4, 'Ad', is illegal there: legal are Jh"),
    (
        f"{EUCHRE} actions=pass,pass,pass,pass,call-hearts",
        "action 5, 'call-hearts', is illegal there: legal are pass, call-",
    ),
    (OVER + ",9c", "action 26, '9c', is illegal there: legal are none"),
]
CLUBS, *OTHERS = ("".join(rank + suit for rank in "23456789TJQKA") for suit in "cdhs")
WHIST = f"whist hands={'/'.join([CLUBS, *OTHERS])} dealer=1 shown=2d"
WHIST_CHANGES = [
    ("shown=2d", "", "a deal of whist has hands=, shown="),
    ("shown=2d", "shown=2d turned=2d", "not dealer hands shown turned"),
    ("shown=2d", "shown=2c", "shown=2c: must be one of the dealer's cards, and player_1 deals with 2d"),
    ("shown=2d", "shown=2d3d", "shown=2d3d: must be one of the dealer's cards"),
    ("shown=2d", "shown=", "must be one of the dealer's cards"),
    ("shown=2d", "shown=1d", "unknown card '1d'"),
    ("dealer=1", "dealer=4", "dealer=4: must be 0 to 3"),
    ("dealer=1", "dealer=x", "dealer=x: must be 0 to 3"),
    ("dealer=1", "dealer=1 score=3", "score=3: must be two numbers"),
    ("dealer=1", "dealer=1 score=10-0", "score=10-0: before a deal of this game each side has 0 to 9 points"),
    ("dealer=1", "dealer=1 episode=game score=0-5", "score=0-5: before a deal of this game each side has 0 to 4 points"),
    ("dealer=1", "dealer=1 episode=game target=7 score=0-7", "before a deal of this game each side has 0 to 6 points"),
    ("dealer=1", "dealer=1 target=8", "target must be one of 5, 7, 10, not '8'"),
    (f"{CLUBS}/", "", "hands= in a deal of whist has 4 hands"),
    ("Ac/", "/", "hand 0 must have 13 cards in a deal of whist, not 12"),
    ("Ac/", "2d/", "the card 2d is twice in this deal of whist"),
    ("Ac/", "2c/", "the card 2c is named twice"),
    ("Ac/", "Zc/", "unknown card 'Zc'"),
    ("Ac/2d", "Ac2d/", "hand 0 must have 13 cards in a deal of whist, not 14"),
]
FIVE_O = (
    "five-o hidden_rows=1 columns=6d5cTs6cJh/5hAh2sJsAc "
    "deck=4s2c8s4c8h8dTc8cQc9d2hJdKdTd7h2dKc4hAd3s5s7c4dJc3d9cQhKs6sQsAs7s9sQd6h3c7d5dTh3hKh9h "
    "actions=column-4,column-5,column-2"
)
FIVE_O_CHANGES = [
    ("5h", "6d", "the card 6d is twice in this deal of five-o (again in columns= of player_1"),
    ("3hKh", "3h3h", "the card 3h is twice in this deal of five-o (again in deck="),
    ("Kh9h", "Kh", "deck= must have 42 cards in a deal of five-o, not 41; missing in this deal: 9h"),
    ("6d5c", "6d", "columns= of player_0 must have 5 cards in a deal of five-o, not 4; missing in this deal: 5c"),
    ("Ac deck=", "Ac4s deck=", "the card 4s is twice"),
    ("Ac deck=4s", "Ac4s deck=", "columns= of player_1 must have 5 cards in a deal of five-o, not 6"),
    ("Jh/5h", "Jh5h", "two players with / between them, not 1"),
    ("Ac deck=", "Ac/ deck=", "two players with / between them, not 3"),
    ("6d", "1d", "unknown card '1d'"),
    (" deck=", " pack=", "has columns=, deck= and optionally first=, not columns=, pack="),
    ("columns=", "first=2 columns=", "first=2: must be 0 to 1"),
    ("columns=", "kitty=2c columns=", "not columns=, deck=, kitty="),
    ("hidden_rows=1", "hidden_rows=5", "hidden_rows must be one of 1, 0, 2, 3, 4, not '5'"),
    ("actions=column-4", "actions=column-6", "unknown action 'column-6' in five-o"),
    ("column-4,column-5,column-2", "column-4,column-5,column-4", "action 3, 'column-4', is illegal there"),
]
HANDS = [
    ([0b11111, 0b1111], "sets[1] has 4 cards (2c 3c 4c 5c); it must have exactly 5"),
    ([0b11111, 0b111111], "sets[1] has 6 cards"),
    ([0b1], "sets[0] has 1 card "),
    ([0b1111 | 1 << 52], "sets[0] is 4503599627370511, which is no set of the cards 0 to 51"),
    ([-1], "sets[0] is -1,"),
    (np.array([2**63 + 15], np.uint64), "sets[0] is 9223372036854775823,"),
    ([1.5], "sets must be integers of shape (n,), not float64 of shape (1,)"),
    ([[0b11111]], "sets must be integers of shape (n,), not int64 of shape (1, 1)"),
    (0b11111, "sets must be integers of shape (n,), not int64 of shape ()"),
]

TINY = hanabi.hanabi(colours=1, ranks=2, hand_size=2, information=1, lives=1)

REFUSALS = [
    *(refuse(words, euchre.SPEC.parse, line) for line, words in EUCHRE_LINES),
    *(refuse(words, whist.SPEC.parse, WHIST.replace(old, new, 1)) for old, new, words in WHIST_CHANGES),
    *(refuse(words, five_o.SPEC.parse, FIVE_O.replace(old, new, 1)) for old, new, words in FIVE_O_CHANGES),
    *(refuse(words, poker.hand_values, sets) for sets, words in HANDS),
    refuse("cards has 0 cards", poker.hand_name, 0),
    refuse("cards has 6 cards (2c 3c 4c 5c 6c 7c); it must have 1 to 5", poker.hand_name, 0b111111),
    refuse("cards is 4503599627370496, which is no set", poker.hand_name, 1 << 52),
    refuse("cards is -2, which is no set", poker.hand_name, -2),
    refuse("target must be one of 10, 5, 7, 11, 15, not 9", euchre.SPEC.new_games, 1, target=9),
    refuse("target must be one of", euchre.SPEC.new_games, 1, target="10"),
    refuse("stick_the_dealer must be one of False, True, not 1", euchre.SPEC.new_games, 1, stick_the_dealer=1),
    refuse("bidding must be one of 'full', 'forced-spades', not 'none'", euchre.SPEC.new_games, 1, bidding="none"),
    refuse("unknown option 'partners' for euchre:", euchre.SPEC.new_games, 1, partners=2),
    refuse(", reward, team_share", euchre.SPEC.new_games, 1, partners=2),
    refuse("target must be one of 5, 7, 10, not 9", whist.SPEC.new_games, 1, target=9),
    refuse("players of hanabi must be an int from 2 to 5, not 6", hanabi.hanabi, players=6),
    refuse("hanabi has no parameter 'colors': its parameters are players, colours", hanabi.hanabi, colors=5),
    refuse("cannot deal 8 cards to each of 5 players: the deck has 20", hanabi.hanabi, players=5, hand_size=8, ranks=2),
    refuse("must have 1 cards R2, not 2", TINY.parse, f"{TINY.name} deck=R1R1R1R2R2"),
    refuse("has no card 'R3': the cards are R1 R2", TINY.parse, f"{TINY.name} deck=R1R1R1R3"),
    refuse("must have 3 cards R1, not 2", TINY.parse, f"{TINY.name} deck=R1R1R2"),
]
