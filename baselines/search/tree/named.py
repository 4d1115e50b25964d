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
