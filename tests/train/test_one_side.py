"""Training in games of one side: the learner holds all seats, or one beside another policy."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, get_game, policy
from cardenvs.baselines import play_deals, play_match
from cardenvs.baselines.runs.pairings import play_all
from cardenvs.compiled.jit import DISABLED
from cardenvs.train import Config, Training, exploit
from cardenvs.train.curve import Point, measure_beside, measure_policy
from cardenvs.train.exploiting.settings import exploitation
from cardenvs.train.learning import self_play
from cardenvs.train.learning.league import LEARNER, League
from cardenvs.train.learning.vec_env import SelfPlayVecEnv
from cardenvs.train.models.entries import is_curve
from cardenvs.train.sweep.settings import MatchSettings
from tests.helpers.command_line import figures_of
from tests.helpers.one_sided import one_sided, written

QUICK = {
    "steps": 512, "games": 16, "rollout": 16, "batch_size": 128, "net": (16, 8), "threads": 1, "eval_deals": 10,
    "eval_every": 1,
}  # fmt: skip


def seated(name: str, others_seats: str) -> np.ndarray:
    """How many seats of many line-ups are another player's."""
    league = League(one_sided(name), 600, others=("random",), others_share=1.0, others_seats=others_seats)
    league.draw_lineups(np.arange(600))
    return np.asarray((league.lineup != LEARNER).sum(1))


def test_the_learner_has_one_seat_beside_a_partner() -> None:
    assert set(seated("team", "opponents").tolist()) == {3}
    shares = np.bincount(seated("team", "any"), minlength=5) / 600
    assert shares[1] + shares[3] == 1
    assert abs(shares[3] - 2 / 3) < 0.1
    assert set(seated("patience", "any").tolist()) == {0}


def test_a_league_plays_on() -> None:
    spec = one_sided("team")
    league = League(spec, 8, others=("random",), others_share=1.0, others_seats="opponents")
    env = SelfPlayVecEnv(spec, 8, seed=1, league=league)
    env.reset()
    env.trick_weight = 0.5
    paid = np.concatenate([env.step(env.action_masks().argmax(1))[1] for _ in range(8)])
    assert (paid > 0).any()
    assert np.isfinite(paid).all()


def test_what_a_description_counts_is_paid_when_it_rises() -> None:
    """... in games that go on: what lights the last beacon is paid by the rules."""
    n = 8 if DISABLED else 64
    env, plain = SelfPlayVecEnv("beacon-relay-mini", n, seed=1), Batch("beacon-relay-mini", n, seed=1)
    env.reset()
    env.trick_weight = 0.5
    so_far = getattr(env.game.endings, "so_far", None)
    assert so_far is not None
    rng, risen, ended = np.random.default_rng(2), 0, 0
    for _ in range(60):
        before = so_far(plain.games)[:, 0]
        actions = (rng.random(plain.action_masks.shape) * plain.action_masks).argmax(1)
        plain.step(actions)
        env.step(actions)
        after = so_far(plain.games)[:, 0]
        for row in range(n):
            up = 0 if plain.ended[row] else int(after[row] - before[row])
            assert (env.payoffs[row] == plain.rewards[row] + 0.5 * up).all()
            risen, ended = risen + up, ended + bool(plain.ended[row])
    assert 64 * risen > 5 * n and 64 * ended > 20 * n


def test_teams_are_compared_on_the_same_deals() -> None:
    spec = one_sided("team")
    best, other = policy.make(spec, "pipmc:worlds=10"), policy.make(spec, "random")
    alone = measure_beside(spec, other, other, 20, 5)
    assert not alone.margins.any()
    assert alone.wins.tolist() == [0.5] * 20
    assert alone.decisions == [4 * 80, 80]
    beside = measure_beside(spec, best, other, 20, 5)
    whole = play_deals(spec, best, other, range(20), seed=5).points_margins
    assert 0 < beside.margins.mean() < whole.mean()
    assert np.allclose(4 * beside.margins, whole, atol=4)
    point = measure_policy(best, other, 20, 7, 1.0)
    assert point.mean > 0
    assert (point.steps, point.deals) == (7, 20)


def test_matches_of_a_sweep_compare_teams(tmp_path: Path) -> None:
    game, names = written("team", tmp_path), (["pipmc:worlds=5"], ["random", "pipmc:worlds=2"])
    lists: dict[str, Any] = {"policies": names[0], "opponents": names[1], "references": []}
    settings = MatchSettings.checked(game, {}, deals=4, seed=3, **lists)
    played = play_all(settings, tmp_path / "out", workers=1).load()
    for number, other in enumerate(names[1]):
        expected = play_deals(game, names[0][0], other, range(4), seed=3)
        assert (played.of_pairing(number).points == expected.points).all()
        assert played.of_pairing(number).decisions.tolist() == expected.decisions.tolist()


SWEEP = """
game = "{game}"
seeds = [0]
steps = 8
games = 2
rollout = 4
batch_size = 4
net = [4]
eval_every = 0
eval_deals = 2
grid.epochs = [1, 2]
[measure]
opponents = ["random"]
deals = 3
reference = "epochs 1"
"""


@pytest.mark.parametrize("name", ["team", "patience"])
def test_a_sweep_trains_teams_and_compares_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("cardenvs.train.curve.can_draw", lambda: False)  # most of the time of so small a training
    game, out = written(name, tmp_path), tmp_path / "out"
    (tmp_path / "small.toml").write_text(SWEEP.format(game=game))
    figures = figures_of(capsys, "sweep", str(tmp_path / "small.toml"), "--out", str(out), "--workers", "1")
    assert [variant["name"] for variant in figures["variants"]] == ["epochs 1", "epochs 2"]
    for variant in figures["variants"]:
        expected = play_match(game, str(out / variant["policies"][0]), "random", deals=3).points_margin.mean
        assert variant["against"][0]["points"]["by_seed"] == [expected]
    assert "each played by each team by itself" in (out / "report.md").read_text()


def test_a_curve_has_no_interval_where_all_deals_are_alike() -> None:
    """In a game of one side whose points have no bounds; the training's file can be read again."""
    other = policy.make(one_sided("team"), "random")
    for beside in (True, False):
        point = measure_policy(other, other, 3, 0, 1.0, beside=beside)
        assert (point.mean, point.ci95, str(point.margin)) == (0, None, "+0.000") and is_curve([asdict(point)])


def test_responses_are_measured_in_each_seat_beside_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardenvs.train.curve.can_draw", lambda: False)  # most of the time of so small a training
    spec = get_game(written("trust", tmp_path))
    small = QUICK | {"steps": 8, "games": 2, "rollout": 4, "batch_size": 4, "eval_every": 0, "eval_deals": 2}
    result = exploit(spec, "random", tmp_path / "out", starts=["nothing"], seeds=2, deals=8, workers=1, **small)
    for response in result.responses:
        player, other = policy.make(spec, str(tmp_path / "out" / response.policy)), policy.make(spec, "random")
        expected = measure_beside(spec, player, other, 8, result.deals_seed)
        assert response.chosen_by == expected.margins[:4].mean()
        assert response.points.mean == expected.margins[4:].mean()
        assert response.decisions == expected.decisions


def test_who_plays_alone_has_nobody_to_respond_to() -> None:
    with pytest.raises(ValueError, match="one-sided-patience has one seat: there is nobody to respond to"):
        exploitation(one_sided("patience"), "random")


def test_what_is_refused_leaves_no_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Point:
        raise ValueError("no match")

    training = Training(Config(written("trust", tmp_path), **QUICK), tmp_path / "run")
    monkeypatch.setattr(self_play, "measure_policy", refuse)
    with pytest.raises(ValueError, match="no match"):
        training.run()
    assert not (tmp_path / "run" / "policy.zip").exists()
