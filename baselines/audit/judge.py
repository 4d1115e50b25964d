"""The judge of a game of another library: what its seats are told, re-deals, legal actions, rewards and copies.

A game is an object with those methods of ``pyspiel.Game`` that are called here, and its states with those of
``pyspiel.State``. It is judged by what OpenSpiel's ``spiel.h`` says of them. Pairs of positions that a seat cannot tell
apart come from random games, from re-deals, and from exchanges: a game is played again with two outcomes of chance
exchanged, and the same actions where they are legal.
"""

import contextlib
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

INFORMATION = "information_state_string"
CHANNELS = (
    INFORMATION, "information_state_tensor", "observation_string", "observation_tensor", "to_observation_struct", "observe",
)  # fmt: skip
"""The methods of a state that tell a seat something, of which a game may lack some."""
SHOWN = ("__str__", "returns", "legal_actions")
"""The methods of a state by which copies are compared, beside the channels."""
EXCHANGES = 8
"""Number of times that each game is played again with exchanged outcomes of chance."""
ALIKE = 200
"""Number of re-deals, alike in what another world has otherwise, that are a finding: if a re-deal is otherwise with a
chance of at least a tenth, a false alarm in a position has a chance of at most 0.9**200, or 7e-10."""
TRIED, ENOUGH = 5, 20
"""Number of exchanges that are tried to find such a world, and of such findings after which no more are looked for."""
COPIED, REPLAYED = 0.1, 0.2
"""Shares of the positions whose copies are played along, and of the re-deals whose history is played."""
MOST_KEPT = 20_000
"""Maximum number of positions that later ones are compared with."""
ROUNDING = 1e-6
"""The difference up to which numbers are equal."""

AFTER = """\
def after(actions):
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state"""
THROUGHOUT = """\
def throughout(actions, seat, channel, own=False):
    state, found = game.new_initial_state(), []
    for action in [*actions, None]:
        decides = state.current_player() == seat
        try:
            value = getattr(state, channel)(seat)
            found += [value if isinstance(value, (str, list)) else value.to_json()] if decides or not own else []
        except Exception:
            assert state.is_chance_node()
        if action is not None:
            found += [action] if decides else []
            state.apply_action(action)
    return found"""


@dataclass(frozen=True)
class Seen:
    """The knowledge of a seat in a position and before it, as hashes of values."""

    history: tuple[int, ...]
    told: dict[str, int]  # by channel
    key: int  # of the information state; where a game has none, of all observations and own actions so far
    past: int  # of the keys at own decisions so far, with the actions
    watched: dict[str, int]  # by channel, of all that it told so far, and of the own actions


Walk = Iterator[tuple[Any, list[int], dict[int, Seen]]]


def told_value(state: Any, channel: str, *seat: int) -> Any:
    """The information of a channel for a seat: a text or a list of numbers."""
    value = getattr(state, channel)(*seat)
    return value if isinstance(value, (str, list)) else value.to_json()


def hash_value(value: Any) -> int:
    return hash(tuple(value) if isinstance(value, list) else value)


def outcomes_of(state: Any) -> list[int]:
    """All outcomes of chance so far, in order of their numbers."""
    return sorted(one.action for one in state.full_history() if one.player < 0)


FEATURES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "position": (str, "str({})"),
    "set of outcomes": (outcomes_of, "sorted(one.action for one in {}.full_history() if one.player < 0)"),
}
"""Features that not all re-deals have in common with a position if there is a world that has not, and their text."""


def _equal_line(one: str, other: str, channel: str, *seat: int) -> str:
    """A line that asserts that `told_value` of two states is equal."""
    call = f".{channel}({', '.join(map(str, seat))})" + (".to_json()" if channel == "to_observation_struct" else "")
    return f"assert {one}{call} == {other}{call}"


class Judge:
    """Plays random games and looks for contradictions to what a game must hold.

    Args:
        opening: Python lines that make ``game``, with which the examples of findings begin.
        sampled: whether the game draws chance itself, so that no history can be played again: then there are no pairs of
            positions but those of re-deals.

    Attributes:
        findings: by kind, with ``count``, ``words``, the shortest ``history`` that shows it, and as ``example`` the lines
            of Python of which the last one fails.
        positions: number of positions looked at.
    """

    def __init__(self, game: Any, opening: Sequence[str], seed: int = 0, sampled: bool = False) -> None:
        self.game, self.opening, self.sampled = game, opening, sampled
        self.rng, self.seats = random.Random(seed), range(game.num_players())
        self.findings: dict[str, dict[str, Any]] = {}
        self.positions, self.redeals, self.without_redeal, self.redeal_seconds = 0, 0, 0, 0.0
        self._kept, self._taken = dict[int, Seen](), Counter[int]()
        self.channels = [channel for channel in CHANNELS if self._has_channel(channel)]

    def judge_positions(self, positions: int, seconds: float) -> dict[str, Any]:
        """Plays games until so many positions were looked at, or so much processor time is over; returns all figures."""
        began = time.process_time()
        while self.positions < positions and time.process_time() < began + seconds:
            history, seen = self._play_game(began + seconds)
            for _ in range(0 if self.sampled else EXCHANGES):
                if self.positions < positions and time.process_time() < began + seconds:
                    self._exchange(history, seen)
        fails = any(kind.startswith("re-deal") for kind in self.findings)
        return {
            "positions": self.positions,
            "findings": [self.findings[kind] for kind in sorted(self.findings)],
            "redeal": "fails" if fails else "yes" if self.redeals else "no",
            "redeals": self.redeals,
            "without_redeal": self.without_redeal,
            "microseconds_a_redeal": 1e6 * self.redeal_seconds / self.redeals if self.redeals else None,
            "channels": self.channels,
            "seconds": round(time.process_time() - began, 1),
        }

    def _find(self, kind: str, words: str, state: Any, history: Sequence[int], *lines: str) -> None:
        """Counts a finding; its lines come behind those that make ``state``, if that is not None."""
        found = self.findings.setdefault(kind, {"kind": kind, "count": 0, "history": None})
        found["count"] += 1
        if found["history"] is None or len(history) < len(found["history"]):
            place = [AFTER, f"state = after({list(history)})"]
            if self.sampled and state is not None:
                place = [f"state = game.deserialize_state({state.serialize()!r})"]
            example = "\n".join([*self.opening, *(place if state is not None else []), *lines])
            found |= {"words": words, "history": list(history), "example": example}

    # --- games ---------------------------------------------------------------------------------------------------------

    def _has_channel(self, channel: str) -> bool:
        state, rng = self.game.new_initial_state(), random.Random(0)
        while state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
        with contextlib.suppress(Exception):
            return told_value(state, channel, 0) is not None
        return False

    def _walk(self, choose: Callable[[Any, int], int | None], seats: Sequence[int]) -> Walk:
        """Plays a game; yields every position with its history and what seats have seen."""
        state, history = self.game.new_initial_state(), list[int]()
        past, watched = dict.fromkeys(seats, 0), {seat: dict.fromkeys(self.channels, 0) for seat in seats}
        while True:
            actor, seen = state.current_player(), dict[int, Seen]()
            for seat in seats:
                told = self._told(state, history, seat)
                watched[seat] = {one: hash((watched[seat][one], told.get(one))) for one in self.channels}
                key = told[INFORMATION] if INFORMATION in told else hash(tuple(watched[seat].values()))
                seen[seat] = Seen(tuple(history), told, hash((seat, key)), past[seat], watched[seat])
            yield state, history, seen
            action = None if state.is_terminal() else choose(state, len(history))
            if action is None:
                return
            if actor in seen:
                past[actor] = hash((past[actor], seen[actor].key, action))
                watched[actor] = {one: hash((value, action)) for one, value in watched[actor].items()}
            try:
                state.apply_action(action)
            except Exception as error:
                words = f"action {action}: {error!s:.200}"
                return self._find("legal action is refused", words, state, history, f"state.apply_action({action})")
            history.append(action)

    def _told(self, state: Any, history: Sequence[int], seat: int) -> dict[str, int]:
        told = {}
        for channel in self.channels:
            try:
                told[channel] = hash_value(told_value(state, channel, seat))
            except Exception as error:
                if not state.is_chance_node():
                    self._find(f"{channel} raises", f"{error!s:.200}", state, history, f"state.{channel}({seat})")
        if state.current_player() == seat:
            told["legal_actions"] = hash_value(state.legal_actions(seat))
        return told

    def _play_game(self, end: float) -> tuple[list[int], dict[int, dict[int, Seen]]]:
        """Plays a random game and judges its positions; returns its history, and what seats have seen by its length."""
        found, rewards, decisions = dict[int, dict[int, Seen]](), list[tuple[bool, list[float]]](), 0
        copies: list[tuple[str, Any, int]] = []
        rarely = self.rng.random() < 0.5  # plays what was played rarely, so that rare phases are reached

        def choose(state: Any, length: int) -> int | None:
            legal, before = state.legal_actions(), str(state)
            if state.is_chance_node():
                action = int(self.rng.choices(*zip(*state.chance_outcomes(), strict=True))[0])
                if self.sampled:
                    copies.clear()  # they draw other outcomes
            else:
                action = self.rng.choices(legal, [1 / (1 + self._taken[one]) for one in legal] if rarely else None)[0]
                self._taken[action] += 1
            for how, copy, _ in copies:
                with contextlib.suppress(Exception):  # it differs in the next position
                    copy.apply_action(action)
                if str(state) != before:
                    lines = f"copy, before = {how}, str(state)", f"copy.apply_action({action})"
                    line = "assert str(state) == before"
                    self._find(f"{how} changes its original", "it is no copy", state, history, *lines, line)
                    return None
            return action

        history: list[int] = []
        for state, history, seen in self._walk(choose, self.seats):
            rewards.append((state.is_chance_node(), state.rewards()))
            if not state.is_chance_node():
                self._check_rewards(state, history, rewards)
            if [one for one in copies if self._differs(*one, state, history)]:
                copies.clear()
            if state.is_terminal():
                self._check_end(state, history, decisions)
                break
            if not state.is_chance_node():
                found[len(history)] = seen
                decisions += 1
                self.positions += 1
                self._check_legal(state, history)
                for seat in self.seats:
                    self._compare_kept(seat, seen[seat])
                    self._check_redeal(state, history, seat, seen[seat])
            if self.rng.random() < COPIED:
                both = ("state.clone()", state.clone()), ("game.deserialize_state(state.serialize())", None)
                copies[:] = [
                    (how, copy or self.game.deserialize_state(state.serialize()), len(history)) for how, copy in both
                ]
            if time.process_time() > end:
                break
        return list(history), found

    def _play_exchanged(self, history: Sequence[int], seat: int) -> Walk:
        """Plays a game again with two outcomes of chance exchanged; yields what a seat sees from then on."""
        begin, exchanged = self.rng.randrange(len(history) + 1), dict[int, int]()

        def choose(state: Any, length: int) -> int | None:
            if length >= len(history):
                return None
            action, legal, chance = history[length], state.legal_actions(), state.is_chance_node()
            if chance and not exchanged and length >= begin and len(legal) > 1 and action in legal:
                other = self.rng.choice([one for one in legal if one != action])
                exchanged.update({action: other, other: action})
            if state.current_player() == seat:
                return action if action in legal else None
            mapped = exchanged.get(action, action)
            wanted = [one for one in ([mapped, action] if chance else [action, mapped]) if one in legal]
            return wanted[0] if wanted else self.rng.choice(legal)

        yield from (one for one in self._walk(choose, [seat]) if exchanged)

    def _exchange(self, history: Sequence[int], seen: dict[int, dict[int, Seen]]) -> None:
        """Compares a game with one with exchanged outcomes, as long as they look the same to a seat in some way."""
        seat = self.rng.choice(self.seats)
        for state, played, twin in self._play_exchanged(history, seat):
            if not state.is_chance_node():
                if state.is_terminal() or len(played) not in seen:
                    return
                one, other = seen[len(played)][seat], twin[seat]
                self.positions += 1
                self._compare_pair(seat, one, other)
                self._compare_kept(seat, other)
                if one.key != other.key and all(one.watched[by] != other.watched[by] for by in self.channels):
                    return

    # --- what seats are told -------------------------------------------------------------------------------------------

    def _compare_kept(self, seat: int, seen: Seen) -> None:
        """Compares what a seat has seen with an earlier position of the same key."""
        if not self.sampled:
            self._compare_pair(seat, self._kept.get(seen.key, seen), seen)
            if len(self._kept) < MOST_KEPT:
                self._kept.setdefault(seen.key, seen)

    def _compare_pair(self, seat: int, one: Seen, other: Seen) -> None:
        """Compares two positions that look the same to a seat, in one way or another."""
        a, b = list(one.history), list(other.history)
        if a == b:
            return

        def through(channel: str, own: str = "") -> str:
            part = f"{seat}, {channel!r}{own})"
            return f"assert throughout({a}, {part} == throughout({b}, {part}"

        def find(kind: str, *lines: str) -> None:
            self._find(kind, f"seat {seat}", None, a, AFTER, THROUGHOUT, f"one, other = after({a}), after({b})", *lines)

        known = INFORMATION in self.channels
        same = (
            [_equal_line("one", "other", INFORMATION, seat)] if known else [through(channel) for channel in self.channels]
        )
        if one.key == other.key:
            for channel in one.told:
                if one.told[channel] != other.told.get(channel):
                    find(f"{channel} tells more", *same, _equal_line("one", "other", channel, seat))
            if known and one.past != other.past:
                find(f"{INFORMATION} forgets", *same, through(INFORMATION, ", own=True"))
        elif known:
            for channel in self.channels[1:]:
                if one.watched[channel] == other.watched[channel]:
                    find(f"{channel} lacks", through(channel), *same)

    # --- re-deals ------------------------------------------------------------------------------------------------------

    def _check_redeal(self, state: Any, history: Sequence[int], seat: int, seen: Seen) -> None:
        number, began, words = self.rng.randrange(1000), time.process_time(), f"seat {seat}"
        lines = ["import random", f"again = state.resample_from_infostate({seat}, random.Random({number}).random)"]
        try:
            again = state.resample_from_infostate(seat, random.Random(number).random)
        except Exception as error:
            self.without_redeal += 1
            if "not implemented" not in str(error):
                self._find("re-deal raises", f"{words}: {error!s:.200}", state, history, *lines)
            return
        self.redeal_seconds += time.process_time() - began
        self.redeals += 1
        for channel in seen.told:
            with contextlib.suppress(Exception):  # what raises is another one
                if hash_value(told_value(again, channel, seat)) == seen.told[channel]:
                    continue
            line = _equal_line("again", "state", channel, seat)
            self._find(f"re-deal changes {channel}", words, state, history, *lines, line)
        if self.sampled or (str(again) != str(state) and self.rng.random() > REPLAYED):
            return
        moves = again.history()

        def choose(past: Any, length: int) -> int | None:
            return moves[length] if length < len(moves) and moves[length] in past.legal_actions() else None

        *_, (last, played, found) = self._walk(choose, [seat])
        if len(played) < len(moves):
            lines += ["past = game.new_initial_state()"]
            line = "for action in again.history(): assert action in past.legal_actions(); past.apply_action(action)"
            self._find("re-deal has an illegal past", words, state, history, *lines, line)
        elif str(last) != str(again):
            line = "assert str(after(again.history())) == str(again)"
            self._find("re-deal has the past of another position", words, state, history, *lines, line)
        elif found[seat].past != seen.past:
            part = f"{seat}, {self.channels[0]!r}, own=True)"
            line = f"assert throughout(again.history(), {part} == throughout({list(history)}, {part}"
            self._find("re-deal has a past that was not seen", words, state, history, *lines, THROUGHOUT, line)
        else:
            self._check_changes(state, history, seat, seen)

    def _check_changes(self, state: Any, history: Sequence[int], seat: int, seen: Seen) -> None:
        """Checks that re-deals differ from a position in what another world has otherwise."""
        kinds = {f"re-deal keeps the {name}": feature for name, feature in FEATURES.items()}
        kinds = {kind: it for kind, it in kinds.items() if self.findings.get(kind, {"count": 0})["count"] < ENOUGH}
        for _ in range(TRIED if kinds and INFORMATION in self.channels else 0):
            *_, (other, twin, found) = [(None, [], {}), *self._play_exchanged(history, seat)]
            if found and len(twin) == len(history) and found[seat].key == seen.key and not other.is_chance_node():
                break
        else:
            return
        self._compare_pair(seat, seen, found[seat])
        for kind, (show, text) in kinds.items():
            again = (state.resample_from_infostate(seat, random.Random(number).random) for number in range(ALIKE))
            if show(other) != show(state) and all(show(each) == show(state) for each in again):
                each, there, true = (text.format(name) for name in ("each", "other", "state"))
                self._find(
                    kind, f"seat {seat}", state, history, f"other = after({twin})", f"assert {there} != {true}",
                    _equal_line("other", "state", INFORMATION, seat), "import random",
                    f"again = [state.resample_from_infostate({seat}, random.Random(k).random) for k in range({ALIKE})]",
                    f"assert any({each} != {true} for each in again)",
                )  # fmt: skip

    # --- legal actions, rewards, copies --------------------------------------------------------------------------------

    def _check_legal(self, state: Any, history: Sequence[int]) -> None:
        """Checks that legal actions are some, in order and in range, no other seat has any, and others are refused."""
        legal, most = state.legal_actions(), self.game.num_distinct_actions()
        if not legal or legal != sorted({*legal}) or legal[0] < 0 or legal[-1] >= most:
            line = f"assert legal and legal == sorted({{*legal}}) and 0 <= legal[0] and legal[-1] < {most}"
            self._find("legal actions are wrong", f"{legal}", state, history, "legal = state.legal_actions()", line)
        for seat in self.seats:
            if seat != state.current_player() and state.legal_actions(seat):
                line = f"assert not state.legal_actions({seat})"
                self._find("legal actions out of turn", f"seat {seat}", state, history, line)
        wrong = self.rng.randrange(most)
        if wrong not in legal and self.rng.random() < REPLAYED:
            with contextlib.suppress(Exception):
                state.clone().apply_action_with_legality_check(wrong)
                tried = f"try: state.apply_action_with_legality_check({wrong})", "except Exception: state = None"
                self._find("illegal action is taken", f"action {wrong}", state, history, *tried, "assert state is None")

    def _check_rewards(self, state: Any, history: Sequence[int], rewards: Sequence[tuple[bool, list[float]]]) -> None:
        """Checks that the rewards so far add up to the returns, with or without those that stand where chance acts."""
        sums = [
            [sum(paid) for paid in zip(*(paid for chance, paid in rewards if with_chance or not chance), strict=True)]
            for with_chance in (True, False)
        ]
        returns = state.returns()
        if all(any(abs(one - due) > ROUNDING for one, due in zip(total, returns, strict=True)) for total in sums):
            loop = f"for action in {list(history)}: state.apply_action(action); rewards.append(paid(state))"
            paid = "paid = lambda state: (state.is_chance_node(), state.rewards())"
            lines = paid, "state = game.new_initial_state()", "rewards = [paid(state)]", loop
            kinds = "[r for _, r in rewards]", "[r for chance, r in rewards if not chance]"
            due = " or ".join(f"[sum(r) for r in zip(*{one})] == state.returns()" for one in kinds)
            self._find("rewards do not add up", f"{sums[0]}, and returns {returns}", None, history, *lines, f"assert {due}")

    def _check_end(self, state: Any, history: Sequence[int], decisions: int) -> None:
        """Checks the bounds of returns, their sum, and the length of a game."""
        returns, due = state.returns(), self.game.utility_sum()
        if min(returns) < self.game.min_utility() - ROUNDING or max(returns) > self.game.max_utility() + ROUNDING:
            line = "assert game.min_utility() <= min(state.returns()) and max(state.returns()) <= game.max_utility()"
            self._find("returns out of bounds", f"{returns}", state, history, line)
        if due is not None and abs(sum(returns) - due) > ROUNDING:
            line = "assert abs(sum(state.returns()) - game.utility_sum()) < 1e-6"
            self._find("returns of another sum", f"{returns}", state, history, line)
        if decisions > self.game.max_game_length():
            line = f"assert {decisions} <= game.max_game_length()  # decisions"
            self._find("game is longer than it may be", f"{decisions} decisions", None, history, line)

    def _differs(self, how: str, copy: Any, start: int, state: Any, history: Sequence[int]) -> bool:
        """Checks that a copy went on like its original; returns whether it did not."""
        asked: list[tuple[Any, ...]] = [(name,) for name in SHOWN]
        asked += [] if state.is_chance_node() else [(one, seat) for one in self.channels for seat in self.seats]
        for name, *seat in asked:
            with contextlib.suppress(Exception):
                if told_value(copy, name, *seat) == told_value(state, name, *seat):
                    continue
            loop = f"for action in {list(history[start:])}: state.apply_action(action); copy.apply_action(action)"
            lines = AFTER, f"state = after({list(history[:start])})", f"copy = {how}", loop
            words = f"{name} differs {len(history) - start} actions later"
            self._find(f"{how} goes on otherwise", words, None, history, *lines, _equal_line("copy", "state", name, *seat))
            return True
        return False
