"""Stages, cycles, choices and the end of games."""

from __future__ import annotations

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


def movers(script, decisions, **frame):
    """Who decides, decision after decision; the first option is taken."""
    game = game_of(script, **frame)
    seats = []
    for _ in range(decisions):
        assert not game.over
        seats.append(game.current)
        game.play(0)
    assert game.over
    return seats


def counted(body, turns):
    """Who decides in a stage of some turns."""
    return movers(counted_stage(turns, body), turns)


# Stages and cycles


def test_turns_go_round():
    assert counted(PASS, 5) == [0, 1, 2, 0, 1]


def test_a_stage_that_has_ended_is_not_begun():
    assert game_of(f"(stage player (end (== 1 1)) {PASS})").over


def test_the_first_turn_belongs_to_who_was_current():
    assert movers(f"(cycle current (2 player)) {counted_stage(4)}", 4) == [2, 0, 1, 2]


def test_an_inner_stage_starts_with_the_outer_current_and_leaves_its_cycle_alone():
    inner = f"(do ((set (game sto INNER) 0))) {counted_stage(2, name='INNER')}"
    assert movers(counted_stage(3, inner), 6) == [0, 1, 1, 2, 2, 0]


def test_a_stage_that_is_not_begun_leaves_the_cycle_alone():
    """CardStock leaves a cycle on its stack there."""
    inner = f"(stage player (end (== 1 1)) {PASS}) {PASS}"
    assert movers(counted_stage(4, inner), 4) == [0, 1, 2, 0]


def test_cycle_next_queues_once():
    queue = f"((== (game sto TURNS) 2) (cycle next (0 player))) {PASS}"
    assert counted(queue, 5) == [0, 1, 0, 1, 2]


def test_cycle_current_takes_over_at_once_and_keeps_the_queue():
    acts = f"((== (game sto TURNS) 1) (do ((cycle next (1 player)) (cycle current (2 player))))) {PASS}"
    assert counted(acts, 4) == [2, 1, 2, 0]


@pytest.mark.parametrize(
    ("who", "seats"), [("current", [0, 0, 0]), ("next", [0, 1, 2]), ("previous", [0, 2, 1]), ("(2 player)", [0, 2, 2])]
)
def test_who_is_queued(who, seats):
    assert counted(f"(cycle next {who}) {PASS}", 3) == seats


def test_next_is_the_queued_one_and_previous_the_neighbour():
    script = """(stage player (end (== (game sto TURNS) 2)) (do ((inc (game sto TURNS) 1)
      (cycle next (2 player)) (inc ((next player) sto NEXT) 1) (inc ((previous player) sto BEFORE) 1))))"""
    game = game_of(script)
    assert [game.stored(Seat(seat), "NEXT") for seat in range(3)] == [0, 0, 2]
    assert [game.stored(Seat(seat), "BEFORE") for seat in range(3)] == [0, 1, 1]


def test_the_end_is_asked_before_the_cycle_goes_on():
    """The cycle still shows who just played, and the queue."""
    end = f"(end (and (== {CURRENT} (1 player)) (== (next player) (0 player))))"
    queue = f"((== {CURRENT} (1 player)) (cycle next (0 player)))"
    assert movers(f"(stage player {end} {PASS} {queue})", 2) == [0, 1]


def test_a_queue_in_an_inner_stage_is_gone_with_it():
    end = "(end (== (game sto DONE) (game sto TURNS)))"
    inner = f"(stage player {end} (do ((inc (game sto DONE) 1) (cycle next (0 player)))) {PASS})"
    assert movers(counted_stage(3, inner), 3) == [0, 1, 2]


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


def test_a_choice_in_a_stage_of_teams_asks_the_current_player():
    assert movers(
        f"(cycle current (2 player)) (stage team (end (== (game sto TURNS) 2)) (do ((inc (game sto TURNS) 1))) {PASS})", 2
    ) == [2, 2]


def test_cycles_changed_in_a_choice():
    assert counted("(choice ((cycle next (2 player))))", 3) == [0, 2, 2]


# Options


def options(choice, *before, **frame):
    """The options of a choice: alternative, indices, what was bound."""
    game = game_of(f"(do ({' '.join(before) or '(turn pass)'})) (choice ({choice}))", **frame)
    return [(one.alternative, one.path, shown(list(one.values))) for one in game.options()]


def test_options_are_alternatives_and_what_any_is_bound_to():
    found = options(
        f"(turn pass) (any (bottom 2 {STOCK}) 'C (move 'C (top {TABLE}))) (any (range 1 .. 2) 'N (inc (game sto X) 'N))"
    )
    assert found == [(0, (), []), (1, (0,), ["ACE.CLUBS"]), (1, (1,), ["ACE.HEARTS"]), (2, (0,), [1]), (2, (1,), [2])]


def test_guards_drop_acts_and_alternatives():
    assert options("((== 1 2) (turn pass)) ((== 1 1) (turn pass))") == [(1, (), [])]
    assert options("(do (((== 1 2) (turn pass)) (inc (game sto X) 1)))") == [(0, (), [])]


@pytest.mark.parametrize(
    "nothing",
    [
        "(do (((== 1 2) (turn pass))))",
        "(repeat 0 (turn pass))",
        f"(repeat all (move (top {TABLE}) (top {STOCK})))",
        f"(any {TABLE} 'C (turn pass))",
        f"(all {TABLE} 'C (turn pass))",
        f"(any {STOCK} 'C ((== 1 2) (turn pass)))",
    ],
)
def test_an_alternative_that_does_nothing_is_no_option(nothing):
    assert options(f"{nothing} (turn pass)") == [(1, (), [])]


def test_any_over_nothing_vanishes_and_the_rest_goes_on():
    assert options(f"(do ((any {TABLE} 'C (move 'C (top {STOCK}))) (inc (game sto X) 1)))") == [(0, (), [])]


def test_anys_multiply_depth_first():
    found = options("(do ((any (range 1 .. 2) 'A (inc (game sto X) 'A)) (any (range 3 .. 4) 'B (inc (game sto X) 'B))))")
    assert [values for _, _, values in found] == [[1, 3], [1, 4], [2, 3], [2, 4]]
    assert [path for _, path, _ in found] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_later_anys_and_guards_see_earlier_effects():
    found = options(
        f"(do ((any (bottom 3 {STOCK}) 'A (move 'A (top {TABLE}))) (any (bottom 2 {STOCK}) 'B (move 'B (top {TABLE})))))"
    )
    assert [values for _, _, values in found] == [
        ["ACE.CLUBS", "ACE.HEARTS"],
        ["ACE.CLUBS", "TWO.CLUBS"],
        ["ACE.HEARTS", "ACE.CLUBS"],
        ["ACE.HEARTS", "TWO.CLUBS"],
        ["TWO.CLUBS", "ACE.CLUBS"],
        ["TWO.CLUBS", "ACE.HEARTS"],
    ]
    found = options(
        """(do ((any (range 1 .. 3) 'A (set (game sto X) 'A))
                ((>= (game sto X) 2) (any (range 1 .. (game sto X)) 'B (turn pass)))))"""
    )
    assert [values for _, _, values in found] == [[1], [2, 1], [2, 2], [3, 1], [3, 2], [3, 3]]


def test_all_in_a_choice_runs_in_order():
    """CardStock runs it backwards."""
    game = game_of(f"(choice ((all {STOCK} 'C (move 'C (bottom {TABLE})))))")
    assert len(game.options()) == 1
    play(game, 0)
    assert shown(game.place(None, "vloc", "TABLE"))[-1] == "ACE.CLUBS"


def test_all_of_anys_multiplies():
    found = options("(all (range 1 .. 2) 'I (any (A, B) 'S (inc (game sto 'S) 'I)))")
    assert [values for _, _, values in found] == [["A", "A"], ["A", "B"], ["B", "A"], ["B", "B"]]


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
    found = options(f"(any (filter (subsets {TABLE}) 'S (== 1 1)) 'T (all 'T 'C (move 'C (top {STOCK}))))", shown, shown)
    assert [values for _, _, values in found] == [[["ACE.CLUBS"]], [["ACE.HEARTS"]], [["ACE.CLUBS", "ACE.HEARTS"]]]


def test_lists_of_variables_are_whole_again_in_each_option():
    found = options(
        f"""(let (bottom 2 {STOCK}) 'V (do (
             (any (range 1 .. 2) 'N (repeat 'N (move (top 'V) (top {TABLE}))))
             ((== (size 'V) 0) (any (A, B) 'S (turn pass))))))"""
    )
    assert [values for _, _, values in found] == [[1], [2, "A"], [2, "B"]]


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


# The end


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
