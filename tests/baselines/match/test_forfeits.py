"""Matches in which a policy cannot go on: what is finished is kept, and the forfeit is told."""

import pytest

from cardenvs import get_game, policy
from cardenvs.baselines.match import Recorder, Side, play_match
from cardenvs.cli import FORFEITED
from cardenvs.policy.contract import Forfeit
from tests.helpers.command_line import run
from tests.helpers.players import First, quitting
from tests.helpers.reports import strict_json, untimed

EUCHRE = get_game("euchre")


class Careful(First):
    """Plays as `First`, deal by deal."""

    can_forfeit = True


def figures(result):
    """The figures that are no times, nor about the forfeit."""
    return {key: value for key, value in untimed(result.as_dict()).items() if key not in ("forfeit", "sides")}


@pytest.mark.parametrize("protocol", ["duplicate", "published"])
def test_what_is_finished_is_kept_as_if_no_more_had_been_asked_for(protocol):
    quits = quitting(150)(EUCHRE)
    result = play_match("euchre", quits, "random", deals=40, seed=3, protocol=protocol)
    assert result.forfeit is not None and "forfeit" in result.as_dict()
    finished = result.forfeit.deal
    assert 0 < finished < 40 and (result.forfeit.side, result.forfeit.policy) == (0, "Quits")
    whole = play_match("euchre", First(EUCHRE), "random", deals=finished, seed=3, protocol=protocol)
    assert figures(result) == figures(whole) and "forfeit" not in whole.as_dict()
    assert result.forfeit.why == "it has had enough"


def test_deal_by_deal_is_the_same_match():
    careful, plain = (play_match("euchre", kind(EUCHRE), "random", deals=9, seed=1) for kind in (Careful, First))
    assert figures(careful) == figures(plain) and careful.forfeit is None


def test_the_side_that_forfeits_and_what_observers_see():
    quits = quitting(60)(EUCHRE)
    sides = Side(EUCHRE, "random"), Side(EUCHRE, ["random", quits])
    recorder, seen = Recorder(EUCHRE, sides), []

    def enough(results):
        seen.append(results.deals)
        return False

    result = play_match(EUCHRE, *sides, deals=50, observer=recorder, until=enough, looks=[2])
    assert result.forfeit is not None and result.forfeit.side == 1
    finished = result.deals
    assert finished == result.forfeit.deal and seen == [2, finished]
    assert sum(line.startswith("euchre ") for line in recorder.text().splitlines()) == 2 * finished


def test_the_row_tells_the_deal():
    """A policy that says which row it could not decide; both copies of a deal have its number."""

    class Row(First):
        def choose(self, observations, action_masks, streams):
            raise Forfeit("no", row=len(observations) - 1)

    with pytest.raises(Forfeit, match=r"^no$") as error:
        play_match("euchre", First(EUCHRE), Row(EUCHRE), deals=5)
    assert (error.value.side, error.value.deal, error.value.policy) == (1, None, "Row")  # before the first deal
    row = Row(EUCHRE)
    row.can_forfeit = False
    side = Side(EUCHRE, row)
    side.warm_up = lambda *_, **__: None
    with pytest.raises(Forfeit) as error:
        play_match("euchre", First(EUCHRE), side, deals=5)
    assert error.value.deal in range(5)


def test_the_command_tells_it_and_ends_so(capsys):
    policy.register("quits", quitting(100))
    words = ["match", "euchre", "quits", "random", "--deals", "30"]
    status, out, err = run(capsys, *words)
    assert status == FORFEITED == 3 and "games won" in out
    status, out, _ = run(capsys, *words, "--json")
    told = strict_json(out)
    assert status == FORFEITED
    assert told["forfeit"] == {"side": 0, "policy": "quits", "why": "it has had enough", "deal": told["deals"]}
    assert err == f"cardenvs: quits has forfeited after {told['deals']} finished deals, which count: it has had enough\n"
    policy.register("quits", quitting(0))
    assert run(capsys, *words) == (2, "", "cardenvs: it has had enough\n")
