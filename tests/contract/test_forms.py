"""Forms of games by name: parameters and presets, one spec for one form, and what is said of wrong ones."""

import pickle
from dataclasses import replace

import pytest

from cardenvs import Policy, game_names, get_game, policy
from cardenvs.contract.forms import Family
from cardenvs.contract.record import parse_record
from cardenvs.contract.registry import GAMES, address, another_form, family_of, named_game, register_game
from cardenvs.files import name_in_path
from cardenvs.games.hanabi import PRESETS, SPEC, hanabi
from tests.helpers.command_line import run, run_python


@pytest.mark.parametrize(
    ("asked", "parameters", "name"),
    [
        ("hanabi", {}, "hanabi"),
        ("hanabi:players=2", {}, "hanabi"),
        ("hanabi:players=3", {"players": 3}, "hanabi:players=3"),
        ("hanabi:hand_size=4,players=4", {"players": 4}, "hanabi:players=4"),
        ("hanabi:hand-size=3", {"hand_size": 3}, "hanabi:hand_size=3"),
        ("hanabi:ranks=3,players=2,colours=2", {"colours": 2, "ranks": 3}, "hanabi:colours=2,ranks=3"),
        ("hanabi:mini", PRESETS["mini"], "hanabi:colours=3,ranks=3,hand_size=3,information=5"),
        ("hanabi:tiny,lives=3", PRESETS["tiny"] | {"lives": 3}, "hanabi:colours=2,ranks=3,hand_size=2,information=3"),
    ],
)
def test_one_form_is_one_spec_of_one_name(asked: str, parameters: dict[str, int], name: str) -> None:
    spec = get_game(asked)
    assert spec is hanabi(**parameters) is get_game(name) is named_game(name) is pickle.loads(pickle.dumps(spec))
    assert spec.name == address(spec) == name and spec.family == "hanabi"
    assert pickle.loads(pickle.dumps(spec.recalling)) is spec.recalling and spec.recalling.family == "hanabi"


def test_presets_are_the_small_forms() -> None:
    cards = {}
    for name in PRESETS:
        spec = get_game(f"hanabi:{name}")
        cards[name] = spec.seats, len(spec.text(spec.deal(1)[0]).partition("deck=")[2].partition(" ")[0]) // 2
    assert cards == {"mini": (2, 18), "tiny": (2, 12)}


def test_underscores_count_as_hyphens_in_the_names_of_games_alone() -> None:
    assert get_game("five_o") is get_game("five-o")
    assert game_names() == ["euchre", "five-o", "hanabi", "whist"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("players=3", "; players is a parameter of the form and stands in the game's name, hanabi:players=NUMBER"),
        ("hand-size=3", "; hand_size is a parameter of the form and stands in the game's name, hanabi:hand_size=NUMBER"),
        ("player=3", ". Did you mean players?"),
        ("scores=zero", ". Did you mean score?"),
    ],
)
def test_a_parameter_among_options_is_told_how_it_is_given(
    capsys: pytest.CaptureFixture[str], given: str, told: str
) -> None:
    for game in ("hanabi", "hanabi:lives=2"):
        status, out, err = run(capsys, "match", game, "random", "-o", given)
        name = given.partition("=")[0].replace("-", "_")
        assert (status, out) == (2, "")
        assert err == f"cardenvs: unknown option {name!r} for {game}: the options are score, reward, team_share{told}\n"


@pytest.mark.parametrize("game", ["hanabi:players=3", "euchre"])
def test_a_game_goes_to_another_process_by_its_name(game: str) -> None:
    packed = pickle.dumps(get_game(game))
    assert len(packed) < 200
    program = f"import pickle; from cardenvs import get_game; assert pickle.loads({packed!r}) is get_game({game!r})"
    assert not run_python(program, check=True).stdout


def test_a_spec_is_pickled_by_its_name_though_nobody_has_asked_for_a_game() -> None:
    program = "import pickle; from cardenvs.games.euchre import SPEC; assert pickle.loads(pickle.dumps(SPEC)) is SPEC"
    run_python(program, check=True)


def test_another_form_keeps_what_is_not_changed() -> None:
    three = get_game("hanabi:players=3,lives=2")
    assert another_form(three, colours=4) is get_game("hanabi:players=3,lives=2,colours=4")
    assert another_form(three.recalling, players=2) is get_game("hanabi:lives=2").recalling
    assert family_of(get_game("whist")) is None and isinstance(family_of(three), Family)


def test_families_are_registered_as_games_are(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[int, object] = {}

    def make(cards: int = 1) -> object:
        name = f"toy:cards={cards}" if cards > 1 else "toy"
        return made.setdefault(cards, replace(SPEC, name=name, family="toy", parameters={"cards": cards}))

    monkeypatch.setattr(GAMES, "made", dict(GAMES.made))
    GAMES.register("toy", Family("toy", make, {"cards": (1, 9)}))  # type: ignore[arg-type]
    assert get_game("toy:cards=3") is make(3) and get_game("toy") is make(1) and "toy" in game_names()
    with pytest.raises(ValueError, match=r"toy has no form 'mini': its forms are cards=1\.\.9"):
        get_game("toy:mini")
    named = register_game(replace(SPEC, name="hanabi:players=3", title="mine"))
    assert get_game("hanabi:players=3") is named is not hanabi(players=3)


def test_policies_of_a_family_play_all_its_forms() -> None:
    own = {
        "cautious", "flawed", "hat-information", "iggi", "internal", "outer", "piers", "smartbot", "van-den-bergh",
    }  # fmt: skip
    for name in ("hanabi", "hanabi:players=5", "hanabi:tiny"):
        spec = get_game(name)
        assert own < set(policy.names(name)) and not own & set(policy.names("whist"))
        for each in own:
            player = policy.make(spec, each)
            assert player.game.plain is spec and player.name == each
            assert len(policy.first_line(spec, each)) > 20 and "``" not in policy.first_line(spec, each)
        listed = policy.names(name)
        assert all(policy.has(name, each) for each in listed) and set(policy.listed_names(name)) <= set(listed)
        assert ("hat-recommendation" in listed) == (spec.seats == 5) and ("learned" in listed) == (name == "hanabi")


def test_a_policy_that_is_registered_says_its_families(monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine(type(policy.make("hanabi", "random"))):  # type: ignore[misc]
        games = ("hanabi",)

    monkeypatch.setattr(policy.registry.POLICIES, "made", {})
    policy.register("mine", Mine)
    assert isinstance(policy.make("hanabi:players=4", "mine"), Policy) and not policy.has("euchre", "mine")


def test_records_name_forms() -> None:
    spec = get_game("hanabi:tiny")
    line = spec.text(spec.deal(3)[0])
    assert line.startswith("hanabi:colours=2,ranks=3,hand_size=2,information=3,lives=2 ")
    for known in ((), (get_game("whist"),)):
        assert parse_record(line, known=known)[0].game is spec


def test_names_in_paths_have_no_colon() -> None:
    assert name_in_path("hanabi:players=3,ranks=4") == "hanabi-players-3-ranks-4"
    assert [name_in_path(name) for name in ("five-o", "my%20game.rcy")] == ["five-o", "my%20game.rcy"]
