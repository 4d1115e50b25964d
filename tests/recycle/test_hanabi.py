"""Hanabi as a description, beside the game that is written in Python: move by move, what is known, and re-deals."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cardenvs import get_game, policy
from cardenvs.compiled.jit import DISABLED
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import parse, shipped
from cardenvs.recycle.compiler.layout import Layout
from tests.helpers.pasts import check_pasts
from tests.helpers.positions import redealt, rows_of, view_of

COLOURS = ("RED", "YELLOW", "GREEN", "WHITE", "BLUE")
RANKS = ("ONE", "TWO", "THREE", "FOUR", "FIVE")
GAMES, POSITIONS, WORLDS, PASTS = (3, 3, 130, 1) if DISABLED else (1000, 30, 3000, 20)
"""Games that are compared, positions at which worlds are drawn, and how many, and games whose pasts are checked."""
SMALL = {"colours": 2, "ranks": 3, "hand_size": 2, "information": 3, "lives": 2}
FORMS = {"full": "hanabi", "small": "hanabi:" + ",".join(f"{name}={value}" for name, value in SMALL.items())}


def small(source: str) -> str:
    """The description with the cards, hands, tokens and lives of `SMALL`."""
    for was, now in (
        (r", GREEN, WHITE, BLUE\)", ")"), (r", FOUR, FIVE\)", ")"), (r", THREE, FOUR\)", ")"),
        (r" \(\(RANK : FOUR\) 4\) \(\(RANK : FIVE\) 5\)", ""), (r"TOKENS\) 8\)", "TOKENS) 3)"),
        (r"LIVES\) 3\)", "LIVES) 2)"), (r"repeat 5 ", "repeat 2 "), (r"range 0 \.\. 4", "range 0 .. 1"),
        (r"HAND\)\) 5\)", "HAND)) 2)"), (r"FIREWORKS\)\) 25\)", "FIREWORKS)) 6)"), (r" FIVE\)", " THREE)"),
        (r"perfect 25", "perfect 6"),
    ):  # fmt: skip
        source, count = re.subn(was, now, source)
        assert count, was
    return source


class Both:
    """A form of Hanabi, described in a file of a folder and written in Python."""

    def __init__(self, form: str, folder: Path) -> None:
        source = shipped("hanabi").source
        self.written: GameSpec = get_game(FORMS[form])
        self.ranks = SMALL["ranks"] if form == "small" else 5
        file = folder / f"{form}-hanabi.rcy"
        file.write_text(source if form == "full" else small(source))
        self.described: GameSpec = get_game(str(file))
        self.layout = Layout(parse(file.read_text(), form))
        self.faces = [self._face(dict(values)) for _, values in self.layout.faces]

    def _face(self, values: dict[str, str]) -> int:
        """The number of a face in the game that is written in Python."""
        return COLOURS.index(values["COLOUR"]) * self.ranks + RANKS.index(values["RANK"])

    def place(self, name: str, owner: int = 0) -> int:
        """The number of a place."""
        return next(k for k, (one, whose) in enumerate(self.layout.places) if (one.name, whose) == (name, owner))

    def lying(self, state: Any, name: str, owner: int = 0) -> list[int]:
        """The faces in a place, from the oldest on; -1 for a card that is not seen."""
        place = self.place(name, owner)
        cards = state["cards"][place][: int(state["sizes"][place])].tolist()
        return [self.faces[self.layout.face_of[card - 1]] if card > 0 else -1 for card in cards]

    def number(self, state: Any, name: str) -> int:
        """A number of the game."""
        return int(state["numbers"][next(k for k, (one, _) in enumerate(self.layout.numbers) if one.name == name)])

    def open(self, state: Any, seat: int) -> list[set[int]]:
        """The faces that hints have left open for each card of a seat's own hand."""
        place = self.place("HAND", seat)
        cards = state["cards"][place][: int(state["sizes"][place])].tolist()
        ruled = [int(state["ruled"][seat][card - 1][0]) for card in cards]
        return [{face for k, face in enumerate(self.faces) if not word >> k & 1} for word in ruled]

    def hinted(self, state: Any, seat: int, slot: int) -> set[int]:
        """The faces that hints have left open in the game that is written in Python."""
        colours, ranks = int(state["may_colours"][seat][slot]), int(state["may_ranks"][seat][slot])
        return {face for face in self.faces if colours >> face // self.ranks & ranks >> face % self.ranks & 1}

    def deal(self, seed: int) -> tuple[Games, Games]:
        """The same deal of both, described first."""
        games = self.described.deal(seed)
        hands = [self.lying(games[0], "HAND", seat) for seat in range(2)]
        order = [*hands[0], *hands[1], *self.lying(games[0], "DECK")[::-1]]
        deck = "".join("RYGWB"[face // self.ranks] + str(face % self.ranks + 1) for face in order)
        return games, self.written.parse(f"{self.written.name} deck={deck}")


@pytest.fixture(scope="module", params=FORMS)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    """A form of Hanabi, described and written in Python."""
    return Both(request.param, tmp_path_factory.mktemp("hanabi"))


def played(both: Both, seed: int) -> Iterator[tuple[Games, Games]]:
    """The positions of a game of both, described first: Piers, who reaches the end, and one move in so many at random."""
    described, written = both.deal(seed)
    player, often = policy.make(both.written, "piers"), (1, 3, 1000)[seed % 3]
    rng, streams = random.Random(seed), seed_streams(seed, 1)
    while True:
        yield described, written
        if written[0]["over"] != RUNNING:
            return
        legal = both.written.legal(written)
        action = int(player.act(*rows_of(both.written, written), streams)[0])
        if rng.randrange(often) == 0:
            action = rng.choice([k for k in range(both.written.num_actions) if legal >> k & 1])
        both.described.kernels.step(described, 0, action)
        both.written.kernels.step(written, 0, action)


def test_the_same_moves(both: Both) -> None:
    """Actions have the same numbers; what lies where, tokens, lives, hints, the end and the score are the same."""
    scores, ends = Counter[int](), Counter[str]()
    for seed in range(GAMES):
        for described, written in played(both, seed):
            d, w = described[0], written[0]
            assert (d["over"] == RUNNING) == (w["over"] == RUNNING)
            if w["over"] == RUNNING:
                assert int(d["to_act"]) == int(w["to_act"])
                assert int(both.described.legal(described)) == int(both.written.legal(written))
            assert [both.number(d, "TOKENS"), both.number(d, "LIVES")] == [int(w["information"]), int(w["lives"])]
            heights = Counter(face // both.ranks for face in both.lying(d, "FIREWORKS"))
            assert heights == Counter({colour: int(height) for colour, height in enumerate(w["fireworks"]) if height})
            assert Counter(both.lying(d, "DISCARDS")) == Counter(
                {face: int(many) for face, many in enumerate(w["discards"]) if many}
            )
            for seat in range(2):
                held = int(w["sizes"][seat])
                assert [face + 1 for face in both.lying(d, "HAND", seat)] == w["hands"][seat][:held].tolist()
                assert both.open(d, seat) == [both.hinted(w, seat, slot) for slot in range(held)]
        assert both.described.outcome(described).points == both.written.outcome(written).points
        assert both.described.outcome(described).winners == both.written.outcome(written).winners
        scores[both.written.outcome(written).points[0]] += 1
        ends["lives" if w["lives"] == 0 else "deck" if w["turns"] == 0 else "perfect"] += 1
    assert len(scores) > 1 and ends["lives"] and ends["deck"], (scores, ends)


def drawn(both: Both, spec: GameSpec, games: Games, seed: int) -> Counter[tuple[int, ...]]:
    """Hands of the seat to act in worlds that are drawn for it; of large hands one card, the same in both games."""
    found, views = Counter[tuple[int, ...]](), view_of(spec, games, int(games[0]["to_act"]))
    for dealt in redealt(spec, views, seed_streams(seed, 1), WORLDS):
        if spec is both.described:
            hand = both.lying(dealt[0], "HAND")
        else:
            hand = [int(card) - 1 for card in dealt[0]["hands"][0][: int(dealt[0]["sizes"][0])]]
        found[tuple(hand) if len(hand) < 3 else (hand[seed % len(hand)],)] += 1
    return found


def test_redeals_are_as_likely(both: Both) -> None:
    """Hands in worlds that are drawn in both games, in the same positions, most of them in midst of a game."""
    chances = []
    for seed in range(2, POSITIONS + 2):
        positions = [(d.copy(), w.copy()) for d, w in played(both, seed)][:-1]
        described, written = positions[seed * 7 % len(positions)]
        found = [drawn(both, both.described, described, seed), drawn(both, both.written, written, seed)]
        often = [hand for hand, many in (found[0] + found[1]).items() if many >= 20]
        table = np.array([[one[hand] for hand in often] + [WORLDS - sum(one[hand] for hand in often)] for one in found])
        if len(often) > 1:
            chances.append(stats.chi2_contingency(table[:, table.sum(0) > 0], correction=False).pvalue)
    assert len(chances) > POSITIONS // 2 and min(chances) > 1e-4 / len(chances), chances


def test_a_world_with_recall_has_the_past(both: Both) -> None:
    """So the order of hints and draws is kept, however the deck lies."""
    if DISABLED and both.ranks == len(RANKS):
        pytest.skip("takes a minute without compiling")
    check_pasts(both.described, PASTS, 1)
