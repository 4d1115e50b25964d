"""Playing the experiments: workers, folders in which a run goes on, what stops it."""

from dataclasses import replace

import pytest

from cardenvs.baselines.engine.work import Task
from cardenvs.baselines.game_statistics import (
    EXPERIMENTS,
    experiments,
    play_all,
    results,
    results_of,
    statistics_settings,
    take_statistics,
)
from cardenvs.baselines.runs.store import Store
from cardenvs.files import json_text
from tests.helpers.toys import toy

pytestmark = pytest.mark.usefixtures("toys")


def small(**changes):
    """Settings of a run that is soon over."""
    return statistics_settings(**{"game": "kuhn", "games": 7, "ai": "pipmc:worlds=2", "seed": 4} | changes)


def chunks_in(folder):
    return sorted(path.name for path in (folder / "chunks").iterdir())


def test_a_run_that_was_stopped_goes_on(tmp_path, monkeypatch):
    settings = small()
    expected = take_statistics(settings, workers=1)
    monkeypatch.setattr(experiments, "CHUNK_SECONDS", 0.0)  # a game a chunk
    left = 4

    def stop(experiment, games):
        nonlocal left
        left -= experiment != "random" and games > 0
        if left == 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_all(settings, tmp_path, workers=1, progress=stop)
    kept = chunks_in(tmp_path)
    assert len(kept) == 5
    with pytest.raises(ValueError, match=r"the statistics in .* is not finished: 3 games are missing"):
        results_of(Store(tmp_path, settings))
    times = {name: (tmp_path / "chunks" / name).stat().st_mtime_ns for name in kept}
    seen = []
    assert take_statistics(settings, tmp_path, workers=1, progress=lambda *now: seen.append(now)) == expected
    assert seen[:3] == [("random", 7), ("one_ai", 4), ("all_ai", 0)]
    assert all((tmp_path / "chunks" / name).stat().st_mtime_ns == time for name, time in times.items())
    after = []
    assert take_statistics(settings, tmp_path, workers=1, progress=lambda *now: after.append(now)) == expected
    assert after == [(name, 7) for name in EXPERIMENTS]


def test_random_games_come_first_and_those_of_the_ai_may_follow(tmp_path):
    settings = small()
    alone = take_statistics(settings, tmp_path, random_only=True, workers=1)
    assert list(alone.experiments) == ["random"]
    assert not alone.complete
    assert list(alone.as_dict()) == ["game", "seats", "random"]
    whole = take_statistics(settings, tmp_path, workers=1)
    assert whole.experiments["random"] == alone.experiments["random"]
    assert whole.statistics["convergence"] == alone.statistics["convergence"]


def test_random_games_are_kept_in_chunks(monkeypatch, tmp_path):
    settings = small(games=25)
    expected = take_statistics(settings, random_only=True)
    monkeypatch.setattr(results, "RANDOM_CHUNK", 10)
    assert take_statistics(settings, tmp_path, random_only=True) == expected
    assert chunks_in(tmp_path) == [f"random-{a:07}-{b:07}.npz" for a, b in ((0, 10), (10, 20), (20, 25))]
    (tmp_path / "chunks" / "random-0000010-0000020.npz").unlink()
    assert next(Store(tmp_path, settings).missing()) == Task(0, 10, 20)
    assert take_statistics(settings, tmp_path, random_only=True) == expected


@pytest.mark.parametrize(
    ("before", "changes", "message"),
    [
        ({}, {"seed": 5}, "was begun with seed 4, not 5: go on with the same settings"),
        ({}, {"ai": "random"}, "ai pipmc:worlds=2, not random"),
        ({"game": "whist", "target": 7}, {"target": 5}, "target 7, not 5"),
    ],
)
def test_other_settings_need_another_folder(tmp_path, before, changes, message):
    Store(tmp_path, small(**before))
    Store(tmp_path, small(**before))
    with pytest.raises(ValueError, match=message):
        Store(tmp_path, small(**before | changes))


def test_other_files_need_another_folder(tmp_path):
    """So figures of a description as it was before are not taken for those of what it is now."""
    settings = replace(small(), files={"a.zip": "1"})
    assert len(settings.rules) == 16
    Store(tmp_path, settings)
    shorter = small(game=replace(toy("kuhn"), max_decisions=2))
    for other in (shorter, replace(settings, rules="of another day")):
        with pytest.raises(ValueError, match="was begun with other rules of the game: go on"):
            Store(tmp_path, other)
    with pytest.raises(ValueError, match=r"another content of a\.zip"):
        Store(tmp_path, replace(settings, files={"a.zip": "2"}))


def test_a_chunk_of_another_size_than_its_name_says_is_damaged(tmp_path):
    settings = small()
    take_statistics(settings, tmp_path, random_only=True)
    path = tmp_path / "chunks" / "random-0000000-0000007.npz"
    path.rename(path.with_name("random-0000000-0000006.npz"))
    settings = replace(settings, games=6)
    (tmp_path / "statistics.json").write_text(json_text(settings.as_dict()))
    with pytest.raises(ValueError, match=r"random-0000000-0000006\.npz' is damaged: delete it"):
        results_of(Store(tmp_path, settings), random_only=True)
