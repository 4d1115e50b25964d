"""Tables of every description that ships, and of games with any number of players; what is shown of worlds."""

import json
import random
from pathlib import Path

import pytest

from cardenvs import testing
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import members_of
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.play import Table
from cardenvs.play.seatview import replay_views, seat_view
from cardenvs.recycle import shipped, shipped_names
from cardenvs.recycle.game import compiled
from cardenvs.render.scene import HEIGHT, WIDTH, scene
from tests.helpers.boards import many, people, turned, typed

pytestmark = pytest.mark.slow


def check_boards(spec: GameSpec, seed: int) -> None:
    """A random game: no seat's board, nor what all see, is another one in a world that fits what the seat knows."""
    views, worlds, streams = spec.new_games(1), spec.new_games(1), seed_streams(seed, 1)
    assert spec.board is not None
    for games in testing.random_positions(spec, 1, seed):
        shown = spec.board(games[0], None)
        for seat in range(spec.seats):
            board = spec.board(games[0], seat)
            spec.kernels.view(games, 0, seat, views, 0)
            spec.kernels.redeal(views, 0, streams, 0, worlds, 0)
            world = spec.board(worlds[0], 0)
            assert turned(board, seat, spec.seats) == turned(world, 0, spec.seats)
            assert [len(pile.cards) for pile in board.piles] == [len(pile.cards) for pile in shown.piles]
            legal = members_of(spec.legal(games)) if games[0]["to_act"] == seat else []
            assert [offer.action for offer in board.offers] == legal
            assert spec.drawing(games[0], seat)


def check_table(spec: GameSpec, folder: Path, seed: int) -> None:
    """A random game by typing, seen by all at every move, kept, drawn, and followed by another."""
    table = people(spec, seed)
    choose = random.Random(seed)
    while table.to_act is not None:
        lengths = set()
        for seat in (*range(spec.seats), None):
            view = json.loads(json.dumps(seat_view(table, seat)))
            lengths.add(len(view["log"]))
            labels = [move["label"] for move in view["legal"]]
            assert bool(labels) == (seat == table.to_act) and len(set(labels)) == len(labels)
            for move in view["legal"]:
                if move["at"]:
                    pile, place = move["at"]
                    assert view["board"]["piles"][pile]["cards"][place]["name"] in move["label"]
        # An option is one line, however many parts it has.
        assert lengths == {sum(not event.part for event in table.events)}
        moved = len(table.events)
        words = iter(["", str(choose.randrange(len(table.legal())) + 1)])
        if len(table.events) < 8:
            text = typed(table, folder, words)
            assert "No: " not in text or "none of the options" in text, text
        if len(table.events) == moved:
            table.act(table.to_act, choose.choice(table.legal()))
    view = seat_view(table, 0)
    assert view["log"][-1] == view["result"]["text"] and len(replay_views(table, 0)) == len(table.events) + 1
    assert Table.from_text(table.to_text(), game=spec).line == table.line
    for item in scene(spec, table.state, 0).items:
        assert 0 <= item.x <= WIDTH and 0 <= item.y <= HEIGHT
    table.next_deal()
    assert table.over == RUNNING and len(table.earlier) == 1


@pytest.mark.parametrize("name", shipped_names())
def test_every_description(name: str, tmp_path: Path) -> None:
    spec = compiled(shipped(name), name)
    check_boards(spec, seed=1)
    check_table(spec, tmp_path, seed=2)


@pytest.mark.parametrize("players", [2, 3, 6, 10])
def test_any_number_of_players(players: int, tmp_path: Path) -> None:
    spec = many(players, teams=players in (6, 10), best="min" if players == 3 else "max")
    check_boards(spec, seed=1)
    check_table(spec, tmp_path, seed=2)
