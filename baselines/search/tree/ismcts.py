"""``ismcts``: information-set Monte Carlo tree search, for every game."""

from __future__ import annotations

import time
from typing import Any, ClassVar, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER
from cardenvs.baselines.search.base import SearchPolicy, action_set, check_seconds
from cardenvs.baselines.search.tree.deciders import AUTO, RANDOM, Decider, compiled_decider
from cardenvs.baselines.search.tree.tree import (
    BY_DECIDER,
    BY_NETWORK,
    NODE,
    UCB,
    USED,
    SearchRules,
    Space,
    TreeKernels,
    tree_kernels,
)
from cardenvs.checks import check_bool, check_choice, check_int, check_number, short
from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import fork
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.policy.explanation import Scores
from cardenvs.policy.registry import make
from cardenvs.worlds import observed, play_on, states_of

LEAVES = ("playout", "value")
"""Kinds of leaf value: the reward of a play-out, or a network's value."""
VARIANTS = ("single", "multiple")
"""Observers: the searching seat alone, or each seat in a tree of its own."""
SELECTIONS = {"ucb": 0.7, "puct": 0.5}
"""Selection rules for edges, with the default weight of exploration of each."""
OTHERS = ("tree", "playout")
"""Deciders for the other seats within the tree: the tree, or the play-out policy."""

_TRUST = 0.5
"""With PUCT and no network, the prior of the play-out agent's choice, beside an even share of the rest."""
_CHUNK = 32
"""Simulations between two looks at the clock."""
_CALL = 4096
"""Simulations in one call of a kernel; between calls Python may be interrupted."""
_MOST_NODES = 1 << 18
_TRIAL = 64
"""With a budget of time one in so many of the wanted worlds is drawn first, to estimate how many it allows."""


def _new_space(spec: GameSpec, wave: int, size: int) -> Space:
    """The arrays that a search works in.

    Args:
        wave: how many simulations go down before the first comes back.
        size: how many edges all trees have room for.
    """

    def ints(*shape: int) -> Ints:
        """Zeros."""
        return np.zeros(shape, np.int64)

    depth = min(spec.max_steps, 1024) + 1
    return Space(
        views=spec.new_games(1),
        pool=spec.new_games(0),
        root=ints(spec.mask_words),
        games=spec.new_games(wave + 1),
        nodes=as_records(np.zeros(size, NODE)),
        counts=ints(1),
        bounds=np.zeros(2),
        path=ints(wave, depth),
        who=ints(wave, depth),
        depths=ints(wave),
        lengths=ints(wave),
        waits=ints(wave),
        lost=np.zeros(wave),
        points=ints(wave, spec.num_sides),
        tricks=ints(wave, spec.seats),
        rewards=np.zeros((wave, spec.seats), np.float32),
        at=ints(spec.seats),
        left=ints(spec.mask_words),
        veiled=ints(spec.mask_words),
    )


def _open(space: Space, spec: GameSpec, observations: Bytes, masks: Bytes, row: int) -> None:
    """Makes a space ready for one row: the view, the actions at the root, empty trees."""
    spec.kernels.decode(observations, row, space.views, 0)
    space.root[:] = action_set(masks[row], spec.mask_words)
    space.nodes["child"][: spec.seats] = 0
    space.counts[USED] = spec.seats
    space.bounds[:] = 0


class _Edge(NamedTuple):
    """An edge out of the searching seat's root."""

    action: int
    visits: int
    total: float
    prior: float

    @property
    def mean(self) -> float:
        """The mean reward, 0 if it was never taken."""
        return self.total / max(self.visits, 1)


def _edges(space: Space) -> list[_Edge]:
    """The edges out of the searching seat's root."""
    found = []
    edge = int(space.nodes["child"][0])
    while edge:
        node = space.nodes[edge]
        found.append(_Edge(int(node["action"]), int(node["visits"]), float(node["total"]), float(node["prior"])))
        edge = int(node["sibling"])
    return found


class Ismcts(SearchPolicy):
    """``ismcts``: grows a tree over worlds that fit what it knows, in which every seat seeks its own side's reward.

    Each simulation draws a world uniformly from those consistent with what the seat knows, and follows the tree as far as
    the tree knows the world's actions. There an action is added, the deal is played out, and what each seat is paid at the
    end of the deal is written back. All worlds share the tree, so that nobody in it knows what its seat does not know.

    Where deals are played out by a skilled agent, every action is tried in each world, as by ``monte-carlo``, and below it
    the tree improves on the agent's play; a score is the mean reward. Else the search is the one in the textbook: a score
    is the share of the simulations that took the action, and the largest share is chosen. Parameters choose any mixture.

    Source: Cowling, Powley and Whitehouse 2012 (SO-ISMCTS, with moves that the seat does not see made as in play-outs; and
    MO-ISMCTS); PUCT as in AlphaZero (Silver et al. 2017), with virtual losses.

    Args:
        simulations: how many simulations make a decision, at least 1.
        seconds: if given, simulate until so much time has gone by instead of a fixed number of times. What is chosen then
            depends on the machine, too. At most about half of it goes into ``beliefs``.
        variant: ``"single"``, one tree of what this seat sees, or ``"multiple"``, one tree for each seat of what that seat
            sees.
        paired: whether every action is tried in each world, instead of one that is selected as elsewhere in the tree; None:
            where a skilled agent plays out and no network is asked.
        selection: how edges are taken: ``"ucb"``; ``"puct"``, which leans to likely actions, by the probabilities of
            ``network`` or else to what the play-out agent would do in the world; ``"auto"``: ``puct`` where there is a
            network or a skilled agent, else ``ucb``.
        c: the weight of exploration, for rewards scaled to 0 .. 1; None for 0.7 with UCB and 0.5 with PUCT.
        others: who decides for the other seats within the tree: ``"tree"``; ``"playout"``, as in play-outs: the search then
            looks for the best answer to such players; ``"auto"``: ``playout`` where a skilled agent plays out, no network
            is asked, and the other seats have no trees, else ``tree``.
        playout: who plays deals out: ``"auto"``, the skilled agent ``coop-high-low`` in Euchre and Whist and else
            ``random``; or any policy. ``random``, and the agents that ``monte-carlo`` plays out with, are compiled.
        calling: who bids and discards for those, a name from `calling.CALLERS`.
        network: for PUCT, a policy that has probabilities, such as ``"learned"`` or the path of a trained one.
        leaves: what a deal is worth where the tree ends: ``"playout"``, what it is when it has been played out;
            ``"value"``, what the network foretells, which must have values, as the checkpoint of a training run has;
            ``"auto"``: ``value`` where the network has values and no ``playout`` is named.
        beliefs: with a network that has them, how many worlds each decision's simulations begin in, drawn by how likely the
            network was to act in them as the others did; fewer if ``seconds`` are short; 0: each begins in a world of its
            own, drawn uniformly.
        candidates: from how many uniform worlds each of these is drawn; with 1 all are equally likely.
        wave: with a network or a play-out policy that is not compiled, how many simulations wait for its answers together.
        goal: what is counted, one of the game's kinds of reward; None for what the network foretells, if its values are
            asked for, else the first of them.

    Raises:
        ValueError: a wrong parameter.
    """

    games: ClassVar[tuple[str, ...] | None] = None
    needs_worlds = True

    def __init__(
        self,
        game: str | GameSpec,
        simulations: int = 1000,
        seconds: float | None = None,
        variant: str = "single",
        paired: bool | None = None,
        selection: str = AUTO,
        c: float | None = None,
        others: str = AUTO,
        playout: str = AUTO,
        calling: str = DEFAULT_CALLER,
        network: str | None = None,
        leaves: str = AUTO,
        beliefs: int = 0,
        candidates: int = 4,
        wave: int = 16,
        goal: str | None = None,
    ) -> None:
        self.beliefs = check_int("beliefs", beliefs, 0)
        self.candidates = check_int("candidates", candidates, 1)
        # Beliefs rest on who did what when.
        super().__init__(get_game(game).recalling if self.beliefs else game)
        self.simulations = check_int("simulations", simulations, 1)
        self.seconds = check_seconds(seconds)
        check_choice("variant", variant, VARIANTS)
        check_choice("selection", selection, (AUTO, *SELECTIONS))
        check_choice("others", others, (AUTO, *OTHERS))
        check_choice("leaves", leaves, (AUTO, *LEAVES))
        decider = compiled_decider(self.game, playout, calling)
        self._player: Policy | None = make(self.game.plain, playout) if decider is None else None
        # Who plays out, by name: kernels are looked up when they are needed, as a policy can be copied and pickled.
        self._playout = RANDOM if decider is None else playout
        self._calling = calling
        self._network: Policy | None = None if network is None else make(self.game.plain, network)
        if self._network is not None and not self._network.has_chances:
            raise ValueError(f"network must be a policy that has probabilities, such as 'learned', not {short(network)}")
        if self.beliefs and (self._network is None or not self._network.has_beliefs):
            raise ValueError(
                f"network must be a policy that has beliefs, such as 'learned', with beliefs, not {short(network)}"
            )
        if self._network is not None and selection == "ucb":
            raise ValueError(f"network must be none with selection='ucb', not {short(network)}")
        foretold = "" if self._network is None else self._network.value_kind
        if leaves == AUTO:
            leaves = "value" if foretold and playout == AUTO else "playout"
        self._valued = leaves == "value"
        if self._valued and not foretold:
            raise ValueError(f"network must be a policy that has values with leaves='value', not {short(network)}")
        skilled = decider is not None and decider.style != RANDOM
        self._paired = skilled and network is None if paired is None else check_bool("paired", paired)
        self.kind = "value" if self._paired else "probability"
        if selection == AUTO:
            selection = "puct" if skilled or network is not None else "ucb"
        self._selection = UCB if selection == "ucb" else BY_DECIDER if network is None else BY_NETWORK
        self._c = SELECTIONS[selection] if c is None else check_number("c", c)
        self._trust = _TRUST if skilled else 0.0
        self._multiple = variant == "multiple"
        if others == AUTO:
            others = "playout" if skilled and network is None and not self._multiple else "tree"
        self._modelled = others == "playout"
        if self._modelled and self._multiple:
            raise ValueError("variant must be 'single' with others='playout': the other seats then need no trees")
        if self._modelled and decider is None:
            raise ValueError(f"playout must be compiled with others='playout', as 'random' is, not {short(playout)}")
        self._wave = check_int("wave", wave, 1, 4096)
        if goal is None:
            goal = foretold if self._valued else self.game.rewards[0]
        if self._valued and goal != foretold:
            raise ValueError(
                f"goal must be {foretold!r}, which the network foretells, with leaves='value', not {short(goal)}"
            )
        self._kind = self.game.reward_kind(goal)
        self._limit = self.game.max_decisions or self.game.max_steps
        self._spaces: list[Space] = []
        _ = self._loops  # known before anything is compiled, so that the guess of how long that takes counts them

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle: all attributes but the work arrays, which are made anew."""
        return self.__dict__ | {"_spaces": []}

    @property
    def _decider(self) -> Decider:
        """The decider of compiled play-outs, and of the moves that the tree's seat does not see."""
        decider = compiled_decider(self.game, self._playout, self._calling)
        assert decider is not None
        return decider

    @property
    def _loops(self) -> TreeKernels:
        """The compiled loops of the search."""
        decider = self._decider
        return tree_kernels(self.game.kernels, decider.style, decider.pick)

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        """Means or shares of the simulations, as `ScoredPolicy.evaluate` returns scores."""
        return self._searched(observations, action_masks, streams, skip_forced)[:2]

    def weigh(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> tuple[Scores, Ints, None, Ints]:
        """Scores and actions as `ScoredPolicy.weigh` returns them, with the visits of the root's edges and no errors."""
        # Edges keep sums of rewards, but no sums of squares.
        scores, chosen, visits = self._searched(observations, action_masks, streams, False)
        return scores, chosen, None, visits

    def _searched(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints, Ints]:
        """The results of `evaluate`, and the visits of each action at the root, int64 (n, num_actions)."""
        scores = np.where(action_masks != 0, 0.0, np.nan)
        counts = np.zeros(action_masks.shape, np.int64)
        chosen = action_masks.argmax(axis=1)
        rows = np.flatnonzero(action_masks.sum(axis=1) > (1 if skip_forced else 0))
        if not len(rows):
            return scores, chosen, counts
        space = self._spaces.pop() if self._spaces else self._room()
        for row in rows:
            _open(space, self.game, observations, action_masks, row)
            began = time.perf_counter()
            self._simulate(self._believed(space, observations, streams, row, began), streams, row, began)
            edges = _edges(space)
            taken = max(sum(edge.visits for edge in edges), 1)
            for edge in edges:
                counts[row, edge.action] = edge.visits
                scores[row, edge.action] = edge.mean if self._paired else edge.visits / taken
            # Of equal visits the better mean decides, and before any visit the network, if one is asked.
            best = max(edges, key=lambda edge: (edge.visits, edge.mean, edge.prior, -edge.action), default=None)
            chosen[row] = chosen[row] if best is None else best.action
        self._spaces.append(space)
        return scores, chosen, counts

    def _believed(self, space: Space, observations: Bytes, streams: Streams, row: int, began: float) -> Space:
        """The space with worlds by the network's beliefs as its pool, found by ``began`` plus half of ``seconds``."""
        if not self.beliefs or self._network is None:
            return space
        network, wanted, worlds = self._network, self.beliefs, None
        if self.seconds is not None:
            few = -(-wanted // _TRIAL)
            worlds = network.believed(observations, row, streams, few, self.candidates, None)
            taken = time.perf_counter() - began
            wanted = int(min(wanted, few * (self.seconds / 2 - taken) / taken))
        if worlds is None or wanted > len(worlds):
            worlds = network.believed(observations, row, streams, wanted, self.candidates, None)
        return space._replace(pool=as_records(worlds))

    def _room(self) -> Space:
        """Arrays for a search of this policy's size."""
        # A world in which all actions of the root are tried is on its way as a whole.
        wave = max(self._wave, self.game.num_actions) if self._network is not None or self._player is not None else 1
        needed = _MOST_NODES if self.seconds is not None else 64 + self.simulations * max(16, 4 * self.game.seats)
        return _new_space(self.game, wave, min(needed, _MOST_NODES))

    def _rules(self, space: Space) -> SearchRules:
        """The search's settings, as kernels take them."""
        decider = self._decider
        return SearchRules(
            self._paired, self._multiple, self._modelled, self._selection, self._c, self._trust, decider.agent,
            decider.calling, self._kind, self._most(space), self._valued,
        )  # fmt: skip

    def _most(self, space: Space) -> int:
        """Maximum number of actions from the searching seat's position on; a view with recall has counted earlier ones."""
        return self._limit - int(space.views[0]["moves"])

    def _simulate(self, space: Space, streams: Streams, row: int, began: float) -> None:
        """Runs the budget's simulations: so many, or for ``seconds`` from ``began`` on, a time of `time.perf_counter`."""
        search = self._compiled if self._network is None and self._player is None else self._waves
        if self.seconds is None:
            done = 0
            while done < self.simulations:
                done += search(space, streams, row, min(_CALL, self.simulations - done))
            return
        end = began + self.seconds
        search(space, streams, row, _CHUNK)
        while time.perf_counter() < end:
            search(space, streams, row, _CHUNK)

    def _compiled(self, space: Space, streams: Streams, row: int, simulations: int) -> int:
        """Runs simulations one after the other, all compiled; returns their number."""
        return int(self._loops.search(simulations, space, self._rules(space), streams, row))

    def _waves(self, space: Space, streams: Streams, row: int, simulations: int) -> int:
        """Runs a wave of simulations with leaves that policies evaluate or play out; returns their number."""
        loops, rules = self._loops, self._rules(space)
        # The first simulation goes alone, so that the others find edges.
        first = space.counts[USED] == self.game.seats
        size = int(loops.down(1 if first else min(self._wave, simulations), space, rules, streams, row))
        self._ask(space, rules, size)
        if self._valued:
            pass  # the network has said what the worlds are worth
        elif self._player is None:
            loops.finish(size, space, rules, streams, row)
        else:
            drawn = np.zeros(size, np.uint64)
            fork(streams, row, drawn)
            left = rules.limit - space.lengths[:size]
            play_on(self.game, space.games[:size], [self._player] * self.game.seats, drawn, left)
        loops.up(size, space, rules)
        return size

    def _ask(self, space: Space, rules: SearchRules, size: int) -> None:
        """Asks the network about the worlds of a wave: for probabilities where the tree ends, for values if they count."""
        network, games = self._network, space.games[:size]
        if network is None:
            return
        waiting = space.waits[:size] >= 0
        rows = np.flatnonzero(waiting)
        if self._valued:
            rows = np.flatnonzero((games["over"] == RUNNING) & (space.lengths[:size] < rules.limit))
            space.rewards[:size] = 0.0
        if not len(rows):
            return
        observations, masks = observed(network.game, games, rows)
        here = np.flatnonzero(waiting[rows])
        chances = np.ascontiguousarray(network.chances_of(observations[here], masks[here]), np.float32)
        for k, w in enumerate(rows[here]):
            self._loops.grow(w, space, rules, chances, k)
        if self._valued:
            values = network.values_of(states_of(network.game, games, rows, observations))
            space.rewards[rows] = self._shared(games[rows], values)

    def _shared(self, games: Games, values: Floats) -> Floats:
        """Rewards of all seats from the values of the seats to act: float32 (n, seats), zero-sum.

        The other sides share what the side to act gains.

        Args:
            games: full states, a structured array of shape (n,).
            values: float32 (n,).
        """
        sides = self.game.seat_sides(games)
        own = sides == np.take_along_axis(sides, games["to_act"][:, None], 1)
        return np.where(own, 1.0, -1.0 / max(self.game.num_sides - 1, 1)).astype(np.float32) * values[:, None]
