"""Matches: two sides of policies over many deals, in lockstep batches.

*Duplicate* (the default): each deal is played twice with the sides exchanged and the same dealer. The luck of the deal
falls on both sides alike, and the paired deal is the unit of the statistics. *Published*: whole games with a random first
dealer, as the Euchre paper played them; a game is the unit.

A game's cards come from the match's seed and the game's number, and so does every random choice of a policy in it: results
do not depend on how many games are played at a time. The published protocol between heuristic agents runs in one kernel
(`cardenvs.baselines.match.kernel`), to the same results.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.match import kernel as published
from cardenvs.cards import seed_streams
from cardenvs.drivers import RUNNING
from cardenvs.envs.batch import Batch, illegal_message
from cardenvs.policy import Policy
from cardenvs.spec import Games, GameSpec, get_game

PROTOCOLS = ("duplicate", "published")
Z95 = 1.959963984540054

_POLICY_STREAMS = 0x5EED
"""Mixed into the seed for the policies' own randomness, which must not follow the cards."""


class Side:
    """The policies of one side: one for every seat of it, in seating order.

    Args:
        game: the game.
        who: a policy's name or path, several with ``+`` between them (one a seat), or Policy objects.

    Raises:
        ValueError: unknown policy, or more policies than seats on a side.
    """

    def __init__(self, game: GameSpec, who: str | Policy | Sequence[str | Policy]) -> None:
        if isinstance(who, Policy):
            who = [who]
        parts = split_names(who) if isinstance(who, str) else who
        size = game.seats // 2
        if len(parts) not in (1, size):
            raise ValueError(f"a side of {game.name} is one policy or {size} joined by +, not {len(parts)}: {who!r}")
        made = [policy.make(game, part) for part in parts]
        self.policies = [made[k % len(made)] for k in range(size)]
        self.name = "+".join(p.name for p in made)

    def warm_up(self, game: GameSpec, **options: Any) -> None:
        """Lets every policy decide once, so that compiling or loading it is not timed."""
        batch = Batch(game, 1, seed=0, **options)
        for player in self.policies:
            player.choose(batch.observations, batch.action_masks, seed_streams(0, 1))


def split_names(text: str) -> list[str]:
    """The names that ``+`` joins; a path that has one in it stays whole if there is such a file."""
    path = policy.path_of(text) or ""
    return [text] if "+" in path and os.path.exists(path) else text.split("+")


Player = str | Policy | Sequence[str | Policy] | Side
"""What can sit on one side of a match."""

Until = Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64]], bool]
"""Says whether the deals (games) played so far are enough. Gets, for each, what share of its copies the first side won
(a draw counts half), and the first side's points less the other's, the copies' mean: float64 (k,) both."""

Observer = Callable[[Games, npt.NDArray[np.int64]], None]
"""Is shown finished deals: their states, structured (k,), and who held each seat in them, 0 for the first side and 1 for
the second, int64 (k, seats)."""


@dataclass(frozen=True)
class MatchResult:
    """What a match brought. Where a list has two entries they belong to the two sides.

    Attributes:
        game: name.
        sides: the policies.
        protocol: duplicate or published.
        options: rule options.
        seed: of the match.
        deals: deals dealt (a duplicate deal counts once).
        games: games played: twice the deals in duplicate play.
        games_won: by each side; the rest are draws.
        win_rate: games won, a draw counting half, of all games.
        ci95: 95% confidence interval of the first side's win rate, [low, high].
        tricks_won: in all games (columns in Five-O).
        points: in all games.
        mean_points: the first side's points less the other's, for each deal (game) played.
        mean_points_ci95: 95% confidence interval of that, [low, high].
        mean_tricks: the first side's tricks less the other's, for each deal (game) played.
        mean_tricks_ci95: 95% confidence interval of that, [low, high].
        decisions: made by each side.
        decisions_per_s: of each side's policies, their own time only. In the published protocol between heuristic agents
            both sides' decisions over the processor time of the one kernel that deals, plays and scores the whole games.
        seconds: wall time of the match.
    """

    game: str
    sides: list[str]
    protocol: str
    options: dict[str, Any]
    seed: int
    deals: int
    games: int
    games_won: list[int]
    win_rate: list[float]
    ci95: list[float]
    tricks_won: list[int]
    points: list[int]
    mean_points: float
    mean_points_ci95: list[float]
    mean_tricks: float
    mean_tricks_ci95: list[float]
    decisions: list[int]
    decisions_per_s: list[float]
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return asdict(self)


@dataclass
class Tally:
    """Running figures, the sides in the match's order."""

    wins: list[npt.NDArray[np.float64]] = field(default_factory=list)
    margins: list[npt.NDArray[np.float64]] = field(default_factory=list)
    trick_margins: list[npt.NDArray[np.float64]] = field(default_factory=list)
    game_points: list[npt.NDArray[np.int64]] = field(default_factory=list)
    game_tricks: list[npt.NDArray[np.int64]] = field(default_factory=list)
    games_won: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, np.int64))
    tricks: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, np.int64))
    points: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, np.int64))
    decisions: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, np.int64))
    seconds: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(2))
    deals: int = 0


def interval(values: npt.NDArray[np.float64]) -> tuple[float, list[float]]:
    """The mean of independent ``values`` and its 95% confidence interval by the normal approximation."""
    mean = float(values.mean())
    half = Z95 * float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return mean, [mean - half, mean + half]


def play_match(
    game: str | GameSpec,
    first: Player,
    second: Player,
    *,
    deals: int = 1000,
    seed: int = 0,
    protocol: str = "duplicate",
    batch_size: int = 4096,
    progress: Callable[[int], None] | None = None,
    observer: Observer | None = None,
    looks: Sequence[int] = (),
    until: Until | None = None,
    **options: Any,
) -> MatchResult:
    """Plays a match.

    Args:
        game: name or spec.
        first: the first side: a policy, or one for each of its seats (in a name: joined by ``+``), or a `Side`.
        second: the other side.
        deals: how many deals to play twice; in the published protocol how many games.
        seed: int >= 0.
        protocol: ``"duplicate"`` or ``"published"``.
        batch_size: how many games to play at a time; does not change the result.
        progress: called with the number of deals (games) finished since the last call.
        observer: shown every finished deal, history included, some hundreds at a time. Of single deals played twice it gets
            whole pairs, first all first copies, then the second ones in the same order; of whole games all the deals,
            game by game.
        looks: numbers of deals (games) after which ``until`` is asked; those that are not below ``deals`` are left out.
        until: asked there and at the end; if it says True, the match ends, and its figures are of the deals played.
        options: rule options.

    Returns:
        The figures.

    Raises:
        ValueError: unknown game, policy, option or protocol, ``deals`` below 1, or an illegal action of a policy.
    """
    spec = get_game(game)
    if deals < 1:
        raise ValueError(f"deals must be at least 1, not {deals}")
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(map(repr, PROTOCOLS))}, not {protocol!r}")
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, not {batch_size}")
    options = published_options(spec, options) if protocol == "published" else options
    codes = spec.option_codes(options)
    sides = tuple(who if isinstance(who, Side) else Side(spec, who) for who in (first, second))
    copies = 2 if protocol == "duplicate" else 1
    agents = _kernel_agents(spec, sides, copies, observer)
    if agents is not None:
        published.warm_up(spec, agents, **options)
    else:
        for side in sides:
            side.warm_up(spec, **options)
    tally = Tally()
    began = time.perf_counter()
    size = max(1, batch_size // copies)
    played = 0
    for look in sorted({*(look for look in looks if 0 < look < deals), deals}):
        for start in range(played, look, size):
            count = min(size, look - start)
            play_chunk(spec, sides, start, count, copies, seed, options, tally, observer)
            if progress is not None:
                progress(count)
        played = look
        if until is not None and until(np.concatenate(tally.wins), np.concatenate(tally.margins)):
            break
    win_rate, ci95 = interval(np.concatenate(tally.wins))
    mean_points, mean_points_ci95 = interval(np.concatenate(tally.margins))
    mean_tricks, mean_tricks_ci95 = interval(np.concatenate(tally.trick_margins))
    return MatchResult(
        game=spec.name,
        sides=[side.name for side in sides],
        protocol=protocol,
        options={o.name: o.decode(codes[o.name]) for o in spec.options},
        seed=seed,
        deals=played if copies == 2 else tally.deals,
        games=copies * played,
        games_won=tally.games_won.tolist(),
        win_rate=[win_rate, 1.0 - win_rate],
        ci95=[max(0.0, ci95[0]), min(1.0, ci95[1])],
        tricks_won=tally.tricks.tolist(),
        points=tally.points.tolist(),
        mean_points=mean_points,
        mean_points_ci95=mean_points_ci95,
        mean_tricks=mean_tricks,
        mean_tricks_ci95=mean_tricks_ci95,
        decisions=tally.decisions.tolist(),
        decisions_per_s=[float(n / s) if s > 0 else 0.0 for n, s in zip(tally.decisions, tally.seconds, strict=True)],
        seconds=time.perf_counter() - began,
    )


@dataclass(frozen=True)
class DealResults:
    """What single deals of a match brought, for statistics over them.

    Attributes:
        points: int64 (deals, 2, 2), by deal, copy and side; the first side has the even seats in copy 0, the odd in 1.
            In the published protocol int64 (games, 1, 2).
        tricks: int64 (deals, 2, 2), likewise (columns in Five-O).
        decisions: int64 (2,), made by each side.
        seconds: float64 (2,), that each side's policies took for them.
    """

    points: npt.NDArray[np.int64]
    tricks: npt.NDArray[np.int64]
    decisions: npt.NDArray[np.int64]
    seconds: npt.NDArray[np.float64]


def play_deals(
    game: str | GameSpec,
    first: Player,
    second: Player,
    deals: range,
    *,
    seed: int = 0,
    protocol: str = "duplicate",
    **options: Any,
) -> DealResults:
    """Plays the deals (published: games) of these numbers of a match, all at a time; see `play_match`.

    A deal's results are the same as in a match of this seed that holds it, whatever other deals are played with it.

    Raises:
        ValueError: unknown game, policy or option, a range that is empty or has gaps, or an illegal action of a policy.
    """
    spec = get_game(game)
    if not deals or deals.step != 1 or deals.start < 0:
        raise ValueError(f"deals must be a range of consecutive numbers from 0 on, not {deals}")
    options = published_options(spec, options) if protocol == "published" else options
    spec.option_codes(options)
    sides = tuple(who if isinstance(who, Side) else Side(spec, who) for who in (first, second))
    tally = Tally()
    play_chunk(spec, sides, deals.start, len(deals), 2 if protocol == "duplicate" else 1, seed, options, tally)
    return DealResults(tally.game_points[0], tally.game_tricks[0], tally.decisions, tally.seconds)


def _kernel_agents(
    spec: GameSpec, sides: Sequence[Side], copies: int, observer: Observer | None
) -> published.Agents | None:
    """The agents at the seats if one kernel can play these games whole, else None."""
    if copies != 1 or observer is not None:
        return None
    return published.agents_at(spec, [sides[seat % 2].policies[seat // 2] for seat in range(spec.seats)])


def published_options(spec: GameSpec, options: dict[str, Any]) -> dict[str, Any]:
    """Rule options of the published protocol: whole games; in Euchre without bidding.

    Raises:
        ValueError: an option that contradicts it.
    """
    known = {option.name for option in spec.options}
    wanted = {"episode": "game"} if "episode" in known else {}
    if spec.name == "euchre":
        wanted["bidding"] = "forced-spades"
    for name, value in wanted.items():
        if options.get(name, value) != value:
            raise ValueError(f"the published protocol plays with {name}={value}, not {options[name]}")
    return {**options, **wanted}


def match_deals(
    spec: GameSpec, start: int, count: int, seed: int, options: dict[str, Any]
) -> tuple[Games, npt.NDArray[np.uint64]]:
    """The deals number ``start .. start + count - 1`` of a match, and their streams as dealing left them."""
    games = spec.new_games(count, **options)
    streams = seed_streams(seed, count, start)
    for i in range(count):
        spec.kernels.deal(games, i, streams, i)
    return games, streams


def play_chunk(
    spec: GameSpec,
    sides: Sequence[Side],
    start: int,
    count: int,
    copies: int,
    seed: int,
    options: dict[str, Any],
    tally: Tally,
    observer: Observer | None = None,
) -> None:
    """Plays ``count`` deals (each ``copies`` times) to their end and adds them to ``tally``."""
    n = count * copies
    # In the second copy the sides have exchanged their seats.
    exchanged = np.repeat(np.arange(copies), count)
    if copies == 1 and not spec.team:
        # Who moves first is drawn for each game.
        exchanged = (seed_streams(seed + 1, count, start) >> np.uint64(63)).astype(np.int64)
    # Copy c of deal d has the policies' stream number copies * d + c, however the deals are cut into chunks.
    randomness = seed_streams(seed ^ _POLICY_STREAMS, n, copies * start).reshape(count, copies).T.ravel()
    agents = _kernel_agents(spec, sides, copies, observer)
    if agents is not None:
        points, tricks = _play_in_kernel(spec, agents, seed_streams(seed, count, start), randomness, options, tally)
    else:
        dealt, streams = match_deals(spec, start, count, seed, options)
        batch = Batch(spec, n, seed=0, restart=False, **options)
        batch.set_games(np.tile(dealt, copies))
        batch.streams[:] = np.tile(streams, copies)
        owner = np.arange(spec.seats)[None, :] % 2 ^ exchanged[:, None]
        points, tricks = _play_in_lockstep(spec, sides, batch, owner, randomness, tally, observer)
    winner = np.where(points[:, 0] == points[:, 1], -1, (points[:, 1] > points[:, 0]).astype(np.int64))
    rows_of = np.arange(n)
    for side in (0, 1):
        column = side ^ exchanged
        tally.points[side] += points[rows_of, column].sum()
        tally.tricks[side] += tricks[rows_of, column].sum()
        tally.games_won[side] += (winner == column).sum()
    won = np.where(winner < 0, 0.5, winner == exchanged)
    tally.wins.append(won.reshape(copies, count).mean(0))
    for counted, kept, games in (
        (points, tally.margins, tally.game_points),
        (tricks, tally.trick_margins, tally.game_tricks),
    ):
        by_side = np.stack([counted[rows_of, exchanged], counted[rows_of, 1 - exchanged]], 1)
        games.append(by_side.reshape(copies, count, 2).swapaxes(0, 1))
        margin = (by_side[:, 0] - by_side[:, 1]).astype(np.float64)
        kept.append(margin.reshape(copies, count).mean(0))


def _play_in_kernel(
    spec: GameSpec,
    agents: published.Agents,
    streams: npt.NDArray[np.uint64],
    randomness: npt.NDArray[np.uint64],
    options: dict[str, Any],
    tally: Tally,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Plays whole games in one kernel; returns points and tricks of the two sides of seats, int64 (n, 2)."""
    began = time.thread_time()
    points, tricks, counts = published.play_games(spec, agents, streams, randomness, **options)
    seconds = time.thread_time() - began
    tally.deals += int(counts[0])
    tally.decisions += counts[1:]
    tally.seconds += seconds * counts[1:] / counts[1:].sum()
    return points, tricks


def _play_in_lockstep(
    spec: GameSpec,
    sides: Sequence[Side],
    batch: Batch,
    owner: npt.NDArray[np.int64],
    randomness: npt.NDArray[np.uint64],
    tally: Tally,
    observer: Observer | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Plays a batch to its end; returns points and tricks of the two sides of seats, int64 (n, 2)."""
    n = batch.n
    points = np.zeros((n, 2), np.int64)
    tricks = np.zeros((n, 2), np.int64)
    finished: list[Games] = []
    rows_finished: list[npt.NDArray[np.int64]] = []
    while True:
        alive = np.flatnonzero(batch.to_act >= 0)
        if not len(alive):
            break
        seats = batch.to_act[alive]
        mover = owner[alive, seats]
        actions = np.zeros(n, np.int64)
        for side in (0, 1):
            for place, player in enumerate(sides[side].policies):
                rows = alive[(mover == side) & (seats // 2 == place)]
                if len(rows):
                    actions[rows] = _decide(spec, player, batch, rows, randomness, side, tally)
        before = None if observer is None else batch.games.copy()
        batch.step(actions)
        ended = np.flatnonzero(batch.ended != RUNNING)
        if before is not None and len(ended):
            # The batch may have dealt anew: the last action once more.
            last = before[ended]
            for k, row in enumerate(ended):
                spec.kernels.step(last, k, int(actions[row]))
            finished.append(last)
            rows_finished.append(ended)
        if len(ended):
            points[ended] += batch.points[ended]
            taken = batch.tricks[ended]
            tricks[ended] += np.stack([taken[:, 0::2].sum(1), taken[:, 1::2].sum(1)], 1)
            tally.deals += len(ended)
    if observer is not None:
        rows = np.concatenate(rows_finished)
        order = np.argsort(rows, kind="stable")
        observer(np.concatenate(finished)[order], owner[rows[order]])
    return points, tricks


def _decide(
    spec: GameSpec,
    player: Policy,
    batch: Batch,
    rows: npt.NDArray[np.int64],
    randomness: npt.NDArray[np.uint64],
    side: int,
    tally: Tally,
) -> npt.NDArray[np.int64]:
    """The actions of one policy in some games, timed and checked."""
    streams = randomness[rows]
    observations, masks = batch.observations[rows], batch.action_masks[rows]
    began = time.perf_counter()
    chosen = player.choose(observations, masks, streams)
    tally.seconds[side] += time.perf_counter() - began
    tally.decisions[side] += len(rows)
    randomness[rows] = streams
    legal = (chosen >= 0) & (chosen < spec.num_actions)
    legal[legal] = masks[np.flatnonzero(legal), chosen[legal]] != 0
    if not legal.all():
        bad = int(np.flatnonzero(~legal)[0])
        message = illegal_message(spec, batch.games, int(rows[bad]), int(chosen[bad]))
        raise ValueError(f"policy {player.name!r}: {message}; position: {spec.text(batch.games[rows[bad]])}")
    return chosen
