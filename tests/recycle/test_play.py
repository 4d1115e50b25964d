"""Stages, cycles, choices and the end of games."""

import pytest

from cardenvs.recycle import RecycleError
from tests.helpers.descriptions import SETUP, described_by, game_of, play, shown
from tests.naive.recycle import Game, Seat, Side

STOCK = "(game iloc STOCK)"
TABLE = "(game vloc TABLE)"
CURRENT = "(current player)"
TEAMS = SETUP.replace("(create players 3)", "(create players 4) (create teams (0, 2) (3, 1))")
PASS = "(choice ((turn pass)))"


def counted_stage(turns, body=PASS, name="TURNS"):
    """A stage of some turns, which are counted in a bin."""
    return f"(stage player (end (== (game sto {name}) {turns})) (do ((inc (game sto {name}) 1))) {body})"


INNER = f"(do ((set (game sto INNER) 0))) {counted_stage(2, name='INNER')}"
ENDED = f"(stage player (end (== 1 1)) {PASS}) {PASS}"
QUEUED = f"((== (game sto TURNS) 2) (cycle next (0 player))) {PASS}"
TAKEN = f"((== (game sto TURNS) 1) (do ((cycle next (1 player)) (cycle current (2 player))))) {PASS}"
LAST = f"(end (and (== {CURRENT} (1 player)) (== (next player) (0 player))))"
WITHIN = f"""(stage player (end (== (game sto DONE) (game sto TURNS)))
  (do ((inc (game sto DONE) 1) (cycle next (0 player)))) {PASS})"""
TEAM = f"(stage team (end (== (game sto TURNS) 2)) (do ((inc (game sto TURNS) 1))) {PASS})"
MOVERS = {
    "a stage that has ended is not begun": (f"(stage player (end (== 1 1)) {PASS})", []),
    "turns go round": (counted_stage(5), [0, 1, 2, 0, 1]),
    "the first turn belongs to who was current": (f"(cycle current (2 player)) {counted_stage(4)}", [2, 0, 1, 2]),
    "an inner stage starts with the outer current and leaves its cycle alone": (
        counted_stage(3, INNER),
        [0, 1, 1, 2, 2, 0],
    ),
    "a stage that is not begun leaves the cycle alone, unlike in CardStock": (counted_stage(4, ENDED), [0, 1, 2, 0]),
    "cycle next queues once": (counted_stage(5, QUEUED), [0, 1, 0, 1, 2]),
    "cycle current takes over at once and keeps the queue": (counted_stage(4, TAKEN), [2, 1, 2, 0]),
    "the current one is queued": (counted_stage(3, f"(cycle next current) {PASS}"), [0, 0, 0]),
    "the next one is queued": (counted_stage(3, f"(cycle next next) {PASS}"), [0, 1, 2]),
    "the previous one is queued": (counted_stage(3, f"(cycle next previous) {PASS}"), [0, 2, 1]),
    "a numbered one is queued": (counted_stage(3, f"(cycle next (2 player)) {PASS}"), [0, 2, 2]),
    "the end is asked before the cycle goes on": (
        f"(stage player {LAST} {PASS} ((== {CURRENT} (1 player)) (cycle next (0 player))))",
        [0, 1],
    ),
    "a queue in an inner stage is gone with it": (counted_stage(3, WITHIN), [0, 1, 2]),
    "a choice in a stage of teams asks the current player": (f"(cycle current (2 player)) {TEAM}", [2, 2]),
    "cycles are changed in a choice": (counted_stage(3, "(choice ((cycle next (2 player))))"), [0, 2, 2]),
}


@pytest.mark.parametrize(("script", "seats"), MOVERS.values(), ids=MOVERS)
def test_who_decides(script, seats):
    """Decision after decision; the first option is taken."""
    game = game_of(script)
    decided = []
    while not game.over:
        decided.append(game.current)
        game.play(0)
    assert decided == seats


def test_next_is_the_queued_one_and_previous_the_neighbour():
    script = """(stage player (end (== (game sto TURNS) 2)) (do ((inc (game sto TURNS) 1)
      (cycle next (2 player)) (inc ((next player) sto NEXT) 1) (inc ((previous player) sto BEFORE) 1))))"""
    game = game_of(script)
    assert [game.stored(Seat(seat), "NEXT") for seat in range(3)] == [0, 0, 2]
    assert [game.stored(Seat(seat), "BEFORE") for seat in range(3)] == [0, 1, 1]


def test_stages_of_teams():
    """A stage of teams leaves the current player alone, and the other way round."""
    script = """(stage team (end (== (game sto TURNS) 3)) (do ((inc (game sto TURNS) 1) (inc ((current team) sto N) 1)
      (inc ((next team) sto M) 1)))
      (stage player (end (== (game sto DONE) (game sto TURNS))) (do ((inc (game sto DONE) 1))) (choice ((turn pass)))))"""
    game = game_of(script, setup=TEAMS)
    play(game, 0, 0)
    assert game.current == 0
    play(game, 0)
    assert game.over
    assert [game.stored(Side(side), "N") for side in (0, 1)] == [2, 1]
    assert [game.stored(Side(side), "M") for side in (0, 1)] == [1, 2]


def options(choice, *before, **frame):
    """The options of a choice: alternative, indices, what was bound."""
    game = game_of(f"(do ({' '.join(before) or '(turn pass)'})) (choice ({choice}))", **frame)
    return [(one.alternative, one.path, shown(list(one.values))) for one in game.options()]


NUMBER = "(any (range 1 .. 2) 'N (inc (game sto X) 'N))"
OPTIONS = {
    "alternatives, and what any is bound to": (
        f"(turn pass) (any (bottom 2 {STOCK}) 'C (move 'C (top {TABLE}))) {NUMBER}",
        [(0, (), []), (1, (0,), ["ACE.CLUBS"]), (1, (1,), ["ACE.HEARTS"]), (2, (0,), [1]), (2, (1,), [2])],
    ),
    "guards drop alternatives": ("((== 1 2) (turn pass)) ((== 1 1) (turn pass))", [(1, (), [])]),
    "guards drop acts": ("(do (((== 1 2) (turn pass)) (inc (game sto X) 1)))", [(0, (), [])]),
    **{
        f"an alternative that does nothing, {nothing}": (f"{nothing} (turn pass)", [(1, (), [])])
        for nothing in (
            "(do (((== 1 2) (turn pass))))",
            "(repeat 0 (turn pass))",
            f"(repeat all (move (top {TABLE}) (top {STOCK})))",
            f"(any {TABLE} 'C (turn pass))",
            f"(all {TABLE} 'C (turn pass))",
            f"(any {STOCK} 'C ((== 1 2) (turn pass)))",
        )
    },
    "any over nothing vanishes, and the rest goes on": (
        f"(do ((any {TABLE} 'C (move 'C (top {STOCK}))) (inc (game sto X) 1)))",
        [(0, (), [])],
    ),
    "anys multiply depth first": (
        "(do ((any (range 1 .. 2) 'A (inc (game sto X) 'A)) (any (range 3 .. 4) 'B (inc (game sto X) 'B))))",
        [(0, (a, b), [1 + a, 3 + b]) for a in (0, 1) for b in (0, 1)],
    ),
    "all of anys multiplies": (
        "(all (range 1 .. 2) 'I (any (A, B) 'S (inc (game sto 'S) 'I)))",
        [(0, (a, b), ["AB"[a], "AB"[b]]) for a in (0, 1) for b in (0, 1)],
    ),
}


@pytest.mark.parametrize(("choice", "found"), OPTIONS.values(), ids=OPTIONS)
def test_options(choice, found):
    assert options(choice) == found


def values(choice, *before):
    """What is bound in each option of a choice."""
    return [bound for _, _, bound in options(choice, *before)]


def test_later_anys_and_guards_see_earlier_effects():
    cards = f"(any (bottom 3 {STOCK}) 'A (move 'A (top {TABLE}))) (any (bottom 2 {STOCK}) 'B (move 'B (top {TABLE})))"
    ace, heart, two = "ACE.CLUBS", "ACE.HEARTS", "TWO.CLUBS"
    assert values(f"(do ({cards}))") == [[ace, heart], [ace, two], [heart, ace], [heart, two], [two, ace], [two, heart]]
    numbers = """(do ((any (range 1 .. 3) 'A (set (game sto X) 'A))
                ((>= (game sto X) 2) (any (range 1 .. (game sto X)) 'B (turn pass)))))"""
    assert values(numbers) == [[1], [2, 1], [2, 2], [3, 1], [3, 2], [3, 3]]


def test_all_in_a_choice_runs_in_order():
    """CardStock runs it backwards."""
    game = game_of(f"(choice ((all {STOCK} 'C (move 'C (bottom {TABLE})))))")
    assert len(game.options()) == 1
    play(game, 0)
    assert shown(game.place(None, "vloc", "TABLE"))[-1] == "ACE.CLUBS"


def test_looking_at_options_changes_nothing():
    acts = f"(do ((move 'C (top {TABLE})) (set (game sto X) 1) (set (game str S) A) (cycle current (1 player))))"
    game = game_of(f"(choice ((any {STOCK} 'C {acts})))")
    before = game.memory.copy()
    assert len(game.options()) == 6
    assert game.memory == before
    play(game, 2)
    assert shown(game.place(None, "vloc", "TABLE")) == ["TWO.CLUBS"]
    assert (game.stored(None, "X"), game.string_stored(None, "S")) == (1, "A")


def test_cards_that_look_alike_are_options_each():
    setup = f"(setup (create players 1) (repeat 2 (create deck {STOCK} (deck (A (X))))))"
    assert len(options(f"(any {STOCK} 'C (move 'C (top {TABLE})))", setup=setup)) == 2


def test_sets_are_values():
    shown = f"(move (bottom {STOCK}) (top {TABLE}))"  # nobody can choose among sets of cards that nobody sees
    found = values(f"(any (filter (subsets {TABLE}) 'S (== 1 1)) 'T (all 'T 'C (move 'C (top {STOCK}))))", shown, shown)
    assert found == [[["ACE.CLUBS"]], [["ACE.HEARTS"]], [["ACE.CLUBS", "ACE.HEARTS"]]]


def test_lists_of_variables_are_whole_again_in_each_option():
    assert values(
        f"""(let (bottom 2 {STOCK}) 'V (do (
             (any (range 1 .. 2) 'N (repeat 'N (move (top 'V) (top {TABLE}))))
             ((== (size 'V) 0) (any (A, B) 'S (turn pass))))))"""
    ) == [[1], [2, "A"], [2, "B"]]


def test_a_single_option_is_a_decision():
    game = game_of(f"{PASS} {PASS}")
    play(game, 0)
    assert (game.decisions, game.over) == (1, False)
    play(game, 0)
    assert (game.decisions, game.over) == (2, True)


def test_chance_in_a_choice_is_the_same_for_all_who_look():
    """It comes from the decision's own stream, which starts anew for each option."""
    choice = f"(choice ((any (A, B) 'S (do ((set (game sto X) (random 1000000)) (shuffle {STOCK}))))))"
    script = f"{choice} (do ((set (game sto Y) (random 1000000))))"
    games = [game_of(script, seed=3) for _ in range(3)]
    games[0].options()
    results = []
    for game, index in zip(games, (0, 1, 0), strict=True):
        game.play(index)
        results.append((game.stored(None, "X"), shown(game.place(None, "iloc", "STOCK")), game.stored(None, "Y")))
    assert results[0] == results[1] == results[2]
    other = play(game_of(script, seed=4), 0)
    assert (other.stored(None, "X"), other.stored(None, "Y")) != (results[0][0], results[0][2])
    twice = play(game_of(f"{choice} (do ((set (game sto Z) (game sto X)))) {choice}", seed=3), 0, 0)
    assert twice.stored(None, "X") != twice.stored(None, "Z")


def test_too_many_options_are_an_error():
    game = game_of("(choice ((any (range 1 .. 200) 'A (any (range 1 .. 200) 'B (turn pass)))))")
    with pytest.raises(RecycleError, match="more than 10000 options"):
        game.options()


def test_copies_are_games_of_their_own():
    game = game_of(counted_stage(3))
    other = play(game.copy(), 0, 0)
    assert (game.decisions, other.decisions) == (0, 2)
    assert (game.current, other.current) == (0, 2)
    assert (game.stored(None, "TURNS"), other.stored(None, "TURNS")) == (1, 3)


def test_scores_are_counted_with_each_seat_as_the_current_one():
    script = "(do ((set ((0 player) sto SCORE) 5) (set ((1 player) sto SCORE) 7) (set ((2 player) sto SCORE) 5)))"
    game = game_of(script)
    assert game.scores() == [5, 7, 5]
    assert game.ranks() == [1, 0, 1]
    least = game_of(script, scoring="(scoring min ((current player) sto SCORE))")
    assert least.ranks() == [0, 2, 0]
    after = game_of(script, scoring="(scoring max (+ (size (other player)) ((next player) sto SCORE)))")
    assert after.scores() == [9, 7, 7]


def test_a_team_scores_for_its_members():
    script = "(do ((set ((1 team) sto SCORE) 4)))"
    game = game_of(script, setup=TEAMS, scoring="(scoring max ((team (current player)) sto SCORE))")
    assert game.scores() == [0, 4, 0, 4]
    assert game.ranks() == [2, 0, 2, 0]


def test_a_game_is_told_apart_from_its_description():
    description = described_by(PASS)
    one, other = Game(description, 1), Game(description, 1)
    one.play(0)
    assert one.over
    assert not other.over
