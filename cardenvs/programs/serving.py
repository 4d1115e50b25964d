"""A policy as a program: the served side of the protocol of `cardenvs.programs.protocol`, for any policy and game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np

from cardenvs import policy
from cardenvs.checks import check_bits, is_int, short
from cardenvs.compiled import waiting as compiling
from cardenvs.compiled.bits import Bytes
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Asked, Policy, wanted_columns
from cardenvs.printing import printable
from cardenvs.programs import protocol
from cardenvs.randomness import hashed_streams

_UNKNOWN_S = 120  # requested seconds where the compile time is not known


class PolicyServer:
    """A policy that answers messages, one after the other.

    Args:
        name: the policy's name, as `cardenvs.policy.make` takes it.
        game: the game's name or spec; None takes the one that ``hello`` names.

    Attributes:
        tell: is called with messages that precede an answer: preparations, if the match accepts them.

    Raises:
        ValueError: the game is unknown, or it has no such policy; without a game, none has.
    """

    def __init__(self, name: str, game: str | GameSpec | None = None) -> None:
        self.name = name
        self.tell: Callable[[Mapping[str, Any]], None] = lambda message: None
        self._game = None if game is None else get_game(game).plain
        if self._game is None:
            policy.check_exists(name)
        self._made = None if self._game is None else policy.make(self._game, name)
        self._playing: _Playing | None = None

    def answer(self, line: bytes) -> dict[str, Any] | None:
        """Returns the answer to a line; None for ``bye``, which has none.

        The answer to a wrong line is ``{"error": ...}``, and the next line is handled as if the wrong one had not been
        sent.
        """
        try:
            message = protocol.decode_line(line)
            kind = message.get("type")
            if kind == "bye":
                return None
            if kind == "hello":
                self._playing = None
                self._playing = self._start_game(message)
                return {"type": "ready", "name": self.name, "observation": "parts"}
            if kind != "decide":
                raise ValueError(f"type must be hello, decide or bye, not {short(kind)}")
            if self._playing is None:
                raise ValueError("say hello first")
            return self._playing.answer_question(message)
        except (ValueError, OSError, RecursionError) as error:
            return {"error": printable(" ".join(str(error).split()))[:1000]}

    def _start_game(self, hello: Mapping[str, Any]) -> _Playing:
        if hello.get("protocol") != protocol.PROTOCOL:
            raise ValueError(f"protocol must be {protocol.PROTOCOL}, not {short(hello.get('protocol'))}")
        named = hello.get("game")
        if not isinstance(named, str):
            raise ValueError(f"game must be the name of a game, not {short(named)}")
        if self._game is not None and self._game.name != named:
            raise ValueError(f"{self.name} is served for {self._game.name}, not for {named}")
        spec = _find_game(named) if self._game is None else self._game
        player = policy.make(spec, self.name) if self._made is None else self._made
        ours = protocol.Wording(spec).hello_message()
        shown = spec
        if spec.recall_parts and hello.get("parts") != ours["parts"]:
            shown = spec.recalling
            ours = protocol.Wording(shown).hello_message()
        for key in ("actions", "parts"):
            if hello.get(key) != ours[key]:
                raise ValueError(f"{named} has other {key} here: both sides need one version of the game")
        if player.game.recall and not shown.recall:
            raise ValueError(f"{self.name} wants the order of play: ask for it, as by exec:COMMAND,recall=yes")
        if hello.get("preparing") is True and compiling.missing():
            self.tell({"type": "preparing", "what": f"{self.name} (compiled)", "seconds": compiling.guess() or _UNKNOWN_S})
        return _Playing(player, shown)


def _find_game(name: str) -> GameSpec:
    """Returns the game of a name from the match; no path, so that the match cannot make this process read files."""
    if "/" in name or "\\" in name:
        raise ValueError(f"game {short(name)} is the path of a file: name it behind serve-policy")
    return get_game(name).plain


class _Playing:
    def __init__(self, player: Policy, game: GameSpec) -> None:
        self._player, self._game = player, game
        self._actions = {name: number for number, name in enumerate(game.actions)}
        self._columns = {
            part.name: {label: game.slices[part.name].start + k for k, label in enumerate(part.labels)}
            for part in game.parts
        }
        # What is compiled or loaded at the first decision must not count as time for an answer.
        first = Batch(game, 1, seed=0)
        if not player.remembers:
            player.choose(wanted_columns(player, first.observations), first.action_masks, hashed_streams(0, "warm-up", 1))

    def answer_question(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the answer to a question, with its number and the seed as the decision leaves it."""
        legal = question.get("legal")
        if not isinstance(legal, list) or not legal:
            raise ValueError(f"legal must be the names of the legal actions, not {short(legal)}")
        mask = np.zeros((1, self._game.num_actions), np.int8)
        for name in legal:
            if not isinstance(name, str) or name not in self._actions:
                raise ValueError(f"legal has {short(name)}, which is no action of {self._game.name}")
            mask[0, self._actions[name]] = 1
        seed = question.get("seed")
        streams = None
        if seed is not None:
            if not is_int(seed) or not 0 <= seed < 1 << 64:
                raise ValueError(f"seed must be an int from 0 to 2**64 - 1, not {short(seed)}")
            streams = np.array([seed], np.uint64)
        row = self._encode_row(question.get("observation"))
        seat, number = question.get("seat"), question.get("game")
        if self._player.remembers and is_int(seat) and is_int(number):
            self._player.asked = Asked(np.array([seat]), np.array([number]), (seat,))
        action = int(Policy.act(self._player, wanted_columns(self._player, row), mask, streams)[0])
        answer: dict[str, Any] = {"action": self._game.actions[action]}
        if "number" in question:
            answer["number"] = question["number"]
        return answer if streams is None else answer | {"seed": int(streams[0])}

    def _encode_row(self, observation: Any) -> Bytes:
        if isinstance(observation, list):
            return check_bits("observation", self._game.name, [observation], self._game.observation_size)
        if not isinstance(observation, dict):
            raise ValueError(f"observation must be the labels of each part, or zeros and ones, not {short(observation)}")
        row = np.zeros((1, self._game.observation_size), np.int8)
        for part, labels in observation.items():
            known = self._columns.get(part)
            if known is None:
                raise ValueError(f"observation has a part {short(part)}, which {self._game.name} has not")
            for label in labels if isinstance(labels, list) else [labels]:
                if not isinstance(label, str) or label not in known:
                    raise ValueError(f"observation has {short(label)} in {part!r}, where there is no such label")
                row[0, known[label]] = 1
        return row


def serve(server: PolicyServer, questions: BinaryIO, answers: BinaryIO) -> None:
    """Answers the lines of a stream until ``bye``, its end, or until the answers' reader has gone."""
    try:
        for line in _read_lines(questions):
            if not line.strip():
                continue
            answer = server.answer(line)
            if answer is None:
                return
            answers.write(protocol.encode_line(answer))
            answers.flush()
    except BrokenPipeError:
        return


def _read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yields the lines of a stream, the longest ones truncated."""
    while line := stream.readline(protocol.LONGEST + 1):
        whole = line.endswith(b"\n")
        yield line
        while not whole and (rest := stream.readline(protocol.LONGEST)):
            whole = rest.endswith(b"\n")
