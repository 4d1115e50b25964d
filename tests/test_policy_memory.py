"""A policy that remembers has a memory for each seat: a copy is shown what one seat sees of a deal, and nothing else."""

import copy
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from cardenvs import Policy, SeatVectorEnv, get_game, policy
from cardenvs.baselines import play_match
from cardenvs.baselines.ceiling.best_response import best_margins
from cardenvs.baselines.match.side import Side
from cardenvs.baselines.review.replay import moves_of
from cardenvs.cli import main
from cardenvs.play import Table
from tests.helpers.copies import check_copies


class Keeps(Policy):
    """Keeps all rows that it was shown, and plays by a hidden state made of them, as a recurrent network does."""

    remembers = True
    shown: ClassVar[list[dict[int, list[bytes]]]] = []

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.rows: dict[int, list[bytes]] = defaultdict(list)
        self.hidden = np.zeros(8)

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        if not self.rows:
            self.shown.append(self.rows)
        games = np.zeros(len(observations), np.int64) if self.asked is None else self.asked.games
        out = []
        for game, row, mask in zip(games, observations, action_masks, strict=True):
            self.rows[int(game)].append(row.tobytes())
            self.hidden = np.tanh(0.5 * self.hidden + np.resize(row, 8))
            legal = np.flatnonzero(mask)
            out.append(legal[int(abs(self.hidden).sum() * 1000) % len(legal)])
        return np.array(out, np.int64)


class SharesOneMemory(Keeps):
    """The same without a word of it: one object for all seats."""

    remembers = False


@pytest.fixture(autouse=True)
def nothing_shown() -> None:
    Keeps.shown.clear()


def seats_that_may_see(spec: Any, finished: list[Any]) -> dict[bytes, set[tuple[int, int]]]:
    """The deals and seats, by what they see, in the positions of finished deals."""
    seen: dict[bytes, set[tuple[int, int]]] = defaultdict(set)
    number: dict[str, int] = {}
    for state in finished:
        deal = number.setdefault(spec.text(state[0], actions=False), len(number))
        states, _, _ = moves_of(spec, state)
        for k in range(len(states)):
            seat = int(states[k]["to_act"])
            seen[spec.observation(states, seat, k).tobytes()].add((deal, seat))
    return seen


def most_seats_of_a_copy(spec: Any, finished: list[Any]) -> int:
    """The most seats of one deal that one copy was shown, over all copies; rows that several see count as any."""
    seen = seats_that_may_see(spec, finished)
    most = 0
    for rows in Keeps.shown:
        seats: dict[int, set[int]] = defaultdict(set)
        for row in {row for kept in rows.values() for row in kept}:
            if len(seen[row]) == 1:
                ((deal, seat),) = seen[row]
                seats[deal].add(seat)
        most = max([most, *map(len, seats.values())])
    return most


@pytest.mark.parametrize("game", ["hanabi:tiny", "beacon-relay", "whist", "wolves"])
@pytest.mark.usefixtures("toys")
def test_a_copy_sees_what_one_seat_sees_of_a_deal(game: str) -> None:
    spec = get_game(game)
    finished: list[Any] = []

    def watch(games: Any, owner: Any) -> None:
        finished.extend(games[k : k + 1] for k in range(len(games)))

    for kind, seats in ((Keeps, {1}), (SharesOneMemory, {*range(2, spec.seats + 1)})):
        Keeps.shown.clear()
        finished.clear()
        teams = (kind(spec),) if spec.one_sided else (kind(spec), kind(spec))
        play_match(spec, *teams, deals=1, observer=watch)
        assert most_seats_of_a_copy(spec, finished) in seats


def test_what_is_kept_ends_with_the_match() -> None:
    player = Keeps("whist")
    side = Side(get_game("whist"), player)
    results = [play_match("whist", side, "low", deals=1).tricks_won for _ in range(2)]
    assert results[0] == results[1] and not player.rows
    assert len(Keeps.shown) == 8 and all(len(rows) == 1 for rows in Keeps.shown)


def test_environments_have_a_copy_for_each_seat() -> None:
    env = SeatVectorEnv("hanabi:tiny", num_envs=2, opponents=Keeps("hanabi:tiny"), seat="random")
    states = []

    def play() -> list[int]:
        _, infos = env.reset(seed=3)
        rewards = []
        for _ in range(40):
            _, reward, _, _, infos = env.step(infos["action_mask"].argmax(1))
            rewards += reward.tolist()
        states.append(len(Keeps.shown))
        return rewards

    assert play() == play()  # a seed begins anew
    assert states[0] == 2 and states[1] == 4
    env.close()


def test_a_table_lends_a_policy_that_remembers_to_one_seat() -> None:
    policy.register("keeps", Keeps)
    try:
        table = Table(get_game("whist"), ["keeps"] * 4)
        for _ in range(12):
            seat, action = table.policy_move()
            table.apply(table.version, seat, action)
        assert len(Keeps.shown) == 4 and {len(rows) for rows in Keeps.shown} == {1}
        table.same_deal()
        table.policy_move()
        assert len(Keeps.shown) == 5
    finally:
        policy.registry.POLICIES.made.pop("keeps")


def test_copies_are_of_the_object_as_it_was_given() -> None:
    player = Keeps("whist")
    player.hidden[:] = 0.25
    play_match("whist", player, "low", deals=1)
    assert (player.hidden == 0.25).all() and player.asked is None and not copy.deepcopy(player).rows


def test_a_policy_that_cannot_be_copied_is_named() -> None:
    player = Keeps("euchre")
    player.held = open(__file__)  # type: ignore[attr-defined]  # noqa: SIM115
    with player.held, pytest.raises(ValueError, match="the policy 'Keeps' remembers, and cannot be copied"):  # type: ignore[attr-defined]
        play_match("euchre", player, "random", deals=1)


def test_there_is_no_best_answer_to_a_policy_that_remembers() -> None:
    side = Side(get_game("euchre"), Keeps("euchre"))
    with pytest.raises(ValueError, match="no best answer to Keeps: it remembers"):
        best_margins(side, range(1), seed=0, options={})


PROGRAM = """
import json, sys
log, partner = open(sys.argv[1], "a"), None
for line in sys.stdin:
    m = json.loads(line)
    log.write(line)
    log.flush()
    if m["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    elif m["type"] == "decide":
        built = {f[0]: int(f[1:]) for f in m["observation"].get("fireworks", [])}
        mine = {} if partner is None else dict(reversed(card.split(":")[1:]) for card in partner)
        wanted = [f"play-{k}" for face, k in mine.items() if built.get(face[0], 0) + 1 == int(face[1:])]
        wanted = [act for act in wanted if act in m["legal"]]
        partner = m["observation"].get("hands", [])
        print(json.dumps({"action": (wanted or m["legal"])[0]}), flush=True)
"""
"""Hanabi: a program that takes what it saw at its last question for the hand that it holds now."""


def command(folder: Path) -> str:
    (folder / "program.py").write_text(PROGRAM)
    return f"exec:{sys.executable} {folder / 'program.py'} {folder / 'log'}"


def test_a_program_has_a_process_for_each_seat(tmp_path: Path) -> None:
    result = play_match("hanabi", command(tmp_path), deals=4)
    assert result.teams[0].points.mean < 4
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert sorted(line["asked"] for line in lines if line["type"] == "hello") == [[0], [1]]
    asked = [line for line in lines if line["type"] == "decide"]
    assert {line["seat"] for line in asked} == {0, 1} and {line["game"] for line in asked} == {1, 2, 3, 4}


def test_one_process_for_a_side_is_asked_for_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shared = command(tmp_path) + ",one_process=yes"
    assert main(["match", "whist", shared, "low", "--deals", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sides"][0] == shared
    hellos = [line for line in map(json.loads, (tmp_path / "log").read_text().splitlines()) if line["type"] == "hello"]
    assert sorted(line["asked"] for line in hellos) == [[0, 2], [1, 3]]  # both copies of the deal
    assert main(["match", "hanabi", shared, "--deals", "1"]) == 2
    error = capsys.readouterr().err.strip()
    assert "one_process must be no in hanabi, where all are one side" in error and "\n" not in error


@pytest.mark.usefixtures("toys")
def test_there_is_no_process_for_a_side_that_is_dealt() -> None:
    with pytest.raises(ValueError, match="one_process must be no in wolves, where sides are dealt"):
        policy.make("wolves", "exec:true,one_process=yes")


def test_policies_of_hanabi_are_copied_and_pickled_in_every_state() -> None:
    check_copies("hanabi:tiny")
