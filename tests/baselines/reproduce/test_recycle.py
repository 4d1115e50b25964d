"""Published statistics of described games again: the published figures, how they are compared, the command resumed."""

import json
import math

import pytest

from cardenvs.baselines.game_statistics import EXPERIMENTS, STATISTICS, open_options, play_random, statistics_settings
from cardenvs.baselines.reports.markdown import markdown
from cardenvs.baselines.reproduce.recycle.measure import (
    ALL_GAMES,
    DECISIONS,
    GAMES_PUBLISHED,
    OPTIONS,
    PUBLISHED,
    STATISTICS_FIGURES,
    Comparison,
    Figure,
    Reproduction,
    game_of,
    key,
    list_games,
    players,
    total_games,
)
from cardenvs.recycle import load, shipped_names
from tests.helpers.command_line import figures_of, run
from tests.helpers.toys import toy


def test_published_figures_are_of_games_that_are_described():
    assert set(ALL_GAMES) <= set(shipped_names())
    assert {row.game for row in STATISTICS_FIGURES} == {game for table in PUBLISHED["tables"] for game in table["games"]}
    assert all(row.seats == players(row.game) for row in STATISTICS_FIGURES)
    assert {row.of for row in STATISTICS_FIGURES} == set(STATISTICS) and {row.of for row in DECISIONS} <= set(EXPERIMENTS)
    assert len({(row.game, row.of) for row in STATISTICS_FIGURES}) == len(STATISTICS_FIGURES) == 6 * 6 + 7 * 4 + 2 * 6
    assert all(0 <= row.published <= 1 and 0 < row.rounding <= 0.005 for row in STATISTICS_FIGURES)
    leaders, others = ([row.published for row in OPTIONS[who]] for who in ("leader", "others"))
    assert len(leaders) == len(others) == 13
    assert leaders == sorted(leaders, reverse=True)
    assert all(1 <= published < 4 for published in others)


def compared(ours, error, games=300, doubt=""):
    figure = Figure(0.25, "Six games", "agram", 4, "drama", 0.005, doubt)
    return Comparison.of(figure, ours=ours, error=error, games=games)


@pytest.mark.parametrize(
    ("ours", "error", "games", "z"),
    [  # 300 games of ours have .01; a published hundred would have .01 times the root of 3, both together .02
        (0.295, 0.01, 300, 2.0), (0.205, 0.01, 300, -2.0), (0.255, 0.01, 300, 0), (0.25, 0.0, 300, 0),
        (0.27, 0.01, GAMES_PUBLISHED, 0.015 / (0.01 * math.sqrt(2))), (0.26, 0.0, 300, math.inf),
    ],
)  # fmt: skip
def test_differences_are_in_joint_standard_errors_beyond_the_rounding(ours, error, games, z):
    assert compared(ours, error, games).z == pytest.approx(z)


@pytest.mark.parametrize(
    ("ours", "error", "doubt", "agrees"),
    [
        (0.25, 0.01, "", True), (0.314, 0.01, "", True), (0.316, 0.01, "", False), (0.184, 0.01, "", False),
        (0.26, 0.0, "", False), (0.9, 0.01, "misread", None), (math.nan, 0.01, "", None), (0.25, math.inf, "", None),
    ],
)  # fmt: skip
def test_three_of_them_are_the_limit(ours, error, doubt, agrees):
    row = compared(ours, error, doubt=doubt)
    assert row.agrees is row.as_dict()["agrees"] is agrees


def test_what_is_played():
    assert list_games(["agram"]) == [("agram", 4, False)]
    assert list_games(["lama"]) == [("lama", 4, False), *(("lama", seats, True) for seats in (2, 3, 5, 6))]
    assert total_games(["agram", "lama"], 10) == 30 + 30 + 40
    assert (key("lama", 4), key("lama", 6), key("knaves", 3)) == ("lama", "lama-6", "knaves")


def test_another_number_of_players(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr("cardenvs.baselines.reproduce.recycle.measure.get_game", asked.append)
    game_of("lama", 6, tmp_path)
    game_of("lama", 4, tmp_path)
    assert load(tmp_path / "lama-6.rcy").players == 6
    assert asked[0] == str(tmp_path / "lama-6.rcy")
    assert load(asked[1]).players == players("lama") == 4
    assert [path.name for path in tmp_path.iterdir()] == ["lama-6.rcy"]


def test_options_are_those_of_the_random_games(toys):
    settings = statistics_settings(toy("ladder"), games=6, seed=3, random_only=True)
    played, counts = play_random(settings, range(1, 6)), open_options(settings, range(1, 6))
    assert [len(each) for each in counts] == played.decisions.tolist()
    assert [sum(each) for each in counts] == played.options.tolist()
    assert [sum(k * count for k, count in enumerate(each)) for each in counts] == played.indexed.tolist()


def made_up(**changes):
    """A reproduction whose figures are the published ones, but for the ``changes`` of some statistics of Agram."""

    def ours(row, error):
        value = changes.get(row.of, row.published) if row.game == "agram" else row.published
        return Comparison.of(row, ours=value, error=error, games=200)

    options = [{"leader": ours(a, 0.05), "others": ours(b, 0.05)} for a, b in zip(*OPTIONS.values(), strict=True)]
    statistics = [ours(row, 0.01) for row in STATISTICS_FIGURES]
    return Reproduction(200, 5, {}, statistics, [ours(row, 0.1) for row in DECISIONS], options)


def test_the_report_tells_all_figures_and_those_that_differ():
    result = made_up(drama=0.5, order=0.9)
    text = markdown(result.document("cardenvs reproduce recycle"), {"radar": "radar.png", "options": None})
    assert len([line for line in text.splitlines() if line.startswith("| agram |")]) == 6
    assert "| agram | 0.27 | 0.500 | 0.0100 | +13.0 | **differs** |" in text
    assert "| lama, 6 | all random | 33.8 | 33.800 | 0.1000 | 0 | agrees |" in text
    assert text.count("**differs**") == 1
    assert "Not judged: agram, pairs," in text
    assert "![the six statistics, published and ours](radar.png)" in text
    assert "![options by trick]" not in text
    judged, agree = result.as_dict()["judged"], result.as_dict()["agree"]
    assert judged == agree + 1 == sum(not row.doubt for row in STATISTICS_FIGURES) + 11 + 26
    summary = f"{agree} of the {judged} published figures that can be trusted agree; agram, drama: 0.500, not 0.27."
    assert f"\n{summary}\n" in text


def test_pictures():
    pictures = made_up().document().pictures()
    assert [*pictures] == ["radar", "options"]
    assert all(draw().startswith(b"\x89PNG") for draw in pictures.values())


@pytest.mark.slow
def test_the_command_goes_on_where_it_was_stopped(capsys, tmp_path, monkeypatch):
    arguments = f"reproduce recycle --games 6 --game agram --workers 1 --out {tmp_path / 'run'}".split()
    report = tmp_path / "recycle.md"
    figures = figures_of(capsys, *arguments, "--report", str(report))
    assert figures == json.loads((tmp_path / "recycle.json").read_text())
    assert [row["of"] for row in figures["statistics"]] == list(STATISTICS)
    assert figures["played"]["agram"]["random"]["decisions"] == 24
    assert "`cardenvs reproduce recycle --games 6 --game agram --seed 0 --report FILE`" in report.read_text()
    assert (tmp_path / "recycle_radar.png").read_bytes().startswith(b"\x89PNG")

    def never(*_):
        raise AssertionError("played again")

    monkeypatch.setattr("cardenvs.baselines.game_statistics.experiments.AiPlayer.play_task", never)
    monkeypatch.setattr("cardenvs.baselines.game_statistics.results.play_random", never)
    assert figures_of(capsys, *arguments) == figures
    status, out, _ = run(capsys, *arguments)
    assert status == 0 and "Convergence" in out and "published figures that can be trusted agree" in " ".join(out.split())
    status, _, err = run(capsys, *arguments, "--seed", "1")
    assert status == 2 and "seed 0, not 1" in err
