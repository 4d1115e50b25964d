"""The properties of `cardenvs.testing` for the toy games, without recall and with it."""

from dataclasses import replace
from typing import Any

import pytest

from cardenvs import testing
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import below
from cardenvs.contract.cards import members_of
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from tests.helpers.positions import view_of
from tests.toys import kuhn, ladder, wolves

CHECKS = (
    testing.check_ends, testing.check_text, testing.check_observations, testing.check_redeals,
    testing.check_fresh_deals, testing.check_no_leak, testing.check_rewards, testing.check_choices,
    testing.check_flaws,
)  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "options", "recall"),
    [
        (kuhn.SPEC, {}, False),
        (kuhn.SPEC, {}, True),
        *(pytest.param(wolves.SPEC, {}, recall, marks=pytest.mark.slow) for recall in (False, True)),
        *(pytest.param(ladder.SPEC, {"episode": "deal"}, recall, marks=pytest.mark.slow) for recall in (False, True)),
    ],
    ids=lambda value: value.name if isinstance(value, GameSpec) else None,
)
def test_properties(spec: GameSpec, options: dict[str, Any], recall: bool) -> None:
    testing.check_game(spec.with_recall(recall), **options)


@pytest.mark.slow
@pytest.mark.parametrize("recall", [False, True])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_properties_of_games_of_many_deals(check: Any, recall: bool) -> None:
    check(ladder.SPEC.with_recall(recall), episodes=3, seed=1)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("spec", [kuhn.SPEC, wolves.SPEC], ids=lambda spec: spec.name)
def test_properties_without_compilation(spec: GameSpec, check: Any) -> None:
    check(spec.recalling, episodes=1, seed=2)


@pytest.mark.parametrize("name", ["kuhn", pytest.param("ladder", marks=pytest.mark.slow), "wolves", "whist"])
def test_choices_are_counted_and_numbered(name: str) -> None:
    spec = get_game(name)
    kernels = spec.kernels
    for games in testing.random_positions(spec, 2, 5):
        listed = [
            action
            for action in members_of(spec.legal(games))
            for _ in range(1 if kernels.multiplicity is None else kernels.multiplicity(games, 0, action))
        ]
        assert kernels.choices(games, 0) == len(listed)
        assert [kernels.choice(games, 0, n) for n in range(len(listed))] == listed


@kernel
def _of_seat_0(games: Any, i: int, action: int) -> int:
    """What is told by a view, in which the seat to act is seat 0, and not by a state."""
    return 1 + games[i].to_act


@kernel
def _none(games: Any, i: int, action: int) -> int:
    """No choice."""
    return 0


@pytest.mark.parametrize(("wrong", "message"), [(_of_seat_0, "by the view for 1"), (_none, "stands for 0 choices")])
def test_wrong_numbers_of_choices_are_found(wrong: Any, message: str) -> None:
    spec = replace(kuhn.SPEC, kernels=replace(kuhn.SPEC.kernels, multiplicity=wrong))
    with pytest.raises(AssertionError, match=message):
        testing.check_choices(spec)


@kernel
def _turned(views: Any, i: int, streams: Any, s: int, games: Any, j: int) -> None:
    """The other seat begins."""
    kuhn.redeal(views, i, streams, s, games, j)
    games[j].first = 1 - games[j].first
    games[j].to_act = 1 - games[j].to_act


@kernel
def _doubled(views: Any, i: int, streams: Any, s: int, games: Any, j: int) -> None:
    """Both seats have the same card."""
    kuhn.redeal(views, i, streams, s, games, j)
    games[j].cards[1] = games[j].cards[0]


@kernel
def _swapped(views: Any, i: int, streams: Any, s: int, games: Any, j: int) -> None:
    """The seats may have changed their cards."""
    kuhn.redeal(views, i, streams, s, games, j)
    if below(streams, s, 2):
        games[j].cards[0], games[j].cards[1] = games[j].cards[1], games[j].cards[0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (_turned, "a fresh deal changes who is to act"),
        (_doubled, "flaw finds fault with part 1 of a fresh deal"),
        (_swapped, "two fresh deals differ in .'cards'. for their seat"),
    ],
)
def test_wrong_fresh_deals_are_found(wrong: Any, message: str) -> None:
    spec = replace(kuhn.SPEC, kernels=replace(kuhn.SPEC.kernels, fresh_deal=wrong))
    with pytest.raises(AssertionError, match=message):
        testing.check_fresh_deals(spec)


def test_a_re_deal_is_a_fresh_deal_where_nothing_can_be_forgotten() -> None:
    testing.check_fresh_deals(replace(kuhn.SPEC, kernels=replace(kuhn.SPEC.kernels, fresh_deal=kuhn.redeal)))


def test_the_toys_are_what_they_are_for() -> None:
    assert get_game("wolves").side_of == (0, 0, 1, 1, 1) and wolves.SPEC.team
    assert ladder.SPEC.mask_words == 2 and ladder.SPEC.num_sides == 3 and not ladder.SPEC.team
    assert "stream" in (ladder.SPEC.dtype.names or ()) and "stream" not in (kuhn.SPEC.dtype.names or ())
    assert (kuhn.SPEC.observation_size, kuhn.SPEC.recalling.observation_size) == (14, 20)
    assert (wolves.SPEC.observation_size, wolves.SPEC.recalling.observation_size) == (93, 93 + 5 * 15)
    assert ladder.SPEC.recalling.observation_size == ladder.SPEC.observation_size + 7 * ladder.MAX_STEPS


# --- Wolves: sides that are dealt, and votes that are hidden ---


def test_sides_are_as_they_were_dealt() -> None:
    winners = set()
    for games in testing.random_positions(wolves.SPEC, 12, 1):
        sides = [wolves.WOLVES if who == wolves.WOLF else wolves.VILLAGE for who in games[0]["who"]]
        assert wolves.SPEC.sides_in(games) == tuple(sides)
        if games[0]["over"] != RUNNING:
            winners.add(wolves.SPEC.outcome(games).winner)
    assert winners == {wolves.WOLVES, wolves.VILLAGE}


def test_seen_is_what_the_history_of_a_view_then_shows() -> None:
    for games in testing.random_positions(wolves.SPEC, 6, 3):
        if games[0]["over"] == RUNNING:
            after, action = games.copy(), members_of(wolves.SPEC.legal(games))[-1]
            wolves.SPEC.kernels.step(after, 0, action)
            for seat in range(5):
                v = view_of(wolves.SPEC, after, seat)[0]
                assert wolves.SPEC.kernels.seen(games, 0, seat, action) == v["history"][int(v["moves"]) - 1]


def test_hidden_votes_have_no_names() -> None:
    games = wolves.SPEC.parse("wolves first=2 who=vwvwv actions=left-1,left-2")
    assert wolves.SPEC.history(view_of(wolves.SPEC, games, 4)[0]) == ["?", "?"]
    assert wolves.SPEC.history(games[0]) == ["left-1", "left-2"]
