"""Actions drawn in compiled code, beside torch's softmax."""

from __future__ import annotations

import numpy as np
import torch

from cardenvs.train.learning.loss import masked_log_softmax
from cardenvs.train.learning.sparse.choices import draw_actions


def test_actions_are_drawn_by_the_softmax() -> None:
    """Draws spread evenly give every action as often as its chance says, to one draw."""
    rng = np.random.default_rng(1)
    n = 2000
    for logits in (rng.normal(0, 3, 9), np.zeros(9), np.array([80.0, -80, 0, 80, 1, 2, 3, 4, 5])):
        legal = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1], np.int8)
        rows, masks = np.tile(logits.astype(np.float32), (n, 1)), np.tile(legal, (n, 1))
        actions, log_probs = draw_actions(rows, masks, (np.arange(n) + 0.5) / n)
        expected = masked_log_softmax(torch.from_numpy(rows), torch.from_numpy(masks == 1))
        counts = np.bincount(actions, minlength=9)
        assert (np.abs(counts - n * expected[0].exp().numpy()) <= 1).all()
        assert (counts[legal == 0] == 0).all()
        chosen = expected.gather(1, torch.from_numpy(actions)[:, None])[:, 0].numpy()
        np.testing.assert_allclose(log_probs, chosen, rtol=1e-5, atol=1e-6)


def test_the_ends_of_the_range() -> None:
    logits, masks = np.zeros((2, 3), np.float32), np.array([[0, 1, 1], [0, 1, 1]], np.int8)
    actions, log_probs = draw_actions(logits, masks, np.array([0.0, np.nextafter(1.0, 0.0)]))
    assert actions.tolist() == [1, 2]
    np.testing.assert_allclose(log_probs, np.log([0.5, 0.5]), rtol=1e-6)
    alone = draw_actions(np.full((1, 3), -7, np.float32), np.array([[0, 0, 1]], np.int8), np.array([0.999]))
    assert alone[0].tolist() == [2] and alone[1].tolist() == [0.0]
