"""Checks of the information on hidden cards that a game gives its seats: its truth, its secrecy, re-deals that fit it.

Each function plays a random game and counts its looks and the wrong ones, in a new `Count` or in a given one. Information
reaches seats by *channels*: `OWN_CHANNELS` are a game's own, `cardenvs.information_audit.channels.ALL_CHANNELS` are all.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec

MOST_TRIED = 12
"""Maximum number of random options to find one that looks to a seat like another option."""
LOOKS = 120
"""Maximum number of looks at positions of deals that look alike."""
MOST_TWINS = 40
"""Maximum number of deals that look alike."""
MOST_PASTS = 12
"""Maximum number of positions of a game whose re-deals are checked."""
MOST_LINKS = 8
"""Maximum number of attempts to find a past for a world without one."""


@dataclass
class Count:
    """Counts of a check."""

    looked: int = 0  # number of looks
    wrong: int = 0  # looks that found an error
    unfound: int = 0  # positions without a world, which are no looks
    first: str = ""  # the first error with its position, else the first position without a world
    stopped: bool = False  # whether the next look ends the counting thread, as its time is over

    def record_look(self, wrong: Any, seat: int, line: Callable[[], str]) -> None:
        """Counts a look, and an error if ``wrong`` is not empty."""
        if self.stopped:
            raise SystemExit
        self.looked += 1
        if wrong:
            self.first = self.first if self.wrong else f"{wrong}: seat {seat} of {line()}"
            self.wrong += 1

    def record_miss(self, seat: int, line: str) -> None:
        """Counts a position for which no world was found."""
        if self.stopped:
            raise SystemExit
        self.unfound += 1
        self.first = self.first or f"no world is found: seat {seat} of {line}"

    def merge(self, other: Count) -> None:
        self.first = (other.first if other.wrong and not self.wrong else self.first) or other.first
        self.looked, self.wrong = self.looked + other.looked, self.wrong + other.wrong
        self.unfound += other.unfound


def deal_positions(spec: GameSpec, seed: int, **options: Any) -> Iterator[Games]:
    """Yields every position of the first deal of a random game, as copies of shape (1,)."""
    streams, games = seed_streams(seed, 1), spec.new_games(1, **options)
    spec.kernels.deal(games, 0, streams, 0)
    yield games.copy()
    while games[0]["over"] == RUNNING and (spec.max_decisions is None or games[0]["moves"] < spec.max_decisions):
        legal = spec.legal(games)
        actions = [k for k in range(spec.num_actions) if legal >> k & 1]
        spec.kernels.step(games, 0, actions[int(below(streams, 0, len(actions)))])
        yield games.copy()


def count_false(spec: GameSpec, seed: int, count: Count | None = None, **options: Any) -> Count:
    """Counts false claims in the views of a random game's seats, in games that can check them."""
    count = Count() if count is None else count
    if spec.untrue is None:
        return count
    for games in deal_positions(spec, seed, **options):
        for seat in range(spec.seats):
            view = spec.decode(spec.observation(games, seat)[None])[0]
            count.record_look(spec.untrue(games[0], seat, view), seat, lambda games=games: spec.text(games[0]))  # type: ignore[misc]
    return count


def _find_world(spec: GameSpec, games: Games, seat: int, streams: Any) -> Games | None:
    views, dealt = spec.new_games(1), spec.new_games(1)
    spec.kernels.view(games, 0, seat, views, 0)
    spec.kernels.redealing(views, 0, streams, 0, dealt, 0)
    fits = spec.kernels.fits
    return dealt if fits is None or fits(dealt, 0) else None


def count_mask(spec: GameSpec, seed: int, count: Count | None = None, **options: Any) -> Count:
    """Counts a random game's re-deals whose legal actions, computed there, differ from the seat's, or that have none. Games
    without re-deals pass."""
    count, streams, views = Count() if count is None else count, seed_streams(seed, 1), spec.new_games(1)
    if spec.kernels.redeal is None:
        return count
    for games in deal_positions(spec, seed, **options):
        if games[0]["over"] != RUNNING:
            break
        for seat in range(spec.seats):
            dealt = _find_world(spec, games, seat, streams)
            if dealt is None:
                count.record_miss(seat, spec.text(games[0]))
                continue
            kept = "legal_words" in (spec.dtype.names or ())  # a record with the legal actions must compute them again
            again = spec.parse(spec.text(dealt[0])) if kept else dealt
            spec.kernels.view(again, 0, 0, views, 0)
            legal = spec.legal(views) if again[0]["over"] == RUNNING else 0
            own = int(games[0]["to_act"]) == seat
            none = not (spec.legal(again) if again[0]["over"] == RUNNING else 0)
            wrong = "nothing is legal in a re-deal" if none else own and legal != spec.legal(games) and "other actions"
            count.record_look(wrong, seat, lambda games=games: spec.text(games[0]))  # type: ignore[misc]
    return count


class Channel(Protocol):
    """A channel by which seats get information on a deal, from its start on."""

    def go_on(self, action: int) -> None:
        """Plays an action."""

    def information(self, seat: int) -> dict[str, Any]:
        """Returns the present information of a seat: plain values, by name."""


Channels = Sequence[Callable[[GameSpec, Games], Channel]]
"""Channels, each made of a game and the start of a deal, a state of shape (1,)."""


class GameChannel:
    """The game's own channel: observations, legal actions, and positions in text, and as plain tables."""

    def __init__(self, spec: GameSpec, start: Games) -> None:
        self._spec, self._games = spec, start.copy()
        self._specs = [spec, spec.recalling] if spec.recall_parts else [spec]

    def go_on(self, action: int) -> None:
        self._spec.kernels.step(self._games, 0, action)

    def information(self, seat: int) -> dict[str, Any]:
        spec, games = self._spec, self._games
        rows = [specs.observation(games, seat) for specs in self._specs]
        told: dict[str, Any] = {
            "the observation": [specs.describe(row).split("\n") for specs, row in zip(self._specs, rows, strict=True)],
            "the drawing": spec.drawing(games[0], seat).split("\n"),
            "what is legal": spec.legal_names(spec.legal(games)) if games[0]["to_act"] == seat else "",
        }
        return told | ({"the plain table": repr(spec.board(games[0], seat))} if spec.board else {})


OWN_CHANNELS: Channels = (GameChannel,)
"""The game's own channels."""


@dataclass(frozen=True)
class _Step:
    """An action of a watched deal, or its start."""

    actor: int
    action: int
    within: bool
    sights: tuple[int, ...]
    unseen: tuple[list[int], ...]


def _watched_steps(sights: Any, state: Any, seats: int) -> list[_Step]:
    watched, steps = sights.watch(state), []
    for action in [-1, *sights.actions(state)]:
        actor = watched.to_act
        if action >= 0:
            watched.step(action)
        if not watched.is_told:
            break
        told = tuple(map(watched.sight, range(seats)))
        steps.append(_Step(actor, action, watched.within, told, tuple(map(watched.unseen, range(seats)))))
    return steps


def _acts_seen(steps: Sequence[_Step], seat: int) -> Iterator[tuple[list[int], int]]:
    """Yields the acts seen by a seat, each by its actions and the sight after it; another seat's whole option is one."""
    moved: list[int] = []
    for step in steps[1:]:
        moved.append(step.action)
        if not step.within or step.actor == seat:
            yield moved, step.sights[seat]
            moved = []


def count_secrets(
    spec: GameSpec,
    seed: int,
    channels: Channels = OWN_CHANNELS,
    looks: int = LOOKS,
    count: Count | None = None,
    **options: Any,
) -> Count:
    """Counts differences in a seat's information on a random game and on others that look the same to it, if deals are
    watched. Makes up to ``looks`` looks at what ``channels`` say; ``seed`` is that of game and exchange."""
    count = Count() if count is None else count
    if spec.sights is None:
        return count
    sights, rng, most = spec.sights(), random.Random(seed), count.looked + looks
    *_, last = deal_positions(spec, seed, **options)
    steps = _watched_steps(sights, last[0], spec.seats)
    for _ in range(MOST_TWINS):
        if count.looked >= most:
            break
        seat, mapped = rng.randrange(spec.seats), list(range(sights.cards))
        pools = [step.unseen[seat] for step in steps if len(step.unseen[seat]) > 1] or [mapped]
        one, other = rng.sample(rng.choice(pools), 2)
        mapped[one], mapped[other] = other, one
        _compare_deals(spec, count, seat, (last[0], mapped), steps, channels, rng)
    return count


def _compare_deals(
    spec: GameSpec,
    count: Count,
    seat: int,
    deal: tuple[Any, list[int]],
    steps: list[_Step],
    channels: Channels,
    rng: random.Random,
) -> None:
    """Compares a seat's information on a deal and on one with other cards, as long as they look the same to it."""
    sights: Any = spec.sights() if spec.sights else None
    twin = sights.watch(*deal)
    start = [spec.parse(spec.text(state, actions=False)) for state in (deal[0], twin.state[0])]
    told = [[channel(spec, games) for channel in channels] for games in start]
    position = start[0].copy()
    for moved, sight in [([], steps[0].sights[seat]), *_acts_seen(steps, seat)]:
        found = _find_twin(twin, sight, seat, moved, sights.images(moved, deal[1]), rng)
        if found is None:
            break
        twin, taken = found
        for side, actions in zip(told, (moved, taken), strict=True):
            for channel in side:
                for action in actions:
                    channel.go_on(action)
        one, other = (
            {name: value for channel in side for name, value in channel.information(seat).items()} for side in told
        )
        wrong = one != other and f"told of what it has not seen ({first_difference(one, other)})"
        for action in moved:
            spec.kernels.step(position, 0, action)
        count.record_look(wrong, seat, lambda: spec.text(position[0]))


def first_difference(one: Any, other: Any, where: str = "") -> str:
    """Returns the first difference between two plain values: its place, and both values there."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return next(
            first_difference(one[k], other[k], f"{where}, {k}" if where else str(k)) for k in one if one[k] != other[k]
        )
    if isinstance(one, list) and isinstance(other, list):
        return next((first_difference(a, b, where) for a, b in zip(one, other, strict=False) if a != b), f"{where}, length")
    return f"{where}: {one!r:.120} or {other!r:.120}"


def _find_twin(
    twin: Any, sight: int, seat: int, moved: list[int], images: list[int], rng: random.Random
) -> tuple[Any, list[int]] | None:
    """Returns a deal after an option that looks to a seat as given, and its actions; None if none is found."""
    actor = twin.to_act
    plans = [moved] if not moved or actor == seat else [images, moved, *[[]] * MOST_TRIED]
    for plan in plans:
        after, taken, planned = twin.copy(), list[int](), list(plan)
        while moved and (not taken or (after.within and actor != seat and after.to_act == actor)):
            action = planned.pop(0) if planned else rng.choice(after.legal)
            if action not in after.legal:
                break
            after.step(action)
            taken.append(action)
        else:
            if after.sight(seat) == sight:
                return after, taken
    return None


def count_past(spec: GameSpec, seed: int, recall: bool = True, count: Count | None = None, **options: Any) -> Count:
    """Counts a random game's re-deals that could not have led to what their seat has seen, if deals are watched. With
    ``recall`` worlds have a past, and games without recall pass. Otherwise a past is searched for, sometimes in vain: the
    share of impossible worlds is at most the result."""
    count, streams = Count() if count is None else count, seed_streams(seed, 1)
    rng, others = random.Random(seed), random.Random(seed)
    if spec.sights is None or (recall and not spec.recall_parts):
        return count
    specs, sights = spec.with_recall(recall), spec.sights()
    played = list(deal_positions(spec, seed, **options))
    steps = _watched_steps(sights, played[-1][0], spec.seats)
    running = [k for k, games in enumerate(played[: len(steps)]) if games[0]["over"] == RUNNING]
    for k in sorted(rng.sample(running, min(len(running), MOST_PASTS))):
        games = played[k]
        seat = int(games[0]["to_act"])
        dealt = _find_world(specs, games, seat, streams)
        if dealt is None:
            count.record_miss(seat, spec.text(games[0]))
            continue
        if recall:
            fits = _watched_steps(sights, dealt[0], spec.seats)[-1].sights[0] == steps[k].sights[seat]
        else:
            kept = range(1, min(sights.shuffles(games[0]), MOST_LINKS + 1))
            tries = [*[(rng, 0)] * MOST_LINKS, *((others, same) for same in kept)]
            fits = any(_led_to(sights, games[0], seat, steps[: k + 1], dealt[0], *one) for one in tries)
        wrong = not fits and "a re-deal that could not have led to what was seen"
        count.record_look(wrong, seat, lambda games=games: spec.text(games[0]))  # type: ignore[misc]
    return count


def _led_to(sights: Any, state: Any, seat: int, steps: list[_Step], world: Any, rng: random.Random, shuffles: int) -> bool:
    """Returns whether some deal looks to a seat as another one did and ends in a world, in which it is seat 0. The deal has
    other cards after its first ``shuffles`` shuffles."""
    places, others = sights.places(state, seat), sights.places(world)
    if [len(cards) for _, cards in places] != [len(cards) for _, cards in others]:
        return False
    mapped = _cards_in_world(sights, places, others, rng)
    cards = mapped if shuffles else _seen_alike(sights, mapped, steps[-1].unseen[seat], rng)
    twin = sights.watch(state, cards, shuffles)
    for moved, sight in [([], steps[0].sights[seat]), *_acts_seen(steps, seat)]:
        found = _find_twin(twin, sight, seat, moved, sights.images(moved, mapped), rng)
        if found is None:
            return False
        twin = found[0]
    return bool(_faces_by_place(sights, twin.state[0], seat) == _faces_by_place(sights, world, 0))


def _cards_in_world(sights: Any, places: list[Any], others: list[Any], rng: random.Random) -> list[int]:
    """Returns the card in each card's place in a world; where the order does not count, one of its face if there is one."""
    mapped = list(range(sights.cards))
    for (ordered, cards), (_, found) in zip(places, others, strict=True):
        left = list(found)
        rest = list(cards)
        if not ordered:
            rng.shuffle(left)
            rest.sort(key=lambda card: all(sights.face(card) != sights.face(other) for other in found))
        for card in rest:
            alike = [] if ordered else [other for other in left if sights.face(other) == sights.face(card)]
            mapped[card] = (alike or left)[0]
            left.remove(mapped[card])
    return mapped


def _seen_alike(sights: Any, mapped: list[int], unseen: Sequence[int], rng: random.Random) -> list[int]:
    """Returns the card in each card's stead, of the same face where the face was seen: seen cards may have moved."""
    faces, found = list(map(sights.face, range(sights.cards))), list(mapped)
    seen = set(range(sights.cards)) - set(unseen)
    loose = [*rng.sample(unseen, len(unseen)), *seen]
    for card in seen:
        for other in loose if faces[found[card]] != faces[card] else ():
            if faces[found[other]] == faces[card]:
                found[card], found[other] = found[other], found[card]
                break
    return found


def _faces_by_place(sights: Any, state: Any, seat: int) -> Any:
    """Returns the faces of the cards in each place, as a seat counts the places, and the values kept in secret."""
    faces = [(ordered, [sights.face(card) for card in cards]) for ordered, cards in sights.places(state, seat)]
    return [found if ordered else sorted(found) for ordered, found in faces], sights.kept(state, seat)
