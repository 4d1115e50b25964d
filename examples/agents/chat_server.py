"""A chat-completions server whose model is a policy of this package that errs at a known rate, to try `llm:MODEL`.

`python chat_server.py euchre learned --errs 0.1 --port 8000`, and then in another terminal
`cardenvs match euchre llm:learned,base_url=http://127.0.0.1:8000/v1 random --deals 4`. The policy knows what the prompt
says and nothing else: the observation is read from the text, in games whose prompts have all parts of it, as those of
Whist, Euchre, Five-O and Hanabi.
"""

import argparse
import json
import random
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from cardenvs import Policy, policy
from cardenvs.checks import check_number
from cardenvs.language_models import Disguise


class ChatServer:
    """Answers POST /v1/chat/completions by `reply`, a function of the messages that returns a text.

    What it returns may also be a pair: the status and the object to send, with the headers as its third part. Requests are
    kept in `requests`, as pairs of the headers and the object that was sent.
    """

    def __init__(self, reply, port=0):
        self.requests = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.requests.append(({name.lower(): value for name, value in self.headers.items()}, body))
                answer = reply(body["messages"])
                status, sent, *headers = answer if isinstance(answer, tuple) else (200, completion(body, answer))
                data = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **(headers[0] if headers else {})}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *words):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def completion(body, text):
    """A chat completion with a text; its tokens are words."""
    asked = sum(len(message["content"].split()) for message in body["messages"])
    usage = {"prompt_tokens": asked, "completion_tokens": len(text.split()), "total_tokens": asked + len(text.split())}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [choice],
        "usage": usage,
    }


def observation_in(game, text):
    """The observation that a prompt describes, int8 (observation_size,)."""
    row = np.zeros(game.observation_size, np.int8)
    seats = {"you": "self"} | {f"player_{k}": f"seat+{k}" for k in range(1, game.seats)}
    parts = {part.name: part for part in game.parts} | {f"- {part.told}": part for part in game.parts if part.told}
    for line in re.split("All that you know, part by part:\n|What else you know:\n", text)[-1].splitlines():
        name, split, listed = line.rpartition(": ") if line.startswith("- ") else line.partition(" ")
        if split and name in parts:
            first = game.slices[parts[name].name].start
            for label in listed.replace(",", " ").split():
                row[first + parts[name].labels.index(seats.get(label, label))] = 1
    return row


class ErringPolicy(Policy):
    """A policy that plays as another one, `plays`, but errs in a share `errs` of its decisions: there it plays at random.

    Which decisions these are follows from the rate and the observation alone: the same question has the same answer, and
    models with other rates err elsewhere. By name: `chat_server.py:ErringPolicy,plays=learned,errs=0.1`.
    """

    def __init__(self, game, plays="random", errs=0.0):
        self.player = policy.make(game, plays)
        super().__init__(self.player.game)  # with the order of play, where the policy needs it
        self.errs, self.slow = check_number("errs", errs, 0, 1), self.player.slow

    def choose(self, observations, action_masks, streams):
        chances = [random.Random(str(self.errs).encode() + row.tobytes()) for row in observations]
        right = np.flatnonzero([chance.random() >= self.errs for chance in chances])
        legal = map(np.flatnonzero, action_masks)
        actions = np.array([chance.choice(actions) for chance, actions in zip(chances, legal, strict=True)])
        if len(right):
            drawn = np.array([chances[k].getrandbits(64) for k in right], np.uint64)
            actions[right] = self.player.choose(observations[right], action_masks[right], drawn)
        return actions


def simulated_model(name, policy_name, errs=0.0, disguise=None):
    """A reply that plays as an `ErringPolicy`; asked again after an illegal answer it plays at random."""
    player = ErringPolicy(name, policy_name, errs)
    game = player.game  # a policy that needs the order of play has to be asked with recall=yes
    hidden = None if disguise is None else Disguise(game, disguise)

    def reply(messages):
        plain = [message["content"] if hidden is None else hidden.reveal(message["content"]) for message in messages]
        question = next(text for text in reversed(plain) if "What you see:" in text)
        row = observation_in(game, question)
        mask = game.mask(game.legal(game.decode(row[None])))
        if plain[-1].endswith("?"):
            action = int(player.act(row[None], mask[None])[0])
        else:
            action = random.Random("".join(plain)).choice(np.flatnonzero(mask).tolist())
        text = game.actions[action]
        return f"I have thought.\nACTION: {text if hidden is None else hidden.hide(text)}"

    return reply


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("policy")
    parser.add_argument("--errs", type=float, default=0.0, help="share of decisions that are made at random")
    parser.add_argument("--disguise", type=int, help="the seed of the prompts' disguise")
    parser.add_argument("--port", type=int, default=8000)
    given = parser.parse_args()
    server = ChatServer(simulated_model(given.game, given.policy, given.errs, given.disguise), given.port)
    print(f"{given.policy} answers at {server.url}")
    threading.Event().wait()
