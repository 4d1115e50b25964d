"""Information-set Monte Carlo tree search as a policy, for every game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER
from cardenvs.baselines.search.base import SearchPolicy, check_seconds
from cardenvs.baselines.search.tree.deciders import AUTO, RANDOM, Decider, compiled_decider
from cardenvs.baselines.search.tree.nodes import NODE, SELECTED, USED, SearchRules, Space
from cardenvs.baselines.search.tree.selection import Puct, Root, Selection, Ucb, each_action, selected_action
from cardenvs.baselines.search.tree.tree import TreeKernels, tree_kernels
from cardenvs.checks import MOST_DRAWN, check_choice, check_int, short
from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import fork
from cardenvs.compiled.waiting import clock
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.policy.explanation import Scores
from cardenvs.policy.registry import make
from cardenvs.worlds import observed, play_on, rewards_of, states_of

OTHERS = ("tree", "trees", "playout")  # deciders for other seats: the searching seat's tree, own trees, play-outs

_TRUST = 0.5  # with PUCT and no network, the prior of the play-out agent's choice, beside an even share of the rest
_CHUNK = 32  # simulations between two looks at the clock
_CALL = 4096  # simulations in one call of a kernel; between calls Python may be interrupted
_MOST_NODES = 1 << 18
_TRIAL = 64  # with a budget of time one in so many worlds is drawn first, to estimate how many it allows


@dataclass(frozen=True)
class Leaves:
    """The worth of a deal where the tree ends, and who plays deals out; fields and errors as for `named.ismcts`."""

    playout: str | Policy = AUTO  # a policy, or a name of `compiled_decider`
    calling: str = DEFAULT_CALLER  # a name from `calling.CALLERS`
    network: Policy | None = None  # a policy whose values count instead of play-outs
    goal: str | None = None  # None: what the network foretells, else the first kind of reward
    wave: int = 16  # simulations that wait together for policies that are not compiled, 1 to 4096

    def __post_init__(self) -> None:
        check_int("wave", self.wave, 1, 4096)
        if self.network is not None:
            foretold = self.network.value_kind
            if not foretold:
                raise ValueError(f"network must be a policy that has values, not {short(self.network.name)}")
            if self.goal not in (None, foretold):
                raise ValueError(
                    f"goal must be {foretold!r}, which the network foretells, with leaves='value', not {short(self.goal)}"
                )


@dataclass(frozen=True)
class Beliefs:
    """Worlds by a network's beliefs: drawn by how likely the network was to act in them as the others did."""

    network: Policy  # a policy that has beliefs
    worlds: int  # in which each decision's simulations begin, at least 1; fewer if ``seconds`` are short
    candidates: int = 4  # uniform worlds from which each is drawn; with 1 all are equally likely

    def __post_init__(self) -> None:
        check_int("worlds", self.worlds, 1, MOST_DRAWN)
        check_int("candidates", self.candidates, 1, MOST_DRAWN)
        if self.network is None or not self.network.has_beliefs:
            name = None if self.network is None else self.network.name
            raise ValueError(
                f"network must be a policy that has beliefs, such as 'learned', with beliefs, not {short(name)}"
            )


_LEAVES = Leaves()


def _new_space(spec: GameSpec, wave: int, size: int) -> Space:
    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, np.int64)

    depth = min(spec.max_steps, 1024) + 1
    return Space(
        views=spec.new_games(1),
        pool=spec.new_games(0),
        root=zeros(spec.mask_words),
        games=spec.new_games(wave + 1),
        nodes=as_records(np.zeros(size, NODE)),
        counts=zeros(1),
        bounds=np.zeros(2),
        path=zeros(wave, depth),
        who=zeros(wave, depth),
        depths=zeros(wave),
        lengths=zeros(wave),
        waits=zeros(wave),
        lost=np.zeros(wave),
        points=zeros(wave, spec.num_sides),
        tricks=zeros(wave, spec.seats),
        rewards=np.zeros((wave, spec.seats), np.float32),
        at=zeros(spec.seats),
        left=zeros(spec.mask_words),
        veiled=zeros(spec.mask_words),
    )


def _open_row(space: Space, spec: GameSpec, observations: Bytes, masks: Bytes, row: int) -> None:
    """Readies a space for one row: the view, the actions at the root, empty trees."""
    spec.kernels.decode(observations, row, space.views, 0)
    legal = np.zeros(64 * spec.mask_words, np.uint8)
    legal[: spec.num_actions] = masks[row]
    space.root[:] = np.packbits(legal, bitorder="little").view("<i8")
    space.nodes["child"][: spec.seats] = 0
    space.counts[USED] = spec.seats
    space.bounds[:] = 0


def _root_plan(root: Root, actions: Ints, most: int) -> Ints:
    plan = root(actions)
    if root in (each_action, selected_action):
        return plan
    if not 0 < len(plan) <= most or not {SELECTED, *actions.tolist()}.issuperset(plan.tolist()):
        raise ValueError(f"root must name some of the actions {actions.tolist()}, not {plan.tolist()}")
    return plan


class _Edge(NamedTuple):
    action: int
    visits: int
    total: float
    prior: float

    @property
    def mean(self) -> float:
        return self.total / max(self.visits, 1)


def _root_edges(space: Space) -> list[_Edge]:
    """The edges out of the searching seat's root."""
    found = []
    edge = int(space.nodes["child"][0])
    while edge:
        node = space.nodes[edge]
        found.append(_Edge(int(node["action"]), int(node["visits"]), float(node["total"]), float(node["prior"])))
        edge = int(node["sibling"])
    return found


class Ismcts(SearchPolicy):
    """A search that grows a tree over worlds that fit what it knows, in which every seat seeks its own side's reward.

    `cardenvs.baselines.search.tree.named.ismcts` makes it from the parameters of the policy ``ismcts``, and describes
    these.

    Args:
        root: which actions are tried in each world: `each_action`, which makes scores means, or `selected_action`, one
            chosen as below, which makes them shares of the simulations. None: each action where a skilled agent plays out
            and ``interior`` asks no network.
        interior: how edges are taken below the root, such as `Ucb` or `Puct`. None: `Puct` where a skilled agent plays
            out, else `Ucb`.
        others: as for `ismcts`, and ``"trees"``: each seat in a tree of what it sees itself.
        leaves: what a deal is worth where the tree ends. Its network must be that of ``interior``, or None.
        worlds: how worlds are drawn; None: uniformly from all that are consistent with what the seat knows.

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
        root: Root | None = None,
        interior: Selection | None = None,
        others: str = AUTO,
        leaves: Leaves = _LEAVES,
        worlds: Beliefs | None = None,
    ) -> None:
        # Beliefs rest on who did what when.
        super().__init__(game if worlds is None else get_game(game).recalling)
        self.simulations = check_int("simulations", simulations, 1)
        self.seconds = check_seconds(seconds)
        check_choice("others", others, (AUTO, *OTHERS))
        decider = compiled_decider(self.game, leaves.playout, leaves.calling)
        self._player: Policy | None = make(self.game.plain, leaves.playout) if decider is None else None
        # Who plays out, by name: kernels are looked up when they are needed, as a policy can be copied and pickled.
        self._playout = RANDOM if decider is None else leaves.playout
        skilled = decider is not None and decider.style != RANDOM
        self._trust = _TRUST if skilled else 0.0
        self._interior: Selection = (Puct() if skilled else Ucb()) if interior is None else interior
        self._leaves, self._worlds, self._network = leaves, worlds, self._interior.network
        for network in (self._network, None if worlds is None else worlds.network):
            if network is not None:
                make(self.game.plain, network)  # which checks that it plays the game
        if leaves.network not in (None, self._network):
            raise ValueError("leaves must ask the network of interior, or none")
        fits = skilled and self._network is None
        self._root = (each_action if fits else selected_action) if root is None else root
        self.kind = "probability" if self._root is selected_action else "value"
        if others == AUTO:
            others = "playout" if fits else "tree"
        self._multiple, self._modelled = others == "trees", others == "playout"
        if self._modelled and decider is None:
            raise ValueError(f"playout must be compiled with others='playout', as 'random' is, not {short(leaves.playout)}")
        goal = leaves.goal
        if goal is None:
            goal = self.game.rewards[0] if leaves.network is None else leaves.network.value_kind
        self._kind = self.game.reward_kind(goal)
        self._limit = self.game.max_decisions or self.game.max_steps
        self._spaces: list[Space] = []
        # Known before anything is compiled, so that the guess of how long that takes counts them.
        self._tree_kernels(self._decider)

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle: all attributes except the work arrays."""
        return self.__dict__ | {"_spaces": []}

    @property
    def _decider(self) -> Decider:
        """The decider of compiled play-outs, and of the moves that the tree's seat does not see."""
        decider = compiled_decider(self.game, self._playout, self._leaves.calling)
        assert decider is not None
        return decider

    @property
    def _uses_values(self) -> bool:
        return self._leaves.network is not None

    def _tree_kernels(self, decider: Decider) -> TreeKernels:
        return tree_kernels(self.game.kernels, decider.style, decider.pick, self._interior.choose)

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        return self._search_rows(observations, action_masks, streams, skip_forced)[:2]

    def weigh(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> tuple[Scores, Ints, None, Ints]:
        """Scores and actions as of `ScoredPolicy.weigh`, with the visits of the root's edges and no errors."""
        # Edges keep sums of rewards, but no sums of squares.
        scores, chosen, visits = self._search_rows(observations, action_masks, streams, False)
        return scores, chosen, None, visits

    def _search_rows(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints, Ints]:
        """The results of `evaluate`, and the visits of each action at the root, int64 (n, num_actions)."""
        scores = np.where(action_masks != 0, 0.0, np.nan)
        counts = np.zeros(action_masks.shape, np.int64)
        chosen = action_masks.argmax(axis=1)
        rows = np.flatnonzero(action_masks.sum(axis=1) > (1 if skip_forced else 0))
        if not len(rows):
            return scores, chosen, counts
        space = self._spaces.pop() if self._spaces else self._make_space()
        for row in rows:
            _open_row(space, self.game, observations, action_masks, row)
            plan = _root_plan(self._root, np.flatnonzero(action_masks[row]), self.game.num_actions)
            began = clock()
            self._run_simulations(self._with_beliefs(space, observations, streams, row, began), plan, streams, row, began)
            edges = _root_edges(space)
            taken = max(sum(edge.visits for edge in edges), 1)
            for edge in edges:
                counts[row, edge.action] = edge.visits
                scores[row, edge.action] = edge.mean if self.kind == "value" else edge.visits / taken
            # Of equal visits the better mean decides, and before any visit the network, if one is asked.
            best = max(edges, key=lambda edge: (edge.visits, edge.mean, edge.prior, -edge.action), default=None)
            chosen[row] = chosen[row] if best is None else best.action
        self._spaces.append(space)
        return scores, chosen, counts

    def _with_beliefs(self, space: Space, observations: Bytes, streams: Streams, row: int, began: float) -> Space:
        """The space with worlds by the network's beliefs as its pool, found by ``began`` plus half of ``seconds``."""
        if self._worlds is None:
            return space
        network, wanted, candidates, worlds = self._worlds.network, self._worlds.worlds, self._worlds.candidates, None
        if self.seconds is not None:
            few = -(-wanted // _TRIAL)
            worlds = network.believed(observations, row, streams, few, candidates, None)
            taken = clock() - began
            wanted = int(min(wanted, few * (self.seconds / 2 - taken) / taken))
        if worlds is None or wanted > len(worlds):
            worlds = network.believed(observations, row, streams, wanted, candidates, None)
        return space._replace(pool=as_records(worlds))

    def _make_space(self) -> Space:
        # A world in which all actions of the root are tried is on its way as a whole.
        wave = max(self._leaves.wave, self.game.num_actions) if self._network is not None or self._player is not None else 1
        needed = _MOST_NODES if self.seconds is not None else 64 + self.simulations * max(16, 4 * self.game.seats)
        return _new_space(self.game, wave, min(needed, _MOST_NODES))

    def _search_rules(self, space: Space, decider: Decider) -> SearchRules:
        return SearchRules(
            self._multiple, self._modelled, float(self._interior.c), self._trust, decider.agent, decider.calling,
            self._kind, self._max_actions(space), self._uses_values,
        )  # fmt: skip

    def _max_actions(self, space: Space) -> int:
        """Maximum number of actions from the searching seat's position on; a view with recall has counted earlier ones."""
        return self._limit - int(space.views[0]["moves"])

    def _run_simulations(self, space: Space, plan: Ints, streams: Streams, row: int, began: float) -> None:
        """Runs the budget's simulations: so many, or for ``seconds`` from ``began`` on, a time of `clock`."""
        search = self._run_compiled if self._network is None and self._player is None else self._run_wave
        if self.seconds is None:
            done = 0
            while done < self.simulations:
                done += search(space, plan, streams, row, min(_CALL, self.simulations - done))
            return
        end = began + self.seconds
        search(space, plan, streams, row, _CHUNK)
        while clock() < end:
            search(space, plan, streams, row, _CHUNK)

    def _run_compiled(self, space: Space, plan: Ints, streams: Streams, row: int, simulations: int) -> int:
        """Runs simulations one after the other, all compiled; returns their number."""
        decider = self._decider
        return int(
            self._tree_kernels(decider).search(simulations, plan, space, self._search_rules(space, decider), streams, row)
        )

    def _run_wave(self, space: Space, plan: Ints, streams: Streams, row: int, simulations: int) -> int:
        """Runs a wave of simulations with leaves that policies evaluate or play out; returns their number."""
        decider = self._decider
        loops, rules = self._tree_kernels(decider), self._search_rules(space, decider)
        # The first simulation goes alone, so that the others find edges.
        first = space.counts[USED] == self.game.seats
        size = int(loops.down(1 if first else min(self._leaves.wave, simulations), plan, space, rules, streams, row))
        self._ask_network(loops, space, rules, size)
        if self._uses_values:
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

    def _ask_network(self, loops: TreeKernels, space: Space, rules: SearchRules, size: int) -> None:
        """Asks the network about the worlds of a wave: for probabilities where the tree ends, for values if they count."""
        network, games = self._network, space.games[:size]
        if network is None:
            return
        waiting = space.waits[:size] >= 0
        rows = np.flatnonzero(waiting)
        if self._uses_values:
            rows = np.flatnonzero((games["over"] == RUNNING) & (space.lengths[:size] < rules.limit))
            space.rewards[:size] = rewards_of(self.game, games, self._kind)
        if not len(rows):
            return
        observations, masks = observed(network.game, games, rows)
        here = np.flatnonzero(waiting[rows])
        chances = np.ascontiguousarray(network.chances_of(observations[here], masks[here]), np.float32)
        for k, w in enumerate(rows[here]):
            loops.grow(w, space, rules, chances, k)
        if self._uses_values:
            values = network.values_of(states_of(network.game, games, rows, observations))
            space.rewards[rows] += self._share_values(games[rows], values)

    def _share_values(self, games: Games, values: Floats) -> Floats:
        """Rewards of all seats, float32 (n, seats), from the values of the seats to act; zero-sum."""
        sides = self.game.seat_sides(games)
        own = sides == np.take_along_axis(sides, games["to_act"][:, None], 1)
        return np.where(own, 1.0, -1.0 / max(self.game.num_sides - 1, 1)).astype(np.float32) * values[:, None]
