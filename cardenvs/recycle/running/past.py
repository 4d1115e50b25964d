"""Worlds whose past agrees with all that a seat recalls of a described game: `cardenvs.recycle.running.remembering`.

A world is found by playing the deal again. Each shuffle is planned: pinned faces at their labels, the others drawn within
what places are known not to hold. A face with a guessed label keeps it or changes with another card; one of a pile is
raised at random. Each event is repeated, a secret one by any possible action, and the checks are compared: so public
effects of hidden cards, and rules about them, hold in the world, and a world is given up at the first event that differs.
If `DRAWN` worlds fail, the one that came furthest is changed step by step: unknown cards are exchanged or a secret choice
is repeated, as long as the first differing event comes no earlier and what is seen there is no less near; then it starts
again from other worlds. Worlds are equally likely if no label is a guess and one was drawn; else all possible ones have a
chance.
"""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints, Streams, overwrite
from cardenvs.compiled.jit import closure, helper
from cardenvs.compiled.streams import below, new_stream
from cardenvs.contract.loops import RUNNING
from cardenvs.recycle.running.dealing import UNFIT, forget_past
from cardenvs.recycle.running.places import KEEP_ORDERS, PLAN_ORDERS, mix_hash
from cardenvs.recycle.running.planning import make_agreement_kernels, make_planning_kernel, raise_card
from cardenvs.recycle.running.remembering import (
    CHECK_BITS,
    FAR,
    GROUPS,
    HIDDEN,
    UNTOLD,
    hash_view,
    make_check_kernels,
    make_packing_kernels,
    make_remember_kernel,
    nearness,
)
from cardenvs.recycle.running.tables import Kernel, Tables

DRAWN, DRAWN_AGAIN = 600, 60  # worlds that are drawn before one is changed, at first and later
AT_ONCE = 100  # drawn worlds after which all shuffles are planned anew; before, all except the last ones are kept
STUCK = 8  # drawn worlds without progress after which one more of the last shuffles is planned anew
OPENED = 100_000  # openings per world that are played only to draw other numbers, until these are as seen
STARTS, REPLAYED = 20, 30_000  # worlds that are changed; openings and events that are replayed in changing one
AN_EVENT = GROUPS * FAR + 1  # score of a fitting opening or event in comparing worlds: above any nearness
DOWNHILL, STEP = 12, 4  # a change that makes a world less near by at most STEP is kept in one of DOWNHILL cases
FREELY = -2  # marks a secret choice to be repeated, not only among the lowest cards
AGAIN = 24  # tries, in one world, at an event with chance or a secret choice


@helper
def _is_legal(games: Any, i: Any, action: Any) -> Any:
    return games[i].legal_words[action >> 6] >> (action & 63) & 1 != 0


def make_choice_kernels(name: str, t: Tables) -> dict[str, Kernel]:
    visible, faces, owners, seen_by, action_faces = t.visible, t.faces, t.owners, t.seen_by, t.action_faces
    actions, place_count = t.actions, t.place_count

    @closure(f"{name}.mark_lowest")
    def mark_lowest(games: Any, j: Any, count: Any, wanted: Any) -> None:
        """Notes the faces of the actor's ``count`` lowest cards in each place that seat 0 does not see."""
        g = games[j]
        wanted.fill(False)
        for place in range(place_count):
            hidden = owners[place] == g.to_act and seen_by[place] & 1 == 0
            for k in range(min(count, np.int64(g.sizes[place])) if hidden else np.int64(0)):
                wanted[faces[g.cards[place, k] - 1]] = True

    @closure(f"{name}.choose_secretly")
    def choose_secretly(games: Any, j: Any, wanted: Any, streams: Streams, s: Any) -> Any:
        """Draws an unseen action by its number of options: one that names a wanted face, else any; -1 for none."""
        g = games[j]
        total, some = np.int64(0), False
        for guided in range(1, -1, -1):
            for action in range(actions if total == 0 else 0):
                named = action_faces[action] >= 0 and wanted[action_faces[action]]
                if visible[g.site, action] == 0 and _is_legal(games, j, action) and (named or not guided):
                    total += g.counts[action]
                    some = guided == 1
        left = np.int64(below(streams, s, int(max(total, np.int64(1)))))
        for action in range(actions):
            named = action_faces[action] >= 0 and wanted[action_faces[action]]
            if visible[g.site, action] == 0 and _is_legal(games, j, action) and (named or not some):
                left -= g.counts[action]
                if left < 0:
                    return np.int64(action)
        return np.int64(-1)

    return {"mark_lowest": mark_lowest, "choose_secretly": choose_secretly}


def make_event_kernel(name: str, t: Tables, step: Kernel, mark_lowest: Kernel, choose_secretly: Kernel) -> Kernel:
    visible, is_done, actions, events, total_faces = t.visible, t.is_done, t.actions, t.most_events, t.total_faces

    @closure(f"{name}.told_part")
    def told_part(games: Any, j: Any, history: Any, first: Any, last: Any) -> Any:
        """Returns the next value of a visible option that begins at ``first``; "done" behind ``last``; -1 for none."""
        g = games[j]
        if first + g.partial <= last:
            return np.int64(history[first + g.partial])
        for action in range(actions):
            if is_done[action] and _is_legal(games, j, action):
                return np.int64(action)
        return np.int64(-1)

    @closure(f"{name}.replay_event")
    def replay_event(
        views: Any, i: Any, games: Any, j: Any, at: Any, again: Any, secrets: Ints, streams: Streams, s: Any
    ) -> Any:
        """Replays the event at an entry of a view's history; returns its last entry, -1 if it is impossible."""
        g, v = games[j], views[i]
        own, secret, last = g.to_act == 0, v.history[at] == HIDDEN, np.int64(at)
        while v.checks[last] == 0 and last + 1 < v.moves:
            last += 1
        wanted = np.zeros(total_faces, np.bool_)
        if secret and again < AGAIN // 2 and secrets[g.moves] != FREELY:
            mark_lowest(games, j, 1 + again % 6, wanted)
        if own and secret:
            return np.int64(-1)
        first, more = at - g.partial, True
        while more:
            action = np.int64(secrets[g.moves]) if secret and again == 0 else np.int64(-1)
            if not secret:
                action = told_part(games, j, v.history, first, last)
            elif action < 0 or visible[g.site, action] != 0 or not _is_legal(games, j, action):
                action = choose_secretly(games, j, wanted, streams, s)
            if g.over != RUNNING or action < 0 or g.moves >= events or not _is_legal(games, j, action):
                return np.int64(-1)
            if not secret and not own and visible[g.site, action] == 0 and is_done[action] == 0:
                return np.int64(-1)
            secrets[g.moves] = action if secret else -1
            step(games, j, action)
            more = g.partial > 0 and not own
        return last

    return replay_event


def make_opening_kernel(name: str, t: Tables, restart: Kernel, plan_shuffle: Kernel, has_same_opening: Kernel) -> Kernel:
    shuffles, opening_draws = t.shuffles, t.opening_draws

    @closure(f"{name}.restart_watched")
    def restart_watched(games: Any, j: Any, chance: Any) -> None:
        """Sets a game to its deal's start, with seat 0 watching."""
        games[j].watcher = 1
        games[j].pins.fill(0)
        restart(games, j, chance)

    @closure(f"{name}.play_opening")
    def play_opening(
        views: Any, i: Any, games: Any, j: Any, keep: Any, moving: Any, openings: Ints, streams: Streams, s: Any
    ) -> Any:
        """Plays the opening by what a view recalls; returns its number of shuffles, -1 if it does not fit.

        The first ``keep`` shuffles keep their ``orders``, the others are planned with ``moving``; ``openings``, int64 (1,),
        is the number of openings that may still be tried for other numbers, and is updated.
        """
        g = games[j]
        chance, known = g.chance, np.int64(keep)
        for number in range(known, shuffles):
            g.orders[number].fill(0)
        g.redrawn.fill(0)
        restart_watched(games, j, chance)
        while known < min(g.shuffled, np.int64(shuffles)):
            if not plan_shuffle(views, i, games, j, known, moving, streams, s):
                return np.int64(-1)
            known += 1
            for number in range(known, shuffles):
                g.orders[number].fill(0)
            restart_watched(games, j, chance)
        while opening_draws and not has_same_opening(views, i, games, j):
            if openings[0] == 0:
                return np.int64(-1)
            openings[0] -= 1
            restart_watched(games, j, new_stream(streams, s))
        return known

    return play_opening


def make_replay_kernel(
    name: str, t: Tables, play_opening: Kernel, view: Kernel, replay_event: Kernel, plan_shuffle: Kernel,
    of: dict[str, Kernel],
) -> Kernel:  # fmt: skip
    shuffles, summed = t.shuffles, t.check_bits > CHECK_BITS
    heard_key, check_of = of["heard_key"], of["check_of"]
    is_contradicted, count_agreements = of["is_contradicted"], of["count_agreements"]

    @closure(f"{name}.replay_deal")
    def replay_deal(
        views: Any, i: Any, games: Any, j: Any, seen: Any, kept: Any, secrets: Ints, streams: Streams, s: Any, keep: Any,
        moving: Any, openings: Ints,
    ) -> Any:  # fmt: skip
        """Plays a deal again by what a view recalls; returns how far it came, -1 for the end.

        That is `AN_EVENT` for the opening and for each event that fits, and the nearness of what does not fit: of the sums
        behind the event, if checks have sums; else the number of agreeing faces at labels. Faces that the opening should
        have shown are only checked at the first event. ``secrets``, int64 (events,), has actions chosen in secret, else -1:
        repeated where possible, then overwritten. ``keep``, ``moving`` and ``openings`` are as of `play_opening`.
        """
        g, v = games[j], views[i]
        redrawn, known = np.int64(0), play_opening(views, i, games, j, np.int64(keep), moving, openings, streams, s)
        if known < 0:
            return np.int64(0)
        view(games, j, 0, seen, 0)
        digest = heard_key(games, j, 0, hash_view(seen, 0))
        kept[0] = games[j]
        if is_contradicted(views, i, games, j, v.moves == 0):
            return count_agreements(views, i, games, j)
        at = np.int64(0)
        while at < v.moves:
            kept[0] = games[j]
            last, good, plans = np.int64(-1), False, known
            key, fitting = np.int64(0), np.int64(0)
            for again in range(AGAIN):
                last = replay_event(views, i, games, j, at, again, secrets, streams, s)
                shuffled = min(g.shuffled, np.int64(shuffles))
                if last >= 0 and plans < shuffled:
                    # A shuffle has been noted: it is planned, and the event done again with that.
                    fits = plan_shuffle(views, i, games, j, plans, moving, streams, s)
                    if fits:
                        kept[0].orders[plans] = g.orders[plans]
                        plans += 1
                    games[j] = kept[0]
                    if not fits:
                        break
                    continue
                if last >= 0:
                    view(games, j, 0, seen, 0)
                    key = heard_key(games, j, 0, hash_view(seen, 0))
                    key = mix_hash(digest, key) if at == 0 else key
                    check, wanted = check_of(seen, 0, key), np.int64(v.checks[last])
                    good = check == wanted and not is_contradicted(views, i, games, j, last + 1 == v.moves)
                    fitting = nearness(check, wanted)
                uncertain = v.history[at] == HIDDEN or g.stream != kept[0].stream
                if good or not uncertain:
                    break
                if last >= 0 and g.stream != kept[0].stream and redrawn < len(g.redrawn):
                    kept[0].redrawn[redrawn, 0] = g.moves
                    kept[0].redrawn[redrawn, 1] = np.int64(new_stream(streams, s) >> np.uint64(1))
                games[j] = kept[0]
            if not good:
                games[j] = kept[0]
                return (at + 1) * AN_EVENT + (fitting if summed else count_agreements(views, i, games, j))
            known = plans
            while redrawn < len(g.redrawn) and g.redrawn[redrawn, 0] != 0:
                redrawn += 1
            digest = mix_hash(digest, key)
            at = last + 1
        view(games, j, 0, seen, 0)
        if (digest | 1) != v.digest or hash_view(seen, 0) != hash_view(views, i):
            near = nearness(check_of(seen, 0, np.int64(0)), check_of(views, i, np.int64(0)))
            return max(v.moves, np.int64(1)) * AN_EVENT + (near if summed else 0)
        return np.int64(-1)

    return replay_deal


def make_change_kernel(name: str, t: Tables) -> Kernel:
    faces, owners, shuffles, total_cards = t.faces, t.owners, t.shuffles, t.total_cards
    anywhere = bool(t.hidden_rules.any())  # options may come from the cards of a pile

    @closure(f"{name}.change_world")
    def change_world(views: Any, i: Any, games: Any, j: Any, secrets: Ints, streams: Streams, s: Any) -> Any:
        """Changes something hidden in a world that does not fit: a secret choice, or the places of two cards in a shuffle.

        It is mostly the last shuffle before the event that differs; two cards with unknown or guessed labels are exchanged,
        one of them mostly a player's. A card that the seat has seen may be raised, if it left from an unknown index. A
        choice to be repeated becomes `FREELY` in ``secrets``. Returns the number of shuffles that are kept; -1 if nothing
        can be changed.
        """
        g, v = games[j], views[i]
        shuffled = min(g.shuffled, np.int64(shuffles))
        some, chosen = np.int64(0), np.int64(-1)
        for k in range(g.moves):
            if secrets[k] >= 0:
                some += 1
                chosen = np.int64(k) if below(streams, s, int(some)) == 0 else chosen
        if some > 0 and below(streams, s, 4) == 0:
            secrets[chosen] = FREELY
            return shuffled
        for _ in range(400 if shuffled > 0 else 0):
            number = shuffled - 1
            if below(streams, s, 4) == 0:
                number = np.int64(below(streams, s, int(shuffled)))
            one, other = np.int64(below(streams, s, total_cards)), np.int64(below(streams, s, total_cards))
            order, pins = g.orders[number], v.pins[number]
            if order[one] == 0 or order[other] == 0:
                continue
            card = order[one]
            if pins[one] and one < other and below(streams, s, 4) == 0:
                raise_card(order, one, other)
                return number + 1
            free = (pins[one] == 0 or v.lies[number, one]) and (pins[other] == 0 or v.lies[number, other])
            if free and faces[card - 1] != faces[order[other] - 1]:
                place = np.int64(g.where[card - 1])
                if anywhere or (place >= 0 and owners[place] >= 0) or below(streams, s, 8) == 0:
                    order[one] = order[other]
                    order[other] = card
                    return number + 1
        return np.int64(-1)

    return change_world


def make_redeal_past_kernel(
    name: str, t: Tables, rules: Any, world: Kernel, replay_deal: Kernel, change_world: Kernel
) -> Kernel:
    restart, step, events, shuffles = rules.restart, rules.step, t.most_events, t.shuffles

    @closure(f"{name}.redeal_past")
    def redeal_past(views: Any, i: Any, streams: Streams, s: Any, games: Any, j: Any) -> None:
        """Writes a world with a past that fits what a seat knows and recalls; an unfit one if none is found."""
        v = views[i]
        if v.digest == 0 or v.digest == UNTOLD:
            world(views, i, streams, s, games, j)
            if v.digest == UNTOLD:
                games[j].imagined = UNFIT
            return
        seen, kept = np.empty_like(games[j : j + 1]), np.empty_like(games[j : j + 1])
        best = np.empty_like(games[j : j + 1])
        secrets, best_secrets = np.full(events + 1, -1, np.int64), np.full(events + 1, -1, np.int64)
        openings = np.full(1, OPENED, np.int64)
        seen[0] = views[i]
        kept[0] = views[i]
        games[j] = views[i]
        g = games[j]
        g.ordering = PLAN_ORDERS
        failed, keep = np.int64(0), np.int64(0)
        for start in range(STARTS):
            reached, spent = np.int64(-1), np.int64(0)
            furthest, stuck = np.int64(-1), np.int64(0)
            for tries in range(DRAWN if start == 0 else DRAWN_AGAIN):
                if tries % AT_ONCE == 0 or keep <= 0:
                    keep = np.int64(0)
                    furthest, stuck = np.int64(-1), np.int64(0)
                    g.zero = v.zero
                    g.chance = new_stream(streams, s)
                secrets.fill(-1)
                failed = replay_deal(
                    views, i, games, j, seen, kept, secrets, streams, s, keep, (0, 1, 3, 8)[tries % 4], openings
                )
                if failed < 0:
                    break
                if failed > reached:
                    reached = failed
                    best[0] = games[j]
                    overwrite(best_secrets, secrets)
                stuck = stuck + 1 if failed // AN_EVENT <= furthest else np.int64(0)
                furthest = max(furthest, failed // AN_EVENT)
                keep = min(g.shuffled, np.int64(shuffles)) - 1 - stuck // STUCK
            while failed >= 0 and spent < REPLAYED:
                games[j] = best[0]
                overwrite(secrets, best_secrets)
                keep = change_world(views, i, games, j, secrets, streams, s)
                if keep < 0:
                    break
                failed = replay_deal(views, i, games, j, seen, kept, secrets, streams, s, keep, 0, openings)
                spent += failed // AN_EVENT + 1
                lost = reached - failed
                if reached % AN_EVENT == GROUPS * FAR:  # all sums are as wanted, one of them by wrong numbers
                    kept_on = lost <= FAR and below(streams, s, 2) == 0
                else:
                    kept_on = lost <= STEP and below(streams, s, DOWNHILL) == 0
                if failed >= 0 and (lost <= 0 or kept_on):
                    reached = failed
                    best[0] = games[j]
                    overwrite(best_secrets, secrets)
            if failed < 0:
                break
        if failed >= 0:
            world(views, i, streams, s, games, j)
            games[j].imagined = UNFIT
            return
        moves, done = g.moves, g.history.copy()
        g.ordering = KEEP_ORDERS
        forget_past(games, j)
        restart(games, j, g.chance)
        for k in range(moves):
            step(games, j, done[k])

    return redeal_past


def make_rewind_kernel(name: str, restart: Kernel) -> Kernel:

    @closure(f"{name}.rewind")
    def rewind(games: Any, i: Any, starts: Any, j: Any, actions: Ints) -> Any:
        """Writes a deal's start and the actions since; returns their number, -1 if the past is made up or unknown."""
        g = games[i]
        if g.imagined:
            return np.int64(-1)
        for k in range(g.moves):
            actions[k] = g.history[k]
        starts[j] = games[i]
        restart(starts, j, g.chance)
        return np.int64(g.moves)

    return rewind


def make_recall_kernels(name: str, t: Tables, rules: Any, view: Kernel, world: Kernel) -> dict[str, Kernel]:
    """Makes the kernels for recall of the order of play; ``view`` and ``world`` are view and redeal without recall."""
    keys = make_check_kernels(name, t)
    replay_event = make_event_kernel(name, t, rules.step, **make_choice_kernels(name, t))
    plan_shuffle, agree = make_planning_kernel(name, t), make_agreement_kernels(name, t)
    play_opening = make_opening_kernel(name, t, rules.restart, plan_shuffle, agree["has_same_opening"])
    replay_deal = make_replay_kernel(name, t, play_opening, view, replay_event, plan_shuffle, keys | agree)
    return {
        "remember": make_remember_kernel(name, t, rules, view, **keys),
        **make_packing_kernels(name, t),
        "redeal_past": make_redeal_past_kernel(name, t, rules, world, replay_deal, make_change_kernel(name, t)),
        "rewind": make_rewind_kernel(name, rules.restart),
    }
