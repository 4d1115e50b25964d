"""Games of one side: matches of teams, tournaments, evaluation, cross-play and the ad-hoc benchmark."""

import functools
import inspect
import itertools
from pathlib import Path

import numpy as np
import pytest

from cardenvs import GameSpec, Policy, get_game, policy
from cardenvs.baselines import DealResults, evaluate, play_deals, play_match, play_tournament, settings_for
from cardenvs.baselines.crossplay import adhoc_settings, crossplay_settings, held_out, play_adhoc, play_crossplay
from cardenvs.games.hanabi import hanabi
from cardenvs.policy.contract import Forfeit
from cardenvs.recycle import parse
from cardenvs.recycle.game import compiled
from tests.helpers.command_line import figures_of
from tests.helpers.matches import watch
from tests.helpers.one_sided import one_sided

ASKING = """(game
 (setup (create players 3) (create teams (0, 1, 2)) (create deck (game iloc STOCK) (deck (RANK (ONE, TWO)))))
 (stage player (end (all player 'P (== ('P sto ASKED) 1)))
  (choice ((any (range 0 .. 5) 'N (do ((set ((current player) sto ASKED) 1)
   (inc ((team (current player)) sto WON) 'N)))))))
 (scoring max ((team (current player)) sto WON)))"""
"""Each of three partners adds 0 to 4 to the team's points, in one decision."""


class Adding(Policy):
    """Adds so much, as an action's number; forfeits after some decisions."""

    can_forfeit = True

    def __init__(self, game, points, fails=-1):
        super().__init__(game)
        self.name, self.points, self.fails, self.asked = f"adding{points}", int(points), int(fails), 0

    def choose(self, observations, action_masks, streams):
        self.asked += len(observations)
        if 0 <= self.fails < self.asked:
            raise Forfeit("enough")
        return np.full(len(observations), self.points, np.int64)


@functools.cache
def asking() -> GameSpec:
    return compiled(parse(ASKING), "asking")


def doors(folder: Path) -> tuple[str, list[str]]:
    """The game and two policies as files, for what takes names."""
    (folder / "asking.rcy").write_text(ASKING)
    heads = "import numpy as np\nfrom cardenvs import Policy\nfrom cardenvs.policy import Forfeit\n\n\n"
    (folder / "adding.py").write_text(heads + inspect.getsource(Adding))
    return str(folder / "asking.rcy"), [f"{folder / 'adding.py'}:Adding,points={k}" for k in (1, 4)]


def test_a_team_scores_what_it_makes(tmp_path):
    game = get_game(doors(tmp_path)[0])
    result = play_match(game, [Adding(game, k) for k in (1, 2, 4)], deals=5)
    (team,) = result.teams
    assert (team.points.mean, team.distribution, team.perfect, team.endings) == (7, {"7": 5}, None, None)
    figures = result.as_dict()
    assert figures["mean_points"] == 7 and figures["games"] == 5 and figures["sides"] == ["adding1+adding2+adding4"]
    assert not {"win_rate", "games_won", "mean_tricks"} & set(figures)
    assert "7.000" in str(result) and "adding1+adding2+adding4" in result.markdown()


def test_two_teams_play_the_same_deals_each_by_itself():
    result = play_match(asking(), Adding(asking(), 3), Adding(asking(), 1), deals=6)
    figures = result.as_dict()
    assert (figures["mean_points"], figures["sides_points"], figures["games"]) == (6, [9, 3], 12)
    assert figures["win_rate"] == [1, 0] and figures["decisions"] == [18, 18]
    form = hanabi(colours=2, ranks=3)
    both, other = play_deals(form, "random", "random", range(40)), play_deals(form, "random", None, range(40))
    assert (both.points[..., 0] == other.points[..., 0]).all() and (both.points[..., 1] == other.points[..., 0]).all()


def test_who_plays_alone_is_a_team():
    spec = one_sided("patience")
    best, other = (play_deals(spec, name, None, range(20)).points[..., 0] for name in ("pipmc:worlds=20", "random"))
    assert (best >= other).all() and (best > other).any()
    result = play_match(spec, "pipmc:worlds=20", "random", deals=20)
    assert [team.points.mean for team in result.teams] == [best.mean(), other.mean()]


def test_how_games_ended_is_told():
    form = hanabi(colours=2, ranks=3, lives=1)
    result, states, owners = watch(play_match, form, "random", "random", deals=30, score="built")
    for number, team in enumerate(result.teams):
        games = states[(owners == number).all(1)]
        assert len(games) == 30
        assert team.points.mean == games["fireworks"].sum(1).mean()
        assert team.endings["lives"] == (games["lives"] == 0).mean() > 0
        assert team.counted["lives lost"] == (1 - games["lives"]).mean()
        assert sum(team.endings.values()) == pytest.approx(1)
        assert sum(team.distribution.values()) == 30
    assert {"perfect", "endings", "distribution", "counted", "sides_points_ci95"} <= set(result.as_dict())


def test_results_of_teams_are_put_beside_each_other_in_the_order_given():
    one, two = (play_deals(asking(), Adding(asking(), k), None, range(3)) for k in (1, 2))
    both = DealResults.beside([one, two])
    assert both.points.tolist() == [[[3, 6]]] * 3
    assert both.decisions.tolist() == [9, 9] and both.points_margins.tolist() == [-3] * 3
    assert both.mirrored().points_margins.tolist() == [3] * 3
    assert DealResults.beside([one]) is one


def test_a_team_that_forfeits_is_named_by_its_side():
    result = play_match(asking(), Adding(asking(), 1), Adding(asking(), 2, fails=10), deals=8)
    assert result.forfeit.side == 1 and result.forfeit.policy == "adding2"
    assert 0 < result.deals < 8


def test_a_tournament_tells_own_points_and_points_with_the_others(tmp_path):
    game, names = doors(tmp_path)
    result = play_tournament(settings_for(game, [*names, "random"], deals=4), tmp_path / "out", workers=1)
    low, high = names
    assert result.policies[0] == high
    found = {standing.policy: standing for standing in result.standings}
    assert found[high].own_points.mean == 12 and found[low].own_points.mean == 3
    assert found[high].decisions == 12
    (pairing,) = [one for one in result.pairings if one.sides == [high, low]]
    assert pairing.points_margin.mean == 9 and pairing.win_rate.mean == 1
    teams = [play_deals(game, team, None, range(4)).points.mean() for team in ([low, high, high], [high, low, low])]
    assert teams == [9, 6]
    with_random = [
        play_deals(game, [a, b, b], None, range(4)).points.mean() for a, b in ((high, "random"), ("random", high))
    ]
    assert found[high].points_with_others.mean == pytest.approx(np.mean([*teams, *with_random]))
    assert "Points of the team" in result.markdown()
    assert len(result.cycles["points"].significant) == 0


def test_cross_play_is_the_matrix_of_teams(tmp_path):
    game, names = doors(tmp_path)
    result = play_crossplay(crossplay_settings(game, [*names, "random"], deals=5), tmp_path / "out", workers=1)
    low, high = names
    assert result.cell(low, low).points_margin.mean == 3 and result.cell(low, high).points_margin.mean == 7.5
    assert result.cell(low, high).games == 10 and result.opponents == []
    assert "win_rate" not in result.as_dict()["cells"][0]
    own = [result.cell(name, name).points_margin.mean for name in result.policies]
    mixed = [result.cell(a, b).points_margin.mean for a, b in itertools.combinations(result.policies, 2)]
    assert result.gap.gap.mean == pytest.approx(np.mean(own) - np.mean(mixed))
    assert result.gap.gap_over_teams.mean == pytest.approx(result.gap.gap.mean)
    assert result.gap.gap_over_teams.half_width > 0
    assert "Against" not in str(result)
    with pytest.raises(ValueError, match=r"opponents must be left out: .* has one side"):
        crossplay_settings(game, names, opponents=["random"])


def test_the_ad_hoc_score_is_the_teams(tmp_path):
    game, (low, high) = doors(tmp_path)
    result = play_adhoc(adhoc_settings(game, [high, low], more_partners=[low], deals=3), tmp_path / "out", workers=1)
    assert [(score.policy, score.score.mean) for score in result.scores] == [(high, 7.5), (low, 3)]
    assert "win_rate" not in result.as_dict()["scores"][0] and "wins, %" not in result.markdown()


FIXED = ("random", "internal", "outer", "cautious", "iggi", "piers", "van-den-bergh")


@pytest.mark.parametrize(
    ("game", "more"),
    [
        ("hanabi", ("smartbot",)),
        ("hanabi:tiny", ("smartbot",)),
        ("hanabi:hand_size=1", ()),
        ("hanabi:players=5", ("smartbot", "hat-recommendation")),
        ("hanabi:players=5,hand_size=3", ("smartbot",)),
    ],
)
def test_each_form_has_the_fixed_partners_that_play_it(game, more):
    assert held_out(game) == FIXED + more
    assert adhoc_settings(game, ["hat-information"] if more else ["piers"]).partners == [*FIXED, *more]
    assert {"smartbot", "hat-recommendation"} & {*policy.default_names(game)} == {*more}, "as commands play them by default"


def test_the_ad_hoc_command_needs_no_partners(capsys, tmp_path):
    words = ["adhoc", "hanabi:tiny", "piers", "--deals", "1", "--workers", "1", "--out", str(tmp_path / "out")]
    figures = figures_of(capsys, *words)
    assert figures["partners"] == [*FIXED, "smartbot"] and figures["standard"]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_evaluation_tells_own_points_the_difference_and_points_together(tmp_path, workers):
    game, (low, high) = doors(tmp_path)
    result = evaluate(game, high, [low], deals=4, workers=workers)
    (against,) = result.results
    assert against.points_margin.mean == 9 and against.points_with_opponent.mean == 7.5
    assert against.match.teams[0].points.mean == 12
    assert result.self_check is None
    assert "As a team by itself it scores 12.000" in str(result) and "with it" in result.markdown()
    assert result.as_dict()["results"][0]["points_with_opponent"] == 7.5


def test_whoever_forfeits_is_left_out(tmp_path):
    game, (low, high) = doors(tmp_path)
    quits = low.replace("points=1", "points=0,fails=3")
    result = play_tournament(settings_for(game, [low, quits, high], deals=3), tmp_path / "out", workers=1)
    assert result.policies == [high, low]
    assert [standing.points_with_others.mean for standing in result.standings] == [7.5, 7.5]
    assert {forfeit.forfeit.policy for forfeit in result.forfeits} == {quits} and len(result.forfeits) == 5
    assert "enough" in result.markdown()
    crossed = play_crossplay(crossplay_settings(game, [low, quits, high], deals=3), tmp_path / "crossed", workers=1)
    assert crossed.policies == [low, high] and crossed.gap.gap_over_teams is None
    judged = evaluate(game, high, [quits, low], deals=3)
    assert [one.match.sides[1] for one in judged.results] == [low]
    assert {forfeit.against for forfeit in judged.forfeits} == {quits} and len(judged.forfeits) == 3
