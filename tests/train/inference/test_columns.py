"""The network of Five-O: features of columns, and that neither their order nor the names of suits count."""

from functools import cache
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
import torch

from cardenvs import policy
from cardenvs.baselines.search.five_o.last_row import fill_last_row
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import get_game
from cardenvs.envs.batch import Batch
from cardenvs.games.poker import hand_value
from cardenvs.train.config import Config
from cardenvs.train.inference import exported as exported_files
from cardenvs.train.inference.columns import FEATURES, column_features, features_hash
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.learning.network import actor_weights
from cardenvs.train.learning.self_play import Training
from cardenvs.train.publishing.exporting import export
from tests.helpers.batches import positions_along

pytestmark = pytest.mark.compiled

GAME = get_game("five-o")
SMALL = {"games": 16, "rollout": 8, "steps": 256, "threads": 1, "eval_deals": 5}
SMALL |= {"network": "columns", "critic": "seat", "net": (16, 12)}


def cards_of(row: np.ndarray, part: str) -> list[int]:
    return [int(card) for card in np.flatnonzero(row[GAME.slices[part]])]


def side(cards: list[int], unseen: list[int], hand: int) -> tuple[list[float], list[float], list[float], list[float]]:
    ranks = [card % 13 for card in cards]
    held = [float(ranks.count(rank) > k) for k in range(3) for rank in range(13)]
    outs = [sum(card % 13 == rank for card in unseen) / 4 if rank in ranks else 0.0 for rank in range(13)]
    suits = {card // 13 for card in cards}
    suit = [0.0, 0.0, 0.0]
    if len(suits) == 1:
        suit = [1.0, float(hand // 13 in suits), sum(card // 13 in suits for card in unseen) / 13]
    return held, outs, suit, [float(ranks.count(hand % 13) > k) for k in range(3)]


@pytest.mark.parametrize("hidden_rows", [0, 1, 2, 4])
def test_features_are_what_the_observation_shows(hidden_rows: int) -> None:
    rows, _ = positions_along("five-o", 12, 40, every=7, seed=1, hidden_rows=hidden_rows)
    features = column_features(rows)
    assert features.shape == (len(rows), 5, FEATURES) and features.dtype == np.float32 and np.isfinite(features).all()
    for row, columns in zip(rows, features, strict=True):
        unseen, (hand,) = cards_of(row, "unseen"), cards_of(row, "card")
        for k in range(5):
            own = side(cards_of(row, f"column_{k + 1}_self"), unseen, hand)
            other = side(cards_of(row, f"column_{k + 1}_other"), unseen, hand)
            wanted = [*own[0], *other[0], *own[1], *other[1], *own[2], *other[2], *own[3], *other[3]]
            wanted += list(row[GAME.slices[f"covered_{k + 1}"]])
            wanted += [row[GAME.slices["open_self"]][k], row[GAME.slices["open_other"]][k]]
            assert columns[k, : len(wanted)] == pytest.approx(wanted, abs=1e-6)
            rest = [float(hand % 13 == rank) for rank in range(13)]
            rest += [sum(card % 13 == rank for card in unseen) / 4 for rank in range(13)]
            rest += [*row[GAME.slices["row"]], row[GAME.slices["first"]][1]]
            rest += [row[GAME.slices[f"open_{who}"]].sum() / 5 for who in ("self", "other")]
            rest += list(row[GAME.slices["hidden_rows"]])
            assert columns[k, -len(rest) - 1 : -1] == pytest.approx(rest, abs=1e-6)


def value(cards: list[int]) -> int:
    return int(hand_value(sum(1 << card for card in cards)))


def offered(values: list[int]) -> list[tuple[int, float]]:
    """Ascending values, each with the chance to be the best of three drawn with repetition."""
    n = len(values)
    return [(v, ((k + 1) / n) ** 3 - (k / n) ** 3) for k, v in enumerate(sorted(values))]


def beats(mine: list[tuple[int, float]], theirs: list[tuple[int, float]]) -> float:
    return sum(p * q * ((a > b) + (a == b) / 2) for a, p in mine for b, q in theirs)


@pytest.mark.parametrize("hidden_rows", [0, 1])
def test_in_the_last_row_all_unseen_cards_are_tried(hidden_rows: int) -> None:
    """Whoever fills a column takes the best of three offers; what the own cards then come to is searched."""
    batch = Batch(GAME, 60, seed=5, hidden_rows=hidden_rows)
    player, streams = policy.make(GAME, "reflex1"), seed_streams(5, 60)
    for _ in range(34):
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
    for row, columns in zip(batch.observations, column_features(batch.observations), strict=True):
        unseen, (hand,) = cards_of(row, "unseen"), cards_of(row, "card")
        is_open = [int(k) for k in np.flatnonzero(row[GAME.slices["open_self"]])]
        chances, with_card = [], np.zeros((1 + len(unseen), 5))
        for k in range(5):
            own, other = (cards_of(row, f"column_{k + 1}_{who}") for who in ("self", "other"))
            theirs = offered([value(other)] if len(other) == 5 else [value([*other, card]) for card in unseen])
            mine = offered([value(own)] if len(own) == 5 else [value([*own, card]) for card in unseen])
            chances.append(beats(mine, theirs))
            assert columns[k, 122] == pytest.approx(chances[k], abs=1e-6)
            if k in is_open:
                with_card[:, k] = [beats([(value([*own, card]), 1.0)], theirs) for card in (hand, *unseen)]
                assert columns[k, 123] == pytest.approx(with_card[0, k], abs=1e-6)
        wins = np.empty(5)
        fill_last_row(with_card, len(with_card), sum(1 << k for k in is_open), np.array(chances), wins)
        assert columns[:, -1] == pytest.approx(wins.max(), abs=1e-6)
        for k in is_open:
            assert columns[k, 126] == pytest.approx(max(-2.0, 10 * (wins[k] - wins.max())), abs=1e-5)
        for k in range(5):
            rest = [chances[j] for j in range(5) if j != k]
            two = sum(np.prod([p if j in won else 1 - p for j, p in enumerate(rest)]) for won in combinations(range(4), 2))
            assert columns[k, 124] == pytest.approx(two, abs=1e-6)


def fill(chances: dict[int, list[float]], weights: list[float], hand: int, columns: frozenset[int]) -> dict[int, float]:
    """Naive: what placing the card in each open column comes to, for any cards that follow in the row."""

    @cache
    def worth(left: frozenset[int]) -> float:
        if not left:
            return 0.0
        coming = [card for card in chances if card != hand]
        return float(np.mean([max(weights[k] * chances[card][k] + worth(left - {k}) for k in left) for card in coming]))

    return {k: weights[k] * chances[hand][k] + worth(columns - {k}) for k in columns}


def test_the_rest_of_the_row_is_filled_as_well_as_can_be() -> None:
    """Naive recursion over sets of columns; what each column is with another card, the features say with that in hand."""
    rows, _ = positions_along("five-o", 6, 40, every=7, seed=8)
    for row in rows:
        (hand,) = cards_of(row, "card")
        columns = frozenset(int(k) for k in np.flatnonzero(row[GAME.slices["open_self"]]))
        # Later the card in hand weighs in the appraisal, too, for it cannot come any more.
        if not row[GAME.slices["row"]][:2].any() or len(columns) < 2:
            continue
        chances = {}
        for card in [hand, *cards_of(row, "unseen")]:
            other = row.copy()
            for part in ("card", "unseen"):
                other[GAME.slices[part].start + hand] = int(part == "unseen")
            for part in ("card", "unseen"):
                other[GAME.slices[part].start + card] = int(part == "card")
            chances[card] = [float(p) for p in column_features(other[None])[0, :, 123]]
        features = column_features(row[None])[0]
        wanted = fill(chances, [float(w) for w in features[:, 124]], hand, columns)
        best = max(wanted.values())
        for k in columns:
            assert features[k, 126] == pytest.approx(max(-2.0, 10 * (wanted[k] - best)), abs=1e-4)
            assert features[k, 127] == (features[k, 126] == 0)


def swap_columns(rows: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """The same positions with column ``order[k]`` at position ``k``."""
    out = rows.copy()
    for k, source in enumerate(order):
        for name in ("column_{}_self", "column_{}_other", "covered_{}"):
            out[:, GAME.slices[name.format(k + 1)]] = rows[:, GAME.slices[name.format(source + 1)]]
        for name in ("open_self", "open_other"):
            out[:, GAME.slices[name].start + k] = rows[:, GAME.slices[name].start + source]
    return out


def swap_suits(rows: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    out = rows.copy()
    for part in GAME.parts:
        if part.size == 52:
            start = GAME.slices[part.name].start
            for suit, source in enumerate(order):
                there = start + 13 * suit
                out[:, there : there + 13] = rows[:, start + 13 * source : start + 13 * source + 13]
    return out


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Training, Path]:
    out = tmp_path_factory.mktemp("columns")
    training = Training(Config("five-o", **SMALL), out)  # type: ignore[arg-type]
    with torch.no_grad():
        training.model.policy.action_net.weight.mul_(100)  # a fresh one is nearly indifferent
    training.run()
    return training, out / "policy.zip"


def test_the_order_of_columns_and_names_of_suits_do_not_count(run: tuple[Training, Path]) -> None:
    rows, masks = positions_along("five-o", 20, 40, every=7, seed=1)
    player = TrainedPolicy(GAME, actor_weights(run[0].model.policy))
    chances = player.chances(rows, masks)
    assert chances.std() > 0.01
    for order in list(permutations(range(5)))[1::17]:
        there = player.chances(swap_columns(rows, order), np.ascontiguousarray(masks[:, order]))
        assert there == pytest.approx(chances[:, order], abs=1e-5)
    for order in list(permutations(range(4)))[1::5]:
        assert player.chances(swap_suits(rows, order), masks) == pytest.approx(chances, abs=1e-5)


def test_the_policy_plays_as_sb3_has_it_and_survives_files(run: tuple[Training, Path], tmp_path: Path) -> None:
    training, path = run
    rows, masks = positions_along("five-o", 20, 40, every=7, seed=1)
    wanted = training.model.predict(rows, deterministic=True, action_masks=masks)[0]
    export(path, tmp_path / "net.safetensors")
    for player in (
        TrainedPolicy(GAME, actor_weights(training.model.policy), options={}),
        policy.make(GAME, str(path)),
        policy.make(GAME, str(tmp_path / "net.safetensors")),
    ):
        assert (player.act(rows, masks) == wanted).all()
    from sb3_contrib import MaskablePPO

    loaded = MaskablePPO.load(path)
    assert (loaded.predict(rows, deterministic=True, action_masks=masks)[0] == wanted).all()
    best = player.explain({"observation": rows[0], "action_mask": masks[0]})  # type: ignore[attr-defined]
    assert best[0][0] == GAME.actions[wanted[0]]
    assert sum(chance for _, chance in best) == pytest.approx(1.0, abs=1e-5)
    assert [chance for _, chance in best] == sorted((chance for _, chance in best), reverse=True)


def test_a_file_knows_its_features(run: tuple[Training, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = export(run[1], tmp_path / "net.safetensors")
    assert record["features_hash"] == features_hash()
    monkeypatch.setattr(exported_files, "features_hash", lambda: "0" * 16)
    with pytest.raises(ValueError, match=r"another set of a column.s features of five-o.*train it anew"):
        policy.make(GAME, str(tmp_path / "net.safetensors"))


def test_weights_of_another_kind(run: tuple[Training, Path]) -> None:
    good = actor_weights(run[0].model.policy)
    with pytest.raises(ValueError, match="for the columns of five-o, not for euchre"):
        TrainedPolicy("euchre", good)
    cut = {**good, "mlp_extractor.policy_net.alone.weight": good["mlp_extractor.policy_net.alone.weight"][:, 1:]}
    with pytest.raises(ValueError, match="no column network"):
        TrainedPolicy("five-o", cut)
    with pytest.raises(ValueError, match="no column network"):
        TrainedPolicy("five-o", {name: weights for name, weights in good.items() if "beside.bias" not in name})
