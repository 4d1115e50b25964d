"""Options that are chosen in parts, and private bins: as the interpreter has them, and seen by those only who may."""

import functools
from pathlib import Path

import numpy as np
import pytest

from cardenvs import testing
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import RecycleError, load, parse
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.compiler.ordering import exchangeable_groups
from cardenvs.recycle.game import compiled
from tests.helpers.positions import redealt, view_of
from tests.helpers.twins import Twins

SOURCE = Path(__file__).parent / "examples" / "secrets.rcy"


@functools.cache
def game() -> GameSpec:
    return compiled(load(SOURCE), "secrets")


@functools.cache
def module() -> Module:
    return Module(Layout(load(SOURCE)))


def described(name: str) -> int:
    """An action by its name."""
    return game().actions.index(name)


def started(seed: int, *names: str) -> Games:
    """A game after some actions."""
    games = game().new_games(1)
    game().kernels.deal(games, 0, seed_streams(seed, 1), 0)
    for name in names:
        game().kernels.step(games, 0, described(name))
    return games


def part(rows: np.ndarray, name: str) -> dict[str, int]:
    """A part of an observation."""
    column = 0
    for one in game().parts:
        if one.name == name:
            return dict(zip(one.labels, rows[0, column : column + one.size].tolist(), strict=True))
        column += one.size
    raise AssertionError(name)


def observed(games: Games, seat: int) -> np.ndarray:
    rows = np.zeros((1, game().observation_size), np.int8)
    game().kernels.observe(view_of(game(), games, seat), 0, rows, 0)
    return rows


class TestPlain:
    def test_the_same_as_the_interpreter(self) -> None:
        assert Twins(load(SOURCE), game()).play(12, seed=3) == 12 * 9

    @pytest.mark.parametrize(
        "check",
        [
            testing.check_ends, testing.check_text, testing.check_observations, testing.check_no_leak,
            testing.check_redeals, testing.check_flaws, testing.check_choices,
        ],
    )  # fmt: skip
    def test_the_contract(self, check: object) -> None:
        check(game(), episodes=1)  # type: ignore[operator]

    def test_a_private_number_is_hidden_from_others_until_it_was_set_not(self) -> None:
        before = observed(started(1), 1)
        assert part(before, "sto_bid_2") == {"0": 1, "1": 0, "2": 0, "3": 0, "hidden": 0}
        games = started(1, "2")
        own, other = observed(games, 0), observed(games, 1)
        assert part(own, "sto_bid_0") == {"0": 0, "1": 0, "2": 1, "3": 0, "hidden": 0}
        assert part(other, "sto_bid_2") == {"0": 0, "1": 0, "2": 0, "3": 0, "hidden": 1}
        assert part(other, "sto_bid_2_maybe") == {"0": 0, "1": 1, "2": 1, "3": 1}

    def test_redeals_draw_a_private_number_from_what_it_can_be(self) -> None:
        slot = module().privacy.secrets[2].slot
        counts = np.zeros(4, np.int64)
        for dealt in redealt(game(), view_of(game(), started(1, "2"), 1), seed_streams(4, 1), 600):
            counts[dealt[0]["numbers"][slot]] += 1
        assert counts[0] == 0 and counts[1:].min() > 140

    def test_what_depends_on_a_hidden_card_may_or_may_not_be(self) -> None:
        for seed in range(6):
            other = observed(started(seed), 1)
            assert part(other, "str_role_2_maybe") == {"none": 1, "HOLDER": 1}
            assert part(other, "str_role_2")["hidden"] == 1
            assert part(other, "str_role_0")["hidden"] == 0

    def test_the_critic_sees_what_is_hidden(self) -> None:
        games, spec = started(1, "2"), game()
        row = np.zeros((1, sum(one.size for one in spec.hidden)), np.int8)
        spec.kernels.reveal(games, 0, 1, row, 0, 0)
        column = sum(one.size for one in spec.hidden[: [one.name for one in spec.hidden].index("sto_bid_2_hidden")])
        assert row[0, column : column + 4].tolist() == [0, 0, 1, 0]

    def test_a_private_name_is_known_once_it_was_copied(self) -> None:
        """At the end of a seat's turns its role is shown if it was named by others; what is shown is known."""
        shown = 0
        secrets, streams = module().privacy.secrets, seed_streams(8, 40)
        for k in range(40):
            games = game().new_games(1)
            game().kernels.deal(games, 0, streams, k)
            while not games[0]["over"]:
                game().kernels.step(games, 0, int(game().legal(games)).bit_length() - 1)
            for number, one in enumerate(secrets):
                if one.bin.name == "ROLE" and bin(int(games[0]["maybe"][number])).count("1") == 1:
                    shown += 1
                    assert one.values[int(games[0]["maybe"][number]).bit_length() - 1] == games[0]["texts"][one.slot]
        assert shown > 0

    def test_boards_hide_what_is_private(self) -> None:
        games = started(1, "2")

        def bids(state: object, seat: int | None) -> list[object]:
            assert game().board is not None
            tallies = game().board(state, seat).tallies
            return [one.value for one in tallies if (one.owner, one.name) == ("player", "bid")]

        assert bids(games[0], None) == [2, 0, 0] and bids(games[0], 0) == [2, 0, 0]
        assert bids(games[0], 1) == bids(games[0], 2) == [None, 0, 0]
        assert bids(view_of(game(), games, 1)[0], None) == [0, 0, None]  # seats from the one that looks

    def test_secret_actions_are_not_seen(self) -> None:
        games = started(1)
        assert game().kernels.seen is not None
        assert game().kernels.seen(games, 0, 0, described("2")) == described("2")
        assert game().kernels.seen(games, 0, 1, described("2")) == -1

    def test_cards_in_any_order_are_chosen_in_ascending_order(self) -> None:
        games = started(1, "1", "1", "1")
        spec = game()
        legal = [k for k in range(spec.num_actions) if spec.legal(games) >> k & 1]
        cards = [
            k for k in legal if spec.actions[k] in {f"{r}-{s}" for r in ("one", "two", "three", "four") for s in "abc"}
        ]
        assert spec.kernels.choices(games, 0) == 4 * 3 + 2 * 2
        counts = [int(spec.kernels.multiplicity(view_of(game(), games, 0), 0, k)) for k in cards]  # type: ignore[misc]
        assert sum(counts) == 12 and all(count % 2 == 0 for count in counts) and len(cards) < 4
        spec.kernels.step(games, 0, cards[0])
        assert games[0]["to_act"] == 0 and games[0]["partial"] == 1 and spec.kernels.begun(games, 0)  # type: ignore[misc]
        assert part(observed(games, 0), "chosen_0")[spec.actions[cards[0]]] == 1
        assert sum(part(observed(games, 1), "chosen_0").values()) == 0
        after = [k for k in range(spec.num_actions) if spec.legal(games) >> k & 1]
        assert min(after) > cards[0]

    @pytest.mark.parametrize("name", ["blind", "peek"])
    def test_hidden_hands(self, name: str) -> None:
        """A card that the chooser does not see has no face as an action; re-deals keep what the chooser can do."""
        description = load(SOURCE.parent / f"{name}.rcy")
        spec = compiled(description, name)
        assert Twins(description, spec).play(6, seed=2) >= 6
        for check in (testing.check_redeals, testing.check_no_leak, testing.check_observations):
            check(spec, episodes=2)
        streams = seed_streams(6, 1)
        for games in testing.random_positions(spec, 3, seed=3):
            if games[0]["over"]:
                continue
            for dealt in redealt(spec, view_of(spec, games, int(games[0]["to_act"])), streams, 5):
                actions = [k for k in range(spec.num_actions) if spec.legal(dealt) >> k & 1]
                spec.kernels.step(dealt, 0, actions[-1])
                assert dealt[0]["decisions"] == 1  # what the chooser can do is done in the imagined game, too
        faces = {"-".join(part.lower() for _, part in face) for _, face in Layout(description).faces}
        assert not faces & set(spec.actions)


def test_sets_of_cards_that_nobody_sees_are_refused() -> None:
    text = (SOURCE.parent / "blind.rcy").read_text().replace("(any ((next", "(any (subsets ((next").replace(
        "iloc HAND) 'C (do ((move 'C (top ((current player) iloc HAND)))",
        "iloc HAND)) 'S (do ((all 'S 'C (move 'C (top ((current player) iloc HAND))))",
    )  # fmt: skip
    with pytest.raises(RecycleError, match=r"^\d+:5: a set is chosen of cards that the player does not see"):
        Module(Layout(parse(text, "changed.rcy")))


def test_order_that_matters_is_kept() -> None:
    text = SOURCE.read_text()
    description = load(SOURCE)
    alternative = description_choice(description, 1)
    assert exchangeable_groups(Layout(description), alternative) == [0, 0]
    asked = parse(
        text.replace("(all player 'P (== ('P sto DONE) 3))", "(== (cardatt RANK (top (game vloc OUT))) SIX)"), "asked.rcy"
    )
    assert exchangeable_groups(Layout(asked), description_choice(asked, 1)) == [-1, -1]


def description_choice(description: object, number: int) -> object:
    return Layout(description).statics.choices[0].alternatives[number]  # type: ignore[arg-type]


def test_too_many_values_of_a_private_bin() -> None:
    names = ", ".join(f"{a}{b}" for a in "ABCDEFGHIJ" for b in "ABCDEFG")
    text = SOURCE.read_text().replace("(LEFT, RIGHT) 'WAYS", f"({names}) 'WAYS").replace("str ROLE\n", "str WAY\n", 1)
    with pytest.raises(RecycleError, match=r"^3:5: str WAY can have 71 values: a private bin has at most 63$"):
        Module(Layout(parse(text, "changed.rcy")))


ROLES = """;;! private str ROLE
(game
 (setup (create players 3) (create deck (game iloc STOCK) (deck (ROLE (WOLF, SEER, CUB, OAF)) (SIZE (BIG, SMALL)))))
 (do ((shuffle (game iloc STOCK))
  (all player 'P (move (top (game iloc STOCK)) (top ('P hloc ID))))
  (all player 'P (set ('P str ROLE) (cardatt ROLE (top ('P hloc ID)))))))
 (stage player (end (== (game sto TURNS) 4))
  (do ((inc (game sto TURNS) 1)
   ((== (game sto TURNS) 2) (move (top ((0 player) hloc ID)) (top ((1 player) hloc ID))))
   ((== (game sto TURNS) 3) (set (game str SHOWN) ((1 player) str ROLE)))))
  (choice ((set (game sto ASKED) 1) (set (game sto ASKED) 0))))
 (scoring max 0))"""


def test_with_recall_words_are_those_of_the_cards_they_come_from() -> None:
    """Cards that have moved on and words that were shown included."""
    layout, spec = Layout(parse(ROLES)), compiled(parse(ROLES), "roles").recalling
    games, streams = compiled(parse(ROLES), "roles").deal(1), seed_streams(5, 1)
    places = [k for k, (one, _) in enumerate(layout.places) if one.name == "ID"]
    words = next(slots for one, slots in layout.text_slots.items() if one.name == "ROLE").first
    shown = next(slots for one, slots in layout.text_slots.items() if one.name == "SHOWN").first
    for _ in range(3):
        spec.kernels.step(games, 0, 0)
    for dealt in redealt(spec, spec.decode(spec.observation(games, 2)[None]), streams, 10):
        world = dealt[0]
        seats = [(int(world["zero"]) + k) % 3 for k in range(3)]
        cards = [card - 1 for k in (1, 2) for card in world["cards"][places[seats[k]]].tolist() if card]
        of_cards = [layout.face_value(layout.face_of[card], "ROLE") for card in cards]
        of_seats = [layout.strings[int(world["texts"][words + seats[k]])] for k in (1, 0, 2)]
        assert of_cards == of_seats and layout.strings[int(world["texts"][shown])] == of_seats[0]
        assert world["texts"][shown] == games[0]["texts"][shown]
