"""Matches: policies against each other over many deals, in lockstep batches.

*Duplicate* (the default): each deal is played once with the first policy on each side (twice with two sides), the second
policy on all others, and the same dealer; the deal is the unit of the statistics. *Published*: whole games with a random
first dealer, as the Euchre paper played them; a game is the unit. In a game of one side one team plays alone, or two teams
play the same deals, each by itself with the same random choices.

A game's cards and every random choice of a policy in it come from the match's seed and the game's number: results do not
depend on how many games are played at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.match import kernel as published
from cardenvs.baselines.match.protocols import PROTOCOLS, copies_of, first_sides, protocol_options
from cardenvs.baselines.match.results import DealResults, Margins, MatchResult, forfeited_by, summarise, team_figures
from cardenvs.baselines.match.side import Player, Side, as_side, game_for, indices_in_side
from cardenvs.baselines.reports.columns import Row
from cardenvs.checks import check_choice, check_int
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.streams import seed_streams
from cardenvs.compiled.waiting import clock
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, RUNNING, TRUNCATED
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Forfeit, ask
from cardenvs.randomness import given_seed, player_streams

_EUCHRE_TRICKS = 5  # number of tricks of a deal of Euchre that is not passed out

Observer = Callable[[Games, Ints], None]
"""A function that is called with finished deals: their states, structured (k,), and who held each seat in them, int64
(k, seats), 0 for the first side and 1 for the second. A deal that was cut off is still running in its state."""


class Observers(dict[str, Any]):
    """Several observers as one, by their names."""

    def __call__(self, games: Games, owner: Ints) -> None:
        """Takes in finished deals, as `Observer` says."""
        for observer in self.values():
            observer(games, owner)

    def add(self, other: Observers) -> None:
        """Adds the counts of observers of the same kinds over later deals."""
        for name, observer in self.items():
            observer.add(other[name])


class _Plan(NamedTuple):
    """All that the results of a match's deals depend on, and the observer."""

    spec: GameSpec
    sides: Sequence[Side]
    copies: int  # how many times each deal is played
    seed: int
    options: dict[str, Any]
    observer: Observer | None
    team: int = 0  # in a game of one side, which plays team by team, the number of the one in `sides`

    def play(self, deals: range) -> DealResults:
        """Plays deals, given by their numbers; in a game of one side each team by itself."""
        if not self.spec.one_sided:
            return _play_sides(self, deals)
        teams = [self._replace(sides=[side], team=number) for number, side in enumerate(self.sides)]
        return DealResults.beside([_play_sides(team, deals) for team in teams])


def _make_plan(
    called: Callable[..., Any],
    game: str | GameSpec,
    sides: tuple[Player, Player | None],
    seed: int,
    protocol: str,
    observer: Observer | None,
    options: dict[str, Any],
) -> _Plan:
    """The checked plan of a match, from the arguments of the function that was called."""
    spec, options = form_of(get_game(game).plain, options, called)
    check_choice("protocol", protocol, PROTOCOLS)
    options = protocol_options(spec, protocol, options)
    spec.option_codes(options)
    return _Plan(spec, sides_of(spec, *sides), copies_of(spec, protocol), seed, options, observer)


def play_match(
    game: str | GameSpec,
    first: Player,
    second: Player | None = None,
    *,
    deals: int = 1000,
    seed: int | str = 0,
    protocol: str = "duplicate",
    batch_size: int = 4096,
    progress: Callable[[int], None] | None = None,
    observer: Observer | None = None,
    looks: Sequence[int] = (),
    until: Callable[[DealResults], bool] | None = None,
    **options: Any,
) -> Row:
    """Plays a match; its figures, a `MatchResult`. Where it was forfeited, they are of the deals finished before.

    Args:
        first: the first side: a policy, or one for each of its seats (in a name: joined by ``+``), or a `Side`.
        second: the second side, or the holder of each of the other sides: as ``first``. In a game of one side another team,
            or None; in other games it must be given.
        deals: how many deals to play with the first on every side: twice with two sides; in the published protocol how many
            games.
        seed: an int from 0 to 2**256 - 1; or ``"random"``, for an unpredictable one, which stands in the figures.
        protocol: ``"duplicate"`` or ``"published"``.
        batch_size: how many games to play at a time; does not change the result.
        progress: called with the number of deals (games) finished since the last call.
        observer: called with finished deals, history included, some hundreds at a time. All copies of a deal come together,
            first all first copies, then the second copies in the same order; of whole games all deals come, game by game.
        looks: numbers of deals (games) after which ``until`` is asked; numbers that are not below ``deals`` are left out.
        until: asked, with the results of all deals so far, after those that ``looks`` names and at the end; on True the
            match ends, and its figures are of the deals played.

    Raises:
        ValueError: unknown game, policy, option or protocol, ``deals`` below 1, or an illegal action of a policy.
        Forfeit: a ValueError, too: a policy such as a program could not go on before a deal was finished.
    """
    deals, batch_size = check_int("deals", deals, 1), check_int("batch_size", batch_size, 1)
    plan = _make_plan(play_match, game, (first, second), given_seed(seed), protocol, observer, options)
    warm_up(plan.spec, plan.sides, protocol, observer is not None, **plan.options)
    began = time.perf_counter()
    size = deals_at_a_time(plan.sides, max(1, batch_size // plan.copies))
    parts: list[DealResults] = []
    played, forfeit = 0, None
    for look in sorted({*(look for look in looks if 0 < look < deals), deals}):
        try:
            for start in range(played, look, size):
                numbers = range(start, min(start + size, look))
                parts.append(plan.play(numbers))
                played = numbers.stop
                if progress is not None:
                    progress(len(numbers))
        except Forfeit as error:
            if not parts:
                raise
            forfeit = forfeited_by(error)
        if (until is not None and until(DealResults.joined(parts))) or forfeit is not None:
            break
    return match_result(
        plan.spec, plan.sides, DealResults.joined(parts), protocol=protocol, options=plan.options, seed=plan.seed,
        seconds=time.perf_counter() - began, forfeit=forfeit,
    )  # fmt: skip


def match_result(
    spec: GameSpec,
    sides: Sequence[Side],
    results: DealResults,
    *,
    protocol: str,
    options: Mapping[str, Any],
    seed: int,
    seconds: float,
    forfeit: Row | None = None,
) -> Row:
    """The figures of a match, a `MatchResult`, from the results of its deals, at least one."""
    assert results.dealt is not None
    codes = spec.option_codes(protocol_options(spec, protocol, dict(options)))
    rules = {o.name: o.decode(codes[o.name]) for o in spec.options}
    # Where all can pass, nothing is played; every other deal has all its tricks.
    can_pass_out = spec.bids_trump and rules["bidding"] == "full" and not rules["stick_the_dealer"]
    return MatchResult.of(
        summarise(results, Margins.of_game(spec, rules)),
        game=spec.name,
        sides=[side.name for side in sides],
        protocol=protocol,
        options=rules,
        seed=seed,
        deals=results.deals if protocol == "duplicate" else results.dealt,
        games=(len(sides) if spec.one_sided else copies_of(spec, protocol)) * results.deals,
        passed_out=results.dealt - int(results.tricks.sum()) // _EUCHRE_TRICKS if can_pass_out else None,
        seconds=seconds,
        forfeit=forfeit,
        teams=[team_figures(spec, results, team) for team in range(len(sides))] if spec.one_sided else [],
    )


def sides_of(spec: GameSpec, first: Player, second: Player | None) -> list[Side]:
    """The sides of a match: two, or in a game of one side one or two teams; ValueError for what is no side."""
    if second is None and not spec.one_sided:
        raise ValueError(
            f"second must be a policy: {spec.name} has {spec.num_sides} sides, and somebody must hold the others"
        )
    return [as_side(spec, first), *([] if second is None else [as_side(spec, second)])]


def warm_up(
    spec: GameSpec, sides: Sequence[Side], protocol: str = "duplicate", observed: bool = False, **options: Any
) -> None:
    """Compiles or loads what a match needs, so that its time is not measured; a Forfeit at the start knows its side."""
    options = protocol_options(spec, protocol, options)
    agents = _kernel_agents(spec, sides, copies_of(spec, protocol), observed)
    if agents is not None:
        published.play_games(spec, agents, seed_streams(0, 1), policy_streams(0, range(1), 1, spec.seats), **options)
        return
    for number, side in enumerate(sides):
        try:
            side.warm_up(spec, **options)
        except Forfeit as error:
            error.side = number
            raise


def deals_at_a_time(sides: Sequence[Side], most: int) -> int:
    """Number of deals played at a time: ``most``; one where a side may forfeit, so that no finished deal is lost."""
    return 1 if any(side.can_forfeit for side in sides) else most


def play_deals(
    game: str | GameSpec,
    first: Player,
    second: Player | None,
    deals: range,
    *,
    seed: int = 0,
    protocol: str = "duplicate",
    observer: Observer | None = None,
    **options: Any,
) -> DealResults:
    """Plays some deals (in the published protocol games) of a match, given by their numbers, all at a time.

    A deal's results are those of a match of this seed; other deals that are played with it do not change them. The sides,
    the protocol and the observer are those of `play_match`.

    Args:
        deals: the numbers of the deals (games), consecutive, from 0 on.

    Raises:
        ValueError: unknown game, policy or option, a range that is empty or has gaps, or an illegal action of a policy.
        Forfeit: a ValueError, too: a policy such as a program cannot go on; none of these deals counts.
    """
    if not isinstance(deals, range) or not deals or deals.step != 1 or not 0 <= deals.start < deals.stop < 2**63:
        raise ValueError(f"deals must be a range of consecutive numbers from 0 on, below 2**63, not {deals}")
    return _make_plan(play_deals, game, (first, second), seed, protocol, observer, options).play(deals)


def match_deals(spec: GameSpec, start: int, count: int, seed: int, options: dict[str, Any]) -> tuple[Games, Streams]:
    """Deals of a match from number ``start`` on, structured (count,), and their streams as dealing left them."""
    games = spec.new_games(count, **options)
    streams = seed_streams(seed, count, start)
    for i in range(count):
        spec.kernels.deal(games, i, streams, i)
    return games, streams


def policy_streams(seed: int, deals: range, copies: int, seats: int) -> Streams:
    """The policies' random streams in consecutive deals, uint64 (copies * deals, seats), one for each seat, by copy."""
    streams = player_streams(seed, "match", len(deals) * copies, seats, copies * deals.start)
    return np.ascontiguousarray(streams.reshape(len(deals), copies, seats).swapaxes(0, 1)).reshape(-1, seats)


def _kernel_agents(spec: GameSpec, sides: Sequence[Side], copies: int, observed: bool) -> published.Agents | None:
    """The heuristic agents at the seats if one kernel can play the games whole, else None."""
    if copies != 1 or observed:
        return None
    indices = indices_in_side(np.array([spec.side_of]))[0]
    seated = zip(spec.side_of, indices, strict=True)
    return published.agents_at(spec, [sides[side].policies[index] for side, index in seated])


def _play_sides(plan: _Plan, deals: range) -> DealResults:
    """Plays deals to their end, between sides or by one team, in the published protocol's kernel where that can."""
    spec, sides, copies, seed = plan.spec, plan.sides, plan.copies, plan.seed
    held = first_sides(spec, copies, seed, deals)
    streams, randomness = seed_streams(seed, len(deals), deals.start), policy_streams(seed, deals, copies, spec.seats)
    agents = _kernel_agents(spec, sides, copies, plan.observer is not None)
    if agents is not None:
        played = published.play_games(spec, agents, streams, randomness, **plan.options)
    else:
        shown = game_for(spec, [player for side in sides for player in side.policies])
        batch = Batch(shown, len(held), seed=0, restart=False, validate=False, **plan.options)
        batch.deal_from(np.tile(streams, copies))
        match = repr((seed, plan.options, [id(side) for side in sides], plan.team))
        for side in {id(side): side for side in sides}.values():
            side.begin(match, deals, held if copies > 1 else np.zeros_like(held))
        try:
            played = _play_in_lockstep(plan, batch, held, randomness, deals)
        except Forfeit as error:
            error.deal = deals.start + error.row % len(deals)
            raise
    # The match's sides are the game's in their order from the first policy's on.
    turned = (held[:, None] + np.arange(spec.num_sides)) % spec.num_sides

    def by_side(counted: npt.NDArray[Any]) -> npt.NDArray[Any]:
        ordered = np.take_along_axis(counted, turned, 1)
        return np.ascontiguousarray(ordered.reshape(copies, len(deals), -1).swapaxes(0, 1))

    arrays: dict[str, Any] = {name: by_side(getattr(played, name)) for name in DealResults.BY_PIECE}
    return replace(played, **arrays)


class _Seating:
    """Seating of the policies in a batch; the first policies hold the side ``held``, int64 (n,), of each game."""

    def __init__(self, spec: GameSpec, sides: Sequence[Side], games: Games, held: Ints) -> None:
        self._spec, self._held = spec, held
        asked = {(k, id(player)): player for k, side in enumerate(sides) for player in side.policies}
        self.asked = [(k, player) for (k, _), player in asked.items()]  # each policy once for each side of the match
        numbers = {key: number for number, key in enumerate(asked)}
        self._numbers = np.array([[numbers[k, id(one)] for one in side.policies] for k, side in enumerate(sides)])
        # By game and seat: the game's side, 0 where the first holds the seat and else 1, which of `asked` decides.
        self.sides, self.owner, self.who = (np.zeros((len(games), spec.seats), np.int64) for _ in range(3))
        self.update_seats(games, np.arange(len(games)))

    def update_seats(self, games: Games, rows: Ints) -> None:
        """Updates the seating of the games ``rows``, int64 (k,), which have just been dealt."""
        sides = self._spec.seat_sides(games[rows])
        self.sides[rows] = sides
        self.owner[rows] = sides != self._held[rows, None]
        self.who[rows] = self._numbers[self.owner[rows], indices_in_side(sides)]


def _play_in_lockstep(plan: _Plan, batch: Batch, held: Ints, randomness: Streams, deals: range) -> DealResults:
    """Plays a batch to its end, every policy deciding in all games at once; results by side of the game, (n, sides)."""
    spec, sides, n = plan.spec, plan.sides, batch.n
    seating = _Seating(spec, sides, batch.games, held)
    points, tricks = np.zeros((2, n, spec.num_sides), np.int64)
    decisions, seconds = np.zeros(len(sides), np.int64), np.zeros(len(sides))
    endings = None if spec.endings is None else np.zeros((1, len(spec.endings.words) + len(spec.endings.counted)), np.int64)
    dealt = truncated = 0
    finished: list[tuple[Ints, Games, Ints]] = []  # rows, states and owners of finished deals, for the observer

    def illegal_message(row: int, action: int) -> str:
        return spec.illegal_answer(batch.games, row, action, deals[row % len(deals)])

    while True:
        alive = np.flatnonzero(batch.to_act >= 0)
        if not len(alive):
            break
        who = seating.who[alive, batch.to_act[alive]]
        actions = np.zeros(n, np.int64)
        for number, (side, player) in enumerate(seating.asked):
            rows = alive[who == number]
            if len(rows):
                memory, began = sides[side].memory, clock()
                try:
                    if player.remembers:
                        for own, _ in memory.split(player, rows, batch.to_act[rows]):
                            own.begin()
                        began = clock()  # to start a program is no time of its decisions
                    actions[rows] = ask(
                        player, batch.observations, batch.action_masks, randomness, rows, batch.to_act[rows],
                        illegal_message, memory,
                    )  # fmt: skip
                except Forfeit as error:
                    error.policy, error.side, error.row = player.name, plan.team + side, int(rows[error.row])
                    raise
                seconds[side] += clock() - began
                decisions[side] += len(rows)
        before = None if plan.observer is None else batch.games.copy()
        batch.step(actions)
        ended = np.flatnonzero(batch.ended != RUNNING)
        if not len(ended):
            continue
        if before is not None:
            # The batch may have dealt anew, so the last action is played again on a copy.
            last = before[ended]
            for k, row in enumerate(ended):
                spec.kernels.step(last, k, int(actions[row]))
            finished.append((ended, last, seating.owner[ended]))
        points[ended] += batch.points[ended]
        taken, seat_side = batch.tricks[ended], seating.sides[ended]
        for side in range(spec.num_sides):
            tricks[ended, side] += (taken * (seat_side == side)).sum(1)
        if endings is not None:
            endings += _count_endings(spec, batch.games[batch.ended == EPISODE_OVER])
        dealt += len(ended)
        cut_off = np.flatnonzero(batch.ended == TRUNCATED)
        truncated += len(cut_off)
        points[cut_off] = tricks[cut_off] = 0  # no side has won
        if spec.kernels.side is not None:
            seating.update_seats(batch.games, np.flatnonzero(batch.ended == DEAL_OVER))
    if plan.observer is not None:
        rows, states, owners = map(np.concatenate, zip(*finished, strict=True))
        order = np.argsort(rows, kind="stable")
        plan.observer(states[order], plan.team + owners[order])
    winners = batch.winners[:, None] >> np.arange(spec.num_sides) & 1 != 0
    winners[batch.winners == 0] = True
    return DealResults(
        points, tricks, decisions, seconds, dealt=dealt, endings=endings, winners=winners,
        truncated=None if spec.max_decisions is None else np.array(truncated),
    )  # fmt: skip


def _count_endings(spec: GameSpec, games: Games) -> Ints:
    """Numbers of finished games by how they ended, and the sums of what is counted in them, int64 (ways + counts,)."""
    assert spec.endings is not None
    ways, counts = spec.endings.told(games)
    return np.concatenate([np.bincount(ways, minlength=len(spec.endings.words)), counts.sum(0)])
