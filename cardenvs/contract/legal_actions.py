"""Functions over a game's kernels that count, pick and draw legal actions, and choices of which several are one action.

They are attributes of `cardenvs.contract.kernels.Kernels`; ``words`` is the number of 64-bit words in a set of actions.
"""

from typing import Any

from cardenvs.compiled.bits import Streams, lowest, nth, popcount
from cardenvs.compiled.streams import below
from cardenvs.contract.loops import Kernel


def count_actions(kernels: Any) -> Kernel:
    """Makes the function that counts the legal actions in game ``i``."""
    legal, words = kernels.legal, kernels.words

    def count_actions(games: Any, i: int) -> int:
        count = 0
        for word in range(words):
            count += popcount(legal(games, i, word))
        return count

    return count_actions


def nth_action(kernels: Any) -> Kernel:
    """Makes the function that returns legal action ``n`` in game ``i``; actions are counted from 0, ascending."""
    legal, words = kernels.legal, kernels.words

    def nth_action(games: Any, i: int, n: int) -> int:
        left = n
        found = -1
        for word in range(words):
            actions = legal(games, i, word)
            here = popcount(actions)
            if found < 0 and left < here:
                found = 64 * word + nth(actions, left)
            left -= here
        return found

    return nth_action


def random_action(kernels: Any) -> Kernel:
    """Makes the function that draws a legal action in game ``i`` uniformly; -1 if there is none."""
    legal = kernels.legal
    if kernels.words == 1:

        def only_word(games: Any, i: int, streams: Streams, s: int) -> int:
            actions = legal(games, i, 0)
            return nth(actions, below(streams, s, popcount(actions))) if actions != 0 else -1

        return only_word
    count, nth_of_all = kernels.count_actions, kernels.nth_action

    def random_action(games: Any, i: int, streams: Streams, s: int) -> int:
        choices = count(games, i)
        return nth_of_all(games, i, below(streams, s, choices)) if choices != 0 else -1

    return random_action


def choices(kernels: Any) -> Kernel:
    """Makes ``choices(games, i) -> int``: the number of choices of the seat to act, of which several can be one action: the
    sum of multiplicities. Without `Kernels.multiplicity` that is the number of legal actions; 0 when the deal is over."""
    legal, multiplicity, words = kernels.legal, kernels.multiplicity, kernels.words
    if multiplicity is None:
        return count_actions(kernels)

    def count_choices(games: Any, i: int) -> int:
        count = 0
        for word in range(words):
            actions = legal(games, i, word)
            while actions != 0:
                count += multiplicity(games, i, 64 * word + lowest(actions))
                actions &= actions - 1
        return count

    return count_choices


def choice(kernels: Any) -> Kernel:
    """Makes ``choice(games, i, n) -> int``: the action of choice ``n``, from 0 to ``choices(games, i) - 1``; choices are
    ordered by action."""
    legal, multiplicity, words = kernels.legal, kernels.multiplicity, kernels.words
    if multiplicity is None:
        return nth_action(kernels)

    def nth_choice(games: Any, i: int, n: int) -> int:
        left = n
        found = -1
        for word in range(words):
            actions = legal(games, i, word)
            while actions != 0 and found < 0:
                action = 64 * word + lowest(actions)
                left -= multiplicity(games, i, action)
                if left < 0:
                    found = action
                actions &= actions - 1
        return found

    return nth_choice
