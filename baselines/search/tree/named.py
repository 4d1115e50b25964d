"""``ismcts``: the search of `cardenvs.baselines.search.tree.ismcts`, made from the parameters in a policy's name."""

from __future__ import annotations

from typing import Any

from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER
from cardenvs.baselines.search.tree.deciders import AUTO, RANDOM, compiled_decider
from cardenvs.baselines.search.tree.ismcts import Beliefs, Ismcts, Leaves
from cardenvs.baselines.search.tree.selection import Puct, Root, Selection, Ucb, each_action, selected_action
from cardenvs.checks import MOST_DRAWN, check_bool, check_choice, check_int, short
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.registry import make

LEAVES = ("playout", "value")  # kinds of leaf value: the reward of a play-out, or a network's value
VARIANTS = ("single", "multiple")  # observers: the searching seat alone, or each seat in a tree of its own
SELECTIONS = ("ucb", "puct")  # selection rules for edges
OTHERS = ("tree", "playout")  # deciders for the other seats within the tree: the tree, or the play-out policy


def ismcts(
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
) -> Ismcts:
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

    spec = get_game(game).plain
    check_int("beliefs", beliefs, 0, MOST_DRAWN)
    check_int("candidates", candidates, 1, MOST_DRAWN)
    check_choice("variant", variant, VARIANTS)
    check_choice("selection", selection, (AUTO, *SELECTIONS))
    check_choice("others", others, (AUTO, *OTHERS))
    check_choice("leaves", leaves, (AUTO, *LEAVES))
    decider = compiled_decider(spec, playout, calling)
    skilled = decider is not None and decider.style != RANDOM
    asked: Any = None if network is None else make(spec, network)
    interior = _make_selection(selection, skilled, c, asked)
    worlds = Beliefs(asked, beliefs, candidates) if beliefs else None
    foretold = "" if asked is None else asked.value_kind
    if leaves == AUTO:
        leaves = "value" if foretold and playout == AUTO else "playout"
    if leaves == "value" and not foretold:
        raise ValueError(f"network must be a policy that has values with leaves='value', not {short(network)}")
    if variant == "multiple":
        if others == "playout":
            raise ValueError("variant must be 'single' with others='playout': the other seats then need no trees")
        others = "trees"
    root: Root | None = None
    if paired is not None:
        root = each_action if check_bool("paired", paired) else selected_action
    ends = Leaves(playout, calling, asked if leaves == "value" else None, goal, wave)
    return Ismcts(game, simulations, seconds, root, interior, others, ends, worlds)


ismcts.needs_worlds = True  # type: ignore[attr-defined]  # as the class that it makes objects of


def _make_selection(selection: str, skilled: bool, c: float | None, network: Any) -> Selection:
    if network is not None:
        puct = Puct(network=network) if c is None else Puct(c, network)
        if selection == "ucb":
            raise ValueError(f"network must be none with selection='ucb', not {short(network.name)}")
        return puct
    rule = Ucb if selection == "ucb" or (selection == AUTO and not skilled) else Puct
    return rule() if c is None else rule(c)
