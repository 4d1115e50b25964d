"""The small door: a game from five kernels, a layout of its observations and names; all else has a default.

`define_game` lists everything else that a game can bring.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from cardenvs.checks import check_int, did_you_mean
from cardenvs.compiled.bits import Bytes, Streams
from cardenvs.compiled.jit import DISABLED, closure, inlined, kernel
from cardenvs.compiled.streams import new_stream
from cardenvs.contract.defaults import STREAM, Dealt, FieldTexts, GreatestLoss, PartsDrawing, StreamText
from cardenvs.contract.fields import Part
from cardenvs.contract.kernels import Kernel, Kernels
from cardenvs.contract.layout import Layout
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, RUNNING
from cardenvs.contract.options import Option, show
from cardenvs.contract.sources import OneHot, OneOf
from cardenvs.contract.spec import GameSpec

FIVE = ("deal", "legal", "step", "outcome", "view")
"""The kernels that every game must bring."""
_MADE = ("name", "title", "sides", "actions", "dtype", "options", "rewards", "parts", "hidden", "kernels")
_KERNELS = {
    one.name for one in fields(Kernels) if one.name not in (*FIVE, "name", "words", "side_of", "recall_column")
}  # fmt: skip
_FIELDS = {one.name for one in fields(GameSpec) if one.init and one.name not in (*_MADE, "recall", "path", "digest")}


def seat_names(seats: int) -> tuple[str, ...]:
    """Returns labels for the seats of a view: ``self``, ``seat+1`` and so on to the left."""
    return ("self", *(f"seat+{k}" for k in range(1, seats)))


def define_game(
    name: str,
    *,
    seats: int,
    actions: Sequence[str],
    state: np.dtype[Any],
    observation: Sequence[Part],
    title: str | None = None,
    sides: Sequence[Sequence[int]] | None = None,
    options: Sequence[Option] = (),
    rewards: Sequence[str] = ("points", "win"),
    ranges: Mapping[str, tuple[int, int]] | None = None,
    untold: Sequence[str] = (),
    complete: Kernel | None = None,
    hidden: Sequence[Part] = (),
    dealt: Sequence[Dealt] = (),
    begin: Kernel | None = None,
    worst_loss: Mapping[str, float] | Callable[[Mapping[str, Any], str], float] | None = None,
    recall_history: bool = False,
    **callables: Any,
) -> GameSpec:
    """Returns a game from the kernels ``deal``, ``legal``, ``step``, ``outcome`` and ``view``, with defaults for the rest.

    Kernels are those of `cardenvs.contract.kernels.Kernels`, by their names, other functions those of
    `cardenvs.contract.spec.GameSpec`.

    Args:
        name: the name on the command line, such as ``"kuhn"``.
        seats: number of seats.
        actions: the name of each action, by its number.
        state: the structured dtype of the game's STATE, with the fields ``to_act``, ``over``, ``moves``, ``history``, whose
            length is the most actions of a deal, and one for each option.
        observation: the parts of an observation, each with a source (`cardenvs.contract.sources`). Parts for ``to_act``,
            ``over`` and the options are added, unless a given part shows that field.
        title: the name for people; None for the name with a capital.
        sides: the seats of each side; None where everybody plays alone.
        options: the rule options.
        rewards: the kinds of reward, the default first.
        ranges: by field, the least and the greatest number that a state has there; for fields that no part shows, and where
            a state has other numbers than a view. Views have 0 in what no part shows. A uint64 field, a random stream, has
            no range.
        untold: fields, or those of which parts show some numbers, that views have all the same: set by ``complete`` or by
            ``remember``. Their other numbers have no range: ``flaw`` must check them.
        complete: ``complete(views, j)``, a kernel that sets the fields of a view that follow from those that parts show.
        hidden: parts of what no seat sees, such as the stock, with sources in the full state. In a ``state()`` they follow
            the ``private`` parts of the other seats; where no part is private, all their parts.
        dealt: the fields that identify a deal in a line of text. Without them a line has the random stream of the deal,
            which the STATE keeps in a field of its own (``deal_stream``).
        begin: ``begin(games, i)``, a kernel that sets all other fields for the start of a deal; needed with ``dealt``.
        worst_loss: the greatest loss of a side in an episode, by kind of reward, or a function as in `GameSpec`; None for
            the greatest in 300 random deals.
        recall_history: whether `GameSpec.recalling` has the actions in order behind the other parts, one part for each; for
            games in which a seat has seen no more than its view and the actions.
        callables: the five kernels, other kernels, and functions of `GameSpec`, by name: ``redeal``, without which
            policies draw no worlds; ``flaw``, called only on records whose numbers are all in range; ``observe`` and
            ``decode``, where faster than the generated ones; ``reveal``; ``recall`` and ``recollect`` with
            ``recall_parts``; ``drawing``; ``deal_text`` and ``set_deal``; ``max_steps``, where the STATE's ``history`` is
            longer than a deal can be; and others.

    Raises:
        ValueError: one of the five is missing, a function is not compiled, a name is unknown, the STATE lacks a field or
            has a wrong one, or a part does not fit its field; names what is wrong and what is allowed.
    """
    actions, options, sides = tuple(actions), tuple(options), _seats_by_side(seats, sides)
    _check_callables(name, callables, begin)
    _check_state(name, state, actions, options)
    by_stream = _check_deals(name, state, tuple(dealt), begin, callables)
    parts = (*observation, *_further_parts(observation, seats, options))
    layout = Layout(name, state, parts, dict(ranges or {}), tuple(untold))
    most = check_int("max_steps", callables.pop("max_steps", state["history"].shape[0]), 1, state["history"].shape[0])
    brought = {key: function for key, function in callables.items() if key in _KERNELS}
    made = _KernelMaker(name, layout, callables | {"complete": complete}, seats, actions, most, by_stream)
    if recall_history:
        brought |= made.recall_kernels()
        callables |= {"recall_parts": made.recall_parts}
    if "reveal" not in brought:
        brought["reveal"], hidden = made.reveal_kernel(tuple(hidden))
    kernels = Kernels(
        **brought | made.five_kernels() | made.observation_kernels(),
        name=name,
        words=made.mask_words,
        side_of=_side_of(sides),
    )
    dtype = _with_stream(state) if by_stream else state
    title = title or name.replace("-", " ").capitalize()
    if "set_deal" not in callables:
        texts: Any = StreamText(name, callables["deal"])
        if begin is not None:
            texts = FieldTexts(name, tuple(dealt), begin, kernels.flaw, parts)
        callables |= {"deal_text": texts.deal_text, "set_deal": texts.set_deal}
    callables.setdefault("drawing", PartsDrawing(title, seats, parts, kernels))
    callables.setdefault("module", re.sub(r"\W", "_", f"{name}_v0"))
    if not callable(worst_loss):
        known = dict(worst_loss or {})
        worst_loss = GreatestLoss(known, kernels, dtype, options, len(sides), most)
        callables.setdefault("loss_is_bound", set(rewards) <= {*known, "win"})
    return GameSpec(
        name=name, title=title, sides=sides, actions=actions, dtype=dtype, options=options, rewards=tuple(rewards),
        parts=parts, hidden=tuple(hidden), kernels=kernels, max_steps=most, worst_loss=worst_loss,
        **{key: value for key, value in callables.items() if key in _FIELDS},
    )  # fmt: skip


# --- checks -----------------------------------------------------------------------------------------------------------


def _seats_by_side(seats: int, sides: Sequence[Sequence[int]] | None) -> tuple[tuple[int, ...], ...]:
    """Returns the seats of each side; `GameSpec` checks that each seat is on one."""
    check_int("seats", seats, 1)
    listed = tuple((seat,) for seat in range(seats)) if sides is None else tuple(map(tuple, sides))
    if sum(map(len, listed)) != seats:
        raise ValueError(f"sides must have {seats} seats, not {listed}")
    return listed


def _side_of(sides: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    return tuple(side for _, side in sorted((seat, side) for side, seats in enumerate(sides) for seat in seats))


def _check_callables(game: str, callables: Mapping[str, Any], begin: Kernel | None) -> None:
    missing = [name for name in FIVE if name not in callables]
    if missing:
        raise ValueError(f"{game} lacks {', '.join(missing)}: what a game needs is {', '.join(FIVE)}")
    for name in callables:
        if name not in (*FIVE, *_KERNELS, *_FIELDS):
            known = sorted({*_KERNELS, *_FIELDS})
            raise ValueError(f"{game} brings {name!r}, which nobody asks for{did_you_mean(name, known)}: known are "
                             f"{', '.join((*FIVE, *known))}")  # fmt: skip
    for group in (("observe", "decode"), ("deal_text", "set_deal"), ("recall", "recollect", "recall_parts")):
        if 0 < sum(name in callables for name in group) < len(group):
            raise ValueError(f"{game} must bring {' and '.join(group)} together, or none of them")
    for name, function in {**callables, "begin": begin}.items():
        if name in (*FIVE, *_KERNELS, "begin") and function is not None and not (DISABLED or hasattr(function, "py_func")):
            raise ValueError(f"{name} of {game} is not compiled: put @kernel before it")


def _check_state(game: str, state: np.dtype[Any], actions: Sequence[str], options: Sequence[Option]) -> None:
    needed = ("to_act", "over", "moves", "history", *(option.name for option in options))
    missing = [name for name in needed if name not in (state.names or ())]
    if missing:
        raise ValueError(f"the STATE of {game} lacks {', '.join(missing)}: it needs {', '.join(needed)}")
    kind = state["history"]
    if len(kind.shape) != 1 or kind.base.kind != "i" or np.iinfo(kind.base).max < len(actions) - 1:
        raise ValueError(
            f"history in the STATE of {game} must be a row of signed ints up to {len(actions) - 1}, not {kind}"
        )


def _check_deals(
    game: str, state: np.dtype[Any], dealt: tuple[Dealt, ...], begin: Kernel | None, callables: Mapping[str, Any]
) -> bool:
    """Checks how a line of text identifies a deal; returns whether it does by a random stream."""
    for one in dealt:
        if one.field not in (state.names or ()):
            raise ValueError(
                f"dealt of {game}: the STATE has no field {one.field!r}: its fields are {', '.join(state.names or ())}"
            )
    if bool(dealt) != (begin is not None):
        raise ValueError(f"{game} must bring dealt and begin together, or neither")
    by_stream = not dealt and "set_deal" not in callables
    if by_stream and "redeal" in callables:
        raise ValueError(
            f"{game} re-deals what no random stream has dealt: it must bring dealt and begin, or deal_text and set_deal"
        )
    return by_stream


def _further_parts(observation: Sequence[Part], seats: int, options: Sequence[Option]) -> list[Part]:
    """Returns parts for the fields of every game that its own parts do not show."""
    told = {getattr(part.source, "field", None) for part in observation}
    over = Part("episode_over", ("yes",), "the episode is over", source=OneHot("over", first=EPISODE_OVER, none=RUNNING))
    if any(option.name == "episode" for option in options):
        over = Part("over", ("deal", "episode"), "what is over", source=OneHot("over", first=DEAL_OVER, none=RUNNING))
    found = [Part("to_act", seat_names(seats), "whose turn it is", source=OneHot("to_act", none=-1)), over]
    for option in options:
        source = OneOf(option.name, values=tuple(option.encode(choice) for choice in option.choices))
        found.append(Part(option.name, tuple(map(show, option.choices)), f"option: {option.meaning}", source=source))
    return [part for part in found if getattr(part.source, "field", None) not in told]


def _with_stream(state: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype([*((name, state[name]) for name in state.names or ()), (STREAM, np.uint64)], align=True)


# --- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def _no_flaw(games: Any, i: int, whole: bool) -> int:
    return np.int64(-1)


@kernel
def _always(games: Any, i: int, whole: bool) -> bool:
    return True


@kernel
def _own_stream(games: Any, i: int, whole: bool) -> bool:
    """Requires a stream of states, and none of views."""
    return (games[i].deal_stream != 0) == whole


@kernel
def _clear_stream(views: Any, j: int) -> None:
    views[j].deal_stream = np.uint64(0)


@kernel
def _remember_nothing(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    pass


@kernel
def _write_nothing(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
    pass


@dataclass(frozen=True)
class _KernelMaker:
    """Generates the kernels that a game leaves out."""

    name: str
    layout: Layout
    brought: Mapping[str, Any]
    seats: int
    actions: tuple[str, ...]
    most: int  # maximum number of actions of a deal
    by_stream: bool  # whether a state keeps the random stream of its deal

    @property
    def module_name(self) -> str:
        """Module that all kernels are counted to."""
        return str(self.brought["deal"].__module__)

    @property
    def mask_words(self) -> int:
        """Number of 64-bit words in a set of actions."""
        return -(-len(self.actions) // 64)

    def _compile(self, name: str) -> Any:
        return closure(f"{self.module_name}:{self.name}.definition.{name}")

    def five_kernels(self) -> dict[str, Kernel]:
        """Returns the five kernels; with a kept stream, a deal stores it and a view hides it."""
        brought = {name: self.brought[name] for name in FIVE}
        if not self.by_stream:
            return brought
        own_deal, own_view = inlined(self.brought["deal"]), inlined(self.brought["view"])

        @self._compile("deal")
        def deal(games: Any, i: int, streams: Streams, s: int) -> None:
            own = np.empty(1, np.uint64)
            own[0] = new_stream(streams, s)
            games[i].deal_stream = own[0]
            own_deal(games, i, own, 0)

        @self._compile("view")
        def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
            own_view(games, i, seat, views, j)
            views[j].deal_stream = np.uint64(0)

        return brought | {"deal": deal, "view": view}

    def observation_kernels(self) -> dict[str, Kernel]:
        """Returns the kernels ``observe``, ``decode`` and ``flaw``."""
        brought = self.brought
        return {
            "observe": brought.get("observe") or self.layout.observe_kernel(self.module_name),
            "decode": self._decode_kernel(),
            "flaw": self._flaw_kernel(),
        }

    def _decode_kernel(self) -> Kernel:
        read = self.brought.get("decode") or self.layout.decode_kernel(self.module_name)
        for complete in (self.brought["complete"], _clear_stream if self.by_stream else None):
            read = read if complete is None else self._completed(inlined(read), complete)
        return read

    def _completed(self, read: Kernel, complete: Kernel) -> Kernel:
        @self._compile(f"decode.{complete.__name__}")
        def decode(observations: Bytes, row: int, views: Any, j: int) -> None:
            read(observations, row, views, j)
            complete(views, j)

        return decode

    def _replay_kernel(self) -> Kernel:
        """Returns a kernel ``replays(games, i, whole) -> bool``: whether play leads from the start of the deal to a record
        by the actions in its history; true where that lacks some. For a view, the deal of a world is played."""
        if "rewind" not in self.brought or "redeal" not in self.brought:
            return _always
        legal, step, view, rewind = (self.brought[name] for name in ("legal", "step", "view", "rewind"))
        redeal = self.brought.get("redeal_past") or self.brought["redeal"]
        remember = self.brought.get("remember") or _remember_nothing
        same, most = self.layout.comparison_kernel(self.module_name), self.most

        @self._compile("replays")
        def replays(games: Any, i: int, whole: bool) -> bool:
            worlds, starts, actions = (
                np.empty_like(games[i : i + 1]),
                np.empty_like(games[i : i + 1]),
                np.empty(most, np.int64),
            )
            if whole:
                worlds[0] = games[i]
            else:
                redeal(games, i, np.zeros(1, np.uint64), 0, worlds, 0)
            count = rewind(worlds, 0, starts, 0, actions)
            for k in range(count):
                action = actions[k]
                if action < 0 or not legal(starts, 0, action >> 6) >> (action & 63) & 1:
                    return False
                step(starts, 0, action)
            if count < 0 or (whole and same(starts, 0, games, i)):
                return True
            view(starts, 0, 0, worlds, 0)
            if not whole and same(worlds, 0, games, i):
                return True
            remember(starts, 0, 0, worlds, 0)
            return not whole and same(worlds, 0, games, i)

        return replays

    def _flaw_kernel(self) -> Kernel:
        """Returns the kernel ``flaw``: checks the ranges, the game's own conditions, that the seat to act can act, and that
        play leads to the record, where its history has all actions."""
        bounds, own, legal = (
            self.layout.range_kernel(self.module_name),
            self.brought.get("flaw", _no_flaw),
            self.brought["legal"],
        )
        fits = _own_stream if self.by_stream else _always
        parts, replays = self.layout.parts, self._replay_kernel()
        turn = next(k for k, part in enumerate(parts) if getattr(part.source, "field", None) == "to_act")
        least = -1 if "seen" in self.brought or "history_text" in self.brought else 0
        past, untold, most, actions, words = len(parts), len(parts) + 1, self.most, len(self.actions), self.mask_words

        @self._compile("flaw")
        def flaw(games: Any, i: int, whole: bool) -> int:
            part = bounds(games, i, whole)
            if part >= 0:
                return part
            g = games[i]
            if not fits(games, i, whole):
                return untold
            if (g.to_act < 0) != (g.over != RUNNING):
                return turn
            if g.moves < 0 or g.moves > most:
                return past
            for k in range(g.moves):
                if g.history[k] < least or g.history[k] >= actions:
                    return past
            part = own(games, i, whole)
            if part >= 0:
                return part
            if g.to_act == 0 or (g.to_act > 0 and whole):
                can_act = False
                for word in range(words):
                    can_act |= legal(games, i, word) != 0
                if not can_act:
                    return turn
            return past if g.moves > 0 and not replays(games, i, whole) else np.int64(-1)

        return flaw

    def reveal_kernel(self, hidden: tuple[Part, ...]) -> tuple[Kernel, tuple[Part, ...]]:
        """Returns the kernel ``reveal`` and the parts that it writes."""
        view, seats = self.brought["view"], self.seats
        private = tuple(part for part in self.layout.parts if part.private) or self.layout.parts
        parts = tuple(
            replace(part, name=f"{part.name}_{seat}", meaning=f"{part.meaning} (as {seat} sees it)", source=None)
            for seat in seat_names(seats)[1:]
            for part in private
        )
        width = sum(part.size for part in private)
        write_private = self.layout.writer_kernel(self.module_name, "private", private)
        write_hidden = self.layout.writer_kernel(self.module_name, "hidden", hidden) if hidden else _write_nothing

        @self._compile("reveal")
        def reveal(games: Any, i: int, seat: int, out: Bytes, row: int, column: int) -> None:
            """Writes the views of the other seats, then the hidden parts."""
            views = np.empty_like(games[i : i + 1])
            for k in range(1, seats):
                view(games, i, (seat + k) % seats, views, 0)
                write_private(views, 0, out, row, column)
                column += width
            write_hidden(games, i, out, row, column)

        return reveal, parts + hidden

    @property
    def recall_parts(self) -> tuple[Part, ...]:
        """Parts of ``recall``, one for each action of a deal."""
        labels = (*self.actions, "hidden") if "seen" in self.brought else self.actions
        return tuple(Part(f"act_{k + 1}", labels, f"action {k + 1} of the deal") for k in range(self.most))

    def recall_kernels(self) -> dict[str, Kernel]:
        """Returns the kernels ``recall`` and ``recollect``: one-hot actions of a view's history."""
        most, actions = self.most, len(self.actions)
        width = len(self.recall_parts[0].labels)

        @self._compile("recall")
        def recall(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
            v = views[i]
            for k in range(most * width):
                out[row, column + k] = 0
            for k in range(v.moves):
                action = int(v.history[k])  # of a small type, in which the index could overflow
                out[row, column + width * k + (action if action >= 0 else actions)] = 1

        @self._compile("recollect")
        def recollect(observations: Bytes, row: int, column: int, views: Any, j: int) -> None:
            v = views[j]
            for k in range(most):
                for action in range(width):
                    if observations[row, column + width * k + action] != 0:
                        v.history[k] = action if action < actions else -1
                        v.moves = k + 1

        return {"recall": recall, "recollect": recollect}
