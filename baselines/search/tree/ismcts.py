"""``ismcts``: information-set Monte Carlo tree search, for every game."""

from typing import Any, ClassVar

import numpy as np

from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER
from cardenvs.baselines.search.base import WeighingSearch, check_seconds
from cardenvs.baselines.search.tree.deciders import AUTO, RANDOM, Decider, compiled_decider
from cardenvs.baselines.search.tree.nodes import NODE, SELECTED, USED, SearchRules, Space
from cardenvs.baselines.search.tree.selection import by_decider, by_network, by_ucb
from cardenvs.baselines.search.tree.tree import TreeKernels, tree_kernels
from cardenvs.checks import MOST_DRAWN, check_bool, check_choice, check_int, check_number, short
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

LEAVES = ("playout", "value")  # kinds of leaf value: the reward of a play-out, or a network's value
VARIANTS = ("single", "multiple")  # observers: the searching seat alone, or each seat in a tree of its own
SELECTIONS = ("ucb", "puct")  # selection rules for edges
OTHERS = ("tree", "playout")  # deciders for the other seats within the tree: the tree, or the play-out policy

_UCB_C, _PUCT_C = 0.7, 0.5  # default weights of exploration
_TRUST = 0.5  # with PUCT and no network, the prior of the play-out agent's choice, beside an even share of the rest
_CHUNK = 32  # simulations between two looks at the clock
_CALL = 4096  # simulations in one call of a kernel; between calls Python may be interrupted
_MOST_NODES = 1 << 18
_TRIAL = 64  # with a budget of time one in so many worlds is drawn first, to estimate how many it allows


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


def _root_edges(space: Space) -> Any:
    """The edges out of the searching seat's root, rows of the tree."""
    rows = [int(space.nodes["child"][0])]
    while rows[-1]:
        rows.append(int(space.nodes["sibling"][rows[-1]]))
    return space.nodes[rows[:-1]]


class Ismcts(WeighingSearch):
    """``ismcts``: grows a tree over worlds that fit what it knows, in which every seat seeks its own side's reward.

    Each simulation draws a world uniformly from those consistent with what the seat knows, and follows the tree until it
    lacks an action of the world. That action is added, the deal is played out, and each seat's reward at the end of the
    deal is written back. All worlds share the tree, so that no seat in it knows what the searching seat does not know.

    Where deals are played out by a skilled agent, every action is tried in each world, as by ``monte-carlo``, and below it
    the tree improves on the agent's play; a score is the mean reward. Else the search is the one in the textbook: a score
    is the share of the simulations that took the action, and the largest share is chosen. Parameters choose any mixture.

    Source: Cowling, Powley and Whitehouse 2012 (SO-ISMCTS, with moves that the seat does not see made as in play-outs; and
    MO-ISMCTS); PUCT as in AlphaZero (Silver et al. 2017), with virtual losses.

    Args:
        simulations: number of simulations of a decision, at least 1.
        seconds: if given, time for simulations instead of their number; the choice then depends on the machine. At most
            about half of it is used for ``beliefs``.
        variant: ``"single"``, one tree of this seat's views, or ``"multiple"``, a tree for each seat, of that seat's views.
        paired: whether every action is tried in each world, instead of one that is selected as elsewhere in the tree; None:
            only if a skilled agent plays out and there is no network.
        selection: how edges are selected: ``"ucb"``; ``"puct"``, which prefers likely actions, by the probabilities of
            ``network`` or else the play-out agent's choice in the world; ``"auto"``: ``puct`` with a network or a skilled
            agent, else ``ucb``.
        c: the weight of exploration, for rewards scaled to 0 .. 1; None for 0.7 with UCB and 0.5 with PUCT.
        others: the decider for the other seats within the tree: ``"tree"``; ``"playout"``, as in play-outs: the search then
            looks for the best response to such players; ``"auto"``: ``playout`` if a skilled agent plays out, there is no
            network, and the other seats have no trees, else ``tree``.
        playout: the policy of play-outs: ``"auto"``, the skilled agent ``coop-high-low`` in Euchre and Whist and else
            ``random``; or any policy. ``random`` and the play-out agents of ``monte-carlo`` are compiled.
        calling: the method for bids and discards in play-outs, a name from `calling.CALLERS`.
        network: for PUCT, a policy that has probabilities, such as ``"learned"`` or the path of a trained one.
        leaves: the value of a deal at the end of the tree: ``"playout"``, its result after a play-out; ``"value"``, the
            network's prediction, for networks with values, such as the checkpoint of a training run; ``"auto"``: ``value``
            if the network has values and no ``playout`` is named.
        beliefs: for a network with beliefs, number of worlds in which the simulations of a decision begin, drawn by the
            network's probability of the others' actions in them; fewer if ``seconds`` are short; 0: each simulation begins
            in its own world, drawn uniformly.
        candidates: number of uniform worlds from which each of these is drawn; with 1 all are equally likely.
        wave: with a network or a play-out policy that is not compiled, number of simulations that wait for its answers
            together.
        goal: the kind of reward to maximise, one of the game's; None for the kind that the network predicts, if its values
            are used, else the game's first.
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
        playout: str | Policy = AUTO,
        calling: str = DEFAULT_CALLER,
        network: str | Policy | None = None,
        leaves: str = AUTO,
        beliefs: int = 0,
        candidates: int = 4,
        wave: int = 16,
        goal: str | None = None,
    ) -> None:
        self._worlds = check_int("beliefs", beliefs, 0, MOST_DRAWN)
        # Beliefs rest on who did what when.
        super().__init__(get_game(game).recalling if beliefs else game)
        self.simulations = check_int("simulations", simulations, 1)
        self.seconds = check_seconds(seconds)
        self._candidates = check_int("candidates", candidates, 1, MOST_DRAWN)
        self._wave = check_int("wave", wave, 1, 4096)
        check_choice("variant", variant, VARIANTS)
        check_choice("selection", selection, (AUTO, *SELECTIONS))
        check_choice("others", others, (AUTO, *OTHERS))
        check_choice("leaves", leaves, (AUTO, *LEAVES))
        decider = compiled_decider(self.game, playout, calling)
        self._player: Policy | None = make(self.game.plain, playout) if decider is None else None
        # Who plays out, by name: kernels are looked up when they are needed, as a policy can be copied and pickled.
        self._playout, self._calling = RANDOM if decider is None else playout, calling
        skilled = decider is not None and decider.style != RANDOM
        self._trust = _TRUST if skilled else 0.0
        self._network = None if network is None else self._check_network(make(self.game.plain, network), selection)
        if beliefs and (self._network is None or not self._network.has_beliefs):
            name = None if self._network is None else self._network.name
            raise ValueError(
                f"network must be a policy that has beliefs, such as 'learned', with beliefs, not {short(name)}"
            )
        if self._network is not None:
            self._choose = by_network
        else:
            self._choose = by_ucb if selection == "ucb" or (selection == AUTO and not skilled) else by_decider
        self._c = float((_UCB_C if self._choose is by_ucb else _PUCT_C) if c is None else check_number("c", c))
        foretold = "" if self._network is None else self._network.value_kind
        self._uses_values = leaves == "value" or (leaves == AUTO and foretold != "" and playout == AUTO)
        if self._uses_values:
            if not foretold:
                raise ValueError(f"network must be a policy that has values with leaves='value', not {short(network)}")
            if goal not in (None, foretold):
                raise ValueError(
                    f"goal must be {foretold!r}, which the network foretells, with leaves='value', not {short(goal)}"
                )
            goal = foretold
        self._kind = self.game.reward_kind(self.game.rewards[0] if goal is None else goal)
        fits = skilled and self._network is None
        self._paired = fits if paired is None else check_bool("paired", paired)
        self.kind = "value" if self._paired else "probability"
        self._multiple = variant == "multiple"
        if self._multiple and others == "playout":
            raise ValueError("variant must be 'single' with others='playout': the other seats then need no trees")
        self._modelled = others == "playout" or (others == AUTO and fits and not self._multiple)
        if self._modelled and decider is None:
            raise ValueError(f"playout must be compiled with others='playout', as 'random' is, not {short(playout)}")
        self._limit = self.game.max_decisions or self.game.max_steps
        self._spaces: list[Space] = []
        # Known before anything is compiled, so that the guess of how long that takes counts them.
        self._tree_kernels(self._decider)

    @staticmethod
    def _check_network(network: Policy, selection: str) -> Policy:
        """A network for PUCT; raises ValueError for another policy, and with UCB."""
        if not network.has_chances:
            raise ValueError(
                f"network must be a policy that has probabilities, such as 'learned', not {short(network.name)}"
            )
        if selection == "ucb":
            raise ValueError(f"network must be none with selection='ucb', not {short(network.name)}")
        return network

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle: all attributes except the work arrays."""
        return self.__dict__ | {"_spaces": []}

    @property
    def _decider(self) -> Decider:
        """The decider of compiled play-outs, and of the moves that the tree's seat does not see."""
        decider = compiled_decider(self.game, self._playout, self._calling)
        assert decider is not None
        return decider

    def _tree_kernels(self, decider: Decider) -> TreeKernels:
        return tree_kernels(self.game.kernels, decider.style, decider.pick, self._choose)

    def search_rows(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints, None, Ints]:
        # Edges keep sums of rewards, but no sums of squares: there are visits, but no errors.
        scores = np.where(action_masks != 0, 0.0, np.nan)
        counts = np.zeros(action_masks.shape, np.int64)
        chosen = action_masks.argmax(axis=1)
        rows = np.flatnonzero(action_masks.sum(axis=1) > (1 if skip_forced else 0))
        if not len(rows):
            return scores, chosen, None, counts
        space = self._spaces.pop() if self._spaces else self._make_space()
        for row in rows:
            _open_row(space, self.game, observations, action_masks, row)
            plan = np.flatnonzero(action_masks[row]) if self._paired else np.array([SELECTED])
            began = clock()
            self._run_simulations(self._with_beliefs(space, observations, streams, row, began), plan, streams, row, began)
            edges = _root_edges(space)
            actions, visits = edges["action"], edges["visits"]
            means = edges["total"] / np.maximum(visits, 1)
            counts[row, actions] = visits
            scores[row, actions] = means if self.kind == "value" else visits / max(visits.sum(), 1)
            # Of equal visits the better mean decides, and before any visit the network, if one is asked.
            if len(edges):
                chosen[row] = actions[np.lexsort((-actions, edges["prior"], means, visits))[-1]]
        self._spaces.append(space)
        return scores, chosen, None, counts

    def _with_beliefs(self, space: Space, observations: Bytes, streams: Streams, row: int, began: float) -> Space:
        """The space with worlds by the network's beliefs as its pool, found by ``began`` plus half of ``seconds``."""
        if not self._worlds:
            return space
        network, wanted, candidates, worlds = self._network, self._worlds, self._candidates, None
        assert network is not None
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
        wave = max(self._wave, self.game.num_actions) if self._network is not None or self._player is not None else 1
        needed = _MOST_NODES if self.seconds is not None else 64 + self.simulations * max(16, 4 * self.game.seats)
        return _new_space(self.game, wave, min(needed, _MOST_NODES))

    def _search_rules(self, space: Space, decider: Decider) -> SearchRules:
        return SearchRules(
            self._multiple, self._modelled, self._c, self._trust, decider.agent, decider.calling,
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
        size = int(loops.down(1 if first else min(self._wave, simulations), plan, space, rules, streams, row))
        self._ask_network(loops, space, rules, size)
        if self._uses_values:
            pass  # the network has said what the worlds are worth
        elif self._player is None:
            loops.finish(size, space, rules, streams, row)
        else:
            drawn = fork(streams, row, size)
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
