"""Worlds judged by a policy: what others did is done again, and the policy is asked whether it would have."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import GameSpec, Policy, get_game, policy, worlds
from cardenvs.compiled.streams import random_member, seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.policy import replay
from cardenvs.policy.replay import DOUBTS, UNFIT, Foretold, believed, explained, judge
from cardenvs.recycle import load
from cardenvs.recycle.game import compiled
from tests.helpers.players import First, Last
from tests.helpers.positions import rows_of, view_of

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).parent / "recycle" / "examples"
SMALL = "hanabi:players=3,colours=2,ranks=3,hand_size=2,information=3"


class King(First):
    """Bets and calls with a king alone, in the description of Kuhn's poker."""

    can_be_foretold = True

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        with_king = ["king" in str(self.game.labels(row)).lower() for row in observations]
        return np.where(with_king, Last.choose(self, observations, action_masks, streams), action_masks.argmax(1))  # type: ignore[arg-type]


class AnyOf(Policy):
    """Draws any legal action from the row's stream."""

    can_be_foretold = True

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        sets = [sum(1 << int(k) for k in np.flatnonzero(mask)) for mask in action_masks]
        return np.array([random_member(streams, row, actions) for row, actions in enumerate(sets)])


def described(name: str) -> GameSpec:
    return compiled(load(EXAMPLES / f"{name}.rcy"), name)


def played(spec: GameSpec, players: list[Policy], seed: int) -> Any:
    """The positions of a deal, each as an array of shape (1,)."""
    games, streams = spec.deal(seed), seed_streams(seed + 100, 1)
    while games[0]["over"] == RUNNING:
        yield games.copy()
        player = players[int(games[0]["to_act"])]
        spec.kernels.step(games, 0, int(player.act(*rows_of(player.game, games), streams)[0]))
    yield games.copy()


CASES = [
    ("euchre", "markov2"), ("euchre", "hybrid:calling=three-trumps"), ("whist", "card-counting"), ("five-o", "greedy2"),
    ("hanabi:tiny", "smartbot"), ("hanabi:tiny", "van-den-bergh"), (SMALL, "iggi"), ("passing", Last), ("in_parts", First),
]  # fmt: skip


@pytest.mark.parametrize(("game", "name"), CASES, ids=str)
def test_the_true_deal_is_always_explained(game: str, name: Any) -> None:
    """Whoever looks, and whatever that seat did itself: others are asked alone."""
    spec = get_game(game) if isinstance(name, str) else described(game)
    player = policy.make(spec, name) if isinstance(name, str) else name(spec)
    others = 0
    for own in (player, policy.make(spec, "random")):
        *_, games = played(spec, [own, *[player] * (spec.seats - 1)], 3)
        assert judge(player, spec, games, seed_streams(1, 1)).mismatches.tolist() == [0]
        strange = First(spec) if name is not First else Last(spec)
        others += int(judge(strange, spec, games, seed_streams(1, 1)).mismatches[0])
    assert others > 0


def test_acts_that_do_not_fit_are_counted() -> None:
    spec = described("passing")
    *_, games = played(spec, [First(spec)] * 3, 1)
    dealt = np.concatenate([games] * 3)
    whole = judge(Last(spec), spec, dealt, seed_streams(1, 3)).mismatches
    assert whole[0] > 2
    assert (judge(Last(spec), spec, dealt, seed_streams(1, 3), most=1).mismatches == 2).all()


def test_who_draws_among_actions_may_have_drawn_any() -> None:
    spec = described("passing")
    *_, games = played(spec, [First(spec)] * 3, 1)
    assert judge(AnyOf(spec), spec, games, seed_streams(1, 1)).mismatches.tolist() == [0]


def test_worlds_in_which_others_would_have_done_otherwise_are_left_out() -> None:
    """Who bets with a king alone has a king where it has bet, and none where it has checked."""
    spec = described("kuhn_poker")
    for bets in (True, False):
        games = next(deal for deal in map(spec.deal, range(20)) if not has_king(spec, deal, 1))
        spec.kernels.step(games, 0, int(np.flatnonzero(spec.mask(spec.legal(games)))[-1 if bets else 0]))
        rows = spec.recalling.observation(games, 1)[None]
        found = explained(King(spec), spec.recalling, rows, 0, seed_streams(1, 1), 10, 60, 10)
        assert found.mismatches == 0 and len(found.worlds) == 10
        kings = [has_king(spec, found.worlds, 1, k) for k in range(10)]
        assert all(kings) if bets else not any(kings)


def has_king(spec: GameSpec, games: Games, seat: int, i: int = 0) -> bool:
    """Whether a seat has the king."""
    return "king" in str(spec.labels(spec.observation(games, seat, i))).lower()


def test_worlds_of_the_fewest_acts_that_do_not_fit_fill_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "_BLOCK", 12)
    spec = described("passing")
    *positions, _ = played(spec, [First(spec)] * 3, 1)
    games = positions[-1]
    seat = int(games[0]["to_act"])
    rows = spec.recalling.observation(games, seat)[None]
    found = explained(Last(spec), spec.recalling, rows, 0, seed_streams(1, 1), 5, 10, 3)
    assert len(found.worlds) == 3 and 0 < found.mismatches < UNFIT
    counts = judge(Last(spec), spec, found.worlds, seed_streams(1, 3)).mismatches
    assert counts.max() == found.mismatches and (np.diff(counts) >= 0).all()
    for k in range(3):
        assert view_of(spec.recalling, found.worlds[[k]], 0).tobytes() == view_of(spec.recalling, games, seat).tobytes()


@pytest.mark.parametrize(
    ("game", "name", "at"), [("hanabi:tiny", "smartbot", 5), ("euchre", "markov2", -6), ("five-o", "reflex2", -3)]
)
def test_policies_have_beliefs(game: str, name: str, at: int) -> None:
    """Worlds fit what the seat sees, and what others did is likelier in them than in those that are drawn uniformly."""
    spec = get_game(game)
    player = policy.make(spec, name)
    *positions, _ = played(spec, [player] * spec.seats, 2)
    games = positions[at]
    seat = int(games[0]["to_act"])
    rows, reach = spec.recalling.observation(games, seat)[None], []
    for candidates in (1, 4):
        drawn = player.believed(rows, 0, seed_streams(1, 1), 12, candidates, None)
        assert len(drawn) == 12 and player.has_beliefs
        for k in range(12):
            assert view_of(spec.recalling, drawn[[k]], 0).tobytes() == view_of(spec.recalling, games, seat).tobytes()
        reach.append(judge(player, spec, drawn, seed_streams(1, 12), doubts=DOUBTS).log_reach.mean())
    assert reach[1] > reach[0]


def test_worlds_that_are_believed() -> None:
    """By any policy that can be foretold, in any number of rows; what a seat could do tells, not what it is."""
    spec = described("kuhn_poker")
    deals = [deal for deal in map(spec.deal, range(20)) if not has_king(spec, deal, 1)][:2]
    for games in deals:
        spec.kernels.step(games, 0, int(np.flatnonzero(spec.mask(spec.legal(games)))[-1]))
    rows = np.array([spec.recalling.observation(games, 1) for games in deals])
    sure = worlds.believed(spec, rows, King(spec), 10, np.random.default_rng(1), candidates=6, doubt=1e-6)
    assert len(sure) == 20 and all(has_king(spec, sure, 1, k) for k in range(20))
    even = worlds.believed(spec, {"observation": rows[0]}, King(spec), 40, np.random.default_rng(1), candidates=1)
    assert 5 < sum(has_king(spec, even, 1, k) for k in range(40)) < 35  # once in a million times it is not so
    assert len(worlds.believed(spec, rows[:0], King(spec))) == 0


def test_wrong_arguments_are_named() -> None:
    spec = described("kuhn_poker")
    row = spec.recalling.observation(spec.deal(0), 0)
    for call, message in (
        (lambda: worlds.believed(spec, row, "random"), "policy must be one that has beliefs in kuhn_poker, not 'random'"),
        (lambda: worlds.believed(spec, row, King(spec), 0), "n must be an int of at least 1, not 0"),
        (lambda: worlds.believed(spec, row, King(spec), candidates=0), "candidates must be an int of at least 1, not 0"),
        (lambda: worlds.believed(spec, row, King(spec), doubt=0), "doubt must be .* above 0"),
        (lambda: believed(King(spec), row[None], 0, seed_streams(1, 1), 3, 4, None, -1), "steps must be .* 0, not -1"),
        (lambda: worlds.believed(spec, 1 - row, King(spec)), "observation"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_a_reach_is_the_chance_of_what_others_did_by_the_doubts() -> None:
    spec = described("passing")
    *_, games = played(spec, [First(spec)] * 3, 1)
    for doubts in ((0.3,), (0.3, 0.9)):
        log_reach = judge(First(spec), spec, games, seed_streams(1, 1), doubts=doubts).log_reach[0]
        # Each of the two others chose one of four, then had five, four and three cards to show.
        chances = [[1 - doubt + doubt / k for k in (4, 4, 3, 2)] for doubt in doubts]
        assert log_reach == pytest.approx(2 * np.log(np.mean([np.prod(each) for each in chances])))


def test_what_cannot_be_foretold_has_no_beliefs() -> None:
    for game, name in (("euchre", "markov2:calling=random"), ("hanabi:tiny", "random"), ("whist", "random")):
        player = policy.make(game, name)
        assert not player.can_be_foretold and not player.has_beliefs
        with pytest.raises(ValueError, match="has no beliefs"):
            player.believed(np.zeros((1, 1), np.int8), 0, seed_streams(1, 1), 1, 1, None)
    assert issubclass(type(policy.make("hanabi:tiny", "smartbot")), Foretold)
