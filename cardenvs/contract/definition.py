"""The small door: a game from five kernels, a layout of its observations and names; all else has a default.

`define_game` lists everything else that a game can bring.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from cardenvs.checks import check_int, did_you_mean
from cardenvs.compiled.jit import DISABLED
from cardenvs.contract.fields import Part
from cardenvs.contract.generated import FIVE, KernelMaker
from cardenvs.contract.kernels import Kernel, Kernels
from cardenvs.contract.layout import Layout
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, RUNNING
from cardenvs.contract.options import Option, show
from cardenvs.contract.sources import OneHot, OneOf
from cardenvs.contract.spec import GameSpec

if TYPE_CHECKING:
    from cardenvs.contract.defaults import Dealt

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
        untold: fields that views have though no part shows them, or only some of their numbers: set by ``complete`` or by
            ``remember``, or 0. They have no range: ``flaw`` must check them.
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
        callables: the five kernels, others of `cardenvs.contract.kernels.Kernels`, and functions of `GameSpec`, by name:
            ``redeal``, without which policies draw no worlds; ``flaw``, called only on records whose numbers are in range;
            ``recall``, ``recollect`` and ``recall_parts``; ``deal_text`` and ``set_deal``; ``max_steps``, where the
            STATE's ``history`` is longer than a deal can be; and others.

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
    made = KernelMaker(name, layout, callables | {"complete": complete}, seats, actions, most, by_stream)
    hidden = _add_written(made, callables, tuple(hidden), recall_history)
    brought = {key: function for key, function in callables.items() if key in _KERNELS}
    brought |= made.five_kernels() | made.observation_kernels()
    kernels = Kernels(**brought, name=name, words=made.mask_words, side_of=_side_of(sides))
    spec: dict[str, Any] = {
        "name": name, "title": title or name.replace("-", " ").capitalize(), "module": re.sub(r"\W", "_", f"{name}_v0"),
        "sides": sides, "actions": actions, "dtype": _with_stream(state) if by_stream else state, "options": options,
        "rewards": tuple(rewards), "parts": parts, "hidden": hidden, "kernels": kernels, "max_steps": most,
        **{key: value for key, value in callables.items() if key in _FIELDS},
    }  # fmt: skip
    return GameSpec(**_with_defaults(spec, callables["deal"], tuple(dealt), begin, worst_loss))


def _add_written(
    made: KernelMaker, callables: dict[str, Any], hidden: tuple[Part, ...], recall_history: bool
) -> tuple[Part, ...]:
    """Adds kernels that write hidden parts and the order of play, for a game without; returns the hidden parts."""
    if "reveal" in callables and not recall_history:
        return hidden
    from cardenvs.contract import written  # which games with kernels of their own do not need

    callables |= written.make_recall(made) if recall_history else {}
    if "reveal" not in callables:
        callables["reveal"], hidden = written.make_reveal(made, hidden, seat_names(made.seats))
    return hidden


def _with_defaults(
    spec: dict[str, Any], deal: Kernel, dealt: tuple[Dealt, ...], begin: Kernel | None, worst_loss: Any
) -> dict[str, Any]:
    """Returns the fields of a spec with functions for texts, drawings and losses that the game does not bring."""
    if {"set_deal", "drawing"} <= set(spec) and callable(worst_loss):
        return spec | {"worst_loss": worst_loss}
    from cardenvs.contract import defaults  # which games with functions of their own do not need

    name, kernels, parts = spec["name"], spec["kernels"], spec["parts"]
    seats = len(kernels.side_of)
    drawing = defaults.PartsDrawing(spec["title"], seats, parts, kernels)
    texts: Any = defaults.StreamText(name, deal)
    if begin is not None:
        texts = defaults.FieldTexts(name, dealt, begin, kernels.flaw, parts)
    made = {"drawing": drawing, "deal_text": texts.deal_text, "set_deal": texts.set_deal, "worst_loss": worst_loss}
    if not callable(worst_loss):
        known, options, sides = dict(worst_loss or {}), spec["options"], len(spec["sides"])
        made["worst_loss"] = defaults.GreatestLoss(known, kernels, spec["dtype"], options, sides, spec["max_steps"])
        made["loss_is_bound"] = set(spec["rewards"]) <= {*known, "win"}
    return made | spec


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
    return np.dtype([*((name, state[name]) for name in state.names or ()), ("deal_stream", np.uint64)], align=True)
