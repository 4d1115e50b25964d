"""``ismcts``: information-set Monte Carlo tree search, for every game."""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np

from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER
from cardenvs.baselines.search.deciders import AUTO, RANDOM, Decider, compiled_decider
from cardenvs.baselines.search.policy import SearchPolicy, check_seconds
from cardenvs.baselines.search.tree_kernels import BY_DECIDER, BY_NETWORK, NODE, UCB, USED, TreeKernels, tree_kernels
from cardenvs.cards import Bytes, Ints, Streams, new_stream
from cardenvs.checks import check_choice, check_int, check_number, short
from cardenvs.jit import kernel
from cardenvs.policy import Policy, Scores, make
from cardenvs.spec import GameSpec
from cardenvs.worlds import observed, play_on

VARIANTS = ("single", "multiple")
"""Who observes: the searching seat alone, or each seat in a tree of its own."""
SELECTIONS = {"ucb": 0.7, "puct": 0.5}
"""How edges are taken, with the weight of exploration that each has by default."""
OTHERS = ("tree", "playout")
"""Who decides for the other seats within the tree: the tree, or whoever plays deals out."""

_TRUST = 0.5
"""With PUCT and no network, the probability of what the play-out agent would do, beside an even share of the rest."""
_CHUNK = 32
"""Simulations between two looks at the clock."""
_CALL = 4096
"""Simulations in one call of a kernel; between calls Python may be interrupted."""
_MOST_NODES = 1 << 18
_NO_LIMIT = 1 << 62


@kernel
def _fork(streams: Streams, row: int, out: Streams) -> None:
    """Writes new random streams, drawn from stream ``row``, to ``out``."""
    for k in range(len(out)):
        out[k] = new_stream(streams, row)


class _Space:
    """The arrays that a search works in.

    Args:
        spec: the game.
        wave: how many simulations go down before the first comes back.
        size: how many edges all trees have room for.
    """

    def __init__(self, spec: GameSpec, wave: int, size: int) -> None:
        depth = min(spec.max_steps, 1024) + 1
        self.views, self.games = spec.new_games(1), spec.new_games(wave)
        self.root, self.left, self.veiled = (np.zeros(spec.mask_words, np.int64) for _ in range(3))
        self.nodes: Any = np.zeros(size, NODE)
        self.counts, self.bounds = np.zeros(1, np.int64), np.zeros(2)
        self.path, self.who = np.zeros((wave, depth), np.int64), np.zeros((wave, depth), np.int64)
        self.depths, self.lengths, self.waits = (np.zeros(wave, np.int64) for _ in range(3))
        self.lost, self.streams = np.zeros(wave), np.zeros(wave, np.uint64)
        self.at = np.zeros(spec.seats, np.int64)
        self.points, self.tricks = np.zeros((wave, spec.num_sides), np.int64), np.zeros((wave, spec.seats), np.int64)
        self.rewards = np.zeros((wave, spec.seats), np.float32)

    def open(self, spec: GameSpec, observations: Bytes, masks: Bytes, row: int) -> None:
        """Makes the space ready for one row: the view, the actions at the root, empty trees."""
        spec.kernels.decode(observations, row, self.views, 0)
        self.root[:] = 0
        for action in np.flatnonzero(masks[row]):
            self.root[action >> 6] |= np.int64(1) << np.int64(action & 63)
        self.nodes["child"][: spec.seats] = 0
        self.counts[USED] = spec.seats
        self.bounds[:] = 0

    def edges(self) -> list[tuple[int, int, float]]:
        """The action, the visits and the total of each edge out of the searching seat's root."""
        found = []
        edge = int(self.nodes["child"][0])
        while edge:
            node = self.nodes[edge]
            found.append((int(node["action"]), int(node["visits"]), float(node["total"])))
            edge = int(node["sibling"])
        return found


class Ismcts(SearchPolicy):
    """``ismcts``: grows a tree over worlds that fit what it knows, in which every seat seeks its own side's reward.

    Each simulation draws a world uniformly from those consistent with what the seat knows, and follows the tree as far as
    the tree knows the world's actions. There an action is added, the deal is played out, and what each seat is paid at the
    end of the deal is written back. All worlds share the tree, so that nobody in it knows what its seat does not know. A
    score is the share of the simulations that took the action; the largest share is chosen.

    Source: Cowling, Powley and Whitehouse 2012 (SO-ISMCTS, with moves that the seat does not see taken as in play-outs; and
    MO-ISMCTS); PUCT as in AlphaZero (Silver et al. 2017), with virtual losses.

    Args:
        game: name or spec.
        simulations: how many simulations make a decision, at least 1.
        seconds: if given, simulate until so much time has gone by instead of a fixed number of times. What is chosen then
            depends on the machine, too.
        variant: ``"single"``, one tree of what this seat sees, or ``"multiple"``, one tree for each seat of what that seat
            sees.
        selection: how edges are taken: ``"ucb"``; or ``"puct"``, which leans to likely actions: by the probabilities of
            ``network``, or else to what the play-out agent would do in the world.
        c: the weight of exploration, for rewards scaled to 0 .. 1; None for 0.7 with UCB and 0.5 with PUCT.
        others: who decides for the other seats within the tree: ``"tree"``, or ``"playout"``, as in play-outs: the search
            then looks for the best answer to such players.
        playout: who plays deals out: ``"auto"``, ``coop-high-low`` in Euchre and Whist and else ``random``; or any policy.
            ``random`` and those that ``monte-carlo`` plays out with are compiled.
        calling: who bids and discards for those, a name from `calling.CALLERS`.
        network: for PUCT, a policy that has probabilities, such as ``"learned"`` or the path of a trained one.
        wave: with a network or a play-out policy that is not compiled, how many simulations wait for its answers together.
        goal: what is counted, one of the game's kinds of reward; None for the first of them.

    Raises:
        ValueError: a wrong parameter.
    """

    games: ClassVar[tuple[str, ...] | None] = None
    kind: ClassVar[str] = "probability"

    def __init__(
        self,
        game: str | GameSpec,
        simulations: int = 1000,
        seconds: float | None = None,
        variant: str = "single",
        selection: str = "ucb",
        c: float | None = None,
        others: str = "tree",
        playout: str = AUTO,
        calling: str = DEFAULT_CALLER,
        network: str | None = None,
        wave: int = 16,
        goal: str | None = None,
    ) -> None:
        super().__init__(game)
        self.simulations = check_int("simulations", simulations, 1)
        self.seconds = check_seconds(seconds)
        check_choice("variant", variant, VARIANTS)
        check_choice("selection", selection, SELECTIONS)
        check_choice("others", others, OTHERS)
        self._multiple, self._modelled = variant == "multiple", others == "playout"
        if self._multiple and self._modelled:
            raise ValueError("variant must be 'single' with others='playout': the other seats then need no trees")
        self._c = SELECTIONS[selection] if c is None else check_number("c", c)
        self._wave = check_int("wave", wave, 1, 4096)
        self._kind = self.game.reward_kind(self.game.rewards[0] if goal is None else goal)
        if network is not None and selection != "puct":
            raise ValueError(f"network must be none with selection={selection!r}, not {short(network)}")
        self._network: Policy | None = None if network is None else make(self.game, network)
        if self._network is not None and not self._network.has_chances:
            raise ValueError(f"network must be a policy that has probabilities, such as 'learned', not {short(network)}")
        self._selection = UCB if selection == "ucb" else BY_DECIDER if network is None else BY_NETWORK
        decider = compiled_decider(self.game, playout, calling)
        self._player: Policy | None = None
        if decider is None:
            self._player = make(self.game, playout)
            if self._modelled:
                raise ValueError(f"playout must be compiled with others='playout', as 'random' is, not {short(playout)}")
        # Who plays out, by name: kernels are looked up when they are needed, as a policy can be copied and pickled.
        self._playout = RANDOM if decider is None else playout
        self._calling = calling
        self._trust = _TRUST if decider is not None and decider.style != RANDOM else 0.0
        self._limit = self.game.max_decisions or _NO_LIMIT
        self._spaces: list[_Space] = []

    def __getstate__(self) -> dict[str, Any]:
        """All but the arrays, which are made anew."""
        return self.__dict__ | {"_spaces": []}

    @property
    def _decider(self) -> Decider:
        """Who decides in compiled play-outs, and of the moves that the tree's seat does not see."""
        decider = compiled_decider(self.game, self._playout, self._calling)
        assert decider is not None
        return decider

    @property
    def _loops(self) -> TreeKernels:
        """The compiled loops."""
        return tree_kernels(self.game.kernels, self._decider)

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        """Shares of the simulations, as `ScoredPolicy.evaluate` returns scores."""
        scores = np.where(action_masks != 0, 0.0, np.nan)
        chosen = action_masks.argmax(axis=1)
        rows = np.flatnonzero(action_masks.sum(axis=1) > (1 if skip_forced else 0))
        if not len(rows):
            return scores, chosen
        space = self._spaces.pop() if self._spaces else self._new_space()
        for row in rows:
            space.open(self.game, observations, action_masks, row)
            self._simulate(space, streams, row)
            edges = space.edges()
            total = max(sum(visits for _, visits, _ in edges), 1)
            for action, visits, _ in edges:
                scores[row, action] = visits / total
            # Of equal visits the better mean decides.
            best = max(edges, key=lambda edge: (edge[1], edge[2] / max(edge[1], 1), -edge[0]), default=None)
            chosen[row] = chosen[row] if best is None else best[0]
        self._spaces.append(space)
        return scores, chosen

    def _new_space(self) -> _Space:
        """Arrays for a search of this policy's size."""
        wave = self._wave if self._network is not None or self._player is not None else 1
        needed = _MOST_NODES if self.seconds is not None else 64 + self.simulations * max(16, 4 * self.game.seats)
        return _Space(self.game, wave, min(needed, _MOST_NODES))

    def _simulate(self, space: _Space, streams: Streams, row: int) -> None:
        """Simulates as often or as long as the budget says."""
        step = self._compiled if self._network is None and self._player is None else self._waves
        if self.seconds is None:
            for start in range(0, self.simulations, _CALL):
                step(space, streams, row, min(_CALL, self.simulations - start))
            return
        end = time.perf_counter() + self.seconds
        step(space, streams, row, _CHUNK)
        while time.perf_counter() < end:
            step(space, streams, row, _CHUNK)

    def _compiled(self, space: _Space, streams: Streams, row: int, simulations: int) -> None:
        """Simulations one after the other, all compiled."""
        decider = self._decider
        self._loops.search(
            simulations, space.views, space.root, streams, row, space.games, space.nodes, space.counts, space.bounds,
            space.path, space.who, space.depths, space.lengths, space.waits, space.lost, space.at, space.left,
            space.veiled, space.points, space.tricks, space.rewards, self._multiple, self._selection, self._modelled,
            self._c, self._trust, decider.agent, decider.calling, self._kind, self._limit,
        )  # fmt: skip

    def _waves(self, space: _Space, streams: Streams, row: int, simulations: int) -> None:
        """Simulations in waves, between which policies are asked."""
        loops, decider = self._loops, self._decider
        done = 0
        while done < simulations:
            # The first simulation goes alone, so that the others find edges.
            first = space.counts[USED] == self.game.seats
            size = 1 if first else min(len(space.games), simulations - done)
            loops.down(
                size, space.views, space.root, streams, row, space.games, space.nodes, space.counts, space.bounds,
                space.path, space.who, space.depths, space.lengths, space.waits, space.lost, space.at, space.left,
                space.veiled, self._multiple, self._selection, self._modelled, self._c, self._trust,
                decider.agent, decider.calling, self._limit,
            )  # fmt: skip
            self._ask(space, size)
            if self._player is None:
                loops.finish(size, space.games, space.lengths, decider.agent, decider.calling, self._limit, streams, row)
            else:
                _fork(streams, row, space.streams[:size])
                limit = None if self._limit == _NO_LIMIT else max(self._limit - int(space.lengths[:size].max()), 0)
                play_on(self.game, space.games[:size], [self._player] * self.game.seats, space.streams[:size], limit)
            loops.up(
                size, space.games, self._kind, space.points, space.tricks, space.rewards, space.nodes, space.bounds,
                space.path, space.who, space.depths, space.lost,
            )  # fmt: skip
            done += size

    def _ask(self, space: _Space, size: int) -> None:
        """Gives the nodes at which a wave waits the edges that they lack, with the network's probabilities."""
        waiting = np.flatnonzero(space.waits[:size] >= 0)
        if self._network is None or not len(waiting):
            return
        observations, masks = observed(self._network.game, space.games, waiting)
        chances = np.ascontiguousarray(self._network.chances_of(observations, masks), np.float32)
        for k, w in enumerate(waiting):
            self._loops.grow(
                w, space.games, space.waits[w], space.nodes, space.counts, chances, k, space.root, self._multiple
            )
