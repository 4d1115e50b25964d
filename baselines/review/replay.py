"""Replays deals of a record: the states before each move, the cards that a seat held, and the deal's result."""

from typing import Any

from cardenvs.contract.cards import FULL_DECK
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.contract.outcome import Outcome
from cardenvs.contract.spec import GameSpec
from cardenvs.games.poker import hand_name, hand_value

_COLUMNS = 5


def moves_of(spec: GameSpec, state: Games) -> tuple[Games, list[int], Games]:
    """Replays a deal, structured (1,), from its history.

    Returns the states before each move, structured (n,), the numbers of the n actions, and the state after the last move,
    structured (1,).
    """
    end = spec.parse(spec.text(state[0], actions=False))
    names = spec.history(state[0])
    states = spec.new_games(len(names))
    actions = []
    for k, name in enumerate(names):
        states[k] = end[0]
        actions.append(spec.action(name))
        spec.kernels.step(end, 0, actions[-1])
    return states, actions, end


def hand_of(spec: GameSpec, states: Games, k: int, seat: int) -> list[str]:
    """A seat's hand in ``states[k]`` by its own view, in Five-O the card to place; empty in other games."""
    if spec.kind is None:
        return []
    views = spec.new_games(1)
    spec.kernels.view(states, k, seat, views, 0)
    held = views[0]["hands"][0] if spec.column_game is None else views[0]["card"]
    return spec.kind.deck.format(int(held), " ").split()


def result_of(spec: GameSpec, end: Games) -> dict[str, Any] | None:
    """The result of a deal by its state after the last move, structured (1,), for people and for JSON.

    Returns None if the deal is not over; else ``points`` and ``tricks`` of each side (in Five-O columns won), ``winner`` (a
    side's number, None for a draw) and ``text``, a sentence. In Five-O also ``columns``, a dict for each column: the
    ``cards`` of both seats, the names of both ``hands`` and the ``winner``. In whole games also ``score``, both sides'
    points after the deal.
    """
    if end[0]["over"] == RUNNING:
        return None
    outcome = spec.outcome(end)
    winner, taken, points = outcome.best, outcome.side_tricks, outcome.points
    result: dict[str, Any] = {"points": list(points), "tricks": list(taken), "winner": winner}
    if spec.column_game is not None:
        result["columns"] = [_column_result(end[0], column) for column in range(_COLUMNS)]
        who = "a draw" if winner is None else f"player_{winner} wins"
        result["text"] = f"{who}, columns {taken[0]} : {taken[1]}"
        return result
    if spec.kind is None:
        order = sorted(range(len(points)), key=lambda side: -points[side])
        result["text"] = "points: " + ", ".join(f"{_side_players(outcome, side)} {points[side]}" for side in order)
        return result
    if winner is None:
        result["text"] = "all passed, no points"
    else:
        result["text"] = f"{_side_players(outcome, winner)} get {outcome.points_text} with {outcome.tricks_text}"
    if end[0]["episode"]:
        result["score"] = score = [int(value) for value in end[0]["score"]]
        over = ", which ends the game" if end[0]["over"] == EPISODE_OVER else ""
        result["text"] += f"; the score is {score[0]} : {score[1]}{over}"
    return result


def _side_players(outcome: Outcome, side: int) -> str:
    return " and ".join(f"player_{seat}" for seat, of in enumerate(outcome.side_of) if of == side)


def _column_result(state: Any, column: int) -> dict[str, Any]:
    hands = [int(state["columns"][seat][column]) for seat in (0, 1)]
    values = [int(hand_value(hand)) for hand in hands]
    return {
        "cards": [FULL_DECK.format(hand, " ").split() for hand in hands],
        "hands": [hand_name(hand) for hand in hands],
        "winner": None if values[0] == values[1] else int(values[1] > values[0]),
    }
