"""Requests to a server of language models: answers that are kept, what they cost, budgets, and errors in one line."""

import atexit
import functools
import json
import os
import threading
import time
from hashlib import sha256
from typing import Any, NamedTuple

from cardenvs.policy.contract import Forfeit
from cardenvs.printing import announce, printable


class ModelError(Forfeit):
    """A model did not answer, named no legal action, or has used up its budget."""


class Answer(NamedTuple):
    """A model's answer and its cost; ``kept``: whether it was on disk."""

    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    money: float
    kept: bool = False


COUNTS = ("decisions", "given_up", "legal", "illegal", "unreadable", "requests", "kept", *Answer._fields[1:5])
"""Names of the counts: decisions with a choice, those without a legal answer; answers by verdict; requests, kept
answers; tokens of questions and answers; time of waiting for the server; the price."""


class Settings(NamedTuple):
    """Settings of the requests to a server, parameters of `cardenvs.language_models.LanguageModel`; no secrets."""

    model: str
    base_url: str
    key_variable: str | None
    seconds: float
    resends: int
    temperature: float | None
    seed: int | None
    price_in: float
    price_out: float
    budget_tokens: int | None
    budget_money: float | None
    answers: str | None


class ModelServer:
    """The server of a model: one object a process for equal settings, so that all policies share its budget."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.label = f"the model {printable(settings.model)!r} at {settings.base_url}"
        self.usage: dict[str, float] = dict.fromkeys(COUNTS, 0)
        self._spent = self.usage.copy() if settings.answers else self.usage  # with a file, by all answers in it
        self._answers: dict[str, Answer] = {}  # by the hash of what was asked
        self._read = 0  # number of bytes that have been read of the file of answers
        self._lock = threading.Lock()
        self._client: Any = None
        atexit.register(self._tell_usage)

    def __reduce__(self) -> tuple[Any, ...]:
        return server_for, (self.settings,)

    def _tell_usage(self) -> None:
        self._read_answers()
        for where, counts in (("this process", self.usage), (self.settings.answers, self._spent)):
            if where is not None and any(counts.values()):
                told = ", ".join(f"{name} {round(count, 4):,}" for name, count in counts.items() if count)
                announce(f"{self.label}, in {where}: {told}")

    def ask_model(self, rules: str, said: list[str]) -> Answer:
        """Returns the model's answer to the rules, then questions and answers in turn; raises `ModelError` without one."""
        messages = [{"role": ("user", "assistant")[k % 2], "content": text} for k, text in enumerate(said)]
        body = {"model": self.settings.model, "messages": [{"role": "system", "content": rules}, *messages]}
        body |= {name: value for name in ("temperature", "seed") if (value := getattr(self.settings, name)) is not None}
        key = sha256(json.dumps([self.settings.base_url, body], sort_keys=True).encode()).hexdigest()
        with self._lock:
            self._read_answers()
            if key in self._answers:
                self.usage["kept"] += 1
                return self._answers[key]._replace(kept=True)
            tokens = self._spent["tokens_in"] + self._spent["tokens_out"]
            for name, spent in (("budget_tokens", tokens), ("budget_money", self._spent["money"])):
                budget = getattr(self.settings, name)
                if budget is not None and spent >= budget:
                    raise ModelError(f"{self.label} has used up {name}={budget:,}: {round(spent, 4):,} are spent")
            answer = self._request(body)
            _count_answer(self.usage, answer)
            if self.settings.answers is not None:
                append_line(self.settings.answers, {"key": key, **answer._asdict()})
            return answer

    def _read_answers(self) -> None:
        """Reads what this and other processes have appended to the file of answers; skips lines that are no answers."""
        if self.settings.answers is None or not os.path.exists(self.settings.answers):
            return
        with open(self.settings.answers, "rb") as file:
            file.seek(self._read)
            for line in iter(file.readline, b""):
                if not line.endswith(b"\n"):
                    return  # another process is writing it
                self._read += len(line)
                try:
                    found = json.loads(line)
                    costs = [max(0.0, float(found[name])) for name in Answer._fields[1:5]]
                    answer = Answer(str(found["text"]), int(costs[0]), int(costs[1]), costs[2], costs[3])
                    self._answers[str(found["key"])] = answer
                except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
                    continue  # what a process that was killed has left
                _count_answer(self._spent, answer)

    def _request(self, body: dict[str, Any]) -> Answer:
        import openai

        key, began = key_in(self.settings.key_variable), time.monotonic()
        try:
            if self._client is None:
                self._client = openai.OpenAI(
                    api_key=key or "none", base_url=self.settings.base_url, timeout=self.settings.seconds,
                    max_retries=self.settings.resends,
                    http_client=openai.DefaultHttpxClient(follow_redirects=False),  # no other server gets the key
                )  # fmt: skip
            reply = self._client.chat.completions.create(**body)
            text = reply.choices[0].message.content or ""
            text = text.replace(key, "[key]") if key else text
            costs = [max(0, int(getattr(reply.usage, name, 0) or 0)) for name in ("prompt_tokens", "completion_tokens")]
        except openai.OpenAIError as error:
            why = f"gave no answer: {error}{f' ({error.__cause__})' if error.__cause__ else ''}"
        except (AttributeError, IndexError, TypeError, ValueError):
            why = "gave no chat completion as an answer"
        else:
            money = (costs[0] * self.settings.price_in + costs[1] * self.settings.price_out) / 1e6
            return Answer(text, costs[0], costs[1], time.monotonic() - began, money)
        why = why.replace(key, "[key]") if key else why
        why = printable(" ".join(why.split()))
        raise ModelError(f"{self.label} {why if len(why) <= 300 else f'{why[:299]}…'}")


def _count_answer(usage: dict[str, float], answer: Answer) -> None:
    usage["requests"] += 1
    for name in Answer._fields[1:5]:
        usage[name] += getattr(answer, name)


def key_in(variable: str | None) -> str | None:
    """Returns the key in a variable of the environment; None if there is none."""
    return os.environ.get(variable or "", "").strip() or None


def append_line(path: str, record: dict[str, Any]) -> None:
    """Appends an object as a line of JSON to a file, in one piece; raises `ModelError` if it cannot be written."""
    line = json.dumps(record).encode() + b"\n"
    try:
        with open(path, "ab+", buffering=0) as file:
            if file.tell():  # a process that was killed may have left half a line
                file.seek(-1, os.SEEK_END)
                line = (b"" if file.read(1) == b"\n" else b"\n") + line
            file.write(line)
    except OSError as error:
        raise ModelError(f"{path} cannot be written: {error.strerror or error}") from None


@functools.cache
def server_for(settings: Settings) -> ModelServer:
    """Returns this process's server for some settings."""
    return ModelServer(settings)
