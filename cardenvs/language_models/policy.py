"""``llm``: a language model as a policy."""

import os
import re
from collections.abc import Callable
from itertools import chain
from typing import Any, ClassVar
from urllib.parse import urlsplit

import numpy as np

from cardenvs.checks import check_bool, check_choice, check_int, check_number, short
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.streams import below
from cardenvs.contract.observed import prompt_of_row
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.language_models.disguise import Disguise, card_names
from cardenvs.language_models.reading import ActionReader
from cardenvs.language_models.server import ModelError, Settings, append_line, key_in, server_for
from cardenvs.plugins import require
from cardenvs.policy.contract import Policy

_OPENAI, _OPENAI_KEY = "https://api.openai.com/v1", "OPENAI_API_KEY"
_END = "You may think first. End your answer with one line that names your action:\nACTION: name"
_ILLEGAL = f"That action is not legal here: choose another. {_END}"
_UNREADABLE = f"Your answer does not name one action. {_END}"


class LanguageModel(Policy):
    """``llm``: a language model, ``llm:MODEL``, asked for each decision by chat completions; needs the extra ``llm``.

    It is told the rules in brief, the names of all actions and what its seat sees, and has to find out what is legal. Each
    seat of each deal has a conversation of its own. Where one action is legal it is played without a question.

    Args:
        model: the model's name on its server.
        base_url: the server; any other than OpenAI's gets a key only if ``key_variable`` is given.
        key_variable: the environment variable with the key; None means OPENAI_API_KEY for OpenAI's server.
        prompt: ``"rules"``; or ``"legal"``, to add the list of legal actions to each question.
        disguise: a seed for other names of suits, ranks and terms (`Disguise`); None for the usual ones.
        recall: whether questions have the order of play (`GameSpec.recalling`).
        earlier: maximum number of earlier decisions of its conversation that a question repeats.
        retries: how often the model is asked again after an illegal or unreadable answer.
        illegal: what follows then: ``"forfeit"``; or ``"random"``, a legal action at random.
        seconds: maximum time for an answer.
        resends: how often a request is sent again after a rate limit, a broken connection or a server's error.
        temperature: passed to the server, if given.
        seed: passed to the server, if given; each seed has kept answers of its own.
        price_in: price of a million tokens of questions, in any currency.
        price_out: price of a million tokens of answers.
        budget_tokens: no question is sent once answers have cost that, in this process or all runs with ``answers``.
        budget_money: likewise, in the currency of the prices.
        answers: a JSONL file that keeps answers: what has been asked before is not sent.
        transcript: a JSONL file, to which each decision with a choice appends a line.

    Raises:
        ValueError: a wrong parameter, no key, no package openai. `choose` raises `ModelError`, a `cardenvs.policy.Forfeit`.
    """

    leading: ClassVar[str] = "model"
    by_default = False
    runs_code = True
    can_forfeit = True
    slow = True
    remembers = True

    def __init__(
        self,
        game: str | GameSpec,
        model: str = "",
        base_url: str = _OPENAI,
        key_variable: str | None = None,
        prompt: str = "rules",
        disguise: int | None = None,
        recall: bool = False,
        earlier: int = 1000,
        retries: int = 2,
        illegal: str = "forfeit",
        seconds: float = 60.0,
        resends: int = 5,
        temperature: float | None = None,
        seed: int | None = None,
        price_in: float = 0.0,
        price_out: float = 0.0,
        budget_tokens: int | None = None,
        budget_money: float | None = None,
        answers: str | None = None,
        transcript: str | None = None,
    ) -> None:
        super().__init__(get_game(game).with_recall(True) if check_bool("recall", recall) else game)
        if not isinstance(model, str) or not model.strip():
            raise ValueError(f"model must be the name of a language model, as in llm:gpt-5-mini, not {short(model)}")
        require("openai", "llm", "a language model as a player")
        check_choice("prompt", prompt, ("rules", "legal"))
        check_choice("illegal", illegal, ("forfeit", "random"))
        if budget_money is not None and not price_in and not price_out:
            raise ValueError("budget_money needs price_in and price_out, the prices of a million tokens")
        self.prompt, self.illegal, self.transcript = prompt, illegal, _checked_file("transcript", transcript)
        self.retries, self.earlier = check_int("retries", retries, 0), check_int("earlier", earlier, 0)
        self._hide: Callable[[str], str] = str if disguise is None else Disguise(self.game, disguise).hide
        self._server = server_for(Settings(
            model, _checked_url(base_url), _checked_key(_checked_url(base_url), key_variable),
            check_number("seconds", seconds, above=True), check_int("resends", resends, 0),
            None if temperature is None else check_number("temperature", temperature),
            None if seed is None else check_int("seed", seed, 0),
            check_number("price_in", price_in), check_number("price_out", price_out),
            None if budget_tokens is None else check_int("budget_tokens", budget_tokens, 1),
            None if budget_money is None else check_number("budget_money", budget_money, above=True),
            _checked_file("answers", answers),
        ))  # fmt: skip
        self._reader = ActionReader(self.game.actions, self._hide)
        self._talks: dict[int, list[list[str]]] = {}  # by game, the question, the answer, ... of each decision
        self._notes: dict[int, str] = {}  # by game, what the next question tells of the last decision

    @property
    def usage(self) -> dict[str, float]:
        """Counts of the model's answers in this process, and of their cost, by `cardenvs.language_models.COUNTS`."""
        return self._server.usage

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Returns the model's answers, int64 (n,), asked for row by row; raises `ModelError` if it cannot go on."""
        out = action_masks.argmax(1).astype(np.int64)
        for row in np.flatnonzero(action_masks.sum(1) > 1).tolist():
            try:
                out[row] = self._decide(observations[row], action_masks[row], streams, row)
            except ModelError as error:
                error.policy, error.row = self.name, row
                raise
        return out

    def _decide(self, observation: Bytes, mask: Bytes, streams: Streams, row: int) -> int:
        """Returns the action for a decision with a choice, and adds it to the conversation of its seat in its game."""
        seat, game = (None, 0) if self.asked is None else (int(self.asked.seats[row]), int(self.asked.games[row]))
        talk = [] if self.asked is None else self._talks.setdefault(game, [])
        prompt = prompt_of_row(self.game, observation, mask, self.prompt == "legal")
        rules, see, position = prompt.partition("What you see:")
        rules = self._hide(f"{rules}{_notation(self.game, observation)}\n\n{_END}")
        said = [self._hide(f"{self._notes.pop(game, '')}{see}{position}\nWhich action do you choose?")]
        tries: list[dict[str, Any]] = []
        chosen = None
        self.usage["decisions"] += 1
        try:
            while chosen is None and len(tries) <= self.retries:
                answer = self._server.ask_model(rules, [*chain(*talk[max(0, len(talk) - self.earlier) :]), *said])
                action = self._reader.find_action(answer.text)
                verdict = "unreadable" if action is None else "legal" if mask[action] else "illegal"
                tries.append({"verdict": verdict, **answer._asdict()})
                said += [answer.text, _UNREADABLE if action is None else _ILLEGAL]
                self.usage[verdict] += 1
                chosen = action if verdict == "legal" else None
            if chosen is None:
                self.usage["given_up"] += 1
                if self.illegal == "forfeit":
                    raise ModelError(f"{self._server.label} named no legal action, at last in {short(answer.text[-200:])}")
                legal = np.flatnonzero(mask)
                chosen = int(legal[below(streams, row, len(legal))])
                self._notes[game] = f"You named no legal action: {self.game.actions[chosen]} was played for you.\n\n"
        finally:
            if self.transcript is not None:
                append_line(self.transcript, {
                    "policy": self.name, "game": self.game.name, "seat": seat, "number": game, "rules": rules,
                    "question": said[0], "answers": tries, "action": None if chosen is None else self.game.actions[chosen],
                })  # fmt: skip
        talk.append(said[:-1])
        return chosen


def _notation(game: GameSpec, observation: Bytes) -> str:
    """Returns how a game's cards are written, and the names of all its actions, whether legal or not."""
    cards, view = card_names(game), game.decode(observation[None])[0]
    labels = ["" if name in cards else f" ({game.action_words(view, k).label})" for k, name in enumerate(game.actions)]
    actions = ", ".join(map("".join, zip(game.actions, labels, strict=True)))
    written = (
        "Cards are written by rank and suit, such as Jc, the jack of clubs, Qd, the queen of diamonds, Kh, the king of "
        "hearts, and As, the ace of spades; diamonds and hearts are of one colour, clubs and spades of the other. Ranks "
        f"from low to high, if the rules say nothing else: {' '.join(cards[: len(cards) // 4])}.\n\n"
    )
    return f"{written if cards else ''}All actions, whether legal now or not: {actions}."


def _checked_url(url: Any) -> str:
    parts = urlsplit(url if isinstance(url, str) else "")
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or parts.query:
        raise ValueError("base_url must be a server's address, without name, password or query: http://localhost:8000/v1")
    return str(url).rstrip("/")


def _checked_key(url: str, variable: Any) -> str | None:
    """Returns the name of the variable with the key; None if no key is sent."""
    if variable is None and url != _OPENAI:
        return None
    variable = _OPENAI_KEY if variable is None else str(variable)
    if not re.fullmatch("[!-~]+", key_in(variable) or ""):
        raise ValueError(f"key_variable must be an environment variable that has the server's key ({_OPENAI_KEY})")
    return variable


def _checked_file(name: str, path: Any) -> str | None:
    text = f"{name}.jsonl" if path is None else os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
    if not text or os.path.isdir(text) or not os.path.isdir(os.path.dirname(text) or "."):
        raise ValueError(f"{name} must be a file in a folder that is there, such as {name}.jsonl, not {short(path)}")
    return None if path is None else os.path.abspath(path)
