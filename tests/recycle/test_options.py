"""``;;! option``, a number that is chosen for each game, and ``;;! perfect``, the most that a team can score."""

import pickle

import numpy as np
import pytest

from cardenvs import Batch, get_game, testing
from cardenvs.baselines import play_match
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import RecycleError, parse
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.game import compiled
from tests.helpers.descriptions import refused
from tests.naive.recycle import Game
from tests.refusals import check_refused

TEXT = """;;! option HELD 2 1 3 ;; how many cards each holds
;;! option BLIND 0 1
;;! perfect 6 SHOWN
(game
 (setup (create players 2) (create teams (0, 1))
  (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE, FOUR)) (SUIT (A, B)))))
 (do ((set (game points VALUE) (((RANK : ONE) 1) ((RANK : TWO) 2) ((RANK : THREE) 3))) (shuffle (game iloc STOCK))
      (all player 'P (repeat (game sto HELD) (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player (end (== (game sto SHOWN) 2))
  (choice (
   ((== (game sto BLIND) 1) (turn pass))
   ((== (game sto BLIND) 0) (any ((current player) iloc HAND) 'C
    (do ((inc (game sto MADE) (score 'C using (game points VALUE))) (move 'C (top (game vloc TABLE)))))))))
  (do ((inc (game sto SHOWN) 1))))
 (scoring max (game sto MADE)))"""
"""Two partners hold 1 to 3 cards and show one each, which count 1 to 3 but for fours; or they pass."""


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> GameSpec:
    path = tmp_path_factory.mktemp("options") / "showing.rcy"
    path.write_text(TEXT)
    return get_game(str(path))


def held(state: np.void, layout: Layout) -> list[int]:
    """How many cards each seat holds."""
    return [int(state["sizes"][k]) for k, (one, _) in enumerate(layout.places) if one.name == "HAND"]


def test_options_are_those_of_any_game(spec: GameSpec) -> None:
    assert [(one.name, one.choices, one.meaning) for one in spec.options] == [
        ("held", (2, 1, 3), "how many cards each holds"), ("blind", (False, True), "blind"),
    ]  # fmt: skip
    check_refused("held must be one of 2, 1, 3, not 4", spec.deal, 1, held=4)
    check_refused("Did you mean blind", spec.deal, 1, blond=True)
    assert pickle.loads(pickle.dumps(spec)) is spec


def test_an_option_rules_the_game_and_is_seen_by_all(spec: GameSpec) -> None:
    layout = Layout(parse(TEXT))
    for count in (1, 2, 3):
        games = spec.deal(3, held=count)
        assert held(games[0], layout) == [count, count]
        for seat in range(2):
            view = spec.decode(spec.observation(games, seat)[None])[0]
            assert (view["held"], view["blind"]) == (count, 0)
            assert spec.labels(spec.observation(games, seat))["sto_held"] == [str(count)]
    assert spec.legal_names(spec.legal(spec.deal(3, blind=True))) == "choice0.option0"


def test_options_stand_in_lines_of_text_and_stay_in_worlds(spec: GameSpec) -> None:
    games = spec.deal(3, held=3, blind=False)
    line = spec.text(games[0])
    assert line.startswith("showing.rcy held=3 blind=no chance=")
    assert not testing.differing_fields(spec, spec.parse(line)[0], games[0])
    for check in (testing.check_text, testing.check_redeals):
        check(spec, held=1)


@pytest.mark.slow
def test_with_options_it_passes_the_checks_that_every_game_must_pass(spec: GameSpec) -> None:
    assert testing.check_game(spec, held=1) == []


def test_a_batch_may_mix_options(spec: GameSpec) -> None:
    batch = Batch(spec, 2, seed=1, held=3)
    batch.games["held"][1] = 1
    batch.deal(np.arange(2))
    layout = Layout(parse(TEXT))
    assert [held(state, layout) for state in batch.games] == [[3, 3], [1, 1]]


def test_the_interpreter_takes_the_default() -> None:
    game = Game(parse(TEXT), 0)
    assert len(game.place(0, "iloc", "HAND")) == 2


def test_a_team_wins_a_perfect_game(spec: GameSpec) -> None:
    assert spec.rewards == ("points", "win", "score")
    won = {"points": set[float](), "win": set[float]()}
    for reward, found in won.items():
        batch = Batch(spec, 200, seed=4, reward=reward, restart=False)
        while not batch.finished.all():
            batch.step(np.where(batch.finished, -1, batch.action_masks.argmax(1)))
        found |= set(batch.rewards[:, 0].tolist())
    assert won["points"] > {5.0, 6.0} and won["win"] == {0.0, 1.0}
    figures = play_match(spec, "random", deals=40, seed=2).teams[0].figures()
    assert figures["counted"] == {"shown": 2.0}
    assert figures["perfect"] == figures["endings"]["perfect"] == figures["distribution"].get("6", 0) / 40


@pytest.mark.parametrize(
    ("directive", "said"),
    [
        (";;! @option HELD 2", "this directive is written ;;! option NAME DEFAULT OTHER .. ;; MEANING"),
        (";;! @option held 2 3", "this directive is written"),
        (";;! @option HELD 2 3 2", "has a number twice"),
        (";;! option HELD 2 3\n;;! @option HELD 1 2", "the option HELD is given twice"),
        (";;! @option HALD 2 3", "nothing asks for the option HALD, (game sto HALD). Did you mean HELD?"),
        (";;! option MADE 2 3", "the option MADE stays as it was chosen"),
        (";;! @option SIZES 2 3", "nothing asks for the option SIZES"),
        (";;! private sto HELD\n;;! @option HELD 2 3", "it cannot be private"),
        (";;! option HELD 2 3\n;;! perfect 3\n;;! @perfect 4", "perfect is given twice"),
        (";;! option HELD 2 3\n;;! @perfect 3 HALD", "the game has no number HALD"),
        (";;! option HELD 2 3\n;;! @perfect best", "this directive is written ;;! perfect NUMBER NAME .."),
    ],
)
def test_wrong_directives_are_refused(directive: str, said: str) -> None:
    script = TEXT[TEXT.index("(game\n") :]
    if "@" not in directive:
        script = script.replace("(inc (game sto MADE)", "@(inc (game sto MADE)")
    assert said in refused(f"{directive}\n{script}").message


def test_perfect_is_for_a_team_whose_most_points_count() -> None:
    sides = TEXT.replace("(create teams (0, 1))", "").replace(";;! perfect", ";;! @perfect")
    assert "games of one side" in refused(sides).message
    least = TEXT.replace("(scoring max", "(scoring min").replace(";;! perfect", ";;! @perfect")
    assert "(scoring max ..)" in refused(least).message


@pytest.mark.parametrize("name", ["SIZES", "SEED", "SIZE", "LAMBDA"])
def test_words_that_mean_something_else_are_no_names_of_options(name: str) -> None:
    text = TEXT.replace("HELD", name)
    with pytest.raises(RecycleError, match=f"an option cannot be called {name}"):
        Module(Layout(parse(text)))
    assert compiled(parse(TEXT), "x").options[0].name == "held"
