"""Cards that a seat has seen and lost sight of: where they may lie is told, and re-deals put them nowhere else."""

from collections import Counter

import pytest
from scipy import stats

from cardenvs import testing, worlds
from cardenvs.compiled.jit import DISABLED
from cardenvs.compiled.streams import seed_streams
from cardenvs.information_audit import counts as audit
from cardenvs.recycle import parse, shipped
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.game import compiled
from cardenvs.recycle.running import redealing
from tests.helpers.positions import redealt, view_of

HAND, STOCK, SHUFFLE = "((current player) iloc HAND)", "(game iloc STOCK)", "(shuffle (game iloc STOCK))"
DECK = "(create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E)) (SUIT (RED, BLUE, GREEN))))"


def text(options: str, stage: str = "", deck: str = DECK, cards: int = 4) -> str:
    """A game for three, each with some cards, who choose from options in turn, with a stage before."""
    return f"""(game (setup (create players 3) {deck})
     (do ((shuffle (game iloc STOCK)) (all player 'P (repeat {cards} (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
     {stage} (stage player (end (== (game sto N) 9)) (choice ({options}))) (scoring max (size {HAND})))"""


def chosen(act: str) -> str:
    """An option that does something with a card ``'C`` of one's own."""
    return f"(any {HAND} 'C (do ({act} (inc (game sto N) 1))))"


def whole(home: str, goal: str) -> str:
    """An act that moves all cards of a place."""
    return f"(repeat all (move (top {home}) (top {goal})))"


PASS = " ".join([
    whole("((2 player) iloc HAND)", "(game hloc WAY)"), whole("((1 player) iloc HAND)", "((2 player) iloc HAND)"),
    whole("((0 player) iloc HAND)", "((1 player) iloc HAND)"), whole("(game hloc WAY)", "((0 player) iloc HAND)"),
])  # fmt: skip
DRAFT = f"""(stage player (end (all player 'P (== (size ('P iloc HAND)) 1)))
 (stage player (end (all player 'P (== (size ('P iloc PICK)) 1)))
  (choice ((any {HAND} 'C (move 'C (top ((current player) iloc PICK)))))))
 (do ((all player 'P (move (top ('P iloc PICK)) (top ('P vloc TAKEN)))) {PASS})))"""
GAMES = {
    "draft": text("(inc (game sto N) 1)", DRAFT),
    "given": text(chosen("(move 'C (top ((next player) iloc HAND)))")),
    "laid": text(chosen("(move 'C (top ((current player) hloc PILE)))") + """
      ((> (size ((current player) hloc PILE)) 0)
       (do ((move (top ((current player) hloc PILE)) (top ((next player) iloc HAND))) (inc (game sto N) 1))))"""),
    "copies": text(chosen(f"(move 'C (bottom {STOCK})) (shuffle {STOCK}) (move (top {STOCK}) (top {HAND}))"), "", DECK * 2),
}  # fmt: skip

SLOW = ("draft", "copies")
"""Games of more positions, tried by the slow tests."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in GAMES])
class TestLostSight:
    def test_nothing_wrong_or_secret_is_told(self, name: str) -> None:
        spec = compiled(parse(GAMES[name]), name)
        testing.check_telling(spec, episodes=1)
        testing.check_observations(spec, episodes=1)
        testing.check_redeals(spec, episodes=1)
        testing.check_secrets(spec, episodes=1, looks=12)

    def test_cards_are_where_they_may_be_in_worlds(self, name: str) -> None:
        spec, traced = compiled(parse(GAMES[name]), name), 0
        streams = seed_streams(2, 1)
        for games in testing.random_positions(spec, 3, 3):
            for seat in range(spec.seats):
                views = spec.decode(spec.observation(games, seat)[None])
                (dealt,) = redealt(spec, views, streams)
                assert not spec.untrue(dealt[0], 0, views[0]), spec.text(games[0])
                traced += int((views[0]["traces"] != 0).sum())
        assert traced > 5


def test_redeals_of_a_draft_could_have_led_to_what_was_seen() -> None:
    spec, count = compiled(parse(GAMES["draft"]), "draft"), audit.Count()
    for seed in range(2):
        count.merge(audit.count_past(spec, seed, recall=False))
    assert count.looked > 15 and count.wrong == count.unfound == 0, count.first


@pytest.mark.parametrize("name", ["hearts", "beacon-relay", "hanabi", "euchre", "whist"])
def test_games_in_which_no_seat_loses_sight_of_cards_have_nothing_of_it(name: str) -> None:
    assert Module(Layout(shipped(name))).tables["TRACED"] == 0


def test_the_order_of_a_hand_that_is_passed_on_whole_is_not_asked_for() -> None:
    module = Module(Layout(parse(GAMES["draft"])))
    assert not [part.name for part in module.encoding.parts if part.name.startswith("iloc_hand") and "top" in part.name]


def drawn(act: str, test: str = "") -> str:
    """A game of 26 cards in which what can be chosen shows hidden cards."""
    ranks = ", ".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return text(
        f"(do ((inc (game sto N) 1) {act} (any {HAND} 'C (move 'C (top (game iloc OUT)))))) {test}", "",
        f"(create deck (game iloc STOCK) (deck (RANK ({ranks}))))", 2,
    )  # fmt: skip


TOP = f"(move (top (game iloc STOCK)) (top {HAND}))"
SHOWN = {
    "top two": drawn(f"(repeat 2 {TOP})"),
    "another's hand": drawn(f"(move (top ((next player) iloc HAND)) (top {HAND})) {TOP}"),
    "an index": drawn(f"(move (3 (game iloc STOCK)) (top {HAND})) {TOP}"),
    "one of some": drawn(
        TOP, f"((any (bottom 3 {STOCK}) 'X (== (cardatt RANK 'X) Q)) (do ((inc (game sto N) 1) (set (game str IS) Q))))"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_worlds_have_the_cards_that_options_show(name: str) -> None:
    spec = compiled(parse(SHOWN[name]), "shown")
    games, worlds = spec.deal(4), set()
    for dealt in redealt(spec, view_of(spec, games, 0), seed_streams(3, 1), 3):
        assert spec.legal(spec.parse(spec.text(dealt[0], actions=False))) == spec.legal(games)
        worlds.add(dealt[0]["cards"].tobytes())
    assert len(worlds) == 3


@pytest.mark.skipif(not DISABLED, reason="the number of worlds drawn before is compiled in")
def test_worlds_of_the_markov_chain_are_equally_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    """All 24 orders of the four cards that neither the own hand nor the options show; one false alarm in 10,000 seeds.

    One world alone is drawn at random: of those used, four in five are of the chain.
    """
    monkeypatch.setattr(redealing, "_WORLDS", 1)
    option = f"(do ((inc (game sto N) 1) {TOP} (any {HAND} 'C (move 'C (top (game iloc OUT))))))"
    spec = compiled(parse(text(option, "", "(create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F))))", 1)), "six")
    views = view_of(spec, spec.deal(4), 0)
    found = Counter(dealt[0]["cards"].tobytes() for dealt in redealt(spec, views, seed_streams(3, 1), 24 * 15))
    assert len(found) == 24
    assert stats.chisquare(list(found.values())).pvalue > 1e-4


@pytest.mark.parametrize(
    ("end", "act", "count"),
    [
        ("(== (game sto N) 19)", SHUFFLE, 19),
        ("(>= (game sto N) 5)", SHUFFLE, 5),
        ("(>= (game sto N) 5)", f"(repeat 3 {SHUFFLE})", 15),
        ("(== (game sto M) 3)", SHUFFLE, 16),
        ("(== (game sto N) 65)", SHUFFLE, 16),
    ],
)
def test_shuffles_of_turns_that_are_counted_are_told(end: str, act: str, count: int) -> None:
    described = f"""(game (setup (create players 2) {DECK}) (stage player (end {end})
     (do ({act})) (choice ((inc (game sto M) 1) (inc (game sto M) 2))) (do ((inc (game sto N) 1))))
     (scoring max 0))"""
    module = Module(Layout(parse(described)))
    assert module.tables["SHUFFLES"] == count
    assert bool(module.no_recall) == ("65" in end) and bool(module.recall_ends) == ("M" in end)
    if module.no_recall:
        with pytest.raises(ValueError, match=r"^x knows no recall: it can have 65 shuffles, where 64 can be recalled$"):
            compiled(parse(described), "x").with_recall(True)


def test_shuffles_that_are_chosen_count_once_a_turn() -> None:
    described = f"""(game (setup (create players 2) {DECK}) (stage player (end (== (game sto N) 20))
     (choice ((do ({SHUFFLE} {SHUFFLE})) {SHUFFLE})) (do ((inc (game sto N) 1)))) (scoring max 0))"""
    assert Module(Layout(parse(described))).tables["SHUFFLES"] == 40


class TestMoreShufflesThanAreTold:
    def test_no_world_is_looked_for_and_the_error_says_why(self) -> None:
        spec = compiled(
            parse(text(f"(do ({SHUFFLE} (move (top {STOCK}) (bottom {STOCK})) (inc (game sto N) 0)))")), "shuffling"
        )
        games = spec.deal(1)
        for shuffled in range(1, 18):
            row = spec.recalling.observation(games, int(games[0]["to_act"]))
            assert int(games[0]["shuffled"]) == shuffled
            if shuffled <= 16:
                assert len(worlds.redeal(spec.recalling, row)) == 1
            else:
                with pytest.raises(
                    worlds.NoWorldError, match=r"; with recall none is looked for behind more than 16 shuffles$"
                ):
                    worlds.redeal(spec.recalling, row)
            spec.kernels.step(games, 0, 0)
