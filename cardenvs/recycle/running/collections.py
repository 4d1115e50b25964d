"""Collections of cards: pieces of the heap ``H`` of a described game's kernels.

Most write to ``top`` and return the number of items, -1 if there is no room; those that write sets return the new ``top``,
too.
"""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import helper, kernel


@kernel
def copy_items(heap: Ints, top: Any, start: Any, count: Any) -> Any:
    if top + count > len(heap):
        return np.int64(-1)
    for k in range(count):
        heap[top + k] = heap[start + k]
    return np.int64(count)


@kernel
def remove_item(heap: Ints, start: Any, count: Any, index: Any) -> Any:
    """Removes an item from a collection; returns the new count."""
    for k in range(index, count - 1):
        heap[start + k] = heap[start + k + 1]
    return np.int64(count - 1)


@kernel
def unite_sets(heap: Ints, top: Any, sets: Any, count: Any) -> Any:
    """Writes the cards of sets in sequence to ``top``."""
    total = np.int64(0)
    for k in range(count):
        start, size = heap[sets + 2 * k], heap[sets + 2 * k + 1]
        if top + total + size > len(heap):
            return np.int64(-1)
        for j in range(size):
            heap[top + total + j] = heap[start + j]
        total += size
    return total


@helper
def _count_sets_with(heap: Ints, sets: Any, count: Any, card: Any) -> Any:
    times = np.int64(0)
    for k in range(count):
        start, size = heap[sets + 2 * k], heap[sets + 2 * k + 1]
        for j in range(size):
            if heap[start + j] == card:
                times += 1
                break
    return times


@kernel
def in_sets(heap: Ints, top: Any, sets: Any, count: Any, wanted: Any) -> Any:
    """Writes the cards that are in exactly ``wanted`` sets to ``top``, each once, in the order in which they are seen."""
    total = np.int64(0)
    for k in range(count):
        start, size = heap[sets + 2 * k], heap[sets + 2 * k + 1]
        for j in range(size):
            card = heap[start + j]
            seen = False
            for n in range(total):
                seen = seen or heap[top + n] == card
            if not seen and _count_sets_with(heap, sets, count, card) == wanted:
                if top + total >= len(heap):
                    return np.int64(-1)
                heap[top + total] = card
                total += 1
    return total


@kernel
def take_top(heap: Ints, top: Any, start: Any, count: Any, wanted: Any) -> Any:
    """Copies at most ``wanted`` cards to ``top``, the topmost first."""
    n = min(max(wanted, np.int64(0)), count)
    if top + n > len(heap):
        return np.int64(-1)
    for k in range(n):
        heap[top + k] = heap[start + count - 1 - k]
    return np.int64(n)


@kernel
def take_bottom(heap: Ints, top: Any, start: Any, count: Any, wanted: Any) -> Any:
    """Copies at most ``wanted`` cards to ``top``, the bottommost first."""
    return copy_items(heap, top, start, min(max(wanted, np.int64(0)), count))


@kernel
def sort_cards(maps: Any, scores: Any, heap: Ints, start: Any, count: Any) -> None:
    """Sorts cards by their scores, ascending and stable."""
    for k in range(1, count):
        card = heap[start + k]
        j = k
        while j > 0 and maps[scores, heap[start + j - 1]] > maps[scores, card]:
            heap[start + j] = heap[start + j - 1]
            j -= 1
        heap[start + j] = card


@kernel
def tied_card(maps: Any, scores: Any, heap: Ints, start: Any, count: Any, best: Any, number: Any) -> Any:
    """Returns card number ``number`` of those that score as ``best`` does."""
    left = number
    for k in range(count):
        card = heap[start + k]
        if maps[scores, card] == maps[scores, best]:
            if left == 0:
                return card
            left -= 1
    return np.int64(best)


@kernel
def end_run(maps: Any, scores: Any, heap: Ints, top: Any, start: Any, count: Any, least: Any, from_top: bool) -> Any:
    """Writes the longest run of at least ``least`` cards at an end to ``top``."""
    if top + count > len(heap):
        return np.int64(-1)
    size = np.int64(count)
    while size >= max(least, 1):
        for k in range(size):
            heap[top + k] = heap[start + count - 1 - k] if from_top else heap[start + k]
        sort_cards(maps, scores, heap, top, size)
        good = True
        for k in range(1, size):
            good = good and maps[scores, heap[top + k]] == maps[scores, heap[top + k - 1]] + 1
        if good:
            return size
        size -= 1
    return np.int64(0)


@kernel
def write_partition(values: Any, attribute: Any, heap: Ints, top: Any, parts: Any, count: Any) -> Any:
    """Writes a set for each value of an attribute to ``top``."""
    start = top
    total = unite_sets(heap, top, parts, count)
    if total < 0 or top + 4 * total > len(heap):
        return np.int64(-1), np.int64(top)
    # The cards are moved behind the entries of as many sets as there can be.
    cards = start + 3 * total
    for k in range(total - 1, -1, -1):
        heap[cards + k] = heap[start + k]
    out = start + 2 * total
    found = np.int64(0)
    for k in range(total):
        value = values[attribute, heap[cards + k]]
        first = True
        for j in range(k):
            first = first and values[attribute, heap[cards + j]] != value
        if first:
            heap[start + 2 * found] = out
            size = np.int64(0)
            for j in range(k, total):
                if values[attribute, heap[cards + j]] == value:
                    heap[out + size] = heap[cards + j]
                    size += 1
            heap[start + 2 * found + 1] = size
            out += size
            found += 1
    return found, np.int64(out)


@kernel
def write_subsets(heap: Ints, top: Any, start: Any, count: Any) -> Any:
    """Writes all subsets of some cards to ``top``, in binary order."""
    if count > 16:
        return np.int64(-1), np.int64(top)
    total = np.int64(1) << count
    out = top + 2 * total
    if out + total * count > len(heap):
        return np.int64(-1), np.int64(top)
    for number in range(total):
        heap[top + 2 * number] = out
        size = np.int64(0)
        for k in range(count):
            if number >> k & 1:
                heap[out] = heap[start + k]
                out += 1
                size += 1
        heap[top + 2 * number + 1] = size
    return total, np.int64(out)


@kernel
def _next_combination(heap: Ints, at: Any, size: Any, count: Any) -> Any:
    """Advances to the next ascending choice of ``size`` numbers below ``count``; False after the last."""
    k = size - 1
    while k >= 0 and heap[at + k] == count - size + k:
        k -= 1
    if k < 0:
        return False
    heap[at + k] += 1
    for j in range(k + 1, size):
        heap[at + j] = heap[at + j - 1] + 1
    return True


@kernel
def write_tuples(maps: Any, scores: Any, heap: Ints, top: Any, start: Any, count: Any, size: Any) -> Any:
    """Writes all ``size`` cards of one score to ``top`` as sets, by score."""
    if size <= 0 or size > count:
        return np.int64(0), np.int64(top)
    work = top
    chosen = work + count
    if chosen + size > len(heap):
        return np.int64(-1), np.int64(top)
    copy_items(heap, work, start, count)
    sort_cards(maps, scores, heap, work, count)
    total = np.int64(0)
    for writing in range(2):
        entries = chosen + size
        out = entries + 2 * total
        found = np.int64(0)
        if writing and out + total * size > len(heap):
            return np.int64(-1), np.int64(top)
        first = np.int64(0)
        while first < count:
            tied = np.int64(1)
            while first + tied < count and maps[scores, heap[work + first + tied]] == maps[scores, heap[work + first]]:
                tied += 1
            if tied >= size:
                for k in range(size):
                    heap[chosen + k] = k
                more = True
                while more:
                    if writing:
                        heap[entries + 2 * found] = out
                        heap[entries + 2 * found + 1] = size
                        for k in range(size):
                            heap[out + k] = heap[work + first + heap[chosen + k]]
                        out += size
                    found += 1
                    if found > 100_000:
                        return np.int64(-1), np.int64(top)
                    more = _next_combination(heap, chosen, size, tied)
            first += tied
        total = found
    # The entries begin where the caller expects them.
    return _move_down(heap, top, chosen + size, total, out)


@kernel
def _move_down(heap: Ints, top: Any, entries: Any, total: Any, out: Any) -> Any:
    shift = entries - top
    for k in range(out - entries):
        heap[top + k] = heap[entries + k]
    for k in range(total):
        heap[top + 2 * k] -= shift
    return np.int64(total), np.int64(out - shift)


@kernel
def write_runs(maps: Any, scores: Any, heap: Ints, top: Any, start: Any, count: Any, least: Any, every: bool) -> Any:
    """Writes the runs of ``least`` or more cards to ``top`` as sets: all stretches of ranks, or the longest only."""
    work = top
    chosen = work + count
    if chosen + count > len(heap):
        return np.int64(-1), np.int64(top)
    copy_items(heap, work, start, count)
    sort_cards(maps, scores, heap, work, count)
    total, cards = np.int64(0), np.int64(0)
    entries = chosen + count
    out = entries
    for writing in range(2):
        out = entries + 2 * total
        if writing and out + cards > len(heap):
            return np.int64(-1), np.int64(top)
        found, used = np.int64(0), np.int64(0)
        first = np.int64(0)
        while first < count:
            rank = maps[scores, heap[work + first]]
            starts = every or first == 0 or maps[scores, heap[work + first - 1]] != rank - 1
            # How many ranks follow each other from here on.
            length, last, at = np.int64(1), first, rank
            while last < count and maps[scores, heap[work + last]] <= at + 1:
                if maps[scores, heap[work + last]] == at + 1:
                    at += 1
                    length += 1
                last += 1
            for size in range(max(least, np.int64(1)) if every else length, length + 1):
                if not starts or size < least:
                    continue
                for j in range(size):
                    heap[chosen + j] = 0
                more = True
                while more:
                    if writing:
                        heap[entries + 2 * found] = out
                        heap[entries + 2 * found + 1] = size
                        for j in range(size):
                            heap[out + j] = heap[
                                work + _first_of(maps, scores, heap, work, count, rank + j) + heap[chosen + j]
                            ]
                        out += size
                    found += 1
                    used += size
                    if found > 100_000:
                        return np.int64(-1), np.int64(top)
                    j = size - 1
                    while j >= 0:
                        heap[chosen + j] += 1
                        if heap[chosen + j] < _count_of_rank(maps, scores, heap, work, count, rank + j):
                            break
                        heap[chosen + j] = 0
                        j -= 1
                    more = j >= 0
            while first < count and maps[scores, heap[work + first]] == rank:
                first += 1
        total, cards = found, used
    return _move_down(heap, top, entries, total, out)


@helper
def _first_of(maps: Any, scores: Any, heap: Ints, work: Any, count: Any, rank: Any) -> Any:
    k = np.int64(0)
    while maps[scores, heap[work + k]] != rank:
        k += 1
    return k


@helper
def _count_of_rank(maps: Any, scores: Any, heap: Ints, work: Any, count: Any, rank: Any) -> Any:
    found = np.int64(0)
    for k in range(count):
        found += maps[scores, heap[work + k]] == rank
    return found


@kernel
def next_path(heap: Ints, path: Any, depth: Any, most: Any) -> Any:
    """Advances the indices of ``any``s at ``path``, whose limits are ``most`` entries behind; False after the last."""
    while depth > 0 and heap[path + depth - 1] + 1 >= heap[path + most + depth - 1]:
        depth -= 1
    if depth == 0:
        return False
    heap[path + depth - 1] += 1
    for k in range(depth, most):
        heap[path + k] = 0
    return True


@kernel
def put_faces(faces: Ints, numbers: Ints, heap: Ints, at: Any, start: Any, size: Any) -> None:
    """Writes the sorted ``numbers`` of the faces of a set's cards to ``at``."""
    for k in range(size):
        number = numbers[faces[heap[start + k]]]
        j = k
        while j > 0 and heap[at + j - 1] > number:
            heap[at + j] = heap[at + j - 1]
            j -= 1
        heap[at + j] = number


@kernel
def sort_groups(heap: Ints, values: Any, groups: Any, count: Any) -> None:
    """Sorts the values of each group among themselves; -1 is no group."""
    for k in range(1, count):
        for j in range(k):
            one, other = values + j, values + k
            if heap[groups + j] == heap[groups + k] >= 0 and heap[one] > heap[other]:
                heap[one], heap[other] = heap[other], heap[one]


@kernel
def has_prefix(chosen: Any, count: Any, heap: Ints, values: Any) -> Any:
    """Whether the values of an option begin with the first ``count`` of those that are chosen already."""
    same = True
    for k in range(count):
        same = same and heap[values + k] == chosen[k]
    return same


@kernel
def common_prefix(heap: Ints, values: Any, shared: Any, width: Any, count: Any) -> Any:
    """Returns the length of the prefix that an option has in common with ``shared``; copies the first option there."""
    if count == 0:
        for k in range(width):
            heap[shared + k] = heap[values + k]
        return np.int64(width)
    same = np.int64(0)
    while same < count and heap[shared + same] == heap[values + same]:
        same += 1
    return same
