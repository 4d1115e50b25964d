"""Search on a blueprint in any game: in worlds that are replayed, better moves than the blueprint's."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import GameSpec, policy, testing
from cardenvs.baselines.search.blueprint.policy import BlueprintSearch
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.recycle import load
from cardenvs.recycle.game import compiled
from tests.helpers.players import First
from tests.helpers.positions import rows_of
from tests.helpers.toys import toy

pytestmark = pytest.mark.compiled

HIGH_CARD = Path(__file__).parents[3] / "recycle" / "examples" / "high_card.rcy"


class Lowest(First):
    """Plays the first legal action, the lowest card, and can be foretold."""

    can_be_foretold = True


def high_card() -> GameSpec:
    """Hold two of six cards, show one, the higher one wins: for who shows the lower one there is much to learn."""
    return compiled(load(HIGH_CARD), "high_card")


def deals(spec: GameSpec, search: BlueprintSearch, count: int) -> Any:
    """Positions in which the seat that searches has a choice, where the others play the blueprint, with its action."""
    other = search._player
    for seed in range(count):
        games = spec.deal(seed)
        while games[0]["over"] == RUNNING:
            rows = rows_of(search.game, games)
            action = int(search.act(*rows, seed_streams(seed, 1))[0])
            usual = int(other.act(*rows_of(other.game, games), seed_streams(seed, 1))[0])
            yield games, action, usual
            spec.kernels.step(games, 0, action)


@pytest.mark.slow
def test_the_card_that_wins_is_shown() -> None:
    """The second seat sees what it has to beat; the first one shows its higher card, as it then wins more often."""
    spec = high_card()
    for seat in (0, 1):
        search = BlueprintSearch(spec, Lowest(spec), rollouts=60, candidates=30, seat=seat)
        better = 0
        for games, action, usual in deals(spec, search, 5):
            searching = int(games[0]["to_act"]) == seat
            assert searching or action == usual
            after = [games.copy(), games.copy()]
            if searching and seat == 1:
                for game, move in zip(after, (action, usual), strict=True):
                    spec.kernels.step(game, 0, move)
                won = [spec.outcome(game).points[1] for game in after]
                assert won[0] >= won[1] and (won[0] > won[1] or action == usual)
            better += action != usual
        assert better > 1


@pytest.mark.slow
def test_chooses_from_the_observation_alone() -> None:
    spec = high_card()
    search = BlueprintSearch(spec, Lowest(spec), rollouts=20, candidates=20)
    testing.check_no_leak(search.game, search.act, episodes=2)


@pytest.mark.slow
def test_each_row_by_its_own_stream() -> None:
    spec = high_card()
    search = BlueprintSearch(spec, Lowest(spec), rollouts=20, candidates=20, seat=0)
    rows, masks = (
        np.concatenate(parts) for parts in zip(*(rows_of(search.game, spec.deal(k)) for k in range(4)), strict=True)
    )
    together = search.act(rows, masks, seed_streams(1, 4))
    streams = seed_streams(1, 4)
    assert together.tolist() == [int(search.act(rows[[k]], masks[[k]], streams[[k]])[0]) for k in range(4)]


def test_blueprints_that_cannot_be_foretold_are_refused() -> None:
    for game, blueprint in (
        ("euchre", "random"), ("euchre", "monte-carlo"), ("euchre", "markov2:calling=random"), ("whist", "pimc"),
        ("whist", "learned:sample=yes"), ("five-o", "rollout"), ("hanabi", "random"), ("euchre", None),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="blueprint must be a policy whose moves a search can foretell, not") as error:
            policy.make(game, "search", blueprint=blueprint)
        assert "\n" not in str(error.value) and "random," not in str(error.value)
    for game, blueprint in (("euchre", "markov2"), ("whist", "learned"), ("five-o", "reflex1"), ("hanabi", "internal")):
        assert policy.make(game, f"search:blueprint={blueprint}").game.recall


def test_games_that_cannot_be_replayed_are_refused() -> None:
    class Foreseen(First):
        can_be_foretold = True

    spec = toy("kuhn")
    message = "cannot be rewound" if spec.recall_parts else "knows no recall"
    with pytest.raises(ValueError, match=message):
        BlueprintSearch(spec, Foreseen(spec))
