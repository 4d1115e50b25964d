"""A language model as a player, without this package: `cardenvs match euchre "exec:python llm_agent.py MODEL..." random`.

MODEL is a command that reads a prompt on its standard input and writes an answer, such as `ollama run llama3.2` or `llm`;
put what calls your model into `ask_model` if there is no such command. Without MODEL the first legal action is taken, which
needs no network. The prompt has the rules, all that the seat knows and the legal actions; give a slow model time, as in
"exec:python llm_agent.py ollama run llama3.2,seconds=120".
"""

import json
import re
import subprocess
import sys

TRIES = 3


def ask_model(prompt, legal):
    """What the model answers to a prompt."""
    if len(sys.argv) == 1:
        return f"I choose {legal[0]}."
    return subprocess.run(sys.argv[1:], input=prompt, capture_output=True, text=True, check=True).stdout


def named(answer, legal):
    """The legal action that an answer names last; None for none."""
    names = "|".join(re.escape(name) for name in sorted(legal, key=len, reverse=True))
    found = re.findall(rf"(?<![\w-])(?:{names})(?![\w-])", answer, re.IGNORECASE)
    return next(name for name in legal if name.lower() == found[-1].lower()) if found else None


def choose(question):
    """The name of a legal action: the model's, or the first if the model names none in some tries."""
    legal = question["legal"]
    if len(legal) == 1:
        return legal[0]
    prompt = question["observation"] + "\nEnd your answer with the name of the action that you choose.\n"
    for _ in range(TRIES):
        action = named(ask_model(prompt, legal), legal)
        if action is not None:
            return action
        prompt += f"\nYour last answer named none of these: {', '.join(legal)}. Name one.\n"
    print(f"the model has named no legal action in {TRIES} tries", file=sys.stderr)
    return legal[0]


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "name": "language model", "observation": "prompt"}
    elif message["type"] == "decide":
        answer = {"action": choose(message)}
    else:
        break
    print(json.dumps(answer), flush=True)
