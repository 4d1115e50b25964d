"""The adviser for a real deck: what it lets a seat know, what it refuses and why, sessions, the command."""

import contextlib
import io
import json
import subprocess
import sys

import numpy as np
import pytest

from cardenvs import get_game
from cardenvs.cli import main
from cardenvs.contract.cards import FULL_DECK, members_of
from cardenvs.games import euchre
from cardenvs.play import Adviser, hint
from cardenvs.play.advise import Advice
from cardenvs.play.typed_input import parse_cards
from cardenvs.policy.contract import Policy
from cardenvs.policy.explanation import Explanation
from cardenvs.policy.registry import make
from tests.refusals import check_refused

pytestmark = pytest.mark.compiled

NAMES = "Ann, Bob, Cid, Dee"


def typed(rng, deck, card):
    """A card as one person or another types it."""
    rank, suit = deck.text(card)
    rank = "10" if rank == "T" and rng.random() < 0.5 else rank
    text = f"{rank}{' ' if rng.random() < 0.5 else ''}{suit}"
    return text.lower() if rng.random() < 0.5 else text


def set_up(spec, state, engine, rng, options, **more):
    """An adviser that has been told what the engine's seats may know of a fresh deal."""
    adviser = Adviser(spec, policy="random", **more, **options)
    deck = adviser.deck
    adviser.enter(NAMES if spec.seats == 4 else "Ann, Bob")
    adviser.enter(",".join(map(str, engine)) or "none")
    if spec.name == "five-o":
        for start in (0, 5):
            adviser.enter(" ".join(typed(rng, deck, int(code) - 1) for code in state[0]["deck"][start : start + 5]))
        return adviser
    up = int(state[0]["shown" if spec.name == "whist" else "turned"])
    adviser.enter(str(int(state[0]["dealer"])))
    adviser.enter(typed(rng, deck, members_of(up)[0]))
    for seat in engine:
        cards = [card for card in members_of(int(state[0]["hands"][seat])) if not up >> card & 1]
        rng.shuffle(cards)
        for card in cards[:2]:
            adviser.enter(typed(rng, deck, card))
        adviser.enter(" ".join(typed(rng, deck, card) for card in cards[2:]))
    return adviser


def compare(spec, adviser, state, engine):
    for seat in engine:
        np.testing.assert_array_equal(adviser.observation(seat), spec.observation(state, seat))


ENGINES = [(), (0,), (3,), (0, 2), (1, 2), (0, 1, 3), (0, 1, 2, 3)]
TRICK_GAMES = [
    ("whist", {}), ("whist", {"episode": "game", "target": 7}), ("euchre", {}), ("euchre", {"stick_the_dealer": True}),
    ("euchre", {"bidding": "forced-spades"}),
]  # fmt: skip


@pytest.mark.parametrize(("game", "options"), TRICK_GAMES)
def test_a_seat_observes_what_it_would_in_the_true_game(game, options):
    """The heart of it: from what is told at the table comes what a seat sees, at every decision of whole deals."""
    spec, rng = get_game(game), np.random.default_rng(5)
    seen = dict.fromkeys(("calling", "alone", "unknown discard", "known discard", "sat out", "void deal"), 0)
    for deal in range(10 if game == "whist" else 20 if options else 42):
        engine = ENGINES[deal % len(ENGINES)]
        score = {"score": (3, 4)} if options.get("episode") == "game" else {}
        state = spec.deal(100 + deal, **options)
        for side, points in enumerate(score.get("score", ())):
            state[0]["score"][side] = points
        adviser = set_up(spec, state, engine, rng, options, **score)
        while state[0]["over"] == 0:
            discarding = game == "euchre" and state[0]["phase"] == euchre.DISCARDING
            unseen_discard = discarding and state[0]["dealer"] not in engine
            if not unseen_discard:  # which nobody tells: the adviser is already past it
                compare(spec, adviser, state, engine)
            legal = members_of(spec.legal(state))
            weights = np.array([(2.0, 40.0)[deal % 2] if a == euchre.PASS and game == "euchre" else 1.0 for a in legal])
            action, seat = int(rng.choice(legal, p=weights / weights.sum())), int(state[0]["to_act"])
            if unseen_discard:
                seen["unknown discard"] += 1
                spec.kernels.step(state, 0, action)
                continue
            question = adviser.question()
            assert (question.kind, question.seat, question.engine) == ("action", seat, seat in engine)
            if seat in engine:
                assert adviser.state[0]["to_act"] == seat
                assert spec.legal(adviser.state) == spec.legal(state)
            if game == "euchre":
                seen["known discard"] += int(discarding)
                seen["calling"] += int(state[0]["phase"] == euchre.CALLING)
            card = action < len(adviser.deck.ranks) * 4
            adviser.enter(typed(rng, adviser.deck, action) if card else spec.actions[action])
            spec.kernels.step(state, 0, action)
        compare(spec, adviser, state, engine)
        assert adviser.over
        result = adviser.result()
        assert result["tricks"] == state[0]["tricks"].tolist()
        assert (game == "euchre" or adviser.record() is not None) and adviser.record() in (None, spec.text(state[0]))
        if game == "euchre":
            seen["alone"] += int(state[0]["alone"])
            seen["sat out"] += int(state[0]["alone"] and (int(state[0]["maker"]) + 2) % 4 in engine)
            seen["void deal"] += int(state[0]["maker"] < 0)
        again = Adviser.from_line(adviser.line())
        assert again.line() == adviser.line() and again.result() == result
    if game == "euchre" and not options:
        assert all(seen.values()), seen


@pytest.mark.parametrize("hidden_rows", range(5))
def test_a_five_o_player_observes_what_it_would_in_the_true_game(hidden_rows):
    spec, rng = get_game("five-o"), np.random.default_rng(6)
    options = {"hidden_rows": hidden_rows}
    for deal in range(8):
        engine = [(), (0,), (1,), (0, 1)][deal % 4]
        state = spec.deal(200 + deal, **options)
        adviser = set_up(spec, state, engine, rng, options)
        while state[0]["over"] == 0:
            seat, card = int(state[0]["to_act"]), members_of(int(state[0]["card"]))[0]
            column = int(rng.choice(members_of(spec.legal(state)))) + 1
            for other in set(engine) - {seat}:
                compare(spec, adviser, state, (other,))
            if seat in engine:
                assert adviser.question().kind == "drawn"
                adviser.enter(typed(rng, FULL_DECK, card))
                assert adviser.question().engine
                compare(spec, adviser, state, engine)
                adviser.enter(f"column-{column}")
            elif state[0]["drawn"] > 50 - 10 * hidden_rows:
                assert adviser.question().kind == "column" and not adviser.question().engine
                adviser.enter(str(column))
            else:
                adviser.enter(f"{typed(rng, FULL_DECK, card)} {column}")
            lying = [int(state[0]["down"][k]) for k in range(2)]
            spec.kernels.step(state, 0, column - 1)
            if adviser.state[0]["over"] == 0:
                continue
            lying[seat] |= (1 << card) if hidden_rows else 0
            for k in range(2):
                if k in engine:
                    continue
                for at in range(5):
                    cards = members_of(int(state[0]["columns"][k][at]) & lying[k])
                    if cards:
                        check_refused("the deal is not over", adviser.result)
                        question = adviser.question()
                        assert (question.kind, question.seat) == ("reveal", k)
                        adviser.enter(" ".join(typed(rng, FULL_DECK, c) for c in cards))
        compare(spec, adviser, state, engine)
        outcome = spec.outcome(state)
        assert (adviser.result()["winner"], adviser.result()["tricks"]) == (outcome.winner, list(outcome.tricks))
        again = Adviser.from_line(adviser.line())
        assert again.line() == adviser.line() and again.result() == adviser.result()


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("3 s", "3s"), ("10 h", "Th"), ("a d", "Ad"), ("A D", "Ad"), ("3s", "3s"), ("Th", "Th"), ("tH", "Th"),
        ("10♥ q ♠", "ThQs"), ("3 s 10 h a d", "3sThAd"), (" 3s,10h; ad\n", "3sThAd"), ("3sThAd", "3sThAd"),
    ],
)  # fmt: skip
def test_cards_are_typed_as_poe_typed_them(text, cards):
    assert FULL_DECK.format(parse_cards(text, FULL_DECK)) == cards


def told(game, *texts, policy="random", **options):
    return check(Adviser(game, policy=policy, **options), *texts)


def refused(adviser, text, reason):
    """The entry is refused with a reason and nothing has changed."""
    line, entries, question = adviser.line(), list(adviser.entries), adviser.question()
    observations = [adviser.observation(seat) for seat in adviser.engine] if adviser.state is not None else []
    with pytest.raises(ValueError, match=reason):
        adviser.enter(text)
    assert (adviser.line(), adviser.entries, adviser.question()) == (line, entries, question)
    for seat, observation in zip(adviser.engine, observations, strict=False):
        np.testing.assert_array_equal(adviser.observation(seat), observation)


def check(adviser, *script):
    """Makes entries, which are text, in turn; an entry with a reason is refused with it and changes nothing."""
    for entry in script:
        if isinstance(entry, str):
            adviser.enter(entry)
        else:
            refused(adviser, *entry)
    return adviser


ANN = "2s 3s 4s 5s 6s 7s 2h 3h 4h 2d 3d 2c 3c"
CID = "Ks Qs Js Kh Jh Kd Qd Jd Kc Qc Jc Tc 9c"


def test_setting_up_whist_is_checked():
    adviser = told(
        "whist", ("Ann, Bob", "has 4 players, not 2"), ("Ann, Bob, ann, Dee", "same name"),
        ("Ann, 1, Cid, Dee", "must not be a number"), "Ann Bob Cid Dee",
        ("4", "'4' is no seat: the seats are 0 Ann"), ("", "as in 0,2, or all, or none"), "cid, Ann",
        ("Eve", "'Eve' is no seat"), "dee", ("q h 3 s", "one card at a time"), "q h", ("q h", "Qh is the pulled card"),
        ("3 s 3 s", "3s is twice in this line"), (ANN + " Ac", "14 cards are too many: Ann's hand lacks 13"), ANN,
        ("2 s", "2s is already in Ann's hand"), CID,
    )  # fmt: skip
    assert adviser.engine == (0, 2) and adviser.question().kind == "action"


def test_the_dealer_at_whist_has_twelve_cards_and_the_pulled_one():
    adviser = told("whist", NAMES, "0,3", "0", "2 h")
    assert "12 cards besides the pulled 2h" in adviser.question().text
    refused(adviser, ANN, "2h is the pulled card")
    adviser.enter(ANN.replace("2h ", ""))
    assert adviser.question().seat == 3 and "13 cards" in adviser.question().text
    adviser.enter(CID)
    view = adviser.game.decode(adviser.observation(0)[None])
    assert int(view[0]["hands"][0]) == FULL_DECK.parse_set(ANN)
    assert int(view[0]["shown"]) == FULL_DECK.parse_set("2h")


def test_plays_out_of_place_are_refused_with_the_reason():
    adviser = told(
        "whist", NAMES, "0,2", "3", "q h", ANN, CID, ("a s", "As is not in Ann's hand: 2c 3c 2d"),
        ("k s", "Ks is in Cid's hand"), ("pass", "'pass' is no card"), "2 s", ("2 s", "2s was played by Ann in trick 1"),
        ("3 s", "3s is in Ann's hand"), ("q h", "Qh is the pulled card: it belongs to Dee, who deals"),
    )  # fmt: skip
    assert adviser.enter("4 d") == ["Bob has shown out of spades"]
    check(adviser, ("k d", "Kd would be a revoke: Cid must follow spades with Js Qs Ks"), "k s")
    assert adviser.enter("a s") == ["Dee takes trick 1"]
    check(
        adviser, "5 d", ("2 h", "2h would be a revoke: Ann must follow diamonds with 2d 3d"), "2 d",
        ("8 s", "8s would be a revoke: Bob did not follow spades in trick 1, but played 4d"), "6 d", "k d",
    )  # fmt: skip
    assert adviser.question().text == "Cid plays"


def test_a_dealer_who_is_not_the_engines_must_follow_with_the_pulled_card():
    revoke = ("4 c", "4c would be a revoke: Dee must follow hearts and holds the pulled card Qh")
    told("whist", NAMES, "0", "3", "q h", ANN, "4 h", "5 h", "6 h", revoke, "q h")


def test_a_play_that_leaves_a_card_without_a_place_is_refused():
    """Three hands are known and the fourth is what is left; or two others have shown out and the third is full."""
    rest = [card for card in range(52) if card not in parse_cards(ANN + CID, FULL_DECK)]
    dee = [card for card in rest if FULL_DECK.text(card) != "Qh"][:12]
    adviser = told("whist", NAMES, "0,2,3", "3", "q h", ANN, CID, FULL_DECK.format(dee, " "), "2 s")
    bob = [card for card in rest if card not in dee and FULL_DECK.text(card) != "Qh"]
    assert any(FULL_DECK.text(card)[1] == "s" for card in bob)
    heart = next(FULL_DECK.text(card) for card in bob if FULL_DECK.text(card)[1] != "s")
    refused(adviser, heart, f"{heart} from Bob fits no deal: .*could hold")


def test_counting_refuses_a_second_void():
    """All must show out of a suit of which a card is left."""
    hand = "As Ks Qs Js Ts 9s 8s Ah Kh Qh Jh Th 9h"
    void = ("4 h", "4h from Dee fits no deal: .*(nobody could hold|only .* could hold)")
    told("whist", NAMES, "0", "3", "2 c", hand, "As", "2 h", "3 h", void, "2 s")


def test_euchre_refuses_with_the_reason():
    bids = "is no bid now: type one of pass, "
    adviser = told(
        "euchre", NAMES, "0,1", "3", "j h", "9h Th Qh Kh Ah", "9c Tc Jc Qc Kc",
        ("hearts", f"'hearts' {bids}order-up, order-up-alone"), ("9h", "is no bid now"), "p", "pass", "Pass", " PASS ",
        ("h", f"{bids}call-clubs, call-diamonds, call-spades"), ("call", "is no bid now"),
    )  # fmt: skip
    assert adviser.enter("c") == ["Trump is clubs, called by Ann"]
    assert adviser.entries[-1].text == "call-clubs"
    out = ("j h", "Jh was turned up and stays out of play")
    check(adviser, "9 h", out, "9 c", "9 d", out)


def test_the_left_bower_follows_trump():
    revoke = ("9 h", "9h would be a revoke: Bob must follow diamonds with Jh")
    adviser = told("euchre", NAMES, "1", "3", "9 d", "Jh 9h 9s 9c Tc", "up", "A d", revoke, "j h")
    assert adviser.enter("a h") == ["Cid has shown out of diamonds"]


def test_a_dealers_discard_is_not_known():
    """Dee picked the nine of diamonds up and shows out of diamonds: it can only be her discard, and she may not play it."""
    known = "euchre", NAMES, "0", "3", "9 d", "Ad Kd 9h 9s 9c"
    adviser = told(*known)
    assert adviser.enter("up")[1:] == ["Dee picks up 9d and discards a card unseen"]
    check(adviser, "a d", "t d", "q d")
    assert adviser.enter("a h")[0] == "Dee has shown out of diamonds"
    revoke = "9d would be a revoke: Dee did not follow diamonds in trick 1, but played Ah"
    check(adviser, "k d", "a s", "t h", ("9 d", revoke))
    told(*known, "up", "a d", ("9 d", "9d was turned up and picked up by Dee"))
    assert adviser.record() is None


def test_the_engine_as_dealer_tells_its_discard():
    adviser = told("euchre", NAMES, "3", "3", "9 d", "Jh 9h 9s 9c Tc", "up")
    assert adviser.question().text == "Dee has picked up 9d and discards"
    check(adviser, ("a s", "As is not in Dee's hand"), "9 s")
    check(adviser, ("9 s", "9s was discarded by Dee"), ("9 d", "9d is in Dee's hand"))


@pytest.mark.parametrize(
    ("passes", "text", "bid"),
    [
        (0, "up", "order-up"), (0, "o", "order-up"), (0, "order up", "order-up"), (0, "order-up alone", "order-up-alone"),
        (0, "alone", "order-up-alone"), (0, "UP ALONE", "order-up-alone"), (0, "p", "pass"), (4, "s", "call-spades"),
        (4, "spades alone", "call-spades-alone"), (4, "call-c", "call-clubs"), (4, "Call D Alone", "call-diamonds-alone"),
    ],
)  # fmt: skip
def test_bids_and_calls_may_be_shortened(passes, text, bid):
    assert told("euchre", NAMES, "none", "3", "j h", *["p"] * passes, text).entries[-1].text == bid


def test_five_o_refuses_with_the_reason():
    adviser = told(
        "five-o", "Ann, Bob", "0", ("2s 3s 4s 5s 6s 7s", "6 cards are too many: Ann's first row lacks 5"), "2s 3s 4s 5s 6s",
        ("2 s", "2s is on the table twice"), "2d 3d 4d 5d 6d", ("2 d", "2d lies in Bob's column 1"),
        ("Ah 6", "'6' is no column: type 1 to 5"), "Ah", ("6", "'6' is no column: type 1 to 5"), "1",
        ("Ah 1", "Ah lies in Ann's column 1"), "Kh 1",
        ("Qh 1", "Ann's column 1 is longer than the shortest; open: 2, 3, 4, 5"),
    )  # fmt: skip
    assert adviser.question().kind == "drawn"


def test_poes_advice_is_its_five_best_in_percent():
    adviser = check(Adviser("whist", seed=3), NAMES, "0,2", "3", "q h", ANN, CID)
    assert adviser.policy == "poe"
    advice = adviser.advice()
    assert (advice.seat, advice.kind, len(advice.best)) == (0, "percent", 5)
    percents = [move.percent for move in advice.best]
    assert percents == sorted(percents, reverse=True) and 0 < sum(percents) <= 100 + 1e-9
    assert adviser.advice() is advice
    adviser.enter("")
    assert adviser.entries[-1].text == advice.best[0].action
    assert adviser.given == [advice.as_dict(advice.best[0].action)]
    adviser.enter("a s" if advice.best[0].action.endswith("s") else "a d")
    other = adviser.advice().best[-1].action
    adviser.enter(other)
    assert adviser.given[-1]["action"] == other and adviser.given[-1]["best"][0]["action"] != other
    adviser.undo()
    assert len(adviser.given) == 1


def test_the_same_entries_get_the_same_advice_after_undo_and_resume():
    adviser = check(Adviser("whist", seed=3), NAMES, "0", "3", "q h", ANN)
    best = adviser.advice().best
    adviser.enter("")
    adviser.undo()
    assert adviser.advice().best == best and Adviser.from_line(adviser.line()).advice().best != []
    # A hand told at once is one entry as it was here, so the count of entries, which seeds the policy, is the same.
    assert Adviser.from_line(adviser.line()).advice().best == best


class Values(Policy):
    """Explains itself with means, as searches do; never mind the game."""

    def __init__(self, game, kind="value"):
        super().__init__(game)
        self.kind = kind

    def choose(self, observations, action_masks, streams):
        return np.argmax(action_masks, 1)

    def explain(self, observation, rng=None):
        legal = np.flatnonzero(observation["action_mask"])
        return Explanation(self.kind, tuple((self.game.actions[a], 0.5 - 0.25 * k) for k, a in enumerate(legal)))


def advised(player, observation, legal):
    """What a policy advises seat 2 where the actions of a set are legal."""
    mask = player.game.mask(legal)
    explained = hint(player, {"observation": observation, "action_mask": mask}, np.random.default_rng(0))
    return Advice.of(explained, 2, player.name)


def test_percent_of_searches_networks_and_the_rest():
    spec = get_game("whist")
    seen = np.zeros(spec.observation_size, np.int8)
    advice = advised(Values(spec), seen, 0b10111)
    assert [(m.action, m.value) for m in advice.best] == [("2c", 0.5), ("3c", 0.25), ("4c", 0.0), ("6c", -0.25)]
    assert [m.percent for m in advice.best] == pytest.approx([100, 200 / 3, 100 / 3, 0])
    assert [m.percent for m in advised(Values(spec, "probability"), seen, 0b11).best] == [50, 25]
    forced = advised(Values(spec), seen, 0b100)
    assert (forced.kind, forced.best[0].action, forced.best[0].percent) == ("choice", "4c", 100)
    state = spec.deal(1)
    seat = int(state[0]["to_act"])
    choice = advised(make(spec, "high"), spec.observation(state, seat), spec.legal(state))
    assert (choice.kind, len(choice.best)) == ("choice", 1)


def test_what_stands_behind_a_number_is_in_text_and_json():
    explained = Explanation(
        "value", tuple((name, 1.0 - k) for k, name in enumerate("abcdef")), (0.25,) * 6, (5, 4, 3, 2, 1, 0)
    )
    advice = Advice.of(explained, 2, "search")
    best = advice.as_dict("a")["best"]
    assert best[0] == {"action": "a", "percent": 100.0, "value": 1.0, "error": 0.25, "visits": 5}
    assert [move["visits"] for move in best] == [5, 4, 3, 2, 1]
    lines = advice.text("Ann").splitlines()
    assert lines[1].endswith("±0.490, tried 5 times") and lines[5].endswith("±0.490, tried once")
    unknown = Advice.of(Explanation("value", (("a", 1.0), ("b", 0.0))), 2, "search")
    assert {(move["error"], move["visits"]) for move in unknown.as_dict("a")["best"]} == {(None, None)}
    assert unknown.text("Ann").splitlines()[1].endswith("█" * 20)


def test_a_policy_that_recalls_the_order_of_play_advises():
    deal = ("9 d", "Ad Kd", "9h 9s 9c", "Jh Th Ts Tc Td")
    adviser = told("euchre", NAMES, "0,3", "3", *deal, policy="learned-search:worlds=5")
    assert adviser.player.game.recall
    best = adviser.advice().best
    assert best[0].error is not None and best[0].visits


def test_a_policy_that_fails_leaves_the_book_to_the_person(monkeypatch):
    adviser = told("whist", NAMES, "0", "3", "q h", ANN)
    monkeypatch.setattr(adviser.player, "act", lambda *_, **__: 1 / 0)
    refused(adviser, "", "the policy random failed: division by zero")
    adviser.enter("2 s")


def test_undo_takes_back_everything_one_by_one():
    adviser = told("euchre", NAMES, "0,3", "3", "9 d", "Ad Kd", "9h 9s 9c", "Jh Th Ts Tc Td", "up", "t d", "a d", "jd")
    lines = [adviser.line()]
    texts = []
    while adviser.entries:
        texts.append(adviser.undo())
        lines.append(adviser.line())
    assert [entry.kind for entry in texts[::-1]] == [
        "names", "engine", "dealer", "card", "hand", "hand", "hand", "action", "action", "action", "action",
    ]  # fmt: skip
    for entry, line in zip(texts[::-1], lines[-2::-1], strict=True):
        adviser.enter(entry.text)
        assert adviser.line() == line


def test_names_and_policies_survive_the_line():
    adviser = Adviser("five-o", policy="greedy2")
    adviser.enter("Old Ann/the first=1, Bøb%20")
    assert Adviser.from_line(adviser.line()).names == ("Old Ann/the first=1", "Bøb%20")


def test_a_games_score_and_deal_go_on():
    spec, rng = get_game("whist"), np.random.default_rng(1)
    options = {"episode": "game", "target": 10}
    state = spec.deal(4, **options)
    adviser = set_up(spec, state, (1,), rng, options)
    check_refused("the deal is not over", adviser.next_deal)
    while not adviser.over:
        legal = members_of(spec.legal(state))
        adviser.enter(spec.actions[legal[0]])
        spec.kernels.step(state, 0, legal[0])
    following = adviser.next_deal()
    assert following.score == tuple(state[0]["score"].tolist()) and following.names == adviser.names
    assert following.engine == (1,) and following.question().kind == "card"
    assert f"dealer={(int(state[0]['dealer']) + 1) % 4}" in following.line()


def test_the_table_shows_what_was_told_and_no_more():
    adviser = told("whist", NAMES, "0", "3", "q h", ANN, "2 s", "4 d")
    table = adviser.drawing()
    assert "trump ♥ hearts" in table and "no spades" in table
    shown = set(table.split())
    for card in range(52):
        word = FULL_DECK.text(card)
        assert (word in shown or f"{word}," in shown) == (word in {*ANN.split(), "4d", "Qh"}), word


def command(*arguments, text="", home):
    """What the command does with these lines at its standard input: its status, output and errors."""
    out, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        patch.setattr(sys, "stdin", io.StringIO(text))
        patch.setenv("XDG_STATE_HOME", str(home))
        return subprocess.CompletedProcess(arguments, main(["advise", *arguments]), out.getvalue(), errors.getvalue())


SET_UP = ("--names", "Ann,Bob,Cid,Dee", "--engine", "0,2", "--dealer", "Dee", "--card", "q h")


def test_a_session_is_kept_and_resumed(tmp_path):
    first = command("whist", *SET_UP, text=f"{ANN}\n{CID}\n\nundo\nk s\nshow\n", home=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "Ann's best moves by poe: its share of the points in percent" in first.stdout
    assert "No: Ks is in Cid's hand" in first.stdout
    assert "Taken back (action, Ann): " in first.stdout
    [path] = (tmp_path / "cardenvs" / "advise").iterdir()
    assert f"Session: {path}" in first.stdout
    assert f"To go on: cardenvs advise whist --resume {path}" in first.stdout
    line = path.read_text().splitlines()[-1].removeprefix("# session: ")
    assert f"or with the line: {line}" in first.stdout
    second = command("whist", "--resume", str(path), "--json", text="2 s\n", home=tmp_path)
    figures = json.loads(second.stdout)
    assert second.returncode == 0 and figures["line"].startswith(line)
    assert figures["game"] == "whist"
    assert [entry["kind"] for entry in figures["entries"]][-2:] == ["hand", "action"]
    assert figures["advice"][0]["action"] == "2s" and len(figures["advice"][0]["best"]) == 5
    assert set(figures["advice"][0]["best"][0]) == {"action", "percent", "value", "error", "visits"}
    third = command("whist", "--resume", figures["line"], "--session", str(tmp_path / "more.txt"), home=tmp_path)
    assert third.returncode == 0 and figures["line"] in (tmp_path / "more.txt").read_text()


def test_a_whole_deal_by_keyboard_is_a_record_and_goes_on_to_the_next(tmp_path):
    from cardenvs.contract.record import read_record

    spec = get_game("whist")
    state = spec.deal(9)
    fresh, rng = state.copy(), np.random.default_rng(2)
    typed_plays = []
    while state[0]["over"] == 0:
        legal = members_of(spec.legal(state))
        typed_plays.append(spec.actions[int(rng.choice(legal))])
        spec.kernels.step(state, 0, spec.action(typed_plays[-1]))
    setup = ["Ann,Bob,Cid,Dee", "none", str(int(fresh[0]["dealer"])), FULL_DECK.format(int(fresh[0]["shown"]))]
    path = tmp_path / "kept.txt"
    done = command("whist", "--session", str(path), text="\n".join([*setup, *typed_plays, "next", "qd"]), home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "takes trick 13" in done.stdout
    [deal] = read_record(path)
    assert deal.line == spec.text(state[0]) and deal.players == ("Ann", "Bob", "Cid", "Dee")
    again = command("whist", "--resume", str(path), "--json", home=tmp_path)
    dealer = (int(fresh[0]["dealer"]) + 1) % 4
    assert json.loads(again.stdout)["entries"][-1] == {"kind": "card", "seat": dealer, "text": "Qd"}
    assert len(read_record(path)) == 1
