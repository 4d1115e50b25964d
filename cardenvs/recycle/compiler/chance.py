"""Randomness in a described game that its text shows."""

import math

from cardenvs.recycle.compiler.bounds import count_turns
from cardenvs.recycle.compiler.conditions import involves_chance
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.language import syntax


def count_shuffles(layout: Layout, node: syntax.Node) -> float:
    """Returns the maximum number of shuffles by a node, once it is reached; infinity if the text does not tell."""
    if not any(isinstance(part, syntax.Shuffle) for part in syntax.walk(node)):
        return 0
    counts = (count_shuffles(layout, part) for part in syntax.child_nodes(node))
    match node:
        case syntax.Shuffle():
            return 1
        case syntax.Stage():
            return count_turns(layout, node) * sum(counts)
        case syntax.Choice():
            return max(counts)
        case syntax.Repeat():
            count = layout.constant(node.times)
            return math.inf if count is None else int(count) * sum(counts)  # type: ignore[arg-type]
        case syntax.ForEach(_, "all"):
            return math.inf
    return sum(counts)


def draws_in_play(layout: Layout) -> bool:
    """Whether chance plays a part behind the first decision."""
    return any(involves_chance(node) for node in layout.nodes if isinstance(node, syntax.Stage | syntax.Choice))


def is_one_shuffle(description: syntax.Description) -> bool:
    """Whether all randomness of a game is one shuffle before the first choice, and perhaps ties behind it.

    A ``max`` or ``min`` draws one of equal cards. Those before the first choice, which would mix with the shuffle, and
    those in what is chosen from are not allowed; whether others ever meet a tie, only play can tell.
    """
    first = next(
        (k for k, part in enumerate(description.body) if isinstance(part, (syntax.Stage, syntax.Choice))),
        len(description.body),
    )
    every = [node for part in description.body for node in syntax.walk(part)] + list(syntax.walk(description.scoring))
    if any(isinstance(node, syntax.Random) for node in every):
        return False
    if sum(isinstance(node, syntax.Shuffle) for node in every) != 1:
        return False
    early = [*description.body[:first], *(node for node in every if isinstance(node, syntax.Choice))]
    if any(isinstance(node, syntax.Extreme) for part in early for node in syntax.walk(part)):
        return False
    return any(_is_sure_shuffle(part) for part in description.body[:first])


def _is_sure_shuffle(part: syntax.Node) -> bool:
    """Whether a statement shuffles unconditionally, and once."""
    if isinstance(part, syntax.Do):
        return any(_is_sure_shuffle(act) for act in part.acts)
    return isinstance(part, syntax.Shuffle)
