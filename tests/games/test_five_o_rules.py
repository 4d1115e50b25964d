"""Five-O (docs/rules/five-o.md): step by step against the slow version in `naive.five_o`, and what that does not show."""

import random
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import FULL_DECK, card_name, members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import EPISODE_OVER
from cardenvs.contract.registry import get_game
from cardenvs.envs.batch import Batch
from cardenvs.games.five_o import SPEC
from cardenvs.testing import check_game
from tests.helpers.positions import view_of
from tests.naive import five_o as naive

pytestmark = pytest.mark.compiled

HIDDEN_ROWS = SPEC.option("hidden_rows").choices

GOLDEN = (
    "five-o hidden_rows=1 columns=6d5cTs6cJh/5hAh2sJsAc "
    "deck=4s2c8s4c8h8dTc8cQc9d2hJdKdTd7h2dKc4hAd3s5s7c4dJc3d9cQhKs6sQsAs7s9sQd6h3c7d5dTh3hKh9h "
    "actions=column-4,column-5,column-2,column-4,column-3,column-3,column-5,column-1,column-1,column-2,"
    "column-2,column-2,column-4,column-3,column-5,column-1,column-1,column-4,column-3,column-5,"
    "column-3,column-5,column-5,column-3,column-2,column-1,column-1,column-2,column-4,column-4,"
    "column-4,column-3,column-2,column-2,column-5,column-4,column-1,column-1,column-3,column-5"
)
"""A game from the deal of seed 3."""


def names(cards: Any) -> set[str]:
    """The cards of a set."""
    return {FULL_DECK.text(card) for card in members_of(int(cards))}


def naive_of(games: Games) -> naive.Deal:
    """The slow version of a fresh deal."""
    return naive.Deal([FULL_DECK.text(int(code) - 1) for code in games[0]["deck"]], int(games[0]["hidden_rows"]))


def outcome_of(games: Games) -> tuple[int, list[int], list[int]]:
    """The winner or -1, the points and the columns won."""
    points, tricks = np.full((1, 2), 9), np.full((1, 2), 9)
    winners = SPEC.kernels.outcome(games, 0, points, tricks)
    return {1: 0, 2: 1, 3: -1}[int(winners)], points[0].tolist(), tricks[0].tolist()


def lit(observation: np.ndarray, part: str) -> set[str]:
    """The labels of the ones in a part of an observation or a state."""
    parts = {p.name: p for p in (*SPEC.parts, *SPEC.hidden)}
    where = {**SPEC.slices, **SPEC.hidden_slices}[part]
    return {label for label, value in zip(parts[part].labels, observation[where], strict=True) if value}


def line_of(hands: Sequence[Sequence[str]]) -> str:
    """A finished game in which the players get these five hands each, written like ``"2c2d2h2s3c"``."""
    cards = [[FULL_DECK.parse(hand) for hand in side] for side in hands]
    dealt = [hand[0] for side in cards for hand in side]
    drawn = [cards[seat][column][row] for row in range(1, 5) for column in range(5) for seat in range(2)]
    rest = [card for card in range(52) if card not in {*dealt, *drawn}]
    columns = FULL_DECK.format(dealt[:5]) + "/" + FULL_DECK.format(dealt[5:])
    actions = ",".join(f"column-{k // 2 % 5 + 1}" for k in range(40))
    return f"five-o columns={columns} deck={FULL_DECK.format(drawn + rest)} actions={actions}"


def test_f1_every_order_is_as_likely() -> None:
    # Five checks that each fail for one seed in ten thousand.
    games, streams = SPEC.new_games(1), seed_streams(1, 1)
    decks = np.zeros((40_000, 52), np.int64)
    for deck in decks:
        SPEC.kernels.deal(games, 0, streams, 0)
        deck[:] = games[0]["deck"]
    assert (np.sort(decks, axis=1) == np.arange(1, 53)).all()
    for index in (0, 1, 25, 51):
        assert stats.chisquare(np.bincount(decks[:, index], minlength=53)[1:]).pvalue > 1e-4
    pairs = (decks[:, 10] - 1) * 52 + decks[:, 11] - 1
    counts = np.bincount(pairs, minlength=52 * 52)[[a * 52 + b for a in range(52) for b in range(52) if a != b]]
    assert counts.sum() == len(decks)
    assert stats.chisquare(counts).pvalue > 1e-4


def test_games_are_dealt_from_given_streams() -> None:
    batch = Batch("five-o", 3, seed=9)
    batch.step(batch.action_masks.argmax(1))
    streams = seed_streams(5, 3)
    batch.deal_from(streams)
    assert (streams == seed_streams(5, 3)).all()
    again = Batch("five-o", 3, seed=5)
    for name, array in again.get_state().items():
        assert (batch.get_state()[name] == array).all(), name
    for wrong in (streams[:2], streams.astype(np.int64), [1, 2, 3]):
        with pytest.raises(ValueError, match=r"streams must be uint64 of shape \(3,\)"):
            batch.deal_from(wrong)  # type: ignore[arg-type]


def test_seeds_give_the_same_games_everywhere() -> None:
    assert GOLDEN.startswith(SPEC.text(SPEC.deal(3)[0]))


LADDER = """
    AhKhQhJhTh 2c3c4c5c6c Ad2d3d4d5d (straight flushes)
    3c3d3h3s2c 2c2d2h2sAc 2c2d2h2s3c (four of a kind)
    3c3d3h2c2d 2c2d2hAcAd 2c2d2h3c3d (full houses)
    AcKcQcJc9c 7d5d4d3d2d (flushes)
    AcKdQhJsTc 6c5d4h3s2c Ac2d3h4s5c (straights)
    3c3d3h4c2c 2c2d2hAcKc (three of a kind)
    AcAd2c2d3c KcKdQcQdAc 3c3d2c2d5h 3c3d2c2d4h (two pair)
    2c2dAhKhQh 2c2d5h4h3h (pairs)
    AcKcQcJc9d AcKcQcJc8d 7c5d4c3c2c (high cards)"""


def test_f9_f10_the_higher_hand_wins_the_column() -> None:
    games = SPEC.parse(GOLDEN)
    hands = [FULL_DECK.parse_set(hand) for hand in re.sub(r"\(.*\)", "", LADDER).split()]
    same = FULL_DECK.parse_set("7c5d4c3c2c")
    for a in range(len(hands)):
        for b in range(len(hands)):
            games[0]["columns"][0] = [same, same, hands[a], same, same]
            games[0]["columns"][1] = [same, same, hands[b], same, same]
            assert outcome_of(games) == (-1, [0, 0], [int(a < b), int(b < a)])


def test_f10_suits_do_not_rank() -> None:
    games = SPEC.parse(GOLDEN)
    for suit in range(4):
        games[0]["columns"][0] = [FULL_DECK.parse_set("AcKcQcJcTc")] * 5
        games[0]["columns"][1] = [FULL_DECK.parse_set("AcKcQcJcTc") << 13 * suit] * 5
        assert outcome_of(games) == (-1, [0, 0], [0, 0])


HANDS = (
    ("2c2d2h2s3c", "5s6c6s7c7d", "3s4h8h9sTh", "5c6d7h8s9c", "TcJdQhKsAc"),
    ("3d3h4c4d5h", "8d9hTsJcKd", "4sJsQcQdKh", "5d6h7s8c9d", "TdJhQsKcAd"),
)
"""Two columns for the first player, one for the second, two ties."""


def swapped(*columns: int) -> list[list[str]]:
    """`HANDS` with the two hands of these columns exchanged."""
    return [[HANDS[seat ^ (k in columns)][k - 1] for k in range(1, 6)] for seat in range(2)]


@pytest.mark.parametrize(("columns", "won"), [((), [2, 1]), ((1,), [1, 2]), ((1, 3), [2, 1])])
def test_f12_with_ties_nobody_may_win(columns: tuple[int, ...], won: list[int]) -> None:
    assert outcome_of(SPEC.parse(line_of(swapped(*columns)))) == (-1, [0, 0], won)


@pytest.mark.parametrize("reward", SPEC.rewards)
def test_f14_f15_rewards(reward: str) -> None:
    batch = Batch(SPEC, 200, seed=14, reward=reward, restart=False)
    deals = [naive_of(batch.games[k : k + 1]) for k in range(200)]
    rng = np.random.default_rng(14)
    for _ in range(40):
        assert not batch.rewards.any()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks])
        batch.step(actions)
        for deal, action in zip(deals, actions, strict=True):
            deal.put(int(action) + 1)
    winners = set()
    for deal, rewards in zip(deals, batch.rewards.tolist(), strict=True):
        gain = deal.won[0] - deal.won[1]
        if reward == "win":
            gain = {0: 1, 1: -1, None: 0}[deal.winner]
        assert rewards == [gain, -gain]
        winners.add(deal.winner)
    assert winners >= {0, 1}


def test_f14_a_draw_pays_nothing() -> None:
    for reward, paid in (("win", [0.0, 0.0]), ("columns", [1.0, -1.0])):
        line, _, last = line_of(HANDS).rpartition(",")
        batch = Batch(SPEC, 1, seed=0, reward=reward, restart=False)
        batch.set_games(SPEC.parse(line))
        batch.step(np.array([SPEC.action(last)]))
        assert batch.rewards.tolist() == [paid]


def check_position(games: Games, deal: naive.Deal) -> None:
    """Compares state, views, observations and hidden parts with the slow version."""
    g = games[0]
    assert (g["over"] == EPISODE_OVER) == deal.over
    assert g["to_act"] == (-1 if deal.over else deal.seat)
    assert names(g["card"]) == (set() if deal.over else {deal.card})
    assert {k + 1 for k in range(5) if SPEC.legal(games) >> k & 1} == set(deal.legal)
    assert (g["history"][: int(g["moves"])] + 1).tolist() == deal.placed
    for seat in range(2):
        other = 1 - seat
        own_down = set().union(*(deal.face_down(seat, k) for k in range(1, 6)))
        v = view_of(SPEC, games, seat)[0]
        row = SPEC.full_state(games, seat)
        down, hand, rest = deal.arrangement(seat)
        for k in range(1, 6):
            assert names(g["columns"][seat][k - 1]) == set(deal.columns[seat][k])
            assert names(v["columns"][0][k - 1]) == set(deal.columns[seat][k]) == lit(row, f"column_{k}_self")
            assert names(v["columns"][1][k - 1]) == set(deal.face_up(other, k)) == lit(row, f"column_{k}_other")
            assert v["covered"][0][k - 1] == len(deal.face_down(seat, k))
            assert v["covered"][1][k - 1] == len(down[k - 1]) == len(lit(row, f"covered_{k}"))
            assert lit(row, f"down_{k}_other") == down[k - 1]
        assert names(g["down"][seat]) == names(v["down"][0]) == lit(row, "down") == own_down
        assert not v["down"][1] and not v["deck"].any()
        assert names(v["card"]) == lit(row, "card") == ({deal.card} if not deal.over and deal.seat == seat else set())
        assert lit(row, "card_other") == ({hand} if hand else set())
        assert lit(row, "unseen") == deal.unseen(seat)
        for part, whose in (("open_self", seat), ("open_other", other)):
            assert lit(row, part) == {f"column-{k}" for k in deal.open_columns(whose)}
        assert lit(row, "row") == (set() if deal.over else {str(deal.row)})
        assert lit(row, "first") == {"other" if seat else "self"}
        assert lit(row, "to_act") == (set() if deal.over else {"self" if deal.seat == seat else "other"})
        assert lit(row, "hidden_rows") == {str(deal.hidden_rows)}
        assert lit(row, "episode_over") == ({"yes"} if deal.over else set())
        for k in range(1, 40):
            assert lit(row, f"next_{k}") == set(rest[:-2][k - 1 : k])
        assert lit(row, "undrawn") == set(rest[-2:])


@pytest.mark.parametrize("hidden_rows", HIDDEN_ROWS)
def test_f16_f17_random_games_go_as_in_the_slow_version(hidden_rows: int) -> None:
    """[F2 to F8], [F11] and [F13], too: cards, turns, open columns, what each seat sees at every step and at the end."""
    rng = random.Random(hidden_rows)
    for seed in range(5):
        games = SPEC.deal(100 + seed, hidden_rows=hidden_rows)
        deal = naive_of(games)
        check_position(games, deal)
        while not deal.over:
            column = rng.choice(deal.legal)
            SPEC.kernels.step(games, 0, column - 1)
            deal.put(column)
            check_position(games, deal)
        assert (games[0]["moves"], games[0]["drawn"]) == (40, 50)
        winner = -1 if deal.winner is None else deal.winner
        assert outcome_of(games) == (winner, [int(winner == 0), int(winner == 1)], deal.won)


def test_f19_the_golden_line_plays_again() -> None:
    games = SPEC.parse(GOLDEN)
    assert SPEC.text(games[0]) == GOLDEN
    assert outcome_of(games) == (0, [1, 0], [3, 2])
    assert [names(column) for column in games[0]["columns"][0]] == [
        {"6d", "Qc", "Kc", "Qh", "7d"},
        {"5c", "8s", "2h", "3d", "9s"},
        {"Ts", "8h", "Ad", "5s", "Th"},
        {"6c", "4s", "Kd", "6s", "As"},
        {"Jh", "Tc", "7h", "4d", "6h"},
    ]


def test_f19_a_line_with_first_lets_the_second_seat_begin() -> None:
    line = GOLDEN.replace("columns=", "first=1 columns=", 1).partition(",")[0]
    games = SPEC.parse(line)
    assert SPEC.text(games[0]) == line
    assert games[0]["to_act"] == 0 and games[0]["moves"] == 1
    assert names(games[0]["columns"][1][3]) == {"Js", "4s"}
    assert view_of(SPEC, games, 1)[0]["first"] == 0 and view_of(SPEC, games, 0)[0]["first"] == 1


def test_f20_left_out_words_have_defaults() -> None:
    line = GOLDEN.replace("hidden_rows=1 ", "").partition(" actions=")[0]
    games = SPEC.parse(line)
    assert (games[0]["hidden_rows"], games[0]["first"], games[0]["moves"]) == (1, 0, 0)
    assert SPEC.parse(line, hidden_rows=3)[0]["hidden_rows"] == 3


def test_drawing_during_the_game() -> None:
    line = ",".join(GOLDEN.split(",")[:36])
    games = SPEC.parse(line)
    assert SPEC.drawing(games[0], 0).splitlines() == [
        "Five-O poker: row 5, player_0 to act",
        "             1   2   3   4   5",
        "> player_0   6d  5c  Ts  6c  Jh",
        "             Qc  8s  8h  4s  Tc",
        "             Kc  2h  Ad  Kd  7h",
        "             Qh  3d  5s  6s  4d",
        "                 9s      As  6h",
        "  player_1   5h  Ah  2s  Js  Ac",
        "             8c  9d  8d  4c  2c",
        "             2d  Jd  Td  4h  3s",
        "             9c  Ks  Jc  Qs  7c",
        "                 --  --  --",
        "card in hand 7d",
    ]
    other = SPEC.drawing(games[0], 1).splitlines()
    assert other[6] == "                 --      --  --"
    assert other[11:] == ["                 Qd  7s  3c", "card in hand --"]
    assert "--" not in SPEC.drawing(games[0], None)
    lines = SPEC.drawing(view_of(SPEC, games, 1)[0], 0).splitlines()
    assert lines[2] == "  player_0   8c  9d  Jc  3c  2c"
    assert lines[-2:] == ["                 --      --  --", "card in hand --"]


def test_drawing_at_the_end() -> None:
    for seat in (None, 0, 1):
        lines = SPEC.drawing(SPEC.parse(GOLDEN)[0], seat).splitlines()
        assert lines[0] == "Five-O poker: finished"
        assert lines[-6:] == [
            "column 1  pair of queens                     >  pair of fives",
            "column 2  nine high                          <  ace high",
            "column 3  pair of tens                       >  jack high",
            "column 4  pair of sixes                      >  pair of fours",
            "column 5  jack high                          <  pair of threes",
            "columns 3 : 2, player_0 wins",
        ]
    assert SPEC.drawing(SPEC.parse(line_of(HANDS))[0], None).endswith("columns 2 : 1, a draw")


DAILY, *OTHERS = HIDDEN_ROWS


@pytest.mark.parametrize("hidden_rows", [DAILY, *(pytest.param(rows, marks=pytest.mark.slow) for rows in OTHERS)])
def test_the_checks_that_every_game_must_pass(hidden_rows: int) -> None:
    check_game(SPEC, hidden_rows=hidden_rows)


def test_name_and_sizes() -> None:
    assert get_game("five-o") is get_game("five_o") is SPEC
    assert [option.name for option in SPEC.options] == ["hidden_rows"]
    assert (SPEC.observation_size, SPEC.num_actions, SPEC.state_size) == (720, 5, 720 + 46 * 52)


def test_actions_in_words() -> None:
    games = SPEC.deal(1)
    card = card_name(SPEC.text(games[0]).rpartition("deck=")[2][:2])
    assert SPEC.action_words(games[0], 2) == ("column 3", f"puts the {card} in column 3")
    assert SPEC.action_words(view_of(SPEC, games, 1)[0], 2) == ("column 3", "puts a card face down in column 3")
