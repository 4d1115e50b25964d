"""Audits of OpenSpiel's games by what ``spiel.h`` says of observations, re-deals, legal actions, rewards and copies."""

import inspect
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from cardenvs.checks import did_you_mean
from cardenvs.plugins import require

CARD_GAMES = (
    "turn_based_simultaneous_game(game=goofspiel(imp_info=true,num_cards=5,points_order=random))", "blackjack", "bridge",
    "crazy_eights", "cribbage", "dou_dizhu", "euchre", "gin_rummy", "go_fish", "hanabi", "hearts", "kuhn_poker",
    "leduc_poker", "oh_hell", "python_kuhn_poker", "python_liars_poker", "repeated_leduc_poker", "skat", "solitaire",
    "spades", "tiny_bridge_2p", "tiny_bridge_4p", "tiny_hanabi", "universal_poker",
)  # fmt: skip
"""The card games of the wheel with hidden cards, which ``all`` stands for; tarok and another one draw chance themselves."""
INFORMATION = "information_state_string"
CHANNELS = (INFORMATION, "information_state_tensor", "observation_string", "observation_tensor", "to_observation_struct")
"""The methods of a state that tell a seat something, of which a game may lack some."""
EXCHANGES, REPLAYED = 8, 0.05  # number for each game; share of the re-deals whose history is played
ALIKE, ENOUGH = 200, 20
"""Number of re-deals that are a finding if all have in common what another world has otherwise, and of such findings after
which no more are looked for. If a re-deal differs with a chance of 1/10 or more, a false alarm has one of at most 7e-10."""


# The functions from here to `hidden_from` are also those that the examples of findings call.
def state_after(game: Any, actions: list[int]) -> Any:
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


def ask_state(state: Any, question: str, *given: int) -> Any:
    with suppress(Exception):
        answer = getattr(state, question)(*given)
        return answer.to_json() if hasattr(answer, "to_json") else tuple(answer) if isinstance(answer, list) else answer


def is_refused(state: Any, act: str, action: Any) -> bool:
    with suppress(Exception):
        getattr(state, act)(action)
        return False
    return True


def look_of(game: Any, actions: list[int], channel: str, seat: int) -> Any:
    states = [state_after(game, actions[:length]) for length in range(len(actions) + 1)]
    own = [action for state, action in zip(states, actions, strict=False) if state.current_player() == seat]
    answers = [ask_state(state, channel, seat) for state in states]
    return answers[-1] if channel == "information_state_string" else (answers, own)


def redeal_state(state: Any, seat: int, number: int) -> Any:
    return state.resample_from_infostate(seat, random.Random(number).random)


def hidden_from(state: Any, seat: int) -> dict[str, str]:
    moves = [(move.player, move.action) for move in state.full_history() if move.player != seat]
    outcomes, actions = sorted(move for move in moves if move[0] < 0), [move for move in moves if move[0] >= 0]
    return {"position": str(state), "outcomes of chance": str(outcomes), "actions of others": str(actions)}


def same_answers(one: str, other: str, *question: Any) -> str:
    asked = ", ".join(map(repr, question))
    return f"assert ask_state({one}, {asked}) == ask_state({other}, {asked})"


class Findings(dict[str, dict[str, Any]]):
    """Findings by kind; their examples begin with the lines ``opening``, which make ``game``, and may call ``helpers``."""

    def __init__(self, opening: Sequence[str], *helpers: Callable[..., Any]) -> None:
        self.opening = ["import random", "from contextlib import suppress", "from typing import Any", *opening]
        self.helpers = helpers

    def add(self, kind: str, words: str, history: Sequence[Any], *lines: str) -> None:
        """Counts a finding in the state behind a history; the last one of its lines fails."""
        found = self.setdefault(kind, {"kind": kind, "count": 0})
        found["count"] += 1
        if "history" not in found or len(history) < len(found["history"]):
            lines = f"actions = {list(history)}", "state = state_after(game, actions)", *lines
            used = [inspect.getsource(one) for one in self.helpers if any(f"{one.__name__}(" in line for line in lines)]
            found |= {"words": words, "history": list(history), "example": "\n".join([*self.opening, *used, *lines])}


class Seen(NamedTuple):  # the knowledge of a seat in a position, as hashes
    history: list[int]
    told: dict[str, int]  # by channel
    looks: dict[str, int]  # of the information state, and by other channel of all that it told so far, and of own actions
    hidden: dict[str, int]  # of what `hidden_from` returns; empty while there was no re-deal


class Judge:
    """Plays random games and looks for contradictions to what a game must hold; the lines ``opening`` make the game."""

    def __init__(self, game: Any, opening: Sequence[str], seed: int = 0) -> None:
        self.game, self.seats, self.rng = game, range(game.num_players()), random.Random(seed)
        self.findings = Findings(opening, state_after, ask_state, is_refused, look_of, redeal_state, hidden_from)
        self.positions, self.redeals, self.without_redeal, self.redeal_seconds = 0, 0, 0, 0.0
        self._kept, self._narrow, self._end = dict[Any, Seen](), Counter[str](), 0.0
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(self.rng.choice(state.legal_actions()))
        self.channels = [channel for channel in CHANNELS if ask_state(state, channel, 0) is not None]

    def judge_positions(self, positions: int, seconds: float) -> dict[str, Any]:
        """Plays games until so many positions were looked at, or so much processor time is over; returns all figures."""
        self._end = time.process_time() + seconds
        while self.positions < positions and time.process_time() < self._end:
            history = self._play_game()
            self._check_copies(history)
            for _ in range(EXCHANGES):
                self._exchange(history)
        return {
            "positions": self.positions, "findings": [self.findings[kind] for kind in sorted(self.findings)],
            "redeal": "fails" if any("re-deal" in kind for kind in self.findings) else "yes" if self.redeals else "no",
            "redeals": self.redeals, "without_redeal": self.without_redeal,
            "microseconds_a_redeal": 1e6 * self.redeal_seconds / self.redeals if self.redeals else None,
        }  # fmt: skip

    def _tell(self, state: Any, seat: int) -> dict[str, int]:
        acting = ["legal_actions"] if state.current_player() == seat else []
        return {channel: hash(ask_state(state, channel, seat)) for channel in [*self.channels, *acting]}

    def _walk(self, choose: Callable[[Any, int], int | None], *seats: int) -> Iterator[tuple[Any, dict[int, Seen]]]:
        """Plays a game; yields every state with what seats have seen."""
        state, history = self.game.new_initial_state(), list[int]()
        looks = {seat: dict.fromkeys(self.channels, 0) for seat in seats}
        while True:
            actor, seen = state.current_player(), dict[int, Seen]()
            for seat, look in looks.items():
                told = self._tell(state, seat)
                look |= {one: hash((one != INFORMATION and before, told[one])) for one, before in look.items()}
                hidden = hidden_from(state, seat) if self.redeals else {}
                seen[seat] = Seen(history, told, dict(look), {name: hash(text) for name, text in hidden.items()})
            yield state, seen
            if state.is_terminal() or (action := choose(state, len(history))) is None:
                return
            if actor in seats:
                looks[actor] = {one: hash((before, action)) for one, before in looks[actor].items()}
            if is_refused(state, "apply_action", action):
                line = f"assert not is_refused(state, 'apply_action', {action})"
                return self.findings.add("legal action is refused", f"action {action}", history, line)
            history = [*history, action]

    def _choose_at_random(self, state: Any, length: int) -> int:
        chances = zip(*state.chance_outcomes(), strict=True) if state.is_chance_node() else [state.legal_actions()]
        return int(self.rng.choices(*chances)[0])

    def _play_game(self) -> list[int]:
        """Plays a random game and judges its positions; returns its history."""
        history, paid = list[int](), [0.0 for _ in self.seats]
        for state, seen in self._walk(self._choose_at_random, *self.seats):
            history = seen[0].history
            if state.is_chance_node():  # the next decision has its rewards
                continue
            paid = [one + more for one, more in zip(paid, state.rewards(), strict=True)]
            if any(abs(one - due) > 1e-6 for one, due in zip(paid, state.returns(), strict=True)):
                states = "states = [state_after(game, actions[:length]) for length in range(len(actions) + 1)]"
                rewards = "rewards = [state.rewards() for state in states if not state.is_chance_node()]"
                line = "assert [sum(paid) for paid in zip(*rewards)] == state.returns()"
                self.findings.add("rewards do not add up", f"{paid}, not {state.returns()}", history, states, rewards, line)
            if state.is_terminal() or time.process_time() > self._end:
                break
            self.positions += 1
            check, wrong = "apply_action_with_legality_check", self.rng.randrange(self.game.num_distinct_actions())
            if wrong not in state.legal_actions() and not is_refused(state.clone(), check, wrong):
                line = f"assert is_refused(state, {check!r}, {wrong})"
                self.findings.add("illegal action is taken", f"action {wrong}", history, line)
            for seat in self.seats:
                self._meet(seat, seen[seat])
                self._check_redeal(state, seat, seen[seat])
        return history

    def _check_copies(self, history: list[int]) -> None:
        start, stop = sorted(self.rng.randrange(len(history) + 1) for _ in range(2))
        asked: list[Any] = [
            ("__str__",),
            ("returns",),
            *((channel, seat) for channel in self.channels for seat in self.seats),
        ]
        for how in "state.clone()", "game.deserialize_state(state.serialize())":
            state, due = (state_after(self.game, history[:length]) for length in (start, stop))
            copy = state.clone() if how == "state.clone()" else self.game.deserialize_state(state.serialize())
            for action in history[start:stop]:  # a copy that shares its state goes on twice
                ask_state(state, "apply_action", action)
                ask_state(copy, "apply_action", action)
            for question in [one for one in asked if ask_state(copy, *one) != ask_state(due, *one)]:
                go_on = "for action in more: [ask_state(one, 'apply_action', action) for one in (state, copy)]"
                line = same_answers("copy", "state_after(game, actions + more)", *question)
                lines = f"copy, more = {how}, {history[start:stop]}", go_on, line
                self.findings.add(f"{how} goes on otherwise", str(question), history[:start], *lines)

    def _exchange(self, history: list[int]) -> None:
        """Plays a game again with two outcomes of chance exchanged, as long as it looks to a seat like an earlier one."""
        seat, begin, exchanged = self.rng.choice(self.seats), self.rng.randrange(len(history) + 1), dict[int, int]()

        def choose(state: Any, length: int) -> int | None:
            if length == len(history):
                return None
            action, legal = history[length], state.legal_actions()
            if state.is_chance_node() and not exchanged and length >= begin and len(legal) > 1:
                other = int(self.rng.choice([one for one in legal if one != action]))
                exchanged.update({action: other, other: action})
                return other
            wanted = [one for one in (action, exchanged.get(action, action)) if one in legal]
            return int(wanted[0] if wanted else self.rng.choice(legal))

        for state, seen in self._walk(choose, seat):
            if exchanged and not state.is_chance_node():
                if state.is_terminal() or not self._meet(seat, seen[seat]):
                    return
                self.positions += 1
                if self.redeals and INFORMATION in self.channels:
                    self._check_narrow(state, seat, seen[seat])

    def _meet(self, seat: int, seen: Seen) -> bool:
        """Compares a position with the first ones that look the same to a seat by a channel; whether there were some."""
        for look, value in seen.looks.items():
            one = self._kept.setdefault((seat, look, value), seen)
            channels = [INFORMATION] if look != INFORMATION and INFORMATION in self.channels else [*seen.told]
            for channel in [name for name in channels if one.told.get(name, seen.told[name]) != seen.told[name]]:
                kind = f"{channel} tells more" if look == INFORMATION else f"{look} lacks"
                same = f"assert look_of(game, actions, {look!r}, {seat}) == look_of(game, others, {look!r}, {seat})"
                line = same_answers("state", "state_after(game, others)", channel, seat)
                self.findings.add(kind, f"seat {seat}, {channel}", seen.history, f"others = {one.history}", same, line)
        return any(self._kept[seat, look, value].history != seen.history for look, value in seen.looks.items())

    def _check_redeal(self, state: Any, seat: int, seen: Seen) -> None:
        """Checks that a re-deal keeps what a seat is told, and that its history leads to it."""
        number, began = self.rng.randrange(1000), time.process_time()
        redeal, words = f"again = redeal_state(state, {seat}, {number})", f"seat {seat}"
        try:
            again = redeal_state(state, seat, number)
        except Exception as error:
            self.without_redeal += 1
            if "not implemented" not in str(error):
                self.findings.add("re-deal raises", f"{words}: {error!s:.200}", seen.history, redeal)
            return
        self.redeals, self.redeal_seconds = self.redeals + 1, self.redeal_seconds + time.process_time() - began
        told, moves = self._tell(again, seat), dict(enumerate(again.history()))
        for channel in [name for name in seen.told if told.get(name) != seen.told[name]]:
            line = same_answers("again", "state", channel, seat)
            self.findings.add(f"re-deal contradicts {channel}", words, seen.history, redeal, line)
        if self.rng.random() > REPLAYED:
            return
        *_, (past, found) = self._walk(lambda one, k: moves[k] if moves.get(k) in one.legal_actions() else None, seat)
        if len(found[seat].history) < len(moves):
            line = "for action in again.history(): past.apply_action_with_legality_check(action)"
            self.findings.add("re-deal is impossible", words, seen.history, redeal, "past = state_after(game, [])", line)
        elif str(past) != str(again):
            line = "assert str(state_after(game, again.history())) == str(again)"
            self.findings.add("re-deal contradicts its history", words, seen.history, redeal, line)
        else:
            self._meet(seat, found[seat])

    def _check_narrow(self, state: Any, seat: int, seen: Seen) -> None:
        """Checks that re-deals are not all like a position in what another one of the same look has otherwise."""
        other, true = self._kept[seat, INFORMATION, seen.looks[INFORMATION]], seen.hidden
        names = [name for name, text in other.hidden.items() if text != true[name] and self._narrow[name] < ENOUGH]
        for number in range(ALIKE):
            names = [one for one in names if hash(hidden_from(redeal_state(state, seat, number), seat)[one]) == true[one]]
        self._narrow.update(names)
        for name in names:
            words, asked = f"seat {seat}, {ALIKE} re-deals, false alarm at most {0.9**ALIKE:.0e}", f"{seat})[{name!r}]"
            self.findings.add(
                f"re-deal is narrow: {name}", words, seen.history, f"other = state_after(game, {other.history})",
                same_answers("state", "other", INFORMATION, seat), f"true = hidden_from(state, {asked}",
                f"assert hidden_from(other, {asked} != true",
                f"assert any(hidden_from(redeal_state(state, {seat}, k), {asked} != true for k in range({ALIKE}))",
            )  # fmt: skip


def load_game(name: str) -> Any:
    """A ``pyspiel.Game``; ValueError for one that cannot be loaded or judged."""
    require("pyspiel", "openspiel", "audits of OpenSpiel's games", package="open_spiel")
    import open_spiel.python.games  # noqa: F401 - which registers them
    import pyspiel

    if (short := name.partition("(")[0]) not in pyspiel.registered_names():
        raise ValueError(f"unknown game {short!r} of OpenSpiel{did_you_mean(short, pyspiel.registered_names())}")
    try:
        game = pyspiel.load_game(name)
    except Exception as error:
        raise ValueError(f"OpenSpiel cannot load {name!r}: {' '.join(str(error).split()):.200}") from None
    if game.get_type().dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise ValueError(f"{name} has no turns: name it turn_based_simultaneous_game(game={name})")
    if game.get_type().chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise ValueError(f"{name} draws chance itself: no game of it can be played again")
    if (outcomes := game.max_chance_outcomes()) > 10_000:
        raise ValueError(f"{name} has {outcomes:,} outcomes of chance, and 10,000 are the most")
    return game


def audit_game(name: str, positions: int, seconds: float, seed: int) -> dict[str, Any]:
    """The figures of a game's audit; ValueError for a game that cannot be loaded or judged."""
    opening = "import open_spiel.python.games", "import pyspiel", f"game = pyspiel.load_game({name!r})"
    return {"name": name} | Judge(load_game(name), opening, seed).judge_positions(positions, seconds)
