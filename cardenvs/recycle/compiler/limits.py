"""Limits that a game may exceed, checked before it is played."""

from collections.abc import Iterator

from cardenvs.recycle.compiler.actions import Actions
from cardenvs.recycle.compiler.alternatives import MOST_WIDTH
from cardenvs.recycle.compiler.collections import MOST_SUBSETS
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.ordering import places_in
from cardenvs.recycle.compiler.privacy import MOST_VALUES, Privacy
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.errors import Position, RecycleError
from cardenvs.recycle.language.symbols import owned_of

MOST_CODE = 6_000  # the most lines of code of a game's own: with so many, its kernels take about a minute to compile
MOST_SEEN = 125_000
"""The most numbers or words times seats: a table for each seat is compiled in, and numba keeps none above 10**6 bytes."""

Remark = tuple[Position, str]  # a remark on a description: its position and its text


def check_limits(layout: Layout, actions: Actions, privacy: Privacy) -> list[Remark]:
    """Returns remarks on limits that a game may exceed; a RecycleError for one that it certainly exceeds."""
    for storage, bins in (("sto", layout.numbers), ("str", layout.texts)):
        if len(bins) * layout.seats > MOST_SEEN:
            most = f"at most {MOST_SEEN // layout.seats} can be compiled for {layout.seats} seats"
            raise RecycleError(
                f"the game has {len(bins)} {storage} bins, those of all owners together: {most}", layout.description.at
            )
    return [*_subset_remarks(layout, actions), *_chosen_set_remarks(layout, actions), *_private_remarks(layout, privacy)]


def check_code(layout: Layout, text: str) -> None:
    """Raises a RecycleError if a game's code is too long to be compiled; it names the longest statement."""
    lines = text.count("\n    ")
    if lines > MOST_CODE:
        longest = max(layout.description.body, key=lambda statement: sum(1 for _ in syntax.walk(statement)))
        message = (
            f"the game is {lines} lines of code, most of them for what begins here: at most {MOST_CODE} can be compiled"
        )
        raise RecycleError(f"{message} in about a minute", longest.at)


def _subset_remarks(layout: Layout, actions: Actions) -> Iterator[Remark]:
    for node in layout.nodes:
        if isinstance(node, syntax.Subsets) and actions.bounds.most_cards(node.cards) > MOST_SUBSETS:
            yield from _size_remarks(layout, actions, node, node.cards, MOST_SUBSETS, "subsets are made of")


def _chosen_set_remarks(layout: Layout, actions: Actions) -> Iterator[Remark]:
    for one in actions:
        for domain in one.domains:
            over = domain.any.over
            if domain.word == "card" and not domain.has_faces and actions.bounds.most_in_set(over) >= MOST_WIDTH:
                yield from _size_remarks(layout, actions, domain.any, over, MOST_WIDTH - 1, "sets are chosen of")


def _size_remarks(
    layout: Layout, actions: Actions, node: syntax.Node, cards: syntax.Expression, limit: int, what: str
) -> Iterator[Remark]:
    """Yields the remark on a limit that a collection may exceed; none if only the script brings cards there."""
    deal = actions.bounds.deal
    places = places_in(layout, cards)
    dealt = max(map(deal.place_size, places), default=0)
    message = f"{what} at most {limit} cards"
    if dealt > limit and isinstance(cards, syntax.Place) and any(part is node for part in _asked_at_once(layout)):
        raise RecycleError(f"{message}: {dealt} are dealt there", node.at)
    chosen = {
        one for choice in layout.statics.choices for act in syntax.walk(choice) if isinstance(act, syntax.Move)
        for one in owned_of(act.to.place, layout.possible)
    }  # fmt: skip
    if dealt > limit or any(one in chosen for place in places for one in owned_of(place, layout.possible)):
        most = (
            min(actions.bounds.most_cards(cards), len(layout.cards))
            if cards.kind is syntax.Kind.CARDS
            else len(layout.cards)
        )
        yield node.at, f"{message}: there may be {most}, which would end the game with an error"


def _asked_at_once(layout: Layout) -> Iterator[syntax.Node]:
    """Yields the nodes that the first decision certainly evaluates."""
    statements: tuple[syntax.Statement, ...] = layout.description.body[len(layout.opening) :]
    while statements and isinstance(statements[0], syntax.Stage):
        statements = statements[0].body
    if statements and isinstance(statements[0], syntax.Choice):
        for act in statements[0].alternatives:
            while isinstance(act, syntax.Let | syntax.ForEach):
                yield from syntax.walk(act.over if isinstance(act, syntax.ForEach) else act.value)
                if isinstance(act, syntax.ForEach):
                    yield act
                    break
                act = act.act


def _private_remarks(layout: Layout, privacy: Privacy) -> Iterator[Remark]:
    for one in dict.fromkeys(secret.bin for secret in privacy.secrets):
        if not privacy.is_bounded(one):
            what = f"what {one.storage} {one.name} can hold is not known before play"
            limit = f"another number than 0 to {MOST_VALUES - 1} would end the game with an error"
            yield layout.private[one.storage, one.name], f"{what}: {limit}"
