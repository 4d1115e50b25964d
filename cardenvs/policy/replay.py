"""Scores sampled worlds by the likelihood of the other players' actions under a policy.

Where a policy can be foretold (`cardenvs.policy.contract.Policy.can_be_foretold`) and all others play it, a world in which
it would have acted otherwise is impossible. `explained` keeps the possible worlds, for a search that assumes a blueprint of
the others. `Foretold` allows for others who deviate: a share of all acts, the *doubt*, is taken to be uniformly random, and
worlds are weighted by Bayes' rule, as with networks in `cardenvs.train.inference.replay`.

A policy that draws among equal actions is called again where it has drawn another one, up to `TRIES` times: an act that it
may do counts as its own. A policy is called for many worlds at a time. ``row`` is the observation of the seat that searches
among ``observations``, int8 (k, observation_size), and the stream that is advanced among ``streams``, uint64 (k,).
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.checks import check_int
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import below, fork
from cardenvs.contract import loops
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy, ask_rows
from cardenvs.policy.explanation import Scores

TRIES = 32
"""Calls of a policy that draws among equal actions: of two it misses one once in 2**32 times, of ten in 29."""
DOUBTS = (0.02, 0.3, 0.9)
"""Default doubts, with equal prior chances: others who play the policy, nearly so, and otherwise."""
_BLOCK = 512
"""Number of worlds that are judged at a time."""
_UNIT = 1 << 30  # a number below it is drawn for a number between 0 and 1
_NEVER = -1e9  # the logarithm of the reach of a world without a past
_LOOSE = (0.1, 0.2, 0.35, 0.5, 1.0)  # shares of the cards that a step of a chain deals anew, one after the other
UNFIT = 1 << 30
"""Number of mismatches of a world without a past, as where no consistent one was found."""


def can_replay(game: GameSpec) -> bool:
    """Returns whether worlds of a game have a past that can be replayed: it has re-deals, recall and ``rewind``."""
    kernels = game.plain.kernels
    return kernels.redeal is not None and bool(game.plain.recall_parts) and kernels.rewind is not None


@functools.cache
def _loops(kernels: Kernels) -> tuple[Callable[..., None], Callable[..., None]]:
    """Returns the loops ``rewind`` and ``go_on`` over worlds of a game, with recall or without, compiled on first call."""
    if kernels.rewind is None:
        raise ValueError(f"what was done in {kernels.name} cannot be replayed (the kernel rewind)")
    legal, step = kernels.legal, kernels.step
    rewind_one, view, observe, words = kernels.rewind, kernels.view, kernels.observe, kernels.words
    count_actions = kernels.count_actions

    @kernels.loop("judge.rewind")
    def rewind(worlds: Any, games: Any, actions: Ints, counts: Ints) -> None:
        """Writes the start of each world's deal to ``games``, the actions since to ``actions``, int64 (n, max_steps), and
        their number to ``counts``, int64 (n,), -1 where unknown."""
        for j in range(len(worlds)):
            counts[j] = rewind_one(worlds, j, games, j, actions[j])

    @kernels.loop("judge.go_on")
    def go_on(
        games: Any, actions: Ints, counts: Ints, at: Ints, rows: Ints, judged: bool, views: Any, observations: Bytes,
        masks: Bytes,
    ) -> None:  # fmt: skip
        """Plays the games of ``rows``, int64 (k,), from action ``at`` up to the next act of another seat than 0 that had a
        choice, and writes what that seat saw row after row. With ``judged`` the act at hand is played in any case."""
        for k in range(len(rows)):
            j = rows[k]
            going = judged
            while at[j] < counts[j]:
                if not going and games[j].to_act > 0 and count_actions(games, j) > 1:
                    view(games, j, games[j].to_act, views, 0)
                    observe(views, 0, observations, k)
                    for word in range(words):
                        loops.write_legal(legal(games, j, word), masks, k, word)
                    break
                step(games, j, actions[j, at[j]])
                at[j] += 1
                going = False

    return rewind, go_on


@functools.cache
def redeal_loop(kernels: Kernels) -> Callable[..., None]:
    """Returns the loop that draws the worlds ``start`` to ``stop - 1``, ``n`` for each of the views ``known``."""
    redeal = kernels.redealing

    @kernels.loop("worlds.redeal")
    def draw_worlds(known: Any, n: int, streams: Streams, games: Any, start: int, stop: int) -> None:
        for j in range(start, stop):
            redeal(known, j // n, streams, j // n, games, j)

    return draw_worlds


def draw(game: GameSpec, observations: Bytes, row: int, streams: Streams, n: int) -> Games:
    """Draws ``n`` worlds of a game, with recall or without, uniformly from those consistent with an observation."""
    views, worlds = game.new_games(1), game.new_games(n)
    game.kernels.decode(observations, row, views, 0)
    redeal_loop(game.kernels)(views, n, streams[row : row + 1], worlds, 0, n)
    return worlds


def starts_of(game: GameSpec, worlds: Games) -> tuple[Games, Ints, Ints]:
    """Returns the starts of the worlds' deals, the actions since, int64 (n, max_steps), and their number, -1 if unknown."""
    starts, actions = game.new_games(len(worlds)), np.zeros((len(worlds), game.max_steps), np.int64)
    rewind, counts = _loops(game.kernels)[0], np.empty(len(worlds), np.int64)
    rewind(as_records(worlds), starts, actions, counts)
    return starts, actions, counts


def _would_act(player: Policy, observations: Bytes, masks: Bytes, streams: Streams, done: Ints) -> npt.NDArray[np.bool_]:
    """Returns whether a policy does or may do the acts ``done``, int64 (k,), by the seats' observations: bool (k,)."""
    before = streams.copy()
    same = ask_rows(player, observations, masks, streams) == done
    left = np.flatnonzero(~same & (streams != before))  # who has drawn nothing does the same again
    for _ in range(TRIES - 1):
        if not len(left):
            break
        drawn = streams[left]
        same[left] = ask_rows(player, observations[left], masks[left], drawn) == done[left]
        streams[left] = drawn
        left = left[~same[left]]
    return same


class Judgement(NamedTuple):
    """Judgement of worlds by the acts of others in them."""

    mismatches: Ints
    """int64 (n,), number of acts of others than seat 0 that are not the policy's; `UNFIT` where the past is unknown."""
    log_reach: Scores
    """float64 (n,), logarithm of the likelihood of the acts, up to a constant, by the doubts; 0 without any."""


def judge(
    player: Policy, game: GameSpec, worlds: Games, streams: Streams, most: int = UNFIT, doubts: tuple[float, ...] = ()
) -> Judgement:
    """Replays worlds, drawn by seat 0, and compares the acts of all others with those of a policy.

    Args:
        streams: uint64 (n,), a random stream for each world.
        most: number of mismatches after which a world is not replayed any further.
        doubts: shares of uniformly random acts, above 0 to 1, equally likely beforehand: one of them for the partners of
            seat 0 and one for each other side.
    """
    spec = game.plain.with_recall(player.game.recall)
    games, actions, counts = starts_of(spec, worlds)
    go_on, mismatches = _loops(spec.kernels)[1], np.where(counts < 0, UNFIT, 0)
    at, rows, judged = np.zeros(len(worlds), np.int64), np.flatnonzero(counts >= 0), False
    sides = spec.seat_sides(worlds) if doubts else np.zeros((0, 0), np.int64)
    logs = np.zeros((len(worlds), spec.num_sides, len(doubts)))
    while len(rows):
        observations = np.zeros((len(rows), spec.observation_size), np.int8)
        masks = np.zeros((len(rows), spec.num_actions), np.int8)
        go_on(games, actions, counts, at, rows, judged, spec.new_games(1), observations, masks)
        asked = np.flatnonzero(at[rows] < counts[rows])
        rows, observations, masks, judged = rows[asked], observations[asked], masks[asked], True
        if not len(rows):
            break
        drawn = streams[rows]
        same = _would_act(player, observations, masks, drawn, actions[rows, at[rows]])
        streams[rows] = drawn
        mismatches[rows] += ~same
        several = masks.sum(1)
        for kind, doubt in enumerate(doubts):
            chance = (1 - doubt) * same + doubt / several
            logs[rows, sides[rows, np.asarray(games["to_act"])[rows]], kind] += np.log(chance)
        rows = rows[mismatches[rows] <= most]
    reach = np.zeros(len(worlds))
    if doubts:
        reach = np.where(counts < 0, _NEVER, (np.logaddexp.reduce(logs, 2) - math.log(len(doubts))).sum(1))
    return Judgement(mismatches, reach)


class Explained(NamedTuple):
    """Worlds in which a policy explains the acts of the others."""

    worlds: Games
    """Structured array of shape (n,) for seat 0. Empty where none with a past is found."""
    mismatches: int
    """The most acts in one of them that are not the policy's: 0 where it explains everything."""


def explained(
    player: Policy,
    game: GameSpec,
    observations: Bytes,
    row: int,
    streams: Streams,
    wanted: int,
    candidates: int,
    fewest: int,
) -> Explained:
    """Draws worlds consistent with an observation, and keeps those in which a policy would have acted as all others did.

    If these are too few, as the others play otherwise or something rare, those with the fewest mismatches among at most
    `_BLOCK` more are added.

    Args:
        player: the policy of all others, one that can be foretold.
        game: the game, with recall.
        wanted: maximum number of worlds returned.
        candidates: maximum number of worlds drawn, without the added ones.
        fewest: number of worlds that are enough; at most ``wanted`` count.
    """
    kept, left, fewest = game.new_games(0), candidates, min(fewest, wanted)
    while left > 0 and len(kept) < wanted:
        worlds, found = _judge_some(player, game, observations, row, streams, min(_BLOCK, left), 0)
        kept = np.concatenate([kept, worlds[found == 0]])
        left -= len(worlds)
    most = 0
    if len(kept) < fewest:
        worlds, found = _judge_some(player, game, observations, row, streams, min(_BLOCK, candidates), UNFIT)
        order = [k for k in np.argsort(found, kind="stable")[: fewest - len(kept)] if found[k] < UNFIT]
        kept, most = np.concatenate([kept, worlds[order]]), int(found[order].max(initial=0))
    return Explained(as_records(kept[:wanted]), most)


def _judge_some(
    player: Policy, game: GameSpec, observations: Bytes, row: int, streams: Streams, n: int, most: int
) -> tuple[Games, Ints]:
    """Returns consistent worlds, and their mismatches up to ``most``, see `judge`."""
    worlds = draw(game, observations, row, streams, n)
    return worlds, judge(player, game, worlds, fork(streams, row, n), most).mismatches


def log_mass(log_weights: Scores) -> float:
    """Returns the logarithm of the mean of the weights whose logarithms are ``log_weights``, float64 (n,)."""
    highest = float(log_weights.max())
    return highest + math.log(float(np.exp(log_weights - highest).mean()))


def resampled(log_weights: Scores, wanted: int, start: float) -> Ints:
    """Returns the number of draws of each world, int64 (n,), by systematic resampling: evenly spaced by weight.

    Each number differs by less than 1 from the world's share of the draws.

    Args:
        log_weights: float64 (n,), the logarithms of the worlds' weights, up to a constant.
        wanted: number of draws, the sum.
        start: a random number between 0 and 1.
    """
    weights = np.exp(log_weights - log_weights.max())
    passed = np.cumsum(weights)
    marks = (np.arange(wanted) + start) * (passed[-1] / wanted)
    return np.bincount(np.searchsorted(passed, marks, "right").clip(max=len(weights) - 1), minlength=len(weights))


def random_start(streams: Streams, row: int) -> float:
    """Draws a random number between 0 and 1 for `resampled`."""
    return (int(below(streams, row, _UNIT)) + 0.5) / _UNIT


LogLikelihood = Callable[[Games], Scores]
"""Function of worlds that returns the logarithms of their likelihoods, float64 (n,), up to a constant."""


class WorldSample(NamedTuple):
    """Worlds that were drawn by their likelihood."""

    worlds: Games  # structured array of shape (n,), each drawn at least once
    counts: Ints  # int64 (n,), number of draws of each
    log_mass: float  # the logarithm of the candidates' mean likelihood: how much these draws count beside others


def draw_likely(
    game: GameSpec, observations: Bytes, row: int, streams: Streams, wanted: int, candidates: int,
    likelihood: LogLikelihood, steps: int = 0,
) -> WorldSample:  # fmt: skip
    """Makes ``wanted`` draws of worlds by a likelihood, each among ``candidates`` uniform ones (Rubin 1987), and then in a
    trick game moves each by ``steps`` steps of a Markov chain (`mix`)."""
    for name, number, least in (("worlds", wanted, 1), ("candidates", candidates, 1), ("steps", steps, 0)):
        check_int(name, number, least)
    found = draw(game, observations, row, streams, wanted * candidates)
    logs = likelihood(found)
    counts = resampled(logs, wanted, random_start(streams, row))
    some = np.flatnonzero(counts)
    if not steps:
        return WorldSample(found[some], counts[some], log_mass(logs))
    each = np.repeat(some, counts[some])
    worlds = mix(game, found[each], logs[each], fork(streams, row, wanted), likelihood, steps)
    return WorldSample(worlds, np.ones(wanted, np.int64), log_mass(logs))


def mix(game: GameSpec, worlds: Games, logs: Scores, streams: Streams, likelihood: LogLikelihood, steps: int) -> Games:
    """Moves worlds of a trick game by steps of a Markov chain that keeps their chances (Metropolis et al. 1953).

    Where few uniform worlds are likely, as in the middle of a deal of Whist, worlds that were drawn among them are few; the
    chain finds other likely ones near them. Each step deals some of the hidden cards anew.

    Args:
        worlds: structured (n,), worlds for seat 0 that fit what it knows, with recall.
        logs: float64 (n,), the logarithms of their likelihoods.
        streams: uint64 (n,), a random stream for each.

    Raises:
        ValueError: the game is no trick game (`GameSpec.trick_game`).
    """
    if game.trick_game is None:
        raise ValueError(f"steps of a Markov chain move worlds of trick games alone, not of {game.name}")
    worlds, logs, rng = worlds.copy(), logs.copy(), np.random.default_rng(streams)
    cards, views = np.arange(game.trick_game.deck.size), game.new_games(1)
    game.kernels.view(worlds, 0, 0, views, 0)
    views = np.repeat(views, len(worlds))
    for step in range(steps):
        drawn = rng.random((len(worlds), len(cards))) < _LOOSE[step % len(_LOOSE)]
        loose = (drawn.astype(np.int64) << cards).sum(1)
        proposed = _dealt_anew(game, worlds, views, loose, streams)
        changed = np.flatnonzero(proposed != worlds)
        found = likelihood(as_records(proposed[changed]))
        taken = np.log(rng.random(len(changed))) < found - logs[changed]
        worlds[changed[taken]], logs[changed[taken]] = proposed[changed[taken]], found[taken]
    return worlds


def _dealt_anew(game: GameSpec, worlds: Games, views: Games, loose: Ints, streams: Streams) -> Games:
    """Deals the hidden cards of the sets ``loose`` and those out of play anew, while all others stay in their hands. With
    sets of cards drawn alike, a step back is as likely: worlds have hands of the same sizes, so as many cards can stay."""
    fixed, shown, games = worlds["hands"] & ~loose[:, None], views.copy(), game.new_games(len(worlds))
    fixed[:, 0] = 0
    shown["played"] |= fixed  # cards that a re-deal leaves alone
    redeal_loop(game.kernels)(as_records(shown), 1, streams, games, 0, len(games))
    games["played"] = worlds["played"]
    games["hands"] |= fixed
    return games


def believed(
    player: Policy, observations: Bytes, row: int, streams: Streams, worlds: int, candidates: int, doubt: float | None,
    steps: int = 0,
) -> Games:  # fmt: skip
    """Draws worlds as `Policy.believed`, by replaying; without a ``doubt``, any of `DOUBTS` is equally likely."""
    doubts = (DOUBTS if doubt is None else (doubt,)) if candidates > 1 else ()

    def log_reach(found: Games) -> Scores:
        return judge(player, player.game, found, fork(streams, row, len(found)), doubts=doubts).log_reach

    sample = draw_likely(player.game.recalling, observations, row, streams, worlds, candidates, log_reach, steps)
    return as_records(np.repeat(sample.worlds, sample.counts))


def beliefs_of(player: Policy) -> Callable[..., Games] | None:
    """Returns the policy's `Policy.believed` if it has beliefs, else `believed` if it can be replayed, else None."""
    if player.has_beliefs:
        return player.believed
    if player.can_be_foretold and can_replay(player.game):
        return functools.partial(believed, player)
    return None


class Foretold(Policy):
    """A policy that can be foretold, and so has beliefs in games with a past; set `can_be_foretold` before ``__init__``."""

    can_be_foretold = True

    def __init__(self, game: str | GameSpec) -> None:
        super().__init__(game)
        self.has_beliefs = self.can_be_foretold and can_replay(self.game)

    def believed(
        self, observations: Bytes, row: int, streams: Streams, worlds: int, candidates: int, doubt: float | None,
        steps: int = 0,
    ) -> Games:  # fmt: skip
        """Draws worlds in which the policy acts as the others did, see `Policy.believed`."""
        if not self.has_beliefs:
            return super().believed(observations, row, streams, worlds, candidates, doubt, steps)
        return believed(self, observations, row, streams, worlds, candidates, doubt, steps)
