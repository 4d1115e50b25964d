"""Names that are nearly right: the message says what was probably meant, at its end."""

from __future__ import annotations

import pytest

from cardenvs import get_game, policy
from cardenvs.checks import did_you_mean
from cardenvs.envs.batch import check_reward
from tests.helpers.command_line import run


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("hybird", ". Did you mean hybrid?"),
        ("Hybrid", ". Did you mean hybrid?"),
        ("monte_carlo", ". Did you mean monte-carlo?"),
        ("zzz", ""),
        ("", ""),
        (None, ""),
        (3, ""),
    ],
)
def test_the_nearest_name_is_told(name, meant):
    assert did_you_mean(name, ["hybrid", "random", "monte-carlo"]) == meant


@pytest.mark.parametrize(
    ("arguments", "begins", "meant"),
    [
        (("match", "eucher", "low", "low"), "unknown game 'eucher': the games are", "euchre"),
        (("match", "euchre", "hybird", "low"), "unknown policy 'hybird' for euchre: the policies are", "hybrid"),
        (("match", "euchre", "low", "low", "-o", "biding=full"), "unknown option 'biding' for euchre", "bidding"),
        (("match", "euchre", "low", "low", "-o", "bidding=spades"), "bidding must be one of full", "forced-spades"),
        (("match", "euchre", "pimc:world=3", "low"), "unknown parameter 'world' of policy 'pimc'", "worlds"),
        (("mach", "euchre"), "No such command 'mach'", "match"),
        (("reproduce", "pow"), "No such command 'pow'", "poe"),
    ],
)
def test_commands_tell_it_at_the_end_of_their_line(capsys, arguments, begins, meant):
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert begins in err
    assert err.endswith(f". Did you mean {meant}?\n")


def test_rewards_and_actions_too():
    with pytest.raises(ValueError, match=r"reward must be one of 'points'.* Did you mean tricks\?$"):
        check_reward(get_game("euchre"), "trick", 1.0)
    with pytest.raises(ValueError, match=r"unknown action 'orderup' in euchre.* Did you mean order-up\?$"):
        get_game("euchre").action("orderup")
    with pytest.raises(ValueError, match=r"playout must be one of .* Did you mean high-low\?$"):
        policy.make("euchre", "monte-carlo", playout="highlow")
