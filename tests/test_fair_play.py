"""A player gets its move and nothing else, through whatever door it plays."""

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, Policy, SeatEnv, SeatVectorEnv, get_game, policy, worlds
from cardenvs.baselines import Reviewer, Side, evaluate, play_match, statistics_settings
from cardenvs.baselines.ceiling.play import play_all_seeing
from cardenvs.baselines.game_statistics.experiments import AiPlayer
from cardenvs.baselines.match import play_deals, policy_streams
from cardenvs.cli import main
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.record import parse_record
from cardenvs.frameworks.games import OneSeat
from cardenvs.play import PolicyFailed, Table, hint
from cardenvs.policy.contract import ScoredPolicy, explained
from cardenvs.policy.explanation import Explanation
from cardenvs.programs import program as running
from cardenvs.programs.protocol import Wording, encode_line
from cardenvs.programs.serving import PolicyServer
from cardenvs.render.frames import deal_frames
from tests.helpers.environments import first_legal
from tests.helpers.paths import ROOT
from tests.helpers.players import First, maker

pytestmark = pytest.mark.compiled

SPEC = get_game("euchre")


# --- policies that try for more than their move ---


class WritesMask(Policy):
    """Makes its last action legal by writing to the mask, and takes it where it is not the only one."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        illegal = action_masks.argmin(1)
        action_masks.setflags(write=True)
        action_masks[:] = 1
        return illegal


class WritesMaskAndExplains(WritesMask):
    """Explains what it has made legal."""

    def explain(self, observation: Any, rng: Any = None) -> Explanation:
        illegal = int(observation["action_mask"].argmin())
        observation["action_mask"][:] = 1
        return Explanation("choice", ((self.game.actions[illegal], 1.0),))


class ScoresAll(ScoredPolicy):
    """Has scores for all actions, the best for an illegal one, and writes to the mask."""

    def evaluate(self, observations: Any, action_masks: Any, streams: Any, skip_forced: bool) -> Any:
        illegal = action_masks.argmin(1)
        action_masks[:] = 1
        return np.eye(action_masks.shape[1])[illegal], illegal


class WritesStreams(First):
    """Plays the first legal action, and writes to its streams and observations."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        actions = super().choose(observations, action_masks, streams)
        streams[:] = 1
        observations[:] = 1
        return actions


class Keeps(First):
    """Plays the first legal action, and changes the answer when it is asked again."""

    kept: Any = None

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        if self.kept is not None:
            self.kept[:] = 10**6
        self.kept = super().choose(observations, action_masks, streams)
        return self.kept


class Doctored(First):
    """Brings rules of its own by which a seat sees all cards, and takes note of what it is shown."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.seen: list[Any] = []
        plain = self.game.kernels

        def all_seeing(games: Any, i: int, seat: int, views: Any, j: int) -> None:
            """All that there is, from seat 0."""
            views[j] = games[i]

        self.game = replace(self.game, kernels=replace(plain, view=all_seeing))

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        self.seen.append(observations.copy())
        return super().choose(observations, action_masks, streams)


class TakesStreams(First):
    """Plays the first legal action, and takes note of all random streams that it is given."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.taken: list[int] = []

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        self.taken += streams.tolist()
        return super().choose(observations, action_masks, streams)


# --- what asks a policy ---


@functools.cache
def batch() -> Batch:
    """Three games, dealt when a test first asks for them."""
    return Batch(SPEC, 3, seed=1)


@functools.cache
def shown() -> dict[str, Any]:
    """What the seat to act sees of the first game."""
    return {"observation": batch().observations[0].copy(), "action_mask": batch().action_masks[0].copy()}


def playing_on(env: Any) -> None:
    """Ten episodes of a learner."""
    for seed in range(10):
        _, info = env.reset(seed=seed)
        for _ in range(5):  # as many tricks as a deal has
            info = env.step(first_legal(info["action_mask"]))[-1] if np.any(info["action_mask"]) else info


def at_table(cheat: Policy) -> None:
    """The first move of a table of cheats."""
    table = Table(SPEC, ["cheat"] * 4, seed=1, make=maker(cheat=lambda game: cheat))
    try:
        table.policy_move()
    except PolicyFailed as error:
        raise ValueError(str(error)) from error


def served(cheat: Policy) -> None:
    """An answer of a policy that is served as a program."""
    policy.register("cheat", lambda game: cheat)
    server = PolicyServer("cheat", SPEC)
    wording = Wording(SPEC)
    server.answer(encode_line(wording.hello_message()))
    answer = server.answer(
        encode_line(wording.decide_message(1, batch().observations[0], batch().action_masks[0], "bits", 1))
    )
    assert answer is not None
    raise ValueError(answer.get("error", "it was handed on"))


def reviewed(cheat: Policy) -> None:
    """What is asked of it in a review."""
    Reviewer(SPEC, [cheat], worlds=1).review(parse_record((ROOT / "tests/figures/records/euchre.txt").read_text())[0])


def counted(cheat: Policy) -> None:
    """A game of statistics, in which it is the AI."""
    player = AiPlayer(statistics_settings(SPEC, ai="random"))
    player.ai = cheat
    player.play("one_ai", 0)


DOORS: dict[str, Callable[[Policy], Any]] = {
    "act": lambda cheat: cheat.act(batch().observations, batch().action_masks),
    "act, one observation": lambda cheat: cheat.act(shown()),
    "match": lambda cheat: play_match(SPEC, cheat, "random", deals=2),
    "match, mixed side": lambda cheat: play_match(SPEC, ["random", cheat], "random", deals=2),
    "published match": lambda cheat: play_match(SPEC, cheat, "random", deals=2, protocol="published"),
    "deals, as tournaments and cross-play have them": lambda cheat: play_deals(SPEC, "random", cheat, range(3, 5)),
    "evaluate": lambda cheat: evaluate(SPEC, cheat, ["random"], deals=2, cooperation=False),
    "all-seeing": lambda cheat: play_all_seeing(SPEC, Side(SPEC, cheat), range(2), seed=0, open_cards=2, options={}),
    "seat": lambda cheat: playing_on(SeatEnv(SPEC, opponents=cheat)),
    "partner": lambda cheat: playing_on(SeatEnv(SPEC, partner=cheat)),
    "vector": lambda cheat: playing_on(SeatVectorEnv(SPEC, 3, opponents=cheat)),
    "frameworks": lambda cheat: [env := OneSeat(SPEC, 3, opponents=cheat), env.reset(0)],
    "playouts": lambda cheat: worlds.playouts(SPEC, batch().games, cheat),
    "picture": lambda cheat: deal_frames(SPEC, SPEC.deal(1), [], [cheat] * 4),
    "table": at_table,
    "served": served,
    "review": reviewed,
    "statistics": counted,
}
"""By name, what asks a policy."""


@pytest.mark.parametrize("door", DOORS)
def test_who_writes_to_its_mask_makes_nothing_legal(door: str) -> None:
    before = batch().action_masks.copy()
    with pytest.raises(ValueError, match=r"the policy '(WritesMask|cheat)'(:| has answered)"):
        DOORS[door](WritesMask(SPEC))
    assert (batch().action_masks == before).all() and shown()["action_mask"].sum() < len(shown()["action_mask"])


@pytest.mark.parametrize("cheat", [WritesMaskAndExplains, ScoresAll])
def test_who_explains_an_illegal_action_is_told(cheat: type[Policy]) -> None:
    before = shown()["action_mask"].copy()
    for ask in (explained, hint):
        with pytest.raises(ValueError, match=f"the policy '{cheat.__name__}' has (explained|answered)"):
            ask(cheat(SPEC), shown())
    with pytest.raises(ValueError, match=f"the policy '{cheat.__name__}' has (explained|answered)"):
        reviewed(cheat(SPEC))
    assert (shown()["action_mask"] == before).all()


def test_an_answer_that_is_changed_afterwards_changes_nothing() -> None:
    kept, first = (play_match(SPEC, player(SPEC), "random", deals=20).points for player in (Keeps, First))
    assert kept == first


def test_what_a_player_writes_to_its_stream_stays_its_own() -> None:
    """Its partner and its opponents play at random, and play the same beside one that writes and one that does not."""
    for sides in (lambda own: (own, "random"), lambda own: ([own, "random"], "random")):
        for protocol in ("duplicate", "published"):
            one, two = (
                play_match(SPEC, *sides(own(SPEC)), deals=20, protocol=protocol).points for own in (WritesStreams, First)
            )
            assert one == two
    both = []
    for own in (WritesStreams, First):
        env = SeatVectorEnv(SPEC, 8, seat=0, opponents={"player_1": own(SPEC), "player_2": "random", "player_3": "random"})
        _, info = env.reset(seed=3)
        seen = [env.step(first_legal(info["action_mask"]))[0]]
        for _ in range(20):
            row, _, _, _, info = env.step(first_legal(env.action_masks()))
            seen.append(row)
        both.append(np.array(seen))
    assert (both[0] == both[1]).all()
    paid = [
        worlds.playouts(SPEC, batch().games, [own(SPEC), *["random"] * 3], seed_streams(2, 3))
        for own in (WritesStreams, First)
    ]
    assert (paid[0] == paid[1]).all()


def test_each_seat_of_each_copy_of_a_deal_has_a_stream_of_its_own() -> None:
    streams = policy_streams(5, range(3, 9), 2, 4)
    assert streams.shape == (12, 4) and len(set(streams.ravel().tolist())) == 48
    assert (policy_streams(5, range(5, 7), 2, 4) == streams[[2, 3, 8, 9]]).all()


def unmixed(state: int) -> int:
    """What SplitMix64 mixes to a number."""
    mask = 2**64 - 1

    def unshifted(z: int, k: int) -> int:
        out = z
        for _ in range(64 // k + 1):
            out = z ^ out >> k
        return out

    z = unshifted(state, 31) * pow(0x94D049BB133111EB, -1, 2**64) & mask
    return unshifted(unshifted(z, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) & mask, 30)


@pytest.mark.parametrize("seed", [0, 8273648273441])
def test_no_seed_of_deals_follows_from_the_streams_of_players(seed: int) -> None:
    """Every stream is computed back as one of `seed_streams`: of a deal among the first 1,000, after up to 60 draws."""
    golden, mask = 0x9E3779B97F4A7C15, 2**64 - 1
    player = TakesStreams(SPEC)
    play_match(SPEC, player, "random", deals=3, seed=seed)
    playing_on(SeatEnv(SPEC, opponents=[player]))
    first = unmixed(int(seed_streams(seed, 1)[0]) + 0) - golden & mask
    assert unmixed(first) - golden & mask == seed, "this is how a stream gives its seed away"
    bases = {first + number * golden & mask for number in range(-60, 1001)}
    assert player.taken
    for stream in player.taken:
        assert unmixed(stream) not in bases and not any(unmixed(stream - k * golden & mask) in bases for k in range(60))


def test_rules_of_its_own_show_a_player_nothing() -> None:
    player, honest = Doctored(SPEC), TakesStreams(SPEC)
    worlds.playouts(SPEC, batch().games, player)
    assert honest.game.observation_size == player.seen[0].shape[1]
    assert (player.seen[0] == batch().observations).all()
    counting = AiPlayer(statistics_settings(SPEC, ai="random"))
    counting.ai = player
    counting._observe(player, batch().games[:1], 0)
    assert (counting._observe(player, batch().games[:1], 0)[0] == SPEC.observation(batch().games[:1], 0)).all()


AGENT = (
    "import json, sys\nfor line in sys.stdin:\n    m = json.loads(line)\n    if m['type'] == 'hello':\n"
    "        print(json.dumps({'type': 'ready'}), flush=True)\n    if m['type'] == 'decide':\n"
    "        print(json.dumps({'action': m['legal'][0], 'seed': 7}), flush=True)\n"
)
"""A program that plays the first legal action, and answers with a seed."""


@pytest.fixture
def agent(tmp_path: Path) -> str:
    """The program as a policy's name."""
    (tmp_path / "agent.py").write_text(AGENT)
    return f"exec:{sys.executable} {tmp_path / 'agent.py'}"


def test_the_seed_of_an_answer_reaches_nobody_else(agent: str) -> None:
    program, first = play_match(SPEC, agent, "random", deals=4), play_match(SPEC, First(SPEC), "random", deals=4)
    assert program.points == first.points and program.tricks_won == first.tricks_won


@pytest.mark.parametrize(
    "make",
    [
        lambda who: SeatEnv(SPEC, opponents=who),
        lambda who: SeatEnv(SPEC, opponents="random", partner=["high", who]),
        lambda who: SeatVectorEnv(SPEC, 2, opponents={"player_1": who}),
        lambda who: OneSeat(SPEC, 2, opponents=who),
    ],
)
def test_environments_close_the_programs_that_they_have_started(make: Any, agent: str) -> None:
    before = set(running._programs)
    env = make(agent)
    for seed in range(8):  # until the partner that is drawn is the program
        env.reset(seed=seed)
    started = set(running._programs) - before
    assert started
    twin = env.clone() if hasattr(env, "clone") else None
    if twin is not None:
        twin.close()
        assert set(running._programs) - before == started, "what a copy has not made it does not close"
    env.close()
    assert not set(running._programs) - before and all(one.has_ended(5) for one in started)


def test_environments_leave_policies_alone_that_they_were_given(agent: str) -> None:
    before, player = set(running._programs), policy.make(SPEC, agent)
    env = SeatEnv(SPEC, opponents=player)
    player.act(env.reset(seed=1)[0][None], env.action_masks()[None])
    own = {player._program}
    assert own < set(running._programs) - before  # beside those of the seats' copies
    env.close()
    assert set(running._programs) - before == own
    player.close()
    assert not set(running._programs) - before


def test_a_seed_that_nobody_can_guess_is_told_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["match", "euchre", "random", "high", "--deals", "3", "--json", "--seed"]
    assert main([*command, "random"]) == 0
    out, err = capsys.readouterr()
    seed = json.loads(out)["seed"]
    assert f"--seed {seed}" in err and seed > 2**64
    assert main([*command, str(seed)]) == 0
    again = json.loads(capsys.readouterr().out)
    timing = {"seconds": 0, "decisions_per_s": 0}
    assert json.loads(out) | timing == again | timing
    assert main([*command, "random"]) == 0
    assert json.loads(capsys.readouterr().out)["seed"] != seed
    assert play_match(SPEC, "random", "high", deals=1, seed="random").seed > 2**64
    assert main([*command, "rndom"]) == 2
    assert "rndom" in capsys.readouterr().err
