"""The last row of Five-O, searched: the chance to win after each placement of the card in hand if the row is filled well.

In the last row each column lacks one card, and the opponent's moves hardly change its chance to win with each unseen card.
So one player's cards are searched: an expectation over the next card and the best column for it in turn, up to the chance
to win three columns (equation 3 of the Five-O paper). With three or fewer columns open after the card in hand every card is
tried; with four, `TRIED` cards represent all in the next two turns. The search is our own.

``chances``, float64 (n, 5), has each column's chance to win with each of ``n`` cards, ``used`` the numbers of placed cards,
``columns`` the open columns, a bit each, and ``p``, float64 (5,), the chances of the other columns.
"""

from typing import Any

from cardenvs.baselines.search.five_o.chances import Chances, three_of_five
from cardenvs.compiled.bits import lowest, popcount
from cardenvs.compiled.jit import closure, helper, kernel
from cardenvs.contract.kernels import Kernel

TRIED = 3  # number of cards tried for all in each of the next two turns if the card in hand leaves 4 columns open


@helper
def _win_three(p: Chances) -> float:
    return three_of_five(p[0], p[1], p[2], p[3], p[4])


@kernel
def _fill_two(chances: Any, n: int, columns: int, tried: int, used: int, p: Chances) -> float:
    """The chance to win with two columns open: every card may come next, and goes where it gains more."""
    a, b = lowest(columns), lowest(columns & (columns - 1))
    none, one, two, three = 1.0, 0.0, 0.0, 0.0  # columns won among the other three
    for k in range(5):
        if k not in (a, b):
            x = p[k]
            three += two * x
            two += (one - two) * x
            one += (none - one) * x
            none -= none * x
    both_lost, one_won, both_won = three, two + three, one + two + three
    sum_a, sum_b, left = 0.0, 0.0, 0
    for i in range(1, n):
        if used >> i & 1 == 0:
            sum_a += chances[i, a]
            sum_b += chances[i, b]
            left += 1
    total = 0.0
    for i in range(1, n):
        if used >> i & 1 == 0:
            best = 0.0
            for to_a in range(2):
                if to_a:
                    x, y = chances[i, a], (sum_b - chances[i, b]) / (left - 1)
                else:
                    x, y = (sum_a - chances[i, a]) / (left - 1), chances[i, b]
                win = both_lost * (1.0 - x) * (1.0 - y) + one_won * (x + y - 2.0 * x * y) + both_won * x * y
                best = max(best, win)
            total += best
    return total / left


def _filler_after(name: str, fill_rest: Kernel) -> Kernel:
    """The kernel for one open column more than ``fill_rest``, and unique by its name."""

    @closure(f"{__name__}:{name}")
    def fill(chances: Any, n: int, columns: int, tried: int, used: int, p: Chances) -> float:
        """The chance to win; ``tried`` cards, or all if they are fewer, represent the next card."""
        left = n - 1 - popcount(used)
        steps = min(left, tried)
        total = 0.0
        passed, i = -1, 0
        for step in range(steps):
            wanted = (2 * step + 1) * left // (2 * steps)
            while passed < wanted:
                i += 1
                passed += used >> i & 1 == 0
            best = 0.0
            rest = columns
            while rest != 0:
                k = lowest(rest)
                rest &= rest - 1
                before, p[k] = p[k], chances[i, k]
                best = max(best, fill_rest(chances, n, columns & ~(1 << k), tried, used | 1 << i, p))
                p[k] = before
            total += best
        return total / steps

    return fill


_fill_three = _filler_after("fill-three", _fill_two)
_fill_four = _filler_after("fill-four", _fill_three)


@kernel
def fill_last_row(chances: Any, n: int, columns: int, p: Chances, wins: Chances) -> None:
    """Writes the chance to win three columns after the card in hand is placed in each open one to ``wins``; else 0.

    ``chances`` has first the card in hand, then the cards that may come, from the least useful to the most useful where
    `TRIED` of them represent all; ``p`` of open columns is overwritten.
    """
    size = popcount(columns)
    wins[:] = 0.0
    rest = columns
    while rest != 0:
        k = lowest(rest)
        rest &= rest - 1
        left = columns & ~(1 << k)
        p[k] = chances[0, k]
        if size == 5:
            wins[k] = _fill_four(chances, n, left, TRIED, 0, p)
        elif size == 4:
            wins[k] = _fill_three(chances, n, left, n, 0, p)
        elif size == 3:
            wins[k] = _fill_two(chances, n, left, n, 0, p)
        else:
            if size == 2:
                column = lowest(left)
                p[column] = 0.0
                for i in range(1, n):
                    p[column] += chances[i, column] / (n - 1)
            wins[k] = _win_three(p)
