"""Defaults for functions that a game does not bring: lines of text, drawings, the greatest loss."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardenvs.checks import short
from cardenvs.compiled.bits import Floats, Ints, Streams
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract import loops
from cardenvs.contract.fields import REWARD_KINDS, Games, Part
from cardenvs.contract.kernels import Kernel, Kernels
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.options import Option

STREAM = "deal_stream"
"""Field of a STATE for the random stream from which its deal was dealt."""


@dataclass(frozen=True)
class Dealt:
    """A field of the STATE that the deal sets and play leaves unchanged, so that it identifies the deal in text.

    Attributes:
        field: the field, of one number or several.
        words: words for the numbers from ``first`` on, joined without commas if all have one character; empty for numbers.
        first: the number of the first word.
    """

    field: str
    words: Sequence[str] = ()
    first: int = 0

    def text(self, state: Any) -> str:
        """Returns the field's numbers in a state as text; empty where all are 0."""
        numbers = np.atleast_1d(state[self.field]).ravel().tolist()
        return self._separator.join(self._number_text(number) for number in numbers) if any(numbers) else ""

    @property
    def _separator(self) -> str:
        return "" if self.words and all(len(word) == 1 for word in self.words) else ","

    def _number_text(self, number: int) -> str:
        return self.words[number - self.first] if self.words else str(number)

    def numbers(self, text: str, size: int, most: int) -> list[int]:
        """Returns the numbers of a text of `text`, ``size`` of them up to ``most``; raises ValueError for other texts."""
        told = text.split(",") if self._separator else list(text)
        if self.words:
            known = set(told) <= set(self.words)
        else:
            known = all(word.isdecimal() and len(word) < 20 and int(word) <= most for word in told)
        if len(told) != size or not known:
            allowed = f"one of {', '.join(self.words)}" if self.words else "a number"
            raise ValueError(f"{self.field}={short(text)}: must have {size} word{'s' * (size > 1)}, each {allowed}")
        return [list(self.words).index(word) + self.first if self.words else int(word) for word in told]


@dataclass(frozen=True)
class FieldTexts:
    """The start of a deal as text: the fields that it sets, except those that are all 0."""

    game: str  # name, for messages
    fields: tuple[Dealt, ...]
    begin: Kernel  # kernel that sets all other fields for the start of a deal
    flaw: Kernel  # kernel `Kernels.flaw`
    parts: tuple[Part, ...]  # parts of an observation, for messages

    def deal_text(self, state: Any) -> dict[str, str]:
        """Returns a deal's start in text, by key."""
        told = {dealt.field: dealt.text(state) for dealt in self.fields}
        return {key: text for key, text in told.items() if text}

    def set_deal(self, games: Games, i: int, given: Mapping[str, str]) -> None:
        """Sets game ``i`` to the start of a deal; raises ValueError for unknown keys, wrong texts or no deal."""
        known = [dealt.field for dealt in self.fields]
        if not set(given) <= set(known):
            raise ValueError(f"a deal of {self.game} has the keys {', '.join(known)}, not {', '.join(sorted(given))}")
        for dealt in self.fields:
            kind = games.dtype[dealt.field]
            shape, size, most = kind.shape, int(np.prod(kind.shape)), int(np.iinfo(kind.base).max)
            numbers = dealt.numbers(given[dealt.field], size, most) if dealt.field in given else [0] * size
            games[i][dealt.field] = np.reshape(numbers, shape) if shape else numbers[0]
        self.begin(games, i)
        part = int(self.flaw(games, i, True))
        if part >= 0:
            named = f": {self.parts[part].name!r} ({self.parts[part].meaning})" if part < len(self.parts) else ""
            told = " ".join(f"{key}={text}" for key, text in given.items()) or "nothing"
            raise ValueError(f"{told} is no deal of {self.game}{named}")


@dataclass(frozen=True)
class StreamText:
    """The start of a deal as text: the random stream that deals it again."""

    game: str  # name, for messages
    deal: Kernel

    def deal_text(self, state: Any) -> dict[str, str]:
        return {"deal": f"{int(state[STREAM]):016x}"}

    def set_deal(self, games: Games, i: int, given: Mapping[str, str]) -> None:
        """Deals game ``i`` from the stream in the text; raises ValueError for another key, or no stream."""
        if set(given) != {"deal"}:
            raise ValueError(f"a deal of {self.game} has the key deal, not {', '.join(sorted(given)) or 'none'}")
        text = given["deal"]
        if len(text) != 16 or not set(text) <= set("0123456789abcdef") or not int(text, 16):
            raise ValueError(f"deal={short(text)}: must be 16 digits, 0 to 9 and a to f, not all of them 0")
        games[i][STREAM] = np.uint64(int(text, 16))
        self.deal(games, i, np.array([int(text, 16)], np.uint64), 0)


@dataclass(frozen=True)
class PartsDrawing:
    """The text of a position: what its seats see, a line for each part of an observation, players by their names."""

    title: str
    seats: int
    parts: tuple[Part, ...]
    kernels: Kernels

    def __call__(self, state: Any, seat: int | None = None) -> str:
        """Returns the text of a position; with ``seat``, only what that seat may see. A view is drawn as it is."""
        games = as_records(np.zeros(1, state.dtype))
        games[0] = state
        head = self.title + ("" if state["over"] == RUNNING else ": finished")
        if self.kernels.flaw(games, 0, True) >= 0:
            return "\n".join([head, *self._view_lines(games, 0)])
        told = [self._view_lines(self._seat_view(games, one), one) for one in range(self.seats)]
        if seat is not None:
            return "\n".join([head, *told[seat]])
        shared = [line for line in told[0] if all(line in lines for lines in told)]
        own = [f"player_{one}: {line}" for one, lines in enumerate(told) for line in lines if line not in shared]
        return "\n".join([head, *shared, *own])

    def _seat_view(self, games: Any, seat: int) -> Any:
        views = as_records(np.zeros(1, games.dtype))
        self.kernels.view(games, 0, seat, views, 0)
        return views

    def _view_lines(self, views: Any, seat: int) -> list[str]:
        """Returns a line on the view of a seat for each part that is not all zeros."""
        row = np.zeros((1, sum(part.size for part in self.parts)), np.int8)
        self.kernels.observe(views, 0, row, 0)
        players = {"self": f"player_{seat}"}
        players |= {f"seat+{k}": f"player_{(seat + k) % self.seats}" for k in range(1, self.seats)}
        width, lines, at = max(len(part.name) for part in self.parts), [], 0
        for part in self.parts:
            lit = [part.labels[k] for k in np.flatnonzero(row[0, at : at + part.size])]
            if players.keys() >= set(part.labels):
                lit = sorted(players[label] for label in lit)
            lines += [f"{part.name:<{width}}  {' '.join(lit)}"] if lit else []
            at += part.size
        return lines


@dataclass(frozen=True)
class GreatestLoss:
    """A side's greatest loss by kind of reward: as given, 1 for ``win``, else the greatest in 300 random deals."""

    said: Mapping[str, float] = field(hash=False)  # given losses; not hashed, so that specs can be keys
    kernels: Kernels  # with name, words and sides
    dtype: np.dtype[Any]
    options: tuple[Option, ...]
    sides: int  # number of sides
    most: int  # maximum number of actions of a deal

    def __call__(self, options: Mapping[str, Any], reward: str) -> float:
        said = {"win": 1.0, **self.said}
        return float(said[reward]) if reward in said else self._sampled_loss(options, reward)

    def _sampled_loss(self, options: Mapping[str, Any], reward: str) -> float:
        games: Any = np.zeros(1, self.dtype)
        for option in self.options:
            games[option.name] = option.encode(options.get(option.name, option.default))
        seats = len(self.kernels.side_of)
        points, tricks = np.zeros((1, self.sides), np.int64), np.zeros((1, seats), np.int64)
        rewards = np.zeros((1, seats), np.float32)
        find, streams = _greatest_loss_loop(self.kernels), seed_streams(0, 300)
        return float(find(as_records(games), streams, self.most, REWARD_KINDS[reward], points, tricks, rewards))


@functools.cache
def _greatest_loss_loop(kernels: Kernels) -> Any:
    """Returns the loop that plays random deals and finds a side's greatest loss, at least 1."""
    deal, step, random_action, pay_so_far = kernels.deal, kernels.step, kernels.random_action, kernels.pay_so_far

    @kernels.loop("defaults.greatest_loss")
    def find_greatest_loss(
        games: Any, streams: Streams, most: int, kind: int, points: Ints, tricks: Ints, rewards: Floats
    ) -> float:
        worst = 1.0
        for s in range(len(streams)):
            deal(games, 0, streams, s)
            made = 0
            while games[0].over == loops.RUNNING and made < most:
                step(games, 0, random_action(games, 0, streams, s))
                made += 1
            if games[0].over != loops.RUNNING:
                pay_so_far(kind, 1.0, games, 0, points, tricks, rewards)
                for seat in range(rewards.shape[1]):
                    worst = max(worst, -rewards[0, seat])
        return worst

    return find_greatest_loss
