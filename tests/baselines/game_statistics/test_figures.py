"""Statistics of games: the naive figures, facts that the rules alone tell, games that are cut off, intervals."""

import math
from dataclasses import replace

import numpy as np
import pytest

from cardenvs import Policy, get_game, policy, testing
from cardenvs.baselines.game_statistics import (
    STATISTICS,
    AiPlayer,
    PlayedGames,
    StatisticsSettings,
    experiment_of,
    experiments,
    play_random,
    statistics_of,
    statistics_settings,
    take_statistics,
)
from cardenvs.baselines.game_statistics.experiments import BEATEN, PLAYER_STREAMS
from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.randomness import player_streams
from tests.helpers.one_sided import one_sided
from tests.helpers.positions import rows_of
from tests.helpers.toys import toy
from tests.naive import game_statistics as naive

pytestmark = pytest.mark.usefixtures("toys")

SEED = 11
WORLDS = 2

GAMES = [
    ("kuhn", {}, None, 12),
    ("wolves", {}, None, 2),
    *(
        pytest.param(*game, marks=pytest.mark.slow)
        for game in [
            ("ladder", {}, 7, 2),
            ("euchre", {"bidding": "forced-spades"}, None, 3),
            ("ladder", {}, None, 3),
            ("whist", {}, None, 3),
            ("five-o", {}, None, 3),
        ]
    ),
]


def streams_of(experiment, number, seats):
    """Of random players one stream, else one for each seat."""
    if experiment == "random":
        return seed_streams(SEED ^ PLAYER_STREAMS, 1, number)
    return player_streams(SEED, experiment, 1, seats, number)[0]


@pytest.mark.parametrize(("name", "options", "limit", "count"), GAMES)
def test_figures_are_those_of_naive_games(name, options, limit, count):
    spec = get_game(name) if limit is None else replace(get_game(name), max_decisions=limit)
    settings = statistics_settings(spec, games=count, ai=f"pipmc:worlds={WORLDS}", seed=SEED, **options)
    result = take_statistics(settings, workers=1)
    seats = range(spec.seats)
    games = {
        experiment: [
            naive.play(spec, ai, k, SEED, streams_of(experiment, k, spec.seats), WORLDS, experiment == "all_ai", **options)
            for k in range(count)
        ]
        for experiment, ai in (("random", ()), ("one_ai", (0,)), ("all_ai", seats))
    }
    figures = result.figures()
    for experiment, played in games.items():
        expected = naive.experiment(played, spec.seats)
        assert list(figures[experiment]) == list(expected)
        for key, value in expected.items():
            assert figures[experiment][key] == pytest.approx(value, nan_ok=True), (experiment, key)
        lengths = [len(game.decisions) for game in played]
        found = result.experiments[experiment]
        assert (found.shortest, found.longest) == (min(lengths), max(lengths))
    n = spec.seats
    assert figures["convergence"]["value"] == pytest.approx(naive.convergence(games["random"]))
    assert figures["spread"]["value"] == pytest.approx(naive.spread(games["all_ai"]))
    ended = {key: [game for game in played if game.ranks is not None] for key, played in games.items()}
    if limit is not None:
        assert not any(ended.values())
        assert all(math.isnan(figures[key]["value"]) for key in ("order", "fairness", "drama", "security"))
        return
    assert all(ended.values())
    assert figures["order"]["value"] == pytest.approx(naive.order(games["one_ai"], n))
    assert figures["fairness"]["value"] == pytest.approx(naive.fairness(games["random"], n))
    assert figures["drama"]["value"] == pytest.approx(naive.drama(games["all_ai"], n), nan_ok=True)
    assert figures["security"]["value"] == pytest.approx(naive.security(games["all_ai"], n))
    assert list(result.statistics) == list(STATISTICS)
    for key, value in result.statistics.items():
        # Where no winner ever looked badly off there is no drama to take a mean of.
        nothing = key == "drama" and math.isnan(value.mean)
        assert nothing or value.low <= value.mean <= value.high


def test_an_estimate_on_the_mark_is_below_it_with_four_seats_alone(monkeypatch):
    assert experiments.SEATS_OF_EQUALITY == 4
    settings = statistics_settings("kuhn", games=12, ai="pipmc:worlds=2", seed=SEED)
    two = take_statistics(settings, workers=1).statistics
    monkeypatch.setattr(experiments, "SEATS_OF_EQUALITY", 2)
    as_if_four = take_statistics(settings, workers=1).statistics
    assert two["security"].mean > as_if_four["security"].mean
    assert two["drama"].mean > as_if_four["drama"].mean
    assert two["spread"] == as_if_four["spread"]


def test_kuhn_poker_by_the_rules_alone():
    """Five standard deviations: a false alarm in two million runs."""
    n = 40_000
    played = play_random(statistics_settings("kuhn", games=n), range(n))
    figures = experiment_of(played)
    assert (figures.options, figures.forced, figures.truncated) == (2.0, 0.0, 0)
    assert abs(figures.decisions - 9 / 4) < 5 * math.sqrt(3 / 16 / n)  # two, or with one chance in four three
    assert abs(figures.wins[0] - 9 / 16) < 5 * math.sqrt(9 / 16 * 7 / 16 / n)
    assert sum(figures.wins) == pytest.approx(1)
    assert (figures.shortest, figures.longest) == (2, 3)


def test_whist_has_52_decisions():
    figures = experiment_of(play_random(statistics_settings("whist"), range(300)))
    assert (figures.decisions, figures.decisions_se) == (52, 0)
    assert figures.wins[0] == figures.wins[2]
    assert sum(figures.wins) == pytest.approx(1)
    # Mean options of random play: 3.9.
    assert 3.8 < figures.options < 4.0
    # Whoever is the last to play to a trick or holds one card more often has no choice: the last trick alone is 4 of 52.
    assert 4 / 52 < figures.forced < 0.4


def test_a_game_does_not_depend_on_those_beside_it():
    settings = statistics_settings("ladder", games=9, seed=3)
    whole = play_random(settings, range(9))
    parts = PlayedGames.joined([play_random(settings, range(4)), play_random(settings, range(4, 9))])
    assert all(np.array_equal(values, getattr(parts, name)) for name, values in vars(whole).items())


@pytest.mark.parametrize("name", ["kuhn", pytest.param("ladder", marks=pytest.mark.slow)])
def test_random_players_choose_as_the_policy_with_choices(name):
    spec = toy(name)
    player = policy.make(spec, "random:choices=yes")
    for k, games in enumerate(testing.random_positions(spec, 1, 2)):
        if games[0]["over"] == RUNNING:
            streams, again = seed_streams(k, 1), seed_streams(k, 1)
            rows, masks = rows_of(spec, games)
            count = spec.kernels.choices(games, 0)
            assert player.choose(rows, masks, streams)[0] == spec.kernels.choice(games, 0, below(again, 0, count))
            assert streams == again


def test_games_are_cut_off_where_episodes_are():
    short = replace(toy("ladder"), max_decisions=9)
    figures = experiment_of(play_random(statistics_settings(short), range(50)))
    assert (figures.decisions, figures.longest, figures.truncated) == (9, 9, 50)
    assert all(math.isnan(share) for share in figures.wins)
    middle = replace(toy("ladder"), max_decisions=60)
    played = play_random(statistics_settings(middle), range(200))
    figures = experiment_of(played)
    assert 0 < figures.truncated < 200
    assert sum(figures.wins) == pytest.approx(1)
    assert (played.firsts[~played.finished] == 0).all()
    assert (played.decisions[~played.finished] == 60).all()


# --- by hand ---------------------------------------------------------------------------------------------------------


def games_of(counts, ranks):
    """Games with the given numbers of options, and ranks."""
    n = len(counts)
    return replace(
        PlayedGames.empty(n, len(ranks[0])),
        decisions=np.array([len(game) for game in counts]),
        options=np.array([sum(game) for game in counts]),
        indexed=np.array([sum(k * options for k, options in enumerate(game)) for game in counts]),
        forced=np.array([game.count(1) for game in counts]),
        ranks=np.array(ranks),
    )


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([k for k in range(12, 0, -1) for _ in range(3)], 0.6656370657),
        ([k for _ in range(3) for k in (4, 3, 2, 1) for _ in range(4)], 0.5130264872),
        ([k for _ in range(6) for k in (4, 3, 2, 1) for _ in range(2)], 0.5065132435),
        ([k for _ in range(4) for k in (4, 3, 2, 1) for _ in range(3)], 0.5097698654),
        ([2] * 30, 0.5),
        ([7], 0.5),
    ],
)
def test_convergence_of_known_numbers_of_options(counts, expected):
    """The published figures of Enchère and of StealingBundles, to their last digit."""
    found = statistics_of({"random": games_of([counts, counts], [[0, 1], [1, 0]])})["convergence"]
    assert found.mean == pytest.approx(expected, abs=1e-10)
    assert found.ci95 == [-math.inf, math.inf], "two games that are alike tell nothing of the spread"


@pytest.mark.parametrize(
    ("name", "ranks", "expected"),
    [
        ("fairness", [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]], 1.0),
        ("fairness", [[0, 1, 1, 1], [0, 1, 1, 1]], 0.0),
        ("fairness", [[1, 0, 1, 1], [1, 1, 0, 1]], 0.0),
        ("fairness", [[0, 0, 0, 0], [0, 0, 0, 0]], 1.0),
        ("fairness", [[0, 0, 2, 2], [2, 2, 0, 0]], 1.0),
        ("fairness", [[0, 1, 1, 1], [1, 0, 1, 1]], 2 / 3),
        ("fairness", [[1, 0, 1, 1]] * 7 + [[0, 1, 1, 1]], 0.5),
        # A shared first counts in full.
        ("order", [[0, 0, 2, 2], [2, 2, 0, 0], [0, 1, 2, 3], [1, 0, 2, 3]], (2 / 4 - 1 / 4) / (3 / 4)),
    ],
)
def test_statistics_of_known_ranks(name, ranks, expected):
    games = games_of([[1]] * len(ranks), ranks)
    assert statistics_of({"random": games, "one_ai": games})[name].mean == pytest.approx(expected)


def test_intervals_cover_what_they_should():
    """The mean of a bootstrap's 95% interval for a share: within 15% of the normal one, whose error is far smaller."""
    rng = np.random.default_rng(0)
    first = rng.random(400) < 0.3
    games = games_of([[1]] * 400, [[0, 1] if won else [1, 0] for won in first])
    value = statistics_of({"one_ai": games})["order"]
    share = first.mean()
    assert value.mean == pytest.approx(2 * share - 1)
    assert value.half_width == pytest.approx(2 * 1.96 * math.sqrt(share * (1 - share) / 400), rel=0.15)
    assert value == statistics_of({"one_ai": games})["order"]
    assert value != statistics_of({"one_ai": games}, seed=1)["order"]


def test_one_game_tells_nothing_of_the_spread():
    result = take_statistics(statistics_settings("kuhn", games=1), workers=1)
    assert math.isnan(result.experiments["random"].decisions_se)
    assert result.statistics["order"].ci95 == [-math.inf, math.inf]


# --- other AIs -------------------------------------------------------------------------------------------------------


def test_games_of_other_ais_are_measured_by_pipmc():
    settings = statistics_settings("kuhn", games=60, ai="random", seed=5)
    result = take_statistics(settings, workers=1)
    # A random AI is as good as the others, up to five standard deviations.
    assert abs(result.statistics["order"].mean - 1 / 8) < 5 * math.sqrt(63 / 64 / 60)
    assert 0 < result.statistics["spread"].mean < 1
    assert 0 < result.statistics["security"].mean < 1
    searching = take_statistics(statistics_settings("kuhn", games=3, ai="monte-carlo:worlds=5", seed=5), workers=1)
    assert searching.experiments["all_ai"].games == 3


class Wrong(Policy):
    """Answers with an action that is never legal."""

    def choose(self, observations, action_masks, streams):
        return np.full(len(observations), self.game.num_actions)


@pytest.mark.parametrize("experiment", ["one_ai", "all_ai"])
def test_an_illegal_answer_is_an_error(experiment):
    player = AiPlayer(statistics_settings("kuhn", ai="random"))
    player.ai = Wrong("kuhn")
    with pytest.raises(ValueError, match=r"'Wrong': illegal action 2 for player_0 in kuhn: .*position: kuhn "):
        player.play(experiment, 0)


# --- one side --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "random_only", "meaningful"),
    [
        ("team", False, {"convergence", "spread"}),
        ("patience", False, {"convergence", "spread"}),
        ("patience", True, {"convergence"}),
    ],
)
def test_statistics_without_a_meaning_in_games_of_one_side_have_no_number(name, random_only, meaningful):
    settings = StatisticsSettings(spec=one_sided(name), options={}, seed=0, files={}, games=5, ai="pipmc:worlds=5")
    result = take_statistics(settings, workers=1, random_only=random_only)
    assert list(result.statistics) == (["fairness", "convergence"] if random_only else list(STATISTICS))
    numbers = {statistic: value.mean for statistic, value in result.statistics.items()}
    assert {statistic for statistic, mean in numbers.items() if not math.isnan(mean)} == meaningful
    figures = result.as_dict()
    assert figures["random"]["wins"] == [None] * result.spec.seats
    assert "first places" not in str(result)
    assert str(result).count(BEATEN.split(":")[0]) == len(numbers) - len(meaningful)
    if not random_only:
        assert 0 < numbers["spread"] < 7
        assert figures["order"] == {"value": None, "ci95": [None, None]}
        assert figures["all_ai"]["wins"] == [None] * result.spec.seats
