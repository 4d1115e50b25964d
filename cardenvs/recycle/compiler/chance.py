"""Randomness in a described game that its text shows."""

from __future__ import annotations

from cardenvs.recycle.language import syntax


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
