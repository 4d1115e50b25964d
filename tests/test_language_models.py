"""A seat for a language model, against a server of our own: what it is told and asked, what it may cost, how it fails."""

import copy
import itertools
import json
import os
import pickle
import re
import time
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, get_game, policy
from cardenvs.baselines import play_match
from cardenvs.cli import main
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.observed import prompt_of_row
from cardenvs.language_models import COUNTS, Disguise, LanguageModel, ModelError
from cardenvs.language_models.reading import ActionReader
from cardenvs.play.web.policy_names import check_name
from cardenvs.policy.contract import Asked, Forfeit
from tests.helpers.command_line import run, run_python
from tests.helpers.paths import load_script

chat = load_script("examples/agents/chat_server.py")
KEY = "sk-secret/0123456789"
GAMES = ("euchre", "whist", "five-o", "hanabi")


@pytest.fixture
def serve():
    """Starts servers with replies, and closes them."""
    servers = []

    def start(reply: Any) -> Any:
        servers.append(chat.ChatServer(reply))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def name_of(server: Any, **parameters: Any) -> str:
    """The policy's name for a server; no request is sent twice."""
    given = {"base_url": server.url, "resends": 0} | parameters
    return "llm:tiny" + "".join(f",{key}={value}" for key, value in given.items())


def positions(game: str, deals: int = 2, recall: bool = False) -> list[tuple[Any, Any]]:
    """Observations and masks of random play."""
    batch, chance, found = Batch(game, deals, seed=1, recall=recall), np.random.default_rng(0), []
    for _ in range(40):
        found += list(zip(batch.observations.copy(), batch.action_masks.copy(), strict=True))
        batch.step(np.array([chance.choice(np.flatnonzero(mask)) for mask in batch.action_masks]))
    return found


def decide(player: LanguageModel, position: tuple[Any, Any], seed: int = 1) -> str:
    row, mask = position
    return player.game.actions[int(player.choose(row[None], mask[None], seed_streams(seed, 1))[0])]


def first(game: str = "euchre") -> tuple[Any, Any]:
    return next((row, mask) for row, mask in positions(game, 1) if mask.sum() > 1)


def saying(*texts: Any) -> Any:
    """A reply that says one text after another, the last again and again."""
    left = list(texts)
    return lambda messages: left.pop(0) if len(left) > 1 else left[0]


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("ACTION: 9c", "9c"),
        ("I weigh As and Kd.\n\n**Action: `Th`**\n", "Th"),
        ("action: order-up-alone.", "order-up-alone"),
        ('{"thought": "Kd is high", "action": "Kd"}', "Kd"),
        ("ACTION: Kd\nNo, wait.\nACTION: pass", "pass"),
        ("I play the nine of hearts.", "9h"),
        ("After some thought:\nI play the 10♠!", "Ts"),
        ("ACTION: jack of Clubs", "Jc"),
        ("ACTION: 9c or Td", None),
        ("ACTION: the best one\nI play 9c", None),
        ("I would pass or order-up", None),
        ("", None),
        ("ACTION:", None),
        ("I surpass 9cents", None),
    ],
)
def test_the_action_is_what_the_last_line_names(answer, action):
    game = get_game("euchre")
    found = ActionReader(game.actions, str).find_action(answer)
    assert (None if found is None else game.actions[found]) == action


def test_cards_in_words_have_the_same_other_names():
    reader = ActionReader(("two-hearts", "red-ace-hearts", "eight-spades.hearts", "choice0.option1"), str)
    said = ("ACTION: 2h", "ace of hearts", "ACTION: eight-spades.hearts", "ACTION: choice0.option1.")
    assert [reader.find_action(text) for text in said] == [0, 1, 2, 3]


# --- the disguise -----------------------------------------------------------------------------------------------------

CARDS = r"(?i:club|diamond|heart|spade|\b(ace|king|queen|jack)s?\b|trump|trick)|[♣♦♥♠]|\b[2-9TJQKA][cdhs]\b|"
ORIGINAL = {
    "euchre": CARDS + r"(?i:euchre|maker|\b(nine|ten)s?\b)",
    "whist": CARDS + r"(?i:whist|(two|three|four|five|six|seven|eight|nine|ten) of )",
    "five-o": CARDS + r"(?i:five-o)",
    "hanabi": r"(?i:\b(red|yellow|green|white|blue)\b|firework|hanabi)|(?<![A-Za-z])[RYGWB]+(?![A-Za-z])",
}


@pytest.mark.parametrize("game", GAMES)
def test_a_disguise_can_be_undone_and_leaves_no_name(game):
    spec, seen = get_game(game), positions(game)[::7]
    for seed in range(3):
        disguise = Disguise(spec, seed)
        for row, mask in seen:
            text = prompt_of_row(spec, row, mask) + " ".join(spec.actions)
            hidden = disguise.hide(text)
            assert disguise.reveal(hidden) == text
            assert re.search(ORIGINAL[game], text) and not re.search(ORIGINAL[game], hidden)
    assert len({Disguise(spec, seed).hide(text) for seed in range(5)}) == 5
    assert Disguise(spec, 3).hide(text) == Disguise(spec, 3).hide(text)


# --- what is asked ----------------------------------------------------------------------------------------------------


def test_the_question_says_what_the_seat_sees_and_not_what_is_legal(serve):
    server = serve(saying("ACTION: pass"))
    row, mask = first()
    for kind in ("rules", "legal"):
        player = policy.make("euchre", name_of(server, prompt=kind))
        assert decide(player, (row, mask)) == "pass"
        (_, body), game = server.requests[-1], player.game
        rules, question = (message["content"] for message in body["messages"])
        assert [message["role"] for message in body["messages"]] == ["system", "user"] and body["model"] == "tiny"
        assert game.rules in rules and "ACTION: name" in rules and game.describe(row) in question
        assert all(name in rules for name in game.actions)
        assert ("legal actions" in question, "order up, alone" in question) == ((kind == "legal",) * 2)
    others = mask.copy()
    others[game.action("order-up")] = 0
    decide(policy.make("euchre", name_of(server)), (row, others))
    assert server.requests[-1][1] == server.requests[0][1]  # the same question, whatever is legal


def test_a_forced_move_is_no_question(serve):
    server = serve(saying("ACTION: pass"))
    player = policy.make("euchre", name_of(server))
    row, mask = next((row, mask) for row, mask in positions("euchre") if mask.sum() == 1)
    assert mask[player.game.action(decide(player, (row, mask)))] and not server.requests


@pytest.mark.parametrize(("game", "recall"), [*((game, False) for game in GAMES), ("whist", True), ("hanabi", True)])
def test_the_server_of_the_tests_reads_the_observation_from_the_prompt(game, recall):
    spec = get_game(game).with_recall(recall)
    for row, mask in positions(game, recall=recall)[::5]:
        assert (chat.observation_in(spec, prompt_of_row(spec, row, mask, legal=False)) == row).all()


@pytest.mark.parametrize(
    ("game", "who", "errs", "other", "given"),
    [
        ("euchre", "hybrid", 0.3, ["low"], {}),
        ("whist", "low", 0.1, ["high"], {"disguise": 5}),
        ("hanabi:tiny", "iggi", 0.0, [], {}),
        ("hanabi:tiny", "smartbot", 0.2, [], {"recall": "yes"}),
    ],
)
def test_a_model_plays_as_its_policy_beside_the_protocol(serve, game, who, errs, other, given):
    """In a disguise, too: the same decisions from what the prompt says, and the same errors."""
    server, spec = serve(chat.simulated_model(game, who, errs, given.get("disguise"))), get_game(game)
    lines = []
    for player in (name_of(server, **given), chat.ErringPolicy(game, who, errs), who):
        lines.append(found := [])
        play_match(game, player, *other, deals=1, seed=3, observer=lambda g, _, to=found: to.extend(map(spec.text, g)))
    asked, erring, played = map(sorted, lines)
    assert asked == erring and (erring == played) == (errs == 0) and server.requests


def test_a_conversation_is_that_of_one_seat(serve):
    """Both partners and both copies of each deal: the hands in a conversation are parts of its first hand."""
    server = serve(chat.simulated_model("whist", "low"))
    play_match("whist", name_of(server), "random", deals=1, seed=2)
    hands, longest = set(), 0
    for _, body in server.requests:
        messages = body["messages"]
        roles = ["system", "user", *["assistant", "user"] * (len(messages) // 2 - 1)]
        assert [message["role"] for message in messages] == roles
        shown = [set(re.search(r"^hand +(.+)$", text["content"], re.M)[1].split()) for text in messages[1::2]]
        assert all(later < earlier for earlier, later in itertools.pairwise(shown))
        hands.add(frozenset(shown[0]))
        longest = max(longest, len(shown))
    assert len(hands) == 4 and longest > 6  # two seats of each of the two sides


def test_earlier_decisions_can_be_left_out(serve):
    server = serve(chat.simulated_model("euchre", "high"))
    play_match("euchre", name_of(server, earlier=1), "random", deals=1)
    assert {len(body["messages"]) for _, body in server.requests} == {2, 4}


# --- illegal and unreadable answers -----------------------------------------------------------------------------------


def test_illegal_and_unreadable_answers_are_counted_and_asked_again(serve):
    server = serve(saying("ACTION: call-clubs", "I am un\0sure.", "ACTION: pass"))
    player = policy.make("euchre", name_of(server))
    assert decide(player, first()) == "pass"
    assert {name: player.usage[name] for name in COUNTS[:6]} == {
        "decisions": 1, "legal": 1, "given_up": 0, "illegal": 1, "unreadable": 1, "requests": 3,
    }  # fmt: skip
    again = [body["messages"][-1]["content"] for _, body in server.requests[1:]]
    assert again[0].startswith("That action is not legal") and again[1].startswith("Your answer does not name")
    assert not any("order-up" in text for text in again)
    assert server.requests[2][1]["messages"][-2]["content"] == "I am un\0sure."  # as it was said, without a key, too


def test_without_a_legal_answer_the_match_is_forfeited_and_keeps_its_deals(serve, capsys):
    played = chat.simulated_model("five-o", "greedy1")
    count = iter(range(1000))
    server = serve(lambda messages: played(messages) if next(count) < 40 else "ACTION: column-9")
    status, out, err = run(capsys, "match", "five-o", name_of(server, retries=1), "random", "--deals", "5", "--json")
    result = json.loads(out)
    assert status == 3 and result["deals"] == 1 and "llm:tiny" in err
    assert "named no legal action, at last in 'ACTION: column-9'" in result["forfeit"]["why"]


def test_at_random_instead(serve, tmp_path):
    server = serve(saying("ACTION: call-clubs"))
    path = tmp_path / "said.jsonl"
    player = policy.make("euchre", name_of(server, retries=0, illegal="random", transcript=path))
    player.asked = Asked(np.array([0]), np.array([1]), (0,))
    chosen = [decide(player, first(), seed) for seed in range(8)]
    assert len(set(chosen)) > 1 and player.usage["given_up"] == 8
    assert chosen == [json.loads(line)["action"] for line in path.read_text().splitlines()]
    assert f"You named no legal action: {chosen[-2]} was played" in server.requests[-1][1]["messages"][-1]["content"]


# --- answers on disk, budgets, transcripts ----------------------------------------------------------------------------


def test_a_run_repeated_costs_nothing(serve, tmp_path):
    server = serve(chat.simulated_model("euchre", "high-low", 0.3))
    path = tmp_path / "answers.jsonl"
    results = []
    for number in range(3):
        name = name_of(server, answers=path, seconds=20 + number)  # as in another process
        results.append(play_match("euchre", name, "low", deals=1).tricks_won)
        if number == 0:
            asked, size = len(server.requests), path.stat().st_size
            with path.open("ab") as file:
                file.write(b'{"key": 3}\nnothing\n[1]\n{"key": "a", "text": "b", "tokens_in": "many"}\n{"key": "ha')
    assert asked and len(server.requests) == asked and results[1:] == results[:1] * 2
    player = policy.make("euchre", name)
    assert (player.usage["requests"], player.usage["money"]) == (0, 0) and player.usage["kept"] >= asked
    other = policy.make("euchre", name_of(server, answers=path, temperature=0.5))
    decide(other, first())
    assert len(server.requests) == asked + 1  # another question
    assert json.loads(path.read_bytes()[size:].splitlines()[-1])["tokens_in"] > 100  # behind half a line


def test_a_budget_ends_the_run_and_holds_for_all_runs_of_a_file(serve, tmp_path, capsys):
    server = serve(chat.simulated_model("five-o", "greedy1"))
    path = tmp_path / "answers.jsonl"
    given = {"answers": path, "earlier": 0, "price_in": 2, "price_out": 8, "budget_money": 0.03}
    status, out, _ = run(capsys, "match", "five-o", name_of(server, **given), "random", "--deals", "50", "--json")
    result, asked = json.loads(out), len(server.requests)
    assert status == 3 and 0 < result["deals"] < 50
    assert "has used up budget_money=0.03: 0.03" in result["forfeit"]["why"]
    spent = sum(json.loads(line)["money"] for line in path.read_text().splitlines())
    assert 0.03 <= spent < 0.032 and asked == len(path.read_text().splitlines())
    fresh = policy.make("five-o", name_of(server, **given | {"seconds": 9}))
    with pytest.raises(ModelError, match="used up budget_money"):
        decide(fresh, first("five-o"))
    assert len(server.requests) == asked
    few = policy.make("five-o", name_of(server, budget_tokens=10))
    decide(few, first("five-o"))
    with pytest.raises(ModelError, match="used up budget_tokens=10: "):
        decide(few, first("five-o"))


def test_transcripts_have_a_line_for_each_decision(serve, tmp_path):
    server = serve(saying("What?", "ACTION: pass"))
    path = tmp_path / "said.jsonl"
    player = policy.make("euchre", name_of(server, transcript=path))
    decide(player, first())
    (line,) = map(json.loads, path.read_text().splitlines())
    assert [(one["verdict"], one["text"], one["kept"]) for one in line["answers"]] == [
        ("unreadable", "What?", False), ("legal", "ACTION: pass", False),
    ]  # fmt: skip
    assert line["action"] == "pass" and "All that you know" in line["question"] and "Rules:" in line["rules"]
    server.close()
    with pytest.raises(ModelError, match="gave no answer"):
        decide(player, first("euchre"))
    assert json.loads(path.read_text().splitlines()[-1])["action"] is None


def test_copies_share_the_budget_and_no_conversation(serve):
    server = serve(saying("ACTION: pass"))
    player = policy.make("euchre", name_of(server))
    own = copy.deepcopy(player)
    own.asked = Asked(np.array([2]), np.array([1]), (2,))
    for _ in range(2):
        decide(own, first())
    assert player.usage is own.usage and player.usage["requests"] == 2 and not player._talks
    for twin in (copy.deepcopy(player), pickle.loads(pickle.dumps(player))):
        decide(twin, first())
        assert twin.usage is player.usage
    assert [len(body["messages"]) for _, body in server.requests] == [2, 4, 2, 2]


# --- servers that fail ------------------------------------------------------------------------------------------------


def refuses(status: int, sent: Any, **headers: str) -> Any:
    return saying((status, sent, headers))


BROKEN = {
    "a wrong key": (refuses(401, {"error": {"message": f"no such key: {KEY}\n"}}), "Error code: 401"),
    "a limit of the rate": (refuses(429, {"error": {"message": "slow down"}}), "Error code: 429"),
    "no JSON": (refuses(200, b"<html>hello</html>"), "gave no chat completion"),
    "no choices": (refuses(200, {"choices": []}), "gave no chat completion"),
    "other types": (refuses(200, {"choices": [{"message": {"content": 7}}]}), "gave no chat completion"),
    "broken off": (refuses(200, b'{"choices": [{"mess', **{"Content-Type": "application/json"}), "gave no"),
    "elsewhere": (refuses(307, {}, Location="http://127.0.0.1:9/v1/chat/completions"), "Error code: 307"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_server_that_fails_is_one_line_without_the_key(serve, kind, monkeypatch, tmp_path, capsys):
    reply, words = BROKEN[kind]
    monkeypatch.setenv("OUR_KEY", KEY)
    server = serve(reply)
    files = {"answers": tmp_path / "answers.jsonl", "transcript": tmp_path / "said.jsonl", "key_variable": "OUR_KEY"}
    status, out, err = run(capsys, "match", "euchre", name_of(server, **files), "low", "--deals", "2")
    assert (status, out, err.count("\n")) == (2, "", 1) and words in err
    assert server.requests[0][0]["authorization"] == f"Bearer {KEY}"
    assert not any(KEY in text for text in [err, *(path.read_text() for path in tmp_path.iterdir())])


def test_a_key_in_an_answer_is_not_stored(serve, monkeypatch, tmp_path):
    monkeypatch.setenv("OUR_KEY", KEY)
    server = serve(saying(f"Your key is {KEY}.\nACTION: pass"))
    files = {"answers": tmp_path / "answers.jsonl", "transcript": tmp_path / "said.jsonl", "key_variable": "OUR_KEY"}
    player = policy.make("euchre", name_of(server, **files))
    assert decide(player, first()) == "pass"
    assert all("[key]" in path.read_text() and KEY not in path.read_text() for path in tmp_path.iterdir())
    assert KEY.encode() not in pickle.dumps(player) and KEY not in repr(vars(player)) + repr(player._server.settings)


def test_openai_s_key_is_for_openai_alone(serve, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = serve(saying("ACTION: pass"))
    decide(policy.make("euchre", name_of(server)), first())
    assert not any(KEY in value for value in server.requests[0][0].values())


def test_requests_are_sent_again_some_times(serve):
    slow = (429, {"error": {"message": "slow down"}}, {"Retry-After-Ms": "5"})
    server = serve(saying(slow, (500, {}, {"Retry-After-Ms": "5"}), "ACTION: pass"))
    assert decide(policy.make("euchre", name_of(server, resends=2)), first()) == "pass" and len(server.requests) == 3
    server = serve(saying(slow))
    with pytest.raises(ModelError, match="slow down"):
        decide(policy.make("euchre", name_of(server, resends=2)), first())
    assert len(server.requests) == 3


def test_a_late_answer_is_none(serve):
    server = serve(lambda messages: time.sleep(1) or "ACTION: pass")
    player = policy.make("euchre", name_of(server, seconds=0.1))
    with pytest.raises(
        Forfeit, match=re.escape(f"the model 'tiny' at {server.url} gave no answer: Request timed out")
    ) as error:
        decide(player, first())
    assert error.value.policy == player.name


# --- commands and pages -----------------------------------------------------------------------------------------------


def test_what_it_has_cost_is_told_at_the_end(serve, tmp_path):
    server = serve(chat.simulated_model("five-o", "greedy1"))
    path = tmp_path / "answers.jsonl"
    name = name_of(server, price_in=1, price_out=2, answers=path)
    code = "import sys; from cardenvs.cli import main; sys.exit(main(sys.argv[1:]))"
    loud = {**os.environ, "CARDENVS_QUIET": ""}
    done = run_python(code, "match", "five-o", name, "random", "--deals", "1", "--json", env=loud)
    assert done.returncode == 0 and json.loads(done.stdout)["deals"] == 1
    counts = r"decisions (\d+), legal \d+, requests \d+, tokens_in ([\d,]+), .*money ([\d.]+)"
    told = re.search(rf"the model 'tiny' at \S+, in this process: {counts}", done.stderr)
    assert f"in {path}: requests {len(server.requests)}, " in done.stderr
    assert told and int(told[1]) == len(server.requests) and int(told[2].replace(",", "")) > 1000 and float(told[3]) > 0.001


def test_visitors_of_a_page_cannot_name_a_model():
    with pytest.raises(ValueError, match="is run by nobody who asks on a page"):
        check_name("llm:tiny")
    assert policy.runs_code("llm:tiny")


def test_without_the_package_it_says_which_extra_brings_it(monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    assert main(["match", "euchre", "llm:tiny,base_url=http://127.0.0.1:9/v1", "low"]) == 2
    assert 'the package openai is missing; in a checkout: pip install ".[llm]"' in capsys.readouterr().err
