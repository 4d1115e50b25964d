"""Pictures of tables: in every render mode, of nothing that a seat may not know, and no pygame where none is asked for."""

import importlib.util
import io
import json
import sys
from dataclasses import replace
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo
from pettingzoo.test import render_test

import cardenvs
from cardenvs import policy
from cardenvs.cli import main
from cardenvs.contract.cards import EUCHRE_DECK, FULL_DECK
from cardenvs.contract.registry import game_names, get_game
from cardenvs.render import Painter, Window, svg
from cardenvs.render.frames import policies_of_seats
from cardenvs.render.scene import Box, CardItem, TextItem, scene
from cardenvs.render.shapes import SHAPES
from cardenvs.testing import random_positions
from tests.helpers.command_line import run_python
from tests.helpers.documents import ROOT, python_blocks
from tests.helpers.environments import first_legal, module_of
from tests.helpers.tables import knows
from tests.refusals import check_refused

pygame = pytest.importorskip("pygame")
Image = pytest.importorskip("PIL.Image")

SEAT_IDS = {
    game: f"cardenvs/{title}Seat-v0"
    for game, title in (("euchre", "Euchre"), ("whist", "Whist"), ("five-o", "FiveO"), ("hanabi", "Hanabi"))
}
PICTURED = [game for game in game_names() if get_game(game).kind is not None]
"""The games whose pictures have cards; others are drawn in text."""


def test_nothing_imports_pygame_before_a_picture_is_asked_for():
    code = (
        "import sys, cardenvs, cardenvs.render.command, cardenvs.render.svg; cardenvs.euchre_v0.env(render_mode='ansi');"
        "env = cardenvs.euchre_v0.raw_env(render_mode='rgb_array'); env.reset(seed=0); print('pygame' in sys.modules);"
        "env.render(); print('pygame' in sys.modules)"
    )
    out = run_python(code, check=True).stdout
    assert out.split()[-2:] == ["False", "True"]


def known_cards(spec, state, seat):
    """The cards that a seat can name now."""
    deck = EUCHRE_DECK if spec.name == "euchre" else FULL_DECK
    return {deck.text(card) for card in knows(SimpleNamespace(game=spec, state=state), seat)}


@pytest.mark.parametrize("game", PICTURED)
def test_a_seats_picture_shows_what_it_may_know_and_no_more(game):
    spec = get_game(game)
    hidden = 0
    for state in random_positions(spec, 3):
        for seat in range(spec.seats):
            drawn = [item.card for item in scene(spec, state, seat).items if isinstance(item, CardItem)]
            assert {card for card in drawn if card} <= known_cards(spec, state, seat)
            hidden += drawn.count(None)
    assert hidden > 100


@pytest.mark.parametrize("game", ["euchre", "whist"])
def test_positions_that_look_the_same_give_the_same_picture(game):
    spec = get_game(game)
    streams = np.arange(1, dtype=np.uint64)
    differ = 0
    for state in random_positions(spec, 2):
        views, other = spec.new_games(1), spec.new_games(1)
        spec.kernels.view(state, 0, 0, views, 0)
        spec.kernels.redeal(views, 0, streams, 0, other, 0)
        assert scene(spec, state, 0) == scene(spec, other, 0)
        differ += scene(spec, state) != scene(spec, other)
    assert differ > 5


@pytest.mark.parametrize("game", game_names())
def test_all_cards_lie_within_the_picture(game):
    spec = get_game(game)
    names = ["a rather long name of somebody"] * spec.seats
    for state in random_positions(spec, 2):
        for seat in (None, 0, spec.seats - 1):
            drawn = scene(spec, state, seat, names=names, caption="somebody plays")
            for item in drawn.items:
                if isinstance(item, CardItem | Box):
                    height = item.width * 1.4 if isinstance(item, CardItem) else item.height
                    assert 0 <= item.x <= item.x + item.width <= drawn.width
                    assert 0 <= item.y <= item.y + height <= drawn.height
            open_cards = [item.card for item in drawn.items if isinstance(item, CardItem)]
            if seat is None:
                assert None not in open_cards or game == "euchre"  # where the turned-down card lies on its face


def test_hands_are_sorted_with_trumps_first_and_winners_stay_bright():
    spec = get_game("euchre")
    line = (
        "euchre bidding=forced-spades dealer=3 hands=Ah9d9cJs9s/KhQsAcQcTc/QhKdTsThTd/KsAdKcJcQd turned=As actions=Ah,Kh,Qh"
    )
    state = spec.parse(line)
    drawn = scene(spec, state)
    lower = [item.card for item in drawn.items if isinstance(item, CardItem) and item.y > 430]
    assert lower == ["Js", "9s", "9c", "9d"]
    assert any(isinstance(item, TextItem) and item.text == "player_3 · deals · maker · 0 won" for item in drawn.items)
    assert [item.kind for item in drawn.items if isinstance(item, Box)].count("turn") == 1
    spec.kernels.step(state, 0, spec.action("Ks"))
    trick = {item.card: item.kind for item in scene(spec, state).items if isinstance(item, CardItem) and item.width == 56}
    assert trick == {"Ah": "dim", "Kh": "dim", "Qh": "dim", "Ks": ""}
    marked = {item.card: item.kind for item in scene(spec, state, marked={"Js"}).items if isinstance(item, CardItem)}
    assert marked["Js"] == "mark"


def test_who_sits_out_is_seen_to():
    spec = get_game("euchre")
    state = spec.deal(1)
    spec.kernels.step(state, 0, spec.action("order-up-alone"))
    maker, dealer = int(state[0]["maker"]), int(state[0]["dealer"])
    if (maker + 2) % 4 != dealer:
        spec.kernels.step(state, 0, spec.legal(state).bit_length() - 1)
    texts = [item.text for item in scene(spec, state).items if isinstance(item, TextItem)]
    assert f"player_{(maker + 2) % 4}" in next(text for text in texts if "sits out" in text)
    assert [item.kind for item in scene(spec, state).items if isinstance(item, CardItem)].count("dim") == 5


def test_a_finished_five_o_shows_who_won_which_column():
    spec = get_game("five-o")
    *_, state = random_positions(spec, 1, 4)
    points, tricks = np.zeros((1, 2), np.int64), np.zeros((1, 2), np.int64)
    spec.kernels.outcome(state, 0, points, tricks)
    drawn = scene(spec, state)
    assert [item.kind for item in drawn.items if isinstance(item, Box)].count("won") == tricks.sum()
    assert any(isinstance(item, TextItem) and item.text == f"player_1: {tricks[0, 1]} columns" for item in drawn.items)


def test_a_game_that_announces_nothing_is_drawn_as_text():
    spec = get_game("whist")
    drawn = scene(replace(spec, name="whistlike", kind=None), spec.deal(1), 0)
    assert "\n".join(item.text for item in drawn.items) == spec.drawing(spec.deal(1)[0], 0)


def test_the_suits_are_shapes_of_their_own():
    assert all(0 <= x <= 1 and 0 <= y <= 1 for polygons in SHAPES.values() for polygon in polygons for x, y in polygon)
    text = svg.definitions(["Th", "9c"])
    assert 'id="card-Th"' in text and "10</text>" in text and 'id="card-back"' in text


@pytest.mark.parametrize("game", game_names())
def test_pettingzoo_renders_in_every_mode(game):
    module = module_of(game)
    assert module.env().metadata["render_modes"] == ["human", "rgb_array", "ansi"]
    assert module.env().metadata["render_fps"] > 0
    render_test(lambda render_mode=None: module.env(render_mode=render_mode))
    env = module.raw_env(render_mode="rgb_array")
    env.reset(seed=3)
    first = env.render()
    assert first.shape == (600, 800, 3) and first.dtype == np.uint8 and first.flags["C_CONTIGUOUS"]
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 50 and (env.render() == first).all()
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert (env.render() != first).any()
    env.close()
    parallel = module.parallel_env(render_mode="rgb_array")
    parallel.reset(seed=3)
    assert (parallel.render() == first).all()
    parallel.close()


def play_out(env, seed):
    """Plays an episode of a Gymnasium environment by first legal actions."""
    _, info = env.reset(seed=seed)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(first_legal(info["action_mask"])))


@pytest.mark.parametrize("game", game_names())
def test_the_one_seat_environment_paints_its_own_view(game):
    env = gymnasium.make(SEAT_IDS[game], render_mode="rgb_array", seat=1)
    env.reset(seed=5)
    picture = env.render()
    assert picture.shape == (600, 800, 3) and picture.dtype == np.uint8
    raw = env.unwrapped
    expected = Painter().array(scene(raw.game, raw.seat_games.batch.games, 1))
    assert (picture == expected).all()
    env.close()


@pytest.mark.parametrize("game", game_names())
def test_a_window_opens_follows_and_closes(game, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    shown = []
    monkeypatch.setattr(Window, "show", lambda self, drawn, show=Window.show: (shown.append(drawn), show(self, drawn)))
    env = gymnasium.make(SEAT_IDS[game], render_mode="human", seat=0)
    play_out(env, 2)
    moves = int(env.unwrapped.seat_games.batch.games[0]["moves"])
    # Before each of the others' moves, and after each own one.
    assert len(shown) >= moves and pygame.display.get_init()
    assert env.render() is None
    env.close()
    assert not pygame.display.get_init()
    env.reset(seed=3)
    assert pygame.display.get_init()
    env.close()


def test_a_window_that_a_person_has_closed_stays_closed(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = cardenvs.euchre_v0.raw_env(render_mode="human")
    env.reset(seed=0)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.render()
    assert not pygame.display.get_init()
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert not pygame.display.get_init()
    env.close()
    env.reset(seed=0)
    assert pygame.display.get_init()
    env.close()


def test_without_a_display_the_way_out_is_named(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "no-such-driver")
    env = cardenvs.whist_v0.raw_env(render_mode="human")
    check_refused("SDL_VIDEODRIVER=dummy", env.reset, error=RuntimeError, seed=0)


def test_videos_are_recorded(tmp_path):
    pytest.importorskip("moviepy")
    env = RecordVideo(gymnasium.make(SEAT_IDS["euchre"], render_mode="rgb_array"), str(tmp_path), disable_logger=True)
    play_out(env, 0)
    env.close()
    assert [path.stat().st_size > 1000 for path in tmp_path.glob("*.mp4")] == [True]


def test_the_documentation_s_block_records(tmp_path, monkeypatch):
    pytest.importorskip("moviepy")
    page = (ROOT / "docs" / "tutorials" / "pictures.md").read_text()
    (block,) = [block for block in python_blocks(page) if "RecordVideo" in block.code]
    monkeypatch.chdir(tmp_path)
    exec(compile(block.code, "pictures.md", "exec"), {"__name__": "__main__"})
    assert (tmp_path / "videos" / "rl-video-episode-0.mp4").stat().st_size > 1000


def test_a_missing_pygame_is_named_with_the_extra(monkeypatch):
    from stable_baselines3.common.env_util import make_vec_env

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "pygame" else find(name, *rest))
    for mode in ("human", "rgb_array"):
        for make in (cardenvs.euchre_v0.env, lambda **given: gymnasium.make(SEAT_IDS["whist"], **given)):
            with pytest.raises(gymnasium.error.DependencyNotInstalled, match=r'in a checkout: pip install "\.\[render\]"'):
                make(render_mode=mode)
    assert cardenvs.euchre_v0.env(render_mode="ansi").render_mode == "ansi"
    assert make_vec_env(SEAT_IDS["euchre"], n_envs=2).render_mode is None  # it asks for pictures, and does without


def test_a_missing_pygame_is_named_when_a_file_is_painted(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "pygame", None)
    assert main(["render", "euchre", "--out", str(tmp_path / "a.png")]) == 2
    assert 'in a checkout: pip install ".[render]"' in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "game", ["euchre", "hanabi", *(pytest.param(one, marks=pytest.mark.slow) for one in ("five-o", "whist"))]
)
def test_the_command_draws_a_deal_as_a_gif(game, capsys, tmp_path):
    path = tmp_path / "deal.gif"
    words = ["render", game, "--out", str(path), "--width", "300", "--seed", "4", "--fps", "2", "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    spec = get_game(game)
    end = spec.parse(told["deal"])
    assert end[0]["over"] and told["pictures"] == int(end[0]["moves"]) + 2
    content = path.read_bytes()
    assert told["bytes"] == len(content) < 500_000
    picture = Image.open(io.BytesIO(content))
    assert picture.is_animated and picture.size == (300, 225)
    assert picture.info["loop"] == 0
    durations = []
    for k in range(picture.n_frames):
        picture.seek(k)
        durations.append(picture.info["duration"])
    assert durations[0] >= 1500 and sum(durations) == 500 * (told["pictures"] + 4)
    assert main(words) == 0 and path.read_bytes() == content
    capsys.readouterr()
    # The deal's own text gives the same deal again, whoever sits there.
    other = tmp_path / "again.gif"
    policies = policy.names(game)
    seats = next(name for name in ("low", "reflex1", "piers") if name in policies)
    assert main(["render", game, "--out", str(other), "--deal", told["deal"], "--seats", seats, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["deal"] == told["deal"]


def test_the_command_draws_a_position_as_a_png(capsys, tmp_path):
    path = tmp_path / "position.png"
    assert main(["render", "whist", "--out", str(path), "--moves", "3", "--view", "2", "--seats", "low,high"]) == 0
    assert "position.png" in capsys.readouterr().err.replace("\n", "")
    assert Image.open(path).size == (640, 480)


def test_seats_take_policies_with_parameters():
    spec = get_game("euchre")
    assert policies_of_seats(spec, "pimc:worlds=3,goal=tricks,low") == ["pimc:worlds=3,goal=tricks", "low"] * 2
    assert policies_of_seats(spec, "a,b,c,pimc:worlds=3") == ["a", "b", "c", "pimc:worlds=3"]
    assert policies_of_seats(spec, "a") == ["a"] * 4
