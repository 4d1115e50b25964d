"""The nodes of acts."""

from __future__ import annotations

from typing import Literal

from cardenvs.recycle.language.syntax_cards import Place
from cardenvs.recycle.language.syntax_nodes import Binding, Expression, Node
from cardenvs.recycle.language.syntax_values import NumberBin, PointMap, StringBin


class Act(Node):
    """An act of a script."""


class Prim(Act):
    """An act that changes something itself; what ``repeat`` takes."""


class Guarded(Act):
    """``(CONDITION ACT)``: the act if the condition holds."""

    condition: Expression
    act: Act


class Do(Act):
    """``(do (ACT ..))``."""

    acts: tuple[Act, ...]


class ForEach(Act):
    """``(all COLLECTION 'X ACT)`` or ``(any COLLECTION 'X ACT)``; in a choice, ``any`` is what a player chooses from."""

    quantifier: Literal["any", "all"]
    over: Expression
    variable: Binding
    act: Act


class Let(Act):
    """``(let VALUE 'X ACT)``."""

    value: Expression
    variable: Binding
    act: Act


class SetNumber(Prim):
    """``(set (OWNER sto NAME) NUMBER)``."""

    bin: NumberBin
    value: Expression


class Change(Prim):
    """``(inc (OWNER sto NAME) NUMBER)`` or ``(dec ..)``."""

    operator: Literal["inc", "dec"]
    bin: NumberBin
    amount: Expression


class SetString(Prim):
    """``(set (OWNER str NAME) STRING)``."""

    bin: StringBin
    value: Expression


class Key(Node):
    """``(ATTRIBUTE : VALUE)`` in an award."""

    attribute: Expression
    value: Expression


class Award(Node):
    """``(KEY .. NUMBER)``: the points of a card that has all these values."""

    keys: tuple[Key, ...]
    points: Expression


class SetMap(Prim):
    """``(set (OWNER points NAME) (AWARD ..))``."""

    map: PointMap
    awards: tuple[Award, ...]


class Target(Node):
    """A position of a place to which a card goes."""

    index: Literal["top", "bottom"] | Expression
    place: Place


class Move(Prim):
    """``(move CARD (top PLACE))``."""

    card: Expression
    to: Target


class Shuffle(Prim):
    """``(shuffle PLACE)``."""

    place: Place


class TurnPass(Prim):
    """``(turn pass)``: does nothing, but counts as an act."""


class Tell(Prim):
    """``(tell TEST)`` or ``(tell WHO TEST)``: all, a player or a team learn whether TEST holds."""

    who: Expression | None  # a player or a team; None for all
    test: Expression


class SetCycle(Prim):
    """``(cycle next WHO)``: WHO is queued to be next; ``(cycle current WHO)``: WHO is current at once."""

    which: Literal["next", "current"]
    who: Expression


class Remember(Prim):
    """``(remember CARD (top MEM))``: a copy of a card is added to a ``mem``."""

    card: Expression
    to: Target


class Forget(Prim):
    """``(forget CARD)``: drops a copy from its ``mem``."""

    card: Expression
    place: Place  # the ``mem`` of the copy


class Repeat(Prim):
    """``(repeat n PRIM)``."""

    times: Expression
    prim: Prim


class RepeatAll(Prim):
    """``(repeat all (move ..))`` or ``(repeat all (forget ..))``: as often as ``cards`` has cards at the start."""

    cards: Expression
    prim: Move | Forget


Face = tuple[tuple[str, str], ...]  # the face of a card: its attributes with their values, sorted by attribute


class CreateDeck(Prim):
    """``(create deck [NAME] PLACE (deck ..))``; puts the cards on top of the place, in the order of ``faces``."""

    deck: str  # the name on the backs of its cards
    place: Place
    faces: tuple[Face, ...]
