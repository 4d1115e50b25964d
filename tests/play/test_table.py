"""Tables: actions, policies, deals, text; and that a seat is shown what it may know and nothing else."""

import json
import random
import re
import threading

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import EUCHRE_DECK, FULL_DECK
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, RUNNING
from cardenvs.contract.record import parse_record
from cardenvs.contract.registry import get_game
from cardenvs.play import PolicyFailed, Table, seat_view
from cardenvs.play.table_record import read_table
from tests.helpers.players import NO_IDEA, Cheat, maker
from tests.helpers.tables import (
    GAMES,
    HEURISTIC,
    cards_in,
    check_readouts,
    human_turn,
    knows,
    members,
    old_text,
    people,
    play_on,
    played,
)
from tests.refusals import check_refused

pytestmark = pytest.mark.compiled

# --- what a table does ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_policies_play_a_deal_to_its_end(game):
    table = Table(game, [HEURISTIC[game]] * get_game(game).seats, seed=5)
    before, moves = table.version, 0
    while table.to_act is not None:
        version = table.version
        seat, action = table.policy_move()
        assert (seat, table.version) == (table.to_act, version)
        assert table.apply(version, seat, action)
        moves += 1
    assert table.over == EPISODE_OVER
    assert table.version == before + moves == before + len(table.events)
    assert len(table.game.history(table.state[0])) == moves


def test_an_action_that_cannot_be_played_changes_nothing():
    table = Table("euchre", people("euchre"), seed=1)
    text, version = table.to_text(), table.version
    wrong = (table.to_act + 1) % 4
    for seat, action in (
        (wrong, "pass"), (table.to_act, "fly"), (table.to_act, "9c"), (table.to_act, 99), (table.to_act, -1),
        (table.to_act, True), (table.to_act, None), (9, "pass"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"turn of|unknown action|illegal"):
            table.act(seat, action)
    assert (table.to_text(), table.version) == (text, version)
    over = played("euchre", 3)
    check_refused("the deal is over", over.act, 0, "pass")


def test_a_move_for_a_version_that_has_passed_is_not_played():
    table = Table("whist", ["hybrid"] * 4, seed=1)
    version = table.version
    seat, action = table.policy_move()
    table.new_deal(seed=2)
    line = table.line
    assert not table.apply(version, seat, action) and table.line == line


def test_the_same_position_gives_the_same_move_again():
    table = Table("whist", ["random"] * 4, seed=11)
    moves = {table.policy_move() for _ in range(5)}
    assert len(moves) == 1
    copy = Table.from_text(table.to_text())
    assert copy.policy_move() in moves


@pytest.mark.parametrize(("kind", "said"), [(NO_IDEA, "bad failed: no idea at all"), (Cheat, "where the mask has")])
def test_a_policy_that_fails_is_named_and_the_game_is_kept(kind, said):
    table = Table("euchre", ["bad"] * 4, seed=1, make=maker(bad=kind))
    seat, line = table.to_act, table.line
    with pytest.raises(PolicyFailed, match=said):
        table.policy_move()
    assert said in table.failed[seat]
    assert seat_view(table, None)["seats"][seat]["failed"] == table.failed[seat]
    assert table.policy_to_act is None and table.line == line
    table.retry()
    assert table.policy_to_act == seat
    with pytest.raises(PolicyFailed):
        table.policy_move()
    table.set_seat(seat, "hybrid")
    assert not table.failed and table.apply(table.version, *table.policy_move())


def test_a_failure_of_a_position_that_has_passed_is_not_held_against_the_seat():
    going, go, errors = threading.Event(), threading.Event(), []

    class Late(policy.Policy):
        def choose(self, observations, action_masks, streams):
            going.set()
            assert go.wait(10)
            raise RuntimeError("too late")

    def think():
        with pytest.raises(PolicyFailed):
            table.policy_move()
        errors.append("failed")

    table = Table("euchre", ["late"] * 4, seed=1, make=maker(late=Late))
    thread = threading.Thread(target=think)
    thread.start()
    assert going.wait(10)
    table.new_deal(seed=2)
    go.set()
    thread.join(10)
    assert errors and table.failed == {}


def test_seats_are_replaced_by_names_that_exist():
    table = Table("euchre", people("euchre"), seed=1)
    check_refused("0 to 3", table.set_seat, 4, "hybrid")
    check_refused("0 to 3", table.set_seat, True, "hybrid")
    check_refused("unknown policy", table.set_seat, 0, "nobody")
    table.set_seat(0, "pimc:worlds=3")
    assert table.seats[0] == "pimc:worlds=3"
    table.set_seat(0, "human")
    assert table.people == [0, 1, 2, 3]


@pytest.mark.parametrize("game", GAMES)
def test_deals_follow_each_other(game):
    table = played(game, 4, moves=6)
    first = table.line
    table.same_deal()
    assert table.line == table.game.text(table.game.parse(first)[0], actions=False) + " actions="
    assert [deal.line for deal in table.earlier] == [first]
    table.new_deal(seed=9)
    assert table.line == table.game.text(table.game.deal(9)[0])
    assert [deal.line for deal in table.earlier] == [first], "a deal in which nothing was done is not kept"
    table.new_deal(line=first)
    assert table.line == first and len(table.events) == 6
    table.new_deal()
    another = table.line
    table.new_deal()
    assert table.line != another


@pytest.mark.parametrize("game", GAMES)
def test_a_wrong_deal_changes_nothing(game):
    table = played(game, 4, moves=3)
    text, version = table.to_text(), table.version
    for wrong in (
        {"seed": -1}, {"seed": True}, {"seed": 2**256}, {"seed": 1.5}, {"line": ""}, {"line": "bridge"},
        {"line": game}, {"line": f"{game} hands=x"}, {"seed": 1, "line": table.line},
    ):  # fmt: skip
        check_refused("", table.new_deal, **wrong)
    check_refused("not over yet", table.next_deal)
    check_refused("no deal in it", table.load, "# nothing")
    other = played("five-o" if game != "five-o" else "whist", 1, moves=2)
    check_refused(f"here {game} is played", table.load, other.to_text())
    assert (table.to_text(), table.version) == (text, version)


@pytest.mark.parametrize(("game", "target"), [("euchre", 5), ("whist", 5)])
def test_a_game_goes_over_several_deals(game, target):
    table = Table(game, ["hybrid"] * 4, seed=2, repeatable=True, episode="game", target=target)
    deals, dealer = 0, int(table.state["dealer"][0])
    while True:
        human_turn(table)
        deals += 1
        view = seat_view(table, None)
        assert view["score"] == table.state["score"][0].tolist()
        if table.over == EPISODE_OVER:
            break
        assert table.over == DEAL_OVER and max(view["score"]) < target
        copy = Table.from_text(table.to_text())
        table.next_deal()
        copy.next_deal()
        assert copy.line == table.line, "a table read from its text goes on with the same cards"
        dealer = (dealer + 1) % 4
        assert int(table.state["dealer"][0]) == dealer
    assert deals > 1 and max(view["score"]) >= target
    assert "and the game" in view["result"]["text"]
    table.next_deal()
    assert table.state["score"][0].tolist() == [0, 0] and table.over == RUNNING


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("moves", [0, 1, 5, 12, None])
def test_a_table_is_the_same_after_a_round_trip_through_text(game, moves):
    table = played(game, 21, moves=4)
    table.new_deal(seed=22)
    table.set_seat(1, HEURISTIC[game])
    play_on(table, 1000 if moves is None else moves, random.Random(3))
    text = table.to_text()
    copy = Table.from_text(text)
    assert copy.to_text() == text and copy.state.tobytes() == table.state.tobytes()
    assert Table.from_text(old_text(text)).to_text() == text, "kept by an earlier version"
    assert copy.events == table.events and copy.seats == table.seats
    for seat in range(table.game.seats):
        assert seat_view(copy, seat) == seat_view(table, seat)
    table.new_deal()
    copy.new_deal()
    assert copy.line == table.line, "the deals to come are the same ones"
    table.same_deal()
    deals, _ = read_table(table.to_text(), "table")
    assert [deal.line for deal in deals][:-1] == [deal.line for deal in table.earlier]


def test_a_table_is_made_of_any_record():
    line = played("euchre", 3, moves=4).line
    assert Table.from_text(line, ["human", "high", "low", "high"]).line == line


@pytest.mark.parametrize("game", GAMES)
def test_what_a_person_saves_names_no_cards_of_deals_that_are_not_over(game):
    table = played(game, 3)
    over = table.line
    assert over in table.public_text("here")
    table.new_deal(seed=4)
    play_on(table, 3)
    left = table.line
    saved = table.public_text("here")
    table.act(table.to_act, table.legal()[0])
    table.same_deal()
    table.act(table.to_act, table.legal()[-1])
    later = table.public_text("here")
    for text in (saved, later):
        deals = parse_record(text)
        assert [deal.line for deal in deals] == [over]
        assert cards_in(game, text.replace(over, "")) == set()
    table.new_deal()
    for text in (saved, "\n" + saved + "\n\n"):
        table.load(text, key="here")
        assert table.line == left
    check_refused("load it there", table.load, saved, key="elsewhere")
    check_refused("load it there", table.load, saved.rstrip() + "0", key="here")
    table.load(table.earlier[0].line)
    assert table.line == over
    for seat in range(table.game.seats):
        table.set_seat(seat, HEURISTIC[game])
    table.new_deal(seed=5)
    assert table.line in table.public_text(), "where no person plays, nothing is hidden"


@pytest.mark.parametrize(
    ("game", "name", "kind"),
    [
        ("euchre", "pimc:worlds=5", "value"), ("whist", "poe:worlds=20", "percent"), ("euchre", "hybrid", "choice"),
        ("five-o", "rollout:worlds=20", "value"), ("whist", "random", "choice"),
        ("euchre", "learned-search:worlds=5", "value"),
    ],
)  # fmt: skip
def test_hints(game, name, kind):
    table = played(game, 8, moves=0)
    explained = table.hint(table.to_act, name)
    legal = {table.game.actions[action] for action in table.legal()}
    assert explained.kind == kind
    assert explained and {action for action, _ in explained} <= legal
    values = [value for _, value in explained]
    assert values == sorted(values, reverse=True)
    assert kind != "percent" or (len(explained) <= 5 and 20 <= values[0] <= 100)
    assert kind != "choice" or values == [1.0]
    check_refused("it is the turn of", table.hint, (table.to_act + 1) % table.game.seats, name)
    check_refused("unknown policy", table.hint, table.to_act, "nobody")


def test_a_network_s_hint_is_its_probabilities():
    class Network(policy.Policy):
        def choose(self, observations, action_masks, streams):
            return np.argmax(self.chances(action_masks), 1)

        def explain(self, observation, rng=None):
            mask = observation["action_mask"]
            return policy.ranked(self.game, "probability", mask, self.chances(mask[None])[0])

        def chances(self, action_masks):
            weights = action_masks * np.arange(1, action_masks.shape[1] + 1)
            return weights / weights.sum(1, keepdims=True)

    table = Table("euchre", people("euchre"), seed=1, make=maker(net=Network))
    explained = table.hint(table.to_act, "net")
    assert explained.kind == "probability" and explained[0][0] == "order-up-alone"
    assert sum(value for _, value in explained) == pytest.approx(1)


@pytest.mark.parametrize("game", GAMES)
def test_where_one_action_is_legal_no_policy_is_asked_for_a_hint(game):
    table = Table(game, people(game), seed=3, make=maker(bad=NO_IDEA))
    choose = random.Random(3)
    while len(table.legal()) > 1:
        check_refused("no idea", table.hint, table.to_act, "bad", error=RuntimeError)
        table.act(table.to_act, choose.choice(table.legal()))
    explained = table.hint(table.to_act, "bad")
    assert (explained.kind, list(explained)) == ("choice", [(table.game.actions[table.legal()[0]], 1.0)])


def test_two_threads_never_share_a_policy():
    inside, most = set(), [0]

    class Alone(policy.Policy):
        def choose(self, observations, action_masks, streams):
            assert self not in inside
            inside.add(self)
            most[0] = max(most[0], len(inside))
            threading.Event().wait(0.02)
            inside.remove(self)
            return np.argmax(action_masks, 1)

    table = Table("euchre", ["alone"] * 4, seed=1, make=maker(alone=Alone))
    threads = [threading.Thread(target=table.policy_move, args=(table.snapshot(),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert table.failed == {} and most[0] > 1


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(6))
def test_a_view_names_no_card_that_its_seat_cannot_know(game, seed):
    options = [{"hidden_rows": seed % 5}, {}][game != "five-o"]
    if game == "euchre" and seed % 2:
        options = {"bidding": "forced-spades"}
    table = Table(game, people(game), seed=seed, **options)
    choose = random.Random(seed)
    while table.to_act is not None:
        for you in (*range(table.game.seats), None):
            view = seat_view(table, you)
            readouts = view.pop("readouts")
            assert cards_in(game, json.dumps(view)) <= knows(table, you)
            assert (readouts is None) == (view["hand"] is None) == (you is None)
            if you is not None:
                check_readouts(table, you, readouts)
                deck = EUCHRE_DECK if game == "euchre" else FULL_DECK
                if game != "five-o":
                    assert {deck.card(c) for c in view["hand"]} == members(table.state["hands"][0][you])
            assert view["hands"] is None and view["text"] is None
            assert bool(view["legal"]) == (you == table.to_act)
        table.act(table.to_act, choose.choice(table.legal()))


@pytest.mark.parametrize("game", GAMES)
def test_a_view_depends_on_nothing_that_its_seat_cannot_know(game):
    """The hidden cards are dealt again in every way the seat could imagine: what it is shown stays the same."""
    spec = get_game(game)
    streams = seed_streams(1, 1)
    others = 0
    for seed in range(4):
        table = Table(game, people(game), seed=seed)
        choose = random.Random(seed)
        while table.to_act is not None:
            you = choose.randrange(spec.seats)
            view = seat_view(table, you)
            views, other = spec.new_games(1), spec.new_games(1)
            spec.kernels.view(table.state, 0, you, views, 0)
            spec.kernels.redeal(views, 0, streams, 0, other, 0)
            # The re-deal is turned: you are its seat 0.
            turned = Table(game, people(game), line=spec.text(other[0]))
            others += spec.deal_text(turned.state[0]) != spec.deal_text(table.state[0])
            again = seat_view(turned, 0)
            for key in ("legal", "readouts", "hand", "turned", "shown", "phase", "discard", "five_o", "options"):
                expected, shown = view[key], again[key]
                if key == "readouts" and game != "five-o":
                    expected = {
                        k: {str((int(seat) - you) % 4): cards for seat, cards in v.items()} if isinstance(v, dict) else v
                        for k, v in view[key].items()
                    }
                if key == "five_o" and game == "five-o":
                    # The order in which face-up cards came is public, but a re-deal does not keep it.
                    columns = expected["columns"][you:] + expected["columns"][:you]
                    expected = {**expected, "names": expected["names"][you:] + expected["names"][:you]}
                    expected = {**expected, "columns": [[sorted(map(str, c)) for c in side] for side in columns]}
                    shown = {**shown, "columns": [[sorted(map(str, c)) for c in side] for side in shown["columns"]]}
                assert shown == expected
            if game != "five-o":
                named = re.compile(r"^(player \d|You)| and player \d")
                assert [named.sub("", line) for line in again["log"]] == [named.sub("", line) for line in view["log"]]
            table.act(table.to_act, choose.choice(table.legal()))
    assert others > 30


def test_somebody_who_looks_on_sees_all_only_where_no_person_plays():
    table = Table("euchre", ["human", "hybrid", "hybrid", "hybrid"], seed=3)
    assert seat_view(table, None)["hands"] is None
    table.set_seat(0, "hybrid")
    assert seat_view(table, None)["hands"] is None, "a person has sat in this deal"
    table.new_deal(seed=4)
    view = seat_view(table, None)
    assert [set(view["hands"][str(k)]) for k in range(4)] == [
        set(EUCHRE_DECK.format(int(cards), " ").split()) for cards in table.state["hands"][0]
    ]
    assert view["text"] == table.line and len(view["kitty"]) == 3
    assert seat_view(table, 1)["hands"] is None


@pytest.mark.parametrize("game", GAMES)
def test_when_the_deal_is_over_all_is_shown(game):
    table = played(game, 12)
    for you in (0, 1, None):
        view = seat_view(table, you)
        assert (view["text"], view["phase"], view["to_act"]) == (table.line, "finished", None)
        assert view["deal_over"] and view["episode_over"]
        assert view["result"]["text"] == view["log"][-1]
        if game == "five-o":
            assert all(card for columns in view["five_o"]["columns"] for column in columns for card in column)
            assert len(view["five_o"]["results"]) == 5
        else:
            assert {k: len(cards) for k, cards in view["hands"].items()} == {
                str(k): 5 if game == "euchre" else 13 for k in range(4)
            }
            assert sum(view["side_tricks"]) in ((5, 0) if game == "euchre" else (13,))


def test_a_view_tells_the_trick_and_the_bids():
    line = (
        "euchre bidding=full dealer=3 hands=9cTcJcQcKc/9dTdJdQdKd/9hThJhQhKh/9sTsJsQsKs turned=Ac kitty=AdAhAs "
        "actions=pass,pass,order-up,9s"
    )
    table = Table("euchre", people("euchre"), line=line)
    view = seat_view(table, 3)
    assert [(bid["seat"], bid["label"]) for bid in view["bids"]] == [(0, "passes"), (1, "passes"), (2, "orders up")]
    assert (view["trump"], view["maker"], view["picked_up"], view["discard"]) == ("c", 2, True, "9s")
    assert view["hand"] == ["Js", "Ac", "Ks", "Qs", "Ts"], "the left bower is a trump"
    assert seat_view(table, 2)["discard"] is None and seat_view(table, None)["discard"] is None
    for card in ("Jc", "Td", "9h"):
        table.act(table.to_act, card)
    view = seat_view(table, 0)
    assert view["trick"] == [{"seat": 0, "card": "Jc"}, {"seat": 1, "card": "Td"}, {"seat": 2, "card": "9h"}]
    assert view["trick_winning"] == 0
    assert view["readouts"]["voids"] == {"0": [], "1": ["c"], "2": ["c"], "3": []}
    assert [seat["cards"] for seat in view["seats"]] == [4, 4, 4, 5]
    table.act(3, "Js")
    view = seat_view(table, 1)
    assert view["trick"] == [] and view["last_trick"]["winner"] == 0
    assert [play["card"] for play in view["last_trick"]["cards"]] == ["Jc", "Td", "9h", "Js"]
    assert view["log"][-2:] == ["player 3 plays the jack of spades", "player 0 wins the trick"]
    assert seat_view(table, 0)["log"][-1] == "You win the trick"
    assert seat_view(table, 3)["log"][-2:] == ["You play the jack of spades", "player 0 wins the trick"]
    assert [seat["tricks"] for seat in view["seats"]] == [1, 0, 0, 0]


@pytest.mark.parametrize(
    "names",
    [
        ["human", "hybrid", "pimc:worlds=30,calling=random", "learned"], ["split:calls=pimc,plays=hybrid", "low"],
        ["high", "pimc:worlds=3"], ["pimc:worlds=3", "runs/a=b/policy.zip"],
    ],
)  # fmt: skip
def test_names_of_a_list_keep_their_parameters(names):
    assert policy.split_list(",".join(names)) == policy.split_list(", ".join(names)) == names
