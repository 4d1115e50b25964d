"""What games tell their seats, judged: those written by hand tell nothing wrong, and a fault that is planted is found."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cardenvs import GameSpec, get_game, testing
from cardenvs.games import euchre
from cardenvs.information_audit import channels
from cardenvs.information_audit import counts as audit
from cardenvs.openspiel import plays
from cardenvs.play.seatview import view as seat_views

pytestmark = pytest.mark.compiled

GAMES = ("euchre", "five-o", "whist")
SPEC = euchre.SPEC


def secret(games: Any) -> int:
    """A number that depends on all hands."""
    return hash(tuple(games[0]["hands"].tolist())) & 0xFFFF


@pytest.mark.parametrize("name", GAMES)
def test_games_tell_what_is_so_and_nothing_else(name: str) -> None:
    spec = get_game(name)
    for count in (
        audit.count_false(spec, 1), audit.count_mask(spec, 1), audit.count_secrets(spec, 1, looks=8),
        audit.count_past(spec, 1), audit.count_past(spec, 1, recall=False),
    ):  # fmt: skip
        assert count.looked >= 8 and not count.wrong and not count.unfound, count.first


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_games_tell_nothing_else_by_any_way(name: str) -> None:
    spec = get_game(name)
    testing.check_secrets(spec, episodes=6, seed=1)
    testing.check_telling(spec, episodes=6, seed=1)
    testing.check_past(spec, episodes=20, seed=1)
    assert not sum(audit.count_past(spec, seed, recall=False).wrong for seed in range(20))


def leaking_rows(self: GameSpec, games: Any, seat: int, i: int = 0) -> np.ndarray:
    """An observation of who has the best luck of all."""
    row = OBSERVATION(self, games, seat, i).copy()
    row[-1] ^= secret(games) & 1
    return row


def leaking_log(*arguments: Any) -> list[str]:
    """A log with an event for some hands."""
    sight = arguments[0]
    return [*LOG(*arguments), *(["something"] if secret(sight.table.state) & 1 else [])]


def leaking_mask(self: GameSpec, games: Any, i: int = 0) -> int:
    """What is legal, less one action for some hands."""
    legal = LEGAL(self, games, i)
    return legal & legal - 1 or legal if secret(games) & 1 else legal


OBSERVATION, LEGAL, LOG = GameSpec.observation, GameSpec.legal, seat_views.log_lines
LEAKS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "the observation": (GameSpec, "observation", leaking_rows),
    "what is legal": (GameSpec, "legal", leaking_mask),
    "the page, seats": (channels, "seat_view", lambda table, seat: {"seats": secret(table.state)}),
    "the page, log": (seat_views, "log_lines", leaking_log),
    "OpenSpiel's information state": (plays.Play, "information_text", lambda self, player: f"p; {secret(self.games)}"),
    "OpenSpiel's observation": (plays.Play, "observation_text", lambda self, player, columns=None: str(secret(self.games))),
    "OpenSpiel's tensor": (plays.Play, "observation", lambda self, player: np.arange(secret(self.games) & 7)),
}
"""By what a leak is told: where it is planted."""


@pytest.mark.parametrize("told", LEAKS)
def test_a_leak_is_found_wherever_it_is(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*LEAKS[told])
    count = audit.count_secrets(SPEC, 2, channels.ALL_CHANNELS, looks=60)
    assert count.wrong and told in count.first, count.first


@pytest.mark.parametrize("form", ["parts", "text", "bits", "prompt"])
def test_a_leak_in_messages_is_found(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "FORMS", (form,))
    monkeypatch.setattr(GameSpec, "observation", leaking_rows)
    count = audit.count_secrets(SPEC, 1, (channels.ProgramChannel,), looks=24)
    assert count.wrong and f"the message ({form})" in count.first, count.first


@pytest.mark.parametrize("part", ["drawing", "board"])
def test_a_leak_in_pictures_is_found(part: str) -> None:
    def shown(state: Any, seat: int | None) -> str:
        return f"{secret([state])} {seat}"

    count = audit.count_secrets(replace(SPEC, **{part: shown}), 1, looks=12)
    assert count.wrong and {"drawing": "the drawing", "board": "the plain table"}[part] in count.first


@pytest.mark.parametrize(("name", "field"), [("whist", "voids"), ("euchre", "voids"), ("five-o", "columns")])
def test_what_is_not_so_is_found(name: str, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    decode = GameSpec.decode

    def wrong(self: GameSpec, rows: Any) -> Any:
        views = decode(self, rows)
        views[field][:, 1] = 15
        return views

    monkeypatch.setattr(GameSpec, "decode", wrong)
    assert audit.count_false(get_game(name), 1).wrong


@pytest.mark.parametrize("recall", [True, False])
def test_worlds_that_could_not_have_led_there_are_found(recall: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_find_world", lambda spec, games, seat, streams: spec.deal(int(streams[0] % 1000)))
    assert audit.count_past(SPEC, 1, recall).wrong
