"""Reviews of games of one side: a cost is how many points of all seats a move gave away."""

import numpy as np

from cardenvs.baselines.review.replay import result_of
from cardenvs.baselines.review.reviewer import Reviewer
from cardenvs.contract.cards import members_of
from cardenvs.contract.record import Deal
from tests.helpers.one_sided import one_sided


def test_costs_are_points_of_all_seats() -> None:
    """Each seat shows its lower card: the cost is at most what its two cards differ by, and the higher one is best."""
    spec = one_sided("team")
    games = spec.deal(4)
    held = []
    while games[0]["over"] == 0:
        held.append(members_of(spec.legal(games)))
        spec.kernels.step(games, 0, held[-1][0])
    deal = Deal(spec, spec.text(games[0]), games, ("random",) * 4, 1)
    reviewer = Reviewer(spec, ["random"], 400, seed=1)
    review = reviewer.review(deal)
    assert reviewer.unit == "points"
    assert [move.best for move in review.moves] == [spec.actions[cards[-1]] for cards in held]
    assert np.allclose([move.cost for move in review.moves], [cards[-1] - cards[0] for cards in held], atol=1)
    made = sum(cards[0] + 1 for cards in held)
    assert result_of(spec, games)["text"] == f"points: player_0 and player_1 and player_2 and player_3 {made}"
