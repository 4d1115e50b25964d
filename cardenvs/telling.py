"""What a game tells its seats of hidden cards, judged: is it so, is it all that they may know, do re-deals fit it.

Each function plays random games and counts how often something was looked at, and how often it was wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs.cards import below, seed_streams
from cardenvs.drivers import RUNNING
from cardenvs.spec import Games, GameSpec

MOST_TRIED = 12
"""How many options are tried at most until one looks to a seat as another option did."""


@dataclass
class Count:
    """How often something was looked at.

    Attributes:
        looked: how often.
        wrong: how often it was wrong.
        unfound: how often there was no world to look at.
        first: the first that was wrong, in words, with the text of its deal; empty if nothing was.
    """

    looked: int = 0
    wrong: int = 0
    unfound: int = 0
    first: str = ""

    def note(self, wrong: Any, seat: int, line: Callable[[], str]) -> None:
        """Counts a look, and what was wrong, where ``wrong`` tells something."""
        self.looked += 1
        if wrong:
            self.wrong += 1
            self.first = self.first or f"{wrong}: seat {seat} of {line()}"

    def add(self, other: Count) -> None:
        """Adds what was looked at elsewhere."""
        self.looked, self.wrong = self.looked + other.looked, self.wrong + other.wrong
        self.unfound, self.first = self.unfound + other.unfound, self.first or other.first

    @property
    def share(self) -> float:
        """The share of what was wrong."""
        return self.wrong / self.looked if self.looked else 0.0


def positions(spec: GameSpec, seed: int, **options: Any) -> Iterator[Games]:
    """Every position of the first deal of a random game, as copies of shape (1,)."""
    streams, games = seed_streams(seed, 1), spec.new_games(1, **options)
    spec.kernels.deal(games, 0, streams, 0)
    yield games.copy()
    while games[0]["over"] == RUNNING and (spec.max_decisions is None or games[0]["moves"] < spec.max_decisions):
        legal = spec.legal(games)
        actions = [k for k in range(spec.num_actions) if legal >> k & 1]
        spec.kernels.step(games, 0, actions[int(below(streams, 0, len(actions)))])
        yield games.copy()


def count_false(spec: GameSpec, seed: int, **options: Any) -> Count:
    """Of a random game: what seats are told that is not so in the true deal, in games that can say so."""
    count = Count()
    if spec.untrue is None:
        return count
    for games in positions(spec, seed, **options):
        for seat in range(spec.seats):
            view = spec.decode(spec.observation(games, seat)[None])[0]
            count.note(spec.untrue(games[0], seat, view), seat, lambda games=games: spec.text(games[0]))  # type: ignore[misc]
    return count


def _redealt(spec: GameSpec, games: Games, seat: int, streams: Any) -> Games | None:
    """A world for a seat; None where none is found."""
    views, dealt = spec.new_games(1), spec.new_games(1)
    spec.kernels.view(games, 0, seat, views, 0)
    spec.kernels.redeal(views, 0, streams, 0, dealt, 0)
    fits = spec.kernels.fits
    return dealt if fits is None or fits(dealt, 0) else None


def count_mask(spec: GameSpec, seed: int, **options: Any) -> Count:
    """Of a random game: re-deals in which, worked out there, other actions are legal than their seat sees, or none."""
    count, streams, views = Count(), seed_streams(seed, 1), spec.new_games(1)
    for games in positions(spec, seed, **options):
        if games[0]["over"] != RUNNING:
            break
        for seat in range(spec.seats):
            dealt = _redealt(spec, games, seat, streams)
            if dealt is None:
                count.unfound += 1
                continue
            kept = "legal_words" in (spec.dtype.names or ())  # a record that keeps what is legal must work it out anew
            again = spec.parse(spec.text(dealt[0])) if kept else dealt
            spec.kernels.view(again, 0, 0, views, 0)
            legal = spec.legal(views) if again[0]["over"] == RUNNING else 0
            own = int(games[0]["to_act"]) == seat
            none = not (spec.legal(again) if again[0]["over"] == RUNNING else 0)
            wrong = "nothing is legal in a re-deal" if none else own and legal != spec.legal(games) and "other actions"
            count.note(wrong, seat, lambda games=games: spec.text(games[0]))  # type: ignore[misc]
    return count


def count_secrets(spec: GameSpec, seed: int, tries: int = 6, **options: Any) -> Count:
    """Of a random game and others in which a seat has seen the same: whether it is told the same, in watched games."""
    count = Count()
    if spec.sights is None:
        return count
    sights, rng = spec.sights(), random.Random(seed)
    *_, last = positions(spec, seed, **options)
    history = last[0]["history"][: int(last[0]["moves"])].tolist()
    for _ in range(tries):
        one, other = rng.randrange(sights.cards), rng.randrange(sights.cards)
        mapped = list(range(sights.cards))
        mapped[one], mapped[other] = other, one
        seat = rng.randrange(spec.seats)
        true, twin = sights.watch(last[0]), sights.watch(last[0], mapped)
        _compare(spec, count, seat, true, twin)
        left = list(history)
        while left and true.sight(seat) == twin.sight(seat):
            actor, moved = true.to_act, [left.pop(0)]
            true.step(moved[0])
            while true.within and actor != seat:
                moved.append(left.pop(0))
                true.step(moved[-1])
            found = _alike(twin, true.sight(seat), seat, moved, rng)
            if found is None:
                break
            twin = found
            _compare(spec, count, seat, true, twin)
    return count


def _alike(twin: Any, sight: int, seat: int, moved: list[int], rng: random.Random) -> Any:
    """A deal after an option that looks to a seat as it must; None if none is found."""
    own, actor = twin.to_act == seat, twin.to_act
    for tried in range(MOST_TRIED):
        after, planned = twin.copy(), list(moved) if tried == 0 or own else []
        first = True
        while first or (after.within and not own and after.to_act == actor):
            first = False
            action = planned.pop(0) if planned else rng.choice(after.legal)
            if action not in after.legal:
                break
            after.step(action)
        else:
            if after.sight(seat) == sight:
                return after
        if own:
            return None
    return None


def _compare(spec: GameSpec, count: Count, seat: int, true: Any, twin: Any) -> None:
    """Compares what a seat is told in two deals in which it has seen the same."""
    if true.sight(seat) != twin.sight(seat):
        return
    eyes = spec.recalling if spec.recall_parts else spec
    states = true.state, twin.state
    rows = [eyes.observation(state, seat) for state in states]
    labels = [f"{part.name}={label}" for part in eyes.parts for label in part.labels]
    differ = [labels[k] for k in np.flatnonzero(rows[0] != rows[1])[:4].tolist()]
    if not differ and spec.drawing(states[0][0], seat) != spec.drawing(states[1][0], seat):
        differ = ["the drawing"]
    count.note(differ and f"told of what it has not seen ({', '.join(differ)})", seat, lambda: spec.text(states[0][0]))


def count_past(spec: GameSpec, seed: int, **options: Any) -> Count:
    """Of a random game: re-deals with a past that do not show their seat what it has seen, in games that know recall."""
    count, streams = Count(), seed_streams(seed, 1)
    if not spec.recall_parts or spec.sights is None:
        return count
    eyes, sights = spec.recalling, spec.sights()
    for games in positions(spec, seed, **options):
        if games[0]["over"] != RUNNING:
            break
        seat = int(games[0]["to_act"])
        dealt = _redealt(eyes, games, seat, streams)
        if dealt is None:
            count.unfound += 1
            continue
        true, world = sights.watch(games[0]), sights.watch(dealt[0])
        for watched, state in ((true, games[0]), (world, dealt[0])):
            for action in state["history"][: int(state["moves"])].tolist():
                watched.step(action)
        wrong = true.sight(seat) != world.sight(0) and "a re-deal that could not have led to what was seen"
        count.note(wrong, seat, lambda games=games: spec.text(games[0]))  # type: ignore[misc]
    return count
