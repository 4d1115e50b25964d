"""A deal between policies as scenes, each with a caption on the action just played."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from cardenvs import policy
from cardenvs.contract.board import Owner, change_words, changes, owner_text
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre
from cardenvs.policy.contract import Policy, SeatMemory, ask
from cardenvs.randomness import player_streams
from cardenvs.render.scene import Scene, scene


def policies_of_seats(game: GameSpec, text: str) -> list[str]:
    """Returns a policy's name for each seat from a list of 1 (for all), 2 (one a side) or one a seat."""
    names = policy.split_list(text)
    if len(names) not in (1, 2, game.seats):
        raise ValueError(f"seats must be 1, 2 or {game.seats} policies of {game.name}, not {len(names)}")
    return [names[seat % len(names)] for seat in range(game.seats)]


def deal_frames(
    game: GameSpec,
    start: Games,
    actions: Sequence[int],
    players: Sequence[Policy],
    *,
    seed: int = 0,
    moves: int | None = None,
    seat: int | None = None,
) -> tuple[list[Scene], Games]:
    """Returns a deal as scenes, one before the first action and one after each; at the end one more, with the winner.

    Args:
        start: the deal before its first action, shape (1,).
        actions: numbers of the actions played already; from there on the players choose.
        players: the policies at the seats.
        moves: number of actions in all; None plays to the deal's end.
        seat: the seat whose view is shown; None opens all hands.

    Returns:
        The scenes, and the state that the last one shows, shape (1,).
    """
    state = start.copy()
    names = [f"{k}: {player.name}" for k, player in enumerate(players)]
    streams, first = player_streams(seed, "picture", 1, game.seats), np.zeros(1, np.int64)
    scenes = [scene(game, state, seat, names=names, caption="")]
    played, memory = 0, SeatMemory(1)
    while state[0]["over"] == RUNNING and (played < len(actions) or moves is None or played < moves):
        mover = int(state[0]["to_act"])
        if played < len(actions):
            action = actions[played]
        else:
            row, mask = game.observation(state, mover)[None], game.mask(game.legal(state))[None]
            illegal = partial(game.illegal_answer, state)
            action = int(ask(players[mover], row, mask, streams, first, first + mover, illegal, memory)[0])
        told = game.action_words(state[0], action).told
        before = state.copy()
        game.kernels.step(state, 0, action)
        if seat is not None and seat != mover:
            told = _hidden_action_words(game, before, state, mover, action, seat) or told
        played += 1
        scenes.append(scene(game, state, seat, names=names, caption=f"{names[mover]} {told}"))
    if state[0]["over"] != RUNNING:
        scenes.append(scene(game, state, seat, names=names, caption=_result_caption(game, state, names)))
    return scenes, state


def _hidden_action_words(game: GameSpec, before: Games, after: Games, mover: int, action: int, seat: int) -> str | None:
    """Returns another seat's words on an action at a plain table or with an unseen card; None if it sees the card."""
    if game.board is not None:
        board = game.board(before[0], seat)
        if board.spoken:
            return None
        seen = changes(board, game.board(after[0], seat))
        return change_words(seen, _owner_words) or "acts"
    if game.bids_trump and before[0]["phase"] == euchre.DISCARDING:
        return euchre.in_words(euchre.HIDDEN_DISCARD).told
    columns = game.column_game
    if columns is not None and int(before[0]["card"]) & int(after[0]["down"][mover]):
        return columns.in_words(action, 0).told
    return None


def _owner_words(owner: Owner, number: int) -> str:
    """Returns the possessive of an owner before a pile or tally; empty for the game."""
    return "" if owner == "game" else f"{owner_text(owner, number)}'s "


def _result_caption(game: GameSpec, state: Games, names: list[str]) -> str:
    outcome = game.outcome(state)
    if game.board is not None:
        first = " and ".join(name for k, name in enumerate(names) if outcome.side_of[k] in outcome.winners)
        return f"first: {first}; points {' '.join(map(str, game.counted(outcome.points)))}"
    side = outcome.best
    if side is None:
        return "nobody wins"
    if not game.team:
        return f"{names[side]} wins, {outcome.tricks_text}"
    return f"{' and '.join(names[side::2])} win {outcome.points_text} with {outcome.side_tricks[side]} tricks"
