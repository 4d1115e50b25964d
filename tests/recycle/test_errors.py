"""The checker: what people get wrong, with the line and column at which they are told so; `@` marks where that must be."""

from __future__ import annotations

import pytest

from cardenvs.recycle import parse
from cardenvs.recycle.language.setup import MOST_CARDS, MOST_PLAYERS
from tests.helpers.descriptions import SCORING, SETUP, framed, refused

HAND = "((current player) iloc HAND)"
STOCK = "(game iloc STOCK)"
MAP = "(game points VALUE)"

WHOLE = [
    ("(@play)", "game must stand here, not play"),
    ("(@)", "() ends where game is missing"),
    ("(@(game))", "game must stand here"),
    ("(game@)", "(game) ends where (setup ..) is missing"),
    ("(game @setup)", "(setup ..) must stand here, not setup"),
    (f"(game @(setpu (create players 2)) {SCORING})", "Did you mean setup?"),
    (f"(game @() {SCORING})", "(declare ..) or (setup ..) must stand here"),
    (f"(game {SETUP} (do ((turn pass)))@)", "the game ends without (scoring ..)"),
    (f"(game {SETUP}@) (do ((turn pass)))", "is that bracket one too many?"),
    (f"(game {SETUP} {SCORING} @{SCORING})", "(scoring ..) is too much in (game ..)"),
    (f"(game {SETUP} {SCORING} @(do ((turn pass))))", "(do ..) is too much in (game ..)"),
    (f"(game {SETUP} @(scroing max 1))", "(scroing ..) is no statement. Did you mean scoring?"),
    (f"(game {SETUP} (scoring @most 1))", "max or min must stand here, not most"),
    (f"(game {SETUP} (scoring max@))", "(scoring ..) ends where a number is missing"),
    (f"(game {SETUP} (scoring max @A))", "A is a string, but a number must stand here"),
    (f"(game {SETUP} (scoring max 1 @2))", "2 is too much in (scoring ..)"),
    (f"(game {SETUP} @{SETUP} {SCORING})", "(setup ..) stands before the script, and setup once"),
    (f"(game {SETUP} @(declare 1 'X) {SCORING})", "(declare ..) stands before the script"),
    (f"(game {SETUP} @x {SCORING})", "x is no act: allowed are (set ..)"),
    (f"(game {SETUP} @() {SCORING})", "an empty bracket is no act"),
]

DECLARED = [
    ("(declare 1 @X)", "a variable such as 'C must stand here, not X: it is written (declare VALUE 'X). Did you mean 'X ?"),
    ("(declare 1@)", "(declare ..) ends where a variable is missing"),
    ("(declare @(random 6) 'X)", "(random ..) depends on the game: what is declared is the same in all games"),
    ("(declare @(game sto X) 'X)", "(game ..) depends on the game"),
    (
        "(declare @player 'X)",
        "player is players, but a number or a condition or a string or numbers or names must stand here",
    ),
    ("(declare @'Y 'X)", "'Y is not bound here: bound are none"),
    ("(declare 1 'X) (declare 2 @'X)", "'X is declared already, at 2:13"),
    ("(declare @(// 1 0) 'X)", "(// 1 0) divides by 0"),
    ("(declare @(range 1 .. 20000) 'X)", "this range has 20000 numbers: at most 10000 are allowed"),
    ("(declare @(^ 10 30) 'X)", "the result is too great: numbers have 64 bits"),
    ("(declare 1 'X @2)", "2 is too much in (declare ..)"),
]

SETUPS = [
    ("(setup@)", "(setup) ends where (create players NUMBER) is missing"),
    ("(setup @(create deck))", "a setup starts with (create players NUMBER), not (create ..)"),
    ("(setup (create players@))", "(create ..) ends where the number of players is missing"),
    ("(setup (create players @0))", f"0 players: there must be 1 to {MOST_PLAYERS}"),
    (f"(setup (create players @{MOST_PLAYERS + 1}))", f"{MOST_PLAYERS + 1} players: there must be 1 to {MOST_PLAYERS}"),
    ("(setup (create players @TWO))", "TWO is a string, but a number must stand here"),
    ("(setup (create players @(game sto N)))", "the number of players is the same in all games"),
    ("(setup (create players 2) (create teams@))", "(create ..) ends where a team such as (0, 2) is missing"),
    ("(setup (create players 2) (create teams @0 1))", "a team such as (0, 2) must stand here, not 0"),
    ("(setup (create players 2) (create teams (0, @2)))", "there is no player 2: players are numbered from 0 to 1"),
    ("(setup (create players 2) (create teams (0, 1) (@1)))", "player 1 is in team 0 already"),
    ("(setup (create players 3) (create teams (0, 1)@))", "player 2 is in no team: each must be in one"),
    ("(setup (create players 2) (create teams (0 @1)))", "a comma is missing before 1"),
    ("(setup (create players 3) (create teams (0, @(1, 2))))", "a team has no teams in it: it is the numbers of its"),
    ("(setup (create players 2) (create teams @()))", "the list is empty: it is written (0, 2)"),
    (
        f"(setup (create players 1) (create deck {STOCK} (deck (A (B)))) @(create teams (0)))",
        "(create teams ..) stands once, before the decks",
    ),
    ("(setup (create players 1) @(create dekc))", "(create ..) is no deck"),
    ("(setup (create players 1) @(repaet 2 (create deck)))", "Did you mean repeat?"),
    ("(setup (create players 1) (repeat @(game sto X) (create deck)))", "the number of decks is the same in all games"),
    (f"(setup (create players 1) (repeat 2 @{STOCK}))", "(game ..) is no deck"),
    ("(setup (create players 1) (create deck@))", "(create ..) ends where a place is missing"),
    (
        "(setup (create players 1) (create deck @(game sto STOCK) (deck (A (B)))))",
        "must stand here, not (game ..) for the deck",
    ),
    ("(setup (create players 1) (create deck @(game mem STOCK) (deck (A (B)))))", "a mem holds copies of cards"),
    (
        "(setup (create players 1) (create deck (game iloc @new) (deck (A (B)))))",
        "nothing is made new while a game is played: a place has a name",
    ),
    (f"(setup (create players 1) (create deck {STOCK}@))", "(create ..) ends where (deck ..) is missing"),
    (f"(setup (create players 1) (create deck {STOCK} (@dekc (A (B)))))", "deck must stand here, not dekc"),
    (f"(setup (create players 1) (create deck {STOCK} (deck@)))", "(deck) ends where (ATTRIBUTE (VALUE, VALUE, ..))"),
    (f"(setup (create players 1) (create deck {STOCK} (deck (RANK (@2, 3)))))", "a name must stand here, not 2"),
    (f"(setup (create players 1) (create deck {STOCK} (deck (RANK (A @B)))))", "a comma is missing before B"),
    (
        f"(setup (create players 1) (create deck {STOCK} (deck (RANK (A, @, B)))))",
        "a comma without a name before it",
    ),
    (f"(setup (create players 1) (create deck {STOCK} (deck (RANK (A@,)))))", "a name must follow the comma"),
    (f"(setup (create players 1) (create deck {STOCK} (deck (RANK @A))))", "values such as (A, B) must stand here, not A"),
    (f"(setup (create players 1) (create deck {STOCK} (deck (@rank (A)))))", "an attribute in capital letters must stand"),
    (f"(setup (create players 1) (create deck {STOCK} (deck (A (B)) (@A (C)))))", "cards have the attribute A already"),
    (f"(setup (create players 1) (create deck {STOCK} (deck (A (B (@A (C)))))))", "cards have the attribute A already"),
    (
        f"(setup (create players 1) @(repeat {MOST_CARDS} (create deck {STOCK} (deck (A (B, C))))))",
        f"with this the decks have {2 * MOST_CARDS} cards: at most {MOST_CARDS} are allowed",
    ),
]
"""Setups, each followed by a script that does nothing."""

ACTS = [
    # Keywords
    ("(@shufle (game iloc STOCK))", "(shufle ..) is no act: allowed are (set ..), (inc ..)"),
    ("(@shufle (game iloc STOCK))", "Did you mean shuffle?"),
    ("(shuffle (game @ilco STOCK))", "not ilco: it is written (OWNER KIND NAME). Did you mean iloc?"),
    ("(set (game @stoo X) 1)", "Did you mean sto?"),
    ("(inc (game sto X) (@szie player))", "(szie ..) is no value: allowed are digits"),
    ("(inc (game sto X) (@szie player))", "Did you mean size?"),
    ("(inc (game sto X) (@SIZE player))", "keywords are small letters. Did you mean size?"),
    ("(all @players 'P (turn pass))", "players is no value"),
    ("(all @playr 'P (turn pass))", "Did you mean player?"),
    ("(cycle @nxt current)", "next or current must stand here, not nxt"),
    ("(turn @skip)", "pass must stand here, not skip"),
    ("@(stage player (end (== 1 1)) (turn pass))", "(stage ..) stands directly in (game ..) or (stage ..)"),
    ("@(choice ((turn pass)))", "(choice ..) stands directly in (game ..) or (stage ..)"),
    ("(all player 'P @(choice ((turn pass))))", "(choice ..) stands directly in"),
    ("((== 1 1) @(choice ((turn pass))))", "(choice ..) stands directly in"),
    ("(do @(turn pass))", "an act stands here, where a bracket with acts must stand"),
    ("(do (@))", "there must be an act in here"),
    ("(do ((turn pass)) @(turn pass))", "(turn ..) is too much in (do ..)"),
    ("(@== 1 1)", "(== ..) is a value where an act must stand: a guarded act is (CONDITION ACT)"),
    (
        "(@(turn pass) (turn pass))",
        "(turn ..) is an act where a condition must stand: acts in a bracket of their own need do",
    ),
    ("((== 1 1) (turn pass) @(turn pass))", "is a second act, where one stands: several are (do (ACT ACT ..))"),
    ("(all player 'P (turn pass) @(turn pass))", "is a second act"),
    ("(let 1 'X (turn pass) @(turn pass))", "is a second act"),
    ("(@'P (turn pass))", "('P ..) is no act"),
    ("(@1 (turn pass))", "(1 ..) is no act"),
    ("(do ((turn pass) @pass))", "pass is no act"),
    # Variables
    ("(inc (game sto X) @'N)", "'N is not bound here: bound are none"),
    ("(all player 'P (inc (@'Q sto X) 1))", "'Q is not bound here: bound are 'P"),
    ("(all player 'PLAYER (inc (@'PLAYR sto X) 1))", "Did you mean 'PLAYER?"),
    ("(do ((all player 'P (turn pass)) (inc (@'P sto X) 1)))", "'P is not bound here"),
    ("(all player @P (turn pass))", "a variable such as 'C must stand here, not P"),
    ("(all player @(turn pass))", "a variable such as 'C must stand here"),
    ("(all @'P 'P (turn pass))", "'P is not bound here"),
    # Kinds
    ("(inc (game sto X) @ONE)", "ONE is a string, but a number must stand here: allowed are digits"),
    ("(inc (game sto X) @player)", "player is players, but a number must stand here"),
    (f"(inc (game sto X) @{STOCK})", "(game ..) is cards, but a number must stand here"),
    ("(inc (game sto X) @(== 1 1))", "(== ..) is a condition, but a number must stand here"),
    ("(set (game str X) @1)", "1 is a number, but a string must stand here"),
    ("(set (game str X) @pass)", "pass is no value: allowed are a name in capital letters"),
    ("(all player 'P (inc (game sto X) @'P))", "'P is a player, but a number must stand here"),
    ("(all (range 1 .. 2) 'N (inc (@'N sto X) 1))", "'N is a number, but a player or a team must stand here"),
    ("(all (A, B) 'N (inc (game sto @(== 'N A)) 1))", "(== ..) is a condition, but a string or a number must stand here"),
    (f"(all {HAND} 'C (shuffle @'C))", "a place, (OWNER KIND NAME) with KIND one of"),
    (
        f"((== (size {HAND}) @ONE) (turn pass))",
        "== compares two values of one kind: (size ..) is a number, ONE is a string",
    ),
    ("((!= (current player) @(current team)) (turn pass))", "!= compares two values of one kind"),
    ("((== (top (game iloc STOCK)) @ACE) (turn pass))", "(top ..) is a card, ACE is a string"),
    ("((== @player player) (turn pass))", "player is players, but a number or a string or a card or a player or a team"),
    ("((== 1@) (turn pass))", "(== ..) ends where another value, a number, is missing"),
    ("((< @A 1) (turn pass))", "A is a string, but a number must stand here"),
    ("((and @1 (== 1 1)) (turn pass))", "1 is a number, but a condition must stand here"),
    ("((and (== 1 1)@) (turn pass))", "(and ..) ends where a condition is missing"),
    ("((not (== 1 1) @(== 1 1)) (turn pass))", "(== ..) is too much in (not ..)"),
    ("((any player 'P @'P) (turn pass))", "'P is a player, but a condition must stand here"),
    (f"((any player 'P @{HAND}) (turn pass))", "is cards, but a condition must stand here"),
    ("(let (== 1 1) 'B (@'B (turn pass)))", "('B ..) is no act"),
    (
        "(let 1 'B ((and @'B (== 1 1)) (turn pass)))",
        "'B is a number, but a condition must stand here",
    ),
    ("(inc (game sto X) (size @(current player)))", "(current ..) is a player, but a collection must stand here"),
    (f"(inc (game sto X) (size @(top {STOCK})))", "(top ..) is a card, but a collection must stand here"),
    (f"(inc (game sto X) (sum @(top {STOCK}) using {MAP}))", "is a card, but cards must stand here"),
    (f"(inc (game sto X) (sum {STOCK} using @{STOCK}))", "a point map must stand here, not (game ..)"),
    (f"(inc (game sto X) (sum {STOCK} @{MAP}))", "using must stand here, not (game ..)"),
    (f"(inc (game sto X) (sum {STOCK}@))", "(sum ..) ends where using is missing"),
    (f"(inc (game sto X) @{MAP})", "a point map is no value, it stands behind using"),
    ("(inc (game sto X) @-3)", "numbers have no sign: write (- 0 NUMBER)"),
    ("(inc (game sto X) (+ 1@))", "(+ ..) ends where a number is missing"),
    ("(inc (game sto X) (+ 1 2 @3))", "3 is too much in (+ ..)"),
    ("(inc (game sto X) @(% 3 0))", "(% 3 0) divides by 0"),
    ("(inc (game sto X) @((+ 1 2)))", "((..)) has a bracket too many around its value"),
    ("(inc (game sto X) @())", "an empty bracket is no value"),
    ("(inc (game sto X) (size (A @B)))", "a comma is missing before B"),
    ("(inc (game sto X) (random 1 @6))", ".. must stand here, not 6"),
    ("(all (range 1 @- 6) 'N (turn pass))", ".. must stand here, not -"),
    ("(all (range 1 ..@) 'N (turn pass))", "(range ..) ends where a number is missing"),
    # Bins
    ("(inc @(game str X) 1)", "inc changes a number, (OWNER sto NAME), not (game ..)"),
    (f"(inc @{STOCK} 1)", "(game ..) is a place of cards, which is changed by move"),
    ("(set @X 1)", "(OWNER sto NAME), (OWNER str NAME) or (OWNER points NAME) must stand here, not X"),
    ("(set (@player sto X) 1)", "player owns nothing: an owner is game"),
    (
        "(set (@gmae sto X) 1)",
        "gmae owns nothing: an owner is game, a player such as (current player) or 'P, or a team. Did you mean",
    ),
    ("(set (game sto@) 1)", "(game ..) ends where a name is missing"),
    ("(set (game sto X @Y) 1)", "Y is too much in (game ..)"),
    ("(set (game sto @x) 1)", "x is no value: allowed are a name in capital letters"),
    ("(set (game sto X)@)", "(set ..) ends where a number is missing"),
    # Players and teams
    ("(set ((@3 player) sto X) 1)", "there is no player 3: players are numbered from 0 to 2"),
    ("(set ((@(- 1 2) player) sto X) 1)", "there is no player -1"),
    ("(set ((@3 team) sto X) 1)", "there is no team 3: teams are numbered from 0 to 2"),
    ("(set ((current @plyer) sto X) 1)", "player or team must stand here, not plyer"),
    ("(set ((current@) sto X) 1)", "(current) ends where player or team is missing"),
    ("(all (other @side) 'T (turn pass))", "player or team must stand here, not side"),
    ("(shuffle (game vloc @new))", "nothing is made new while a game is played: a place has a name in capital letters"),
    ("(do ((inc (game sto N) 1) (shuffle (game vloc @(game sto N)))))", "this can be any number, or more than 100, and no"),
    ("(shuffle (game vloc @(random 1 .. 101)))", "this can be any number, or more than 100, and no number is a name"),
    ("(all (other @palyer) 'T (turn pass))", "Did you mean player?"),
    (
        f"(move (top {STOCK}) (top (@(current team) iloc HAND)))",
        "a team has no iloc: only the game and players have places",
    ),
    ("(all team 'T (set ((team @'T) sto X) 1))", "'T is a team, but a player must stand here"),
    ("(cycle next @2)", "2 is a number, but a player must stand here"),
    ("(cycle next @(current team))", "(current ..) is a team, but a player must stand here"),
    (f"(set ((owner @{STOCK}) sto X) 1)", "(game ..) is cards, but a card must stand here"),
    # Attributes
    ("(set (game str X) (cardatt @SIUT (top (game iloc STOCK))))", "no deck has an attribute SIUT: there are RANK, SUIT"),
    ("(set (game str X) (cardatt @SIUT (top (game iloc STOCK))))", "Did you mean SUIT?"),
    ("(set (game points X) (((@COLOUR : RED) 1)))", "no deck has an attribute COLOUR: there are RANK, SUIT"),
    ("(set (game points X) (((@HEARTS : SUIT) 1)))", "no deck has an attribute HEARTS"),
    (f"(all (partition @RNAK {STOCK}) 'S (turn pass))", "Did you mean RANK?"),
    # Awards
    ("(set (game points X) @1)", "awards must stand here, not 1"),
    ("(set (game points X) (@))", "there must be an award in here, ((ATTRIBUTE : VALUE) .. NUMBER)"),
    ("(set (game points X) (@RANK))", "an award, ((ATTRIBUTE : VALUE) .. NUMBER), must stand here, not RANK"),
    ("(set (game points X) ((@RANK : ACE)))", "a key, (ATTRIBUTE : VALUE) must stand here, not RANK"),
    ("(set (game points X) (((RANK : ACE)@)))", "((..)) ends where a number is missing"),
    ("(set (game points X) (((RANK @ACE) 1)))", ": must stand here, not ACE"),
    ("(set (game points X) (((RANK :@) 1)))", "(RANK ..) ends where a value is missing"),
    ("(set (game points X) (((RANK : ACE @TWO) 1)))", "TWO is too much in (RANK ..)"),
    ("(set (game points X) (((RANK : @1) 1)))", "1 is a number, but a string must stand here"),
    ("(set (game points X) (((RANK @(ACE, TWO)) 1)))", ": must stand here, not (ACE ..)"),
    ("(put points @X (((RANK (ACE)) 1)))", "a variable such as 'C must stand here, not X"),
    # Moves
    (f"(move (top {STOCK}) @{HAND})", "a card goes to (top PLACE), (bottom PLACE) or (NUMBER PLACE), not to ((..) ..)"),
    (f"(move (top {STOCK}) @{HAND})", "Did you forget top ?"),
    (f"(move (top {STOCK}) @top)", "a card goes to (top PLACE)"),
    (f"(move (top {STOCK}) (@up {HAND}))", "top or bottom must stand here, not up"),
    (f"(move (top {STOCK}) (top @(union {STOCK})))", "not (union ..): cards go to places, not to what is computed"),
    (f"(let {STOCK} 'V (move (top {STOCK}) (top @'V)))", "not 'V: cards go to places, not to what is computed"),
    (f"(move @{STOCK} (top {HAND}))", "(game ..) is cards, but a card must stand here"),
    (f"(move (top {STOCK})@)", "(move ..) ends where (top PLACE) is missing"),
    (f"(move (top {STOCK}) @(top (game mem M)))", "a mem holds copies, no cards move there: remember adds a copy"),
    (f"(move @(top (game mem M)) (top {STOCK}))", "a mem holds copies, which do not move: forget drops one"),
    (f"(move (@(- 0 1) {STOCK}) (top {HAND}))", "there is no card -1: they are counted from 0"),
    (f"(remember (top {STOCK}) @(top {HAND}))", "remember adds to a mem, (top (OWNER mem NAME)), not to (top ..)"),
    (f"(forget @(top {HAND}))", "forget drops a copy from a mem"),
    (f"(all {STOCK} 'C (forget @'C))", "forget drops a copy from a mem"),
    # Repeats
    ("(repeat all @(do ((turn pass))))", "repeat all takes (move ..) or (forget ..), not (do ..)"),
    ("(repeat 3 (@dooo))", "(dooo) is no act: allowed are (set ..)"),
    ("(repeat @THREE (turn pass))", "THREE is a string, but a number must stand here"),
    ("(repeat all @(turn pass))", "repeat all takes (move ..) or (forget ..), not (turn ..)"),
    (f"(all {STOCK} 'C (repeat all (move @'C (top {HAND}))))", "repeat all needs a card of a collection"),
    # Collections
    (f"(all (union @(subsets {STOCK})) 'C (turn pass))", "cards must stand here, not sets of cards"),
    (
        f"(all (union {STOCK} @(all player 'P ('P iloc HAND))) 'C (turn pass))",
        "(all ..) is sets of cards and stands beside others",
    ),
    (
        f"(all (union (all player 'P ('P iloc HAND)) @{STOCK}) 'C (turn pass))",
        "(all ..) stands alone in (union ..), without (game ..)",
    ),
    ("(all (union@) 'C (turn pass))", "(union) ends where cards is missing"),
    (f"(all (runs @smallest 3 {STOCK} using {MAP}) 'S (turn pass))", "largest or all must stand here, not smallest"),
    (f"(all (run @middle 3 {STOCK} using {MAP}) 'S (turn pass))", "top or bottom must stand here, not middle"),
    (f"(all (filter {STOCK} 'C @'C) 'D (turn pass))", "'C is a card, but a condition must stand here"),
    (
        f"(all (top 1 {STOCK} @2) 'D (turn pass))",
        "2 is too much in (top ..)",
    ),
    (f"(shuffle @(filter {STOCK} 'C (== 1 1)))", "a place, (OWNER KIND NAME)"),
    ("(shuffle @STOCK)", "a place, (OWNER KIND NAME)"),
    (f"(shuffle @faro {STOCK})", "a place, (OWNER KIND NAME)"),
    # Decks made while a game is played
    ("(create @players 3)", "players are made in the setup, once for all"),
    ("(create @teams (0) (1) (2))", "teams are made in the setup, once for all: the script makes decks"),
    (f"(create deck {STOCK} (deck (RANK @ACE)))", "values such as (A, B) must stand here"),
]
"""Acts in ``(do (ACT))``."""

STATEMENTS = [
    ("(stage @palyer (end (== 1 1)) (do ((turn pass))))", "player or team must stand here, not palyer"),
    ("(stage player (@until (== 1 1)) (do ((turn pass))))", "end must stand here, not until"),
    ("(stage player @end (do ((turn pass))))", "(end CONDITION) must stand here, not end"),
    ("(stage player (end@) (do ((turn pass))))", "(end) ends where a condition is missing"),
    ("(stage player (end @1) (do ((turn pass))))", "1 is a number, but a condition must stand here"),
    ("(stage player (end (== 1 1))@)", "(stage ..) ends where a statement is missing"),
    ("(choice@)", "(choice) ends where a bracket with acts is missing"),
    (
        "(choice @(turn pass))",
        "an act stands here, where a bracket with acts must stand: it is written (choice (ACT ACT ..))",
    ),
    ("(choice (@))", "there must be an act in here"),
    ("(choice ((turn pass)) @(turn pass))", "(turn ..) is too much in (choice ..)"),
    ("(@chioce ((turn pass)))", "Did you mean choice?"),
    ("(@stge player (end (== 1 1)) (do ((turn pass))))", "Did you mean stage?"),
    (
        "(do ((move (top (game iloc STOCK)) (top (game vloc TABLE)))\n  (shuffle @(game vloc TABEL))))",
        "no card is ever put in vloc TABEL: cards are put in TABLE. Did you mean TABLE?",
    ),
]


@pytest.mark.parametrize(("text", "said"), WHOLE)
def test_a_game(text, said):
    assert said in refused(text).message


@pytest.mark.parametrize(("declared", "said"), DECLARED)
def test_declarations(declared, said):
    assert said in refused(framed("(do ((turn pass)))", declared=declared)).message


@pytest.mark.parametrize(("setup", "said"), SETUPS)
def test_setups(setup, said):
    assert said in refused(framed("(do ((turn pass)))", setup=setup)).message


@pytest.mark.parametrize(("act", "said"), ACTS)
def test_acts(act, said):
    assert said in refused(framed(f"(do ({act}))")).message


@pytest.mark.parametrize(("statement", "said"), STATEMENTS)
def test_statements(statement, said):
    assert said in refused(framed(statement)).message


def test_the_first_error_is_told():
    assert "'Q is not bound" in refused(framed("(do ((inc (@'Q sto X) 1) (inc ('R sto X) 1)))")).message


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (
            "((== (cardatt SUIT (top (game iloc STOCK))) @CLUB) (turn pass))",
            "no card has the SUIT CLUB. Did you mean CLUBS?",
        ),
        ("(set (game points X) (((RANK : @ACES) 1)))", "no card has the RANK ACES. Did you mean ACE?"),
        (
            "(all @(game vloc STOCK) 'C (turn pass))",
            "put in the game's vloc STOCK, though they are in the game's iloc STOCK",
        ),
        ("(all @(game iloc X) 'C (turn pass))", "no card is ever put in the game's iloc X"),
        (
            "(do ((set (game str T) HEARTS) ((== (game str T) @HEARTSS) (turn pass))))",
            "what is compared with HEARTSS is never set to HEARTSS. Did you mean HEARTS?",
        ),
        ("(let (game str T) 'X ((!= @NOTHING 'X) (turn pass)))", "what is compared with NOTHING is never set to NOTHING"),
    ],
)
def test_what_may_be_a_slip_is_a_remark(act, said):
    text = framed(f"(do ({act}))")
    before, _, after = text.partition("@")
    ((at, message),) = parse(before + after).remarks
    assert said in message
    assert at == (before.count("\n") + 1, len(before) - before.rfind("\n"))


def test_a_place_with_a_computed_name_counts_as_filled():
    computed = "(declare (TABLE, SIDE) 'NAMES)"
    script = "(do ((all 'NAMES 'N (move (top (game iloc STOCK)) (top (game vloc 'N)))) (shuffle (game vloc TABLE))))"
    assert parse(framed(script, declared=computed)).remarks == ()
