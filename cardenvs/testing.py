"""Property checks that every game must pass; a new game's tests call `check_game` and are done with most of it.

Each check raises AssertionError with the deal's text line in the message, so that a failure can be replayed.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, RUNNING, TRUNCATED
from cardenvs.contract.spec import GameSpec
from cardenvs.information_audit import counts as audit

HISTORY_FIELDS = ("moves", "history")
"""Fields of a STATE that an observation without recall leaves out: the order of earlier tricks."""


def random_action(spec: GameSpec, games: Games, streams: npt.NDArray[np.uint64], i: int = 0) -> int:
    """Returns a random legal action in game ``i``, drawn from the random stream ``streams[0]``."""
    legal = spec.legal(games, i)
    choices = [k for k in range(spec.num_actions) if legal >> k & 1]
    assert choices, f"nothing is legal in an unfinished deal: {spec.text(games[i])}"
    return choices[int(below(streams, 0, len(choices)))]


def goes_on(spec: GameSpec, games: Games) -> bool:
    """Returns whether the deal in game 0 is neither over nor as long as an episode may be."""
    limit = spec.max_decisions
    return bool(games[0]["over"] == RUNNING and (limit is None or games[0]["moves"] < limit))


def random_positions(spec: GameSpec, episodes: int, seed: int = 0, **options: Any) -> Iterator[Games]:
    """Yields every position of ``episodes`` random episodes, as an array of shape (1,) that changes in place.

    The position after the last action of each deal (``over`` is not RUNNING) is included; an endless episode stops where
    environments truncate it.
    """
    for episode in range(episodes):
        streams = seed_streams(seed, 1, episode)
        games = spec.new_games(1, **options)
        while True:
            spec.kernels.deal(games, 0, streams, 0)
            yield games
            while goes_on(spec, games):
                spec.kernels.step(games, 0, random_action(spec, games, streams))
                yield games
            if games[0]["over"] != DEAL_OVER:
                break


class _Line:
    """The line of text of a deal, with the viewing seat; written only when printed."""

    def __init__(self, spec: GameSpec, games: Games, seat: int | None = None) -> None:
        self.spec, self.games, self.seat = spec, games, seat

    def __str__(self) -> str:
        line = self.spec.text(self.games[0])
        return line if self.seat is None else f"seat {self.seat} of {line}"


def differing_fields(spec: GameSpec, a: Any, b: Any, ignore: tuple[str, ...] = ()) -> list[str]:
    """Returns the names of the fields, except those in ``ignore``, in which two states differ."""
    names = (spec.dtype.names or ()) if a.tobytes() != b.tobytes() else ()
    return [name for name in names if name not in ignore and not np.array_equal(a[name], b[name])]


def check_observations(spec: GameSpec, episodes: int = 30, seed: int = 0, **options: Any) -> None:
    """Checks that observations are zeros and ones of the right length, and that `decode` returns the view."""
    views, decoded = spec.new_games(1), spec.new_games(1)
    for games in random_positions(spec, episodes, seed, **options):
        for seat in range(spec.seats):
            out = np.full((3, spec.observation_size), 7, np.int8)
            spec.kernels.view(games, 0, seat, views, 0)
            spec.kernels.observe(views, 0, out, 1)
            line = _Line(spec, games, seat)
            assert ((out[1] == 0) | (out[1] == 1)).all(), f"observation not all written with zeros and ones: {line}"
            assert (out[0] == 7).all() and (out[2] == 7).all(), f"observation written outside its row: {line}"
            spec.kernels.decode(out, 1, decoded, 0)
            wrong = differing_fields(spec, views[0], decoded[0], () if spec.recall else HISTORY_FIELDS)
            assert not wrong, f"decode loses {wrong}: {line}"
            state = spec.full_state(games, seat)
            assert ((state == 0) | (state == 1)).all(), f"state not all zeros and ones: {line}"


def check_rewards(spec: GameSpec, episodes: int = 60, seed: int = 0, **options: Any) -> None:
    """Checks that rewards of every kind and share are equal within a side, and zero-sum between sides, scores aside.

    Rewards come at the end of a deal, unless the game pays step by step (`GameSpec.pays_gains`); then they must add up to
    the reward of the deal's points.
    """
    from cardenvs.envs.batch import Batch

    shares = (0.0, 0.5, 1.0) if spec.team else (1.0,)
    for reward in spec.rewards:
        by_share = []
        for share in shares:
            batch = Batch(spec, episodes, seed=seed, reward=reward, restart=False, team_share=share, **options)
            streams = seed_streams(seed, 1)
            total, of_deal = np.zeros((episodes, spec.num_sides)), np.zeros((episodes, spec.num_sides))
            while not batch.finished.all():
                actions = [
                    random_action(spec, batch.games, streams, i) if batch.to_act[i] >= 0 else 0 for i in range(episodes)
                ]
                batch.step(np.array(actions))
                sides = spec.seat_sides(batch.games)
                # By game and side: what the side's seats were paid in the mean.
                seated = [sides == side for side in range(spec.num_sides)]
                means = np.stack([(batch.rewards * its).sum(1) / np.maximum(its.sum(1), 1) for its in seated], 1)
                zero_sum = reward == "score" or spec.one_sided or np.allclose(means.sum(1), 0, atol=1e-4)
                assert zero_sum, f"{reward} rewards are not zero-sum between the sides"
                over = (batch.ended == DEAL_OVER) | (batch.ended == EPISODE_OVER)
                of_deal += means
                if not spec.pays_gains(batch.kind):
                    assert not batch.rewards[batch.ended == RUNNING].any(), f"{reward} rewards before the end of a deal"
                    assert not batch.rewards[batch.ended == TRUNCATED].any(), f"{reward} rewards for what was cut off"
                elif over.any():
                    others = 0 if reward == "score" else batch.points.sum(1, keepdims=True) - batch.points
                    due = batch.points - others / max(spec.num_sides - 1, 1)
                    assert np.allclose(of_deal[over], due[over], atol=1e-3), f"{reward} rewards do not add up in a deal"
                of_deal[over] = 0
                if share == 1.0:
                    of_side = np.take_along_axis(means, sides, 1)
                    assert np.allclose(batch.rewards, of_side, atol=1e-4), "partners must share a team reward"
                total += means
            by_share.append(total)
        for total in by_share:
            assert np.allclose(total, by_share[-1], atol=1e-3), f"{reward}: team_share changes what a side gets"


def check_redeals(spec: GameSpec, episodes: int = 20, seed: int = 0, **options: Any) -> None:
    """Checks that a re-deal leaves the seat's view unchanged, is a complete deal, also as text, and can be played on.

    Games without the kernel `redeal` pass.
    """
    redeal = spec.kernels.redeal
    if redeal is None:
        return
    views, again, dealt = spec.new_games(1), spec.new_games(1), spec.new_games(1)
    streams = seed_streams((seed + 1) % 2**64, 1)
    for games in random_positions(spec, episodes, seed, **options):
        for seat in range(spec.seats):
            spec.kernels.view(games, 0, seat, views, 0)
            redeal(views, 0, streams, 0, dealt, 0)
            spec.kernels.view(dealt, 0, 0, again, 0)
            line = _Line(spec, games, seat)
            wrong = differing_fields(spec, views[0], again[0])
            assert not wrong, f"a re-deal changes {wrong} in the view: {line}"
            parsed = spec.parse(spec.text(dealt[0], actions=False), **spec.options_of(games[0]))
            assert parsed[0]["over"] == RUNNING
            while goes_on(spec, dealt):
                spec.kernels.step(dealt, 0, random_action(spec, dealt, streams))


def check_fresh_deals(spec: GameSpec, episodes: int = 10, seed: int = 0, **options: Any) -> None:
    """Checks that a seat sees the same, and has the same legal actions, in every fresh deal of its view, and can play on.

    Games without the kernel `fresh_deal` pass.
    """
    kernels = spec.kernels
    if kernels.fresh_deal is None:
        return
    views, again, third, dealt = (spec.new_games(1) for _ in range(4))
    streams = seed_streams((seed + 4) % 2**64, 1)
    for games in random_positions(spec, episodes, seed, **options):
        for seat in range(spec.seats):
            line = _Line(spec, games, seat)
            kernels.view(games, 0, seat, views, 0)
            kernels.fresh_deal(views, 0, streams, 0, dealt, 0)
            kernels.view(dealt, 0, 0, again, 0)
            part = int(kernels.flaw(dealt, 0, True))
            assert part < 0, f"flaw finds fault with part {part} of a fresh deal: {line}"
            assert again[0]["to_act"] == views[0]["to_act"], f"a fresh deal changes who is to act: {line}"
            if views[0]["to_act"] == 0:
                assert spec.legal(dealt) == spec.legal(games), f"a fresh deal changes what is legal: {line}"
            for known in (views, again):
                kernels.fresh_deal(known, 0, streams, 0, dealt, 0)
                kernels.view(dealt, 0, 0, third, 0)
                wrong = differing_fields(spec, again[0], third[0])
                assert not wrong, f"two fresh deals differ in {wrong} for their seat: {line}"
            while goes_on(spec, dealt):
                kernels.step(dealt, 0, random_action(spec, dealt, streams))


def check_rewinds(spec: GameSpec, episodes: int = 20, seed: int = 0, **options: Any) -> None:
    """Checks that rewinding a deal and replaying its actions leads to the same position.

    Worlds with recall are checked likewise; a world without recall must not be rewound. Games without `rewind` pass.
    """
    rewind = spec.kernels.rewind
    if rewind is None:
        return
    knowing, start = spec.with_recall(bool(spec.recall_parts)), spec.new_games(1)
    streams, actions = seed_streams((seed + 5) % 2**64, 1), np.zeros(spec.max_steps, np.int64)
    for games in random_positions(spec, episodes, seed, **options):
        for record in [games, *_seat_worlds(knowing, games, streams)]:
            line = _Line(spec, record)
            count = int(rewind(record, 0, start, 0, actions))
            assert count == record[0]["moves"], f"{count} actions are rewound: {line}"
            assert start[0]["over"] == RUNNING and start[0]["moves"] == 0, f"rewound to no start of a deal: {line}"
            for action in actions[:count]:
                assert spec.legal(start) >> int(action) & 1, f"what was done is illegal after rewinding: {line}"
                spec.kernels.step(start, 0, int(action))
            wrong = differing_fields(spec, record[0], start[0])
            assert not wrong, f"rewound and done once more, {wrong} differ: {line}"
        for record in _seat_worlds(spec.plain, games, streams) if games[0]["moves"] else ():
            assert rewind(record, 0, start, 0, actions) == -1, f"what is not known is rewound: {_Line(spec, record)}"


def _seat_worlds(spec: GameSpec, games: Games, streams: npt.NDArray[np.uint64]) -> Iterator[Games]:
    """Yields a world for each seat's observation, shape (1,), where one is found; none in games without re-deals."""
    redeal, fits = spec.kernels.redeal, spec.kernels.fits
    for seat in range(spec.seats if redeal is not None else 0):
        views, dealt = spec.decode(spec.observation(games, seat)[None]), spec.new_games(1)
        spec.kernels.redealing(views, 0, streams, 0, dealt, 0)
        if fits is None or fits(dealt, 0):
            yield dealt


Choice = Callable[[npt.NDArray[np.int8], npt.NDArray[np.int8], np.random.Generator], Any]
"""Function of observations, action masks and a generator that returns actions."""


def check_no_leak(spec: GameSpec, act: Choice | None = None, episodes: int = 20, seed: int = 0, **options: Any) -> None:
    """Checks that hidden cards have no effect on the observation, the action mask or a policy's choice.

    The cards that the seat to act cannot see are redealt at every position. In games without the kernel `redeal` the legal
    actions of the state are compared with those of the view.

    Args:
        act: ``(observations, action_masks, rng) -> actions``, such as a policy's `act`; None checks no policy.
        episodes: number of random episodes.
        seed: the seed of the episodes.
    """
    views, dealt = spec.new_games(1), spec.new_games(1)
    redeal, streams = spec.kernels.redeal, seed_streams((seed + 2) % 2**64, 1)
    for games in random_positions(spec, episodes, seed, **options):
        seat = int(games[0]["to_act"])
        if seat < 0:
            continue
        before = spec.observation(games, seat)
        legal = spec.legal(games)
        spec.kernels.view(games, 0, seat, views, 0)
        line = _Line(spec, games, seat)
        if redeal is None:
            assert legal == spec.legal(views), f"the action mask leaks hidden cards: {line}"
            continue
        redeal(views, 0, streams, 0, dealt, 0)
        after = spec.observation(dealt, 0)
        assert (before == after).all(), f"the observation leaks hidden cards: {line}"
        assert legal == spec.legal(dealt), f"the action mask leaks hidden cards: {line}"
        if act is not None:
            mask = spec.mask(legal)[None]
            one = act(before[None], mask, np.random.default_rng(seed))
            two = act(after[None], mask, np.random.default_rng(seed))
            assert int(np.asarray(one)[0]) == int(np.asarray(two)[0]), f"the policy's choice leaks: {line}"


def check_text(spec: GameSpec, episodes: int = 30, seed: int = 0, **options: Any) -> None:
    """Checks that each position's line of text restores the state exactly, and that it has a drawing and words."""
    for games in random_positions(spec, episodes, seed, **options):
        line = spec.text(games[0])
        wrong = differing_fields(spec, games[0], spec.parse(line)[0])
        assert not wrong, f"the text loses {wrong}: {line}"
        assert "\n" not in line
        assert spec.drawing(games[0], None)
        legal = spec.legal(games)
        for action in (k for k in range(spec.num_actions) if legal >> k & 1):
            assert all(spec.action_words(games[0], action)), f"no words for {spec.actions[action]!r}: {line}"


def check_ends(spec: GameSpec, episodes: int = 60, seed: int = 0, **options: Any) -> None:
    """Checks that deals end within `max_steps` actions, without a seat to act afterwards, and that only games continue."""
    for games in random_positions(spec, episodes, seed, **options):
        g = games[0]
        assert g["moves"] <= spec.max_steps, f"too long: {spec.text(g)}"
        if g["over"] != RUNNING:
            assert g["to_act"] == -1
            assert spec.legal(games) == 0
            assert spec.options_of(g).get("episode", "deal") == "game" or g["over"] != DEAL_OVER
        else:
            assert 0 <= g["to_act"] < spec.seats


def check_flaws(spec: GameSpec, episodes: int = 30, seed: int = 0, **options: Any) -> None:
    """Checks that every state, view and re-deal passes `Kernels.flaw`, which survives records with a flipped bit."""
    views, decoded, dealt = spec.new_games(1), spec.new_games(1), spec.new_games(1)
    streams = seed_streams((seed + 3) % 2**64, 1)
    for games in random_positions(spec, episodes, seed, **options):
        line = spec.text(games[0])
        for seat in range(spec.seats):
            spec.kernels.view(games, 0, seat, views, 0)
            spec.kernels.decode(spec.observation(games, seat)[None], 0, decoded, 0)
            looked_at = [(games, True), (views, False), (decoded, False)]
            if spec.kernels.redeal is not None:
                spec.kernels.redeal(views, 0, streams, 0, dealt, 0)
                looked_at.append((dealt, True))
            for records, whole in looked_at:
                part = int(spec.kernels.flaw(records, 0, whole))
                assert part < 0, f"flaw finds fault with part {part} of a record of seat {seat} of {line}"
        tampered = games.view(np.ndarray).copy()
        octets = tampered.view(np.uint8).reshape(-1)
        octets[below(streams, 0, len(octets))] ^= 1 << below(streams, 0, 8)
        spec.kernels.flaw(tampered.view(type(games)), 0, True)


def check_choices(spec: GameSpec, episodes: int = 20, seed: int = 0, **options: Any) -> None:
    """Checks that each legal action stands for at least one choice, of the same number by the seat's view."""
    multiplicity = spec.kernels.multiplicity
    if multiplicity is None:
        return
    views = spec.new_games(1)
    for games in random_positions(spec, episodes, seed, **options):
        legal = spec.legal(games)
        if legal:
            spec.kernels.view(games, 0, int(games[0]["to_act"]), views, 0)
        for action in (k for k in range(spec.num_actions) if legal >> k & 1):
            counts = int(multiplicity(games, 0, action)), int(multiplicity(views, 0, action))
            line = f"{spec.actions[action]!r} in {spec.text(games[0])}"
            assert counts[0] >= 1, f"a legal action stands for {counts[0]} choices: {line}"
            assert counts[0] == counts[1], f"by the state for {counts[0]} choices, by the view for {counts[1]}: {line}"


def check_symmetries(spec: GameSpec, episodes: int = 4, seed: int = 0, **options: Any) -> None:
    """Checks of each symmetry that a deal with exchanged names has equal observations, legal actions and outcomes."""
    for symmetry in spec.symmetries:
        if spec.recall and not symmetry.recalled:
            continue
        entries = symmetry.places(*(part.labels for part in (*spec.parts, *spec.hidden)))
        actions = symmetry.places(spec.actions)
        streams = seed_streams((seed + 6) % 2**64, 1)
        for deal in _positions_by_deal(spec, episodes, seed, **options):
            number = int(below(streams, 0, len(symmetry.permutations)))
            names = symmetry.permutations[number]
            how = f"{symmetry.name} exchanged as {names}"
            if symmetry.dealt is None:
                other = spec.new_games(1, **options)
                texts = spec.deal_text(deal[-1][0]).items()
                spec.set_deal(other, 0, {key: symmetry.renamed(text, names) for key, text in texts})
            else:
                other = symmetry.dealt(deal[-1][0], names)
            for games in deal:
                line = _Line(spec, games)
                if games[0]["moves"]:
                    done = int(games[0]["history"][games[0]["moves"] - 1])
                    assert spec.legal(other) >> int(actions[number, done]) & 1, f"what was done is illegal, {how}: {line}"
                    spec.kernels.step(other, 0, int(actions[number, done]))
                for seat in range(spec.seats):
                    shown = spec.full_state(other, seat)[entries[number]]
                    assert (spec.full_state(games, seat) == shown).all(), f"seat {seat} sees another game, {how}: {line}"
                mask, there = spec.mask(spec.legal(games)), spec.mask(spec.legal(other))
                assert (mask == there[actions[number]]).all(), f"other actions are legal, {how}: {line}"
                if games[0]["over"] != RUNNING:
                    assert spec.outcome(games) == spec.outcome(other), f"another outcome, {how}: {line}"


def _positions_by_deal(spec: GameSpec, episodes: int, seed: int, **options: Any) -> Iterator[list[Games]]:
    deal: list[Games] = []
    for games in random_positions(spec, episodes, seed, **options):
        if deal and not games[0]["moves"]:
            yield deal
            deal = []
        deal.append(games.copy())
    yield deal


def check_telling(spec: GameSpec, episodes: int = 2, seed: int = 0, **options: Any) -> None:
    """Checks that information on hidden cards is true, and that re-deals keep their seat's legal actions."""
    for episode in range(seed, seed + episodes):
        for judge in (audit.count_false, audit.count_mask):
            count = judge(spec, episode, **options)
            assert not count.wrong, count.first


def check_secrets(spec: GameSpec, episodes: int = 2, seed: int = 0, looks: int = audit.LOOKS, **options: Any) -> None:
    """Checks that a seat gets the same information in deals that look the same to it; for games whose deals can be watched.

    Args:
        episodes: number of random games in which cards are exchanged.
        seed: the seed of the games.
        looks: number of positions of each.
    """
    from cardenvs.information_audit import channels

    for episode in range(seed, seed + episodes):
        count = audit.count_secrets(spec, episode, channels.ALL_CHANNELS, looks, **options)
        assert not count.wrong, count.first


def check_past(spec: GameSpec, episodes: int = 1, seed: int = 0, **options: Any) -> None:
    """Checks that re-deals with recall could have led to what was seen; for games whose deals can be watched."""
    for episode in range(seed, seed + episodes):
        count = audit.count_past(spec, episode, **options)
        assert not count.wrong, count.first


def check_game(spec: GameSpec, seed: int = 0, **options: Any) -> list[str]:
    """Runs all property checks for one set of rule options.

    Returns:
        The checks that were impossible, in words, as the game does not bring what they need; empty for none.
    """
    check_ends(spec, seed=seed, **options)
    check_text(spec, seed=seed, **options)
    check_observations(spec, seed=seed, **options)
    check_redeals(spec, seed=seed, **options)
    check_fresh_deals(spec, seed=seed, **options)
    check_no_leak(spec, seed=seed, **options)
    check_telling(spec, episodes=1, seed=seed, **options)
    check_secrets(spec, episodes=1, seed=seed, looks=20, **options)
    check_past(spec, seed=seed, **options)
    check_rewards(spec, seed=seed, **options)
    check_choices(spec, seed=seed, **options)
    check_rewinds(spec, seed=seed, **options)
    check_flaws(spec, seed=seed, **options)
    check_symmetries(spec, seed=seed, **options)
    left = []
    if spec.kernels.redeal is None:
        left.append("re-deals, and by them whether hidden cards show: there is no kernel redeal")
    if not spec.recall_parts:
        left.append("the order of play: there are no kernels recall and recollect")
    return left
