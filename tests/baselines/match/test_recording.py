"""Records of matches: the deals that were played, whole, and none other for being recorded."""

import numpy as np
import pytest

from cardenvs.baselines.match import Recorder, Side, play_match
from cardenvs.contract.loops import EPISODE_OVER
from cardenvs.contract.record import parse_record, read_record
from cardenvs.contract.registry import get_game
from tests.helpers.command_line import run
from tests.helpers.reports import strict_json, untimed

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize(
    ("game", "first", "second", "protocol", "options"),
    [
        ("euchre", "hybrid+low", "random", "duplicate", {}),
        ("euchre", "high-low", "low", "published", {}),
        ("euchre", "high-low", "low", "duplicate", {"episode": "game", "target": 5}),
        ("whist", "coop-high-low", "random", "duplicate", {}),
        ("five-o", "reflex2", "random", "duplicate", {}),
        ("five-o", "reflex2", "random", "published", {}),
    ],
)
def test_recording_changes_nothing_and_keeps_everything(game, first, second, protocol, options):
    spec = get_game(game)
    sides = Side(spec, first), Side(spec, second)
    plain = play_match(game, *sides, deals=12, seed=5, protocol=protocol, **options)
    recorder = Recorder(spec, sides)
    recorded = play_match(game, *sides, deals=12, seed=5, protocol=protocol, observer=recorder, **options)
    assert untimed(recorded.as_dict()) == untimed(plain.as_dict())
    deals = parse_record(recorder.text("one line\nof remark"))
    if protocol == "published":
        assert len(deals) == plain.deals
    assert sum(int(deal.state[0]["over"] == EPISODE_OVER) for deal in deals) == plain.games
    # The players' points in the record are the match's.
    points, tricks = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for deal in deals:
        made, taken = np.zeros((1, 2), np.int64), np.zeros((1, spec.seats), np.int64)
        spec.kernels.outcome(deal.state, 0, made, taken)
        names = [player.name for player in sides[0].policies]
        side = 0 if list(deal.players[0::2]) == names else 1
        assert list(deal.players[side::2]) == names
        points += made[0, [side, 1 - side]]
        tricks += [taken[0, side::2].sum(), taken[0, 1 - side :: 2].sum()]
    assert points.tolist() == plain.points
    assert tricks.tolist() == plain.tricks_won


def test_a_record_does_not_depend_on_the_batch_size():
    spec = get_game("five-o")
    texts = []
    for size in (3, 100):
        sides = Side(spec, "reflex2"), Side(spec, "random")
        recorder = Recorder(spec, sides)
        play_match(spec, *sides, deals=11, protocol="published", batch_size=size, observer=recorder)
        texts.append(recorder.text())
    assert texts[0] == texts[1]


def test_the_command_writes_a_record(capsys, tmp_path):
    path = tmp_path / "match.txt"
    words = ["match", "euchre", "hybrid", "low", "--deals", "4", "--seed", "7", "-o", "stick_the_dealer=yes", "--json"]
    status, out, err = run(capsys, *words, "--record", str(path))
    assert status == 0 and path.name in err.replace("\n", "")
    assert untimed(strict_json(run(capsys, *words)[1])) == untimed(strict_json(out))
    deals = read_record(path)
    assert [deal.players[:2] for deal in deals] == [("hybrid", "low")] * 4 + [("low", "hybrid")] * 4
    assert all("stick_the_dealer=yes" in deal.line for deal in deals)
    assert path.read_text().startswith("# cardenvs match euchre hybrid low --deals 4 ")
    # Both copies are of the same deals.
    assert [deal.line.split(" actions=")[0] for deal in deals[:4]] == [d.line.split(" actions=")[0] for d in deals[4:]]
