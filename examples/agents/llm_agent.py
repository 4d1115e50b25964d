"""A language model as a player, without this package: `cardenvs match euchre "exec:python llm_agent.py MODEL..." random`.

MODEL is a command that reads a prompt on its standard input and writes an answer, such as `ollama run llama3.2` or `llm`.
`--url URL NAME` instead of it asks the model NAME of a server for chat completions, which most servers of models are, such
as `--url http://localhost:11434/v1 llama3.2`; the key, where it wants one, is in the environment variable LLM_API_KEY.
`--first` is no model: it names the first legal action, to try the rest without one. The prompt has the rules, all that the
seat knows and the legal actions; give a slow model time, as in "exec:python llm_agent.py ollama run llama3.2,seconds=120".
"""

import json
import os
import re
import subprocess
import sys
import urllib.request

TRIES = 3


def ask_command(prompt):
    """What a command answers to a prompt."""
    return subprocess.run(sys.argv[1:], input=prompt, capture_output=True, text=True, check=True).stdout


def ask_server(prompt):
    """What a model of a server for chat completions answers to a prompt."""
    url, model = sys.argv[2:]
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('LLM_API_KEY', '')}"}
    request = urllib.request.Request(f"{url.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


def named(answer, legal):
    """The legal action that an answer names last; None for none."""
    names = "|".join(re.escape(name) for name in sorted(legal, key=len, reverse=True))
    found = re.findall(rf"(?<![\w-])(?:{names})(?![\w-])", answer, re.IGNORECASE)
    return next(name for name in legal if name.lower() == found[-1].lower()) if found else None


def choose(question):
    """The legal action that the model names; an error, and the deal is lost, where it names none in some tries."""
    legal = question["legal"]
    if len(legal) == 1 or sys.argv[1] == "--first":
        return {"action": legal[0]}
    ask = ask_server if sys.argv[1] == "--url" else ask_command
    prompt = question["observation"] + "\nEnd your answer with the name of the action that you choose.\n"
    for _ in range(TRIES):
        answer = ask(prompt)
        action = named(answer, legal)
        if action is not None:
            return {"action": action}
        prompt += f"\nYour last answer named none of these: {', '.join(legal)}. Name one.\n"
    return {"error": f"the model has named no legal action in {TRIES} tries; its last answer was: {answer[-200:]}"}


def ready():
    """The answer to the first message: what plays here, or what is missing."""
    if len(sys.argv) == 1 or (sys.argv[1] == "--url" and len(sys.argv) != 4):
        return {"error": "name a model: a command, --url URL NAME, or --first for the first legal action"}
    return {"type": "ready", "name": " ".join(sys.argv[1:]), "observation": "prompt"}


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = ready()
    elif message["type"] == "decide":
        try:
            answer = choose(message)
        except (OSError, subprocess.CalledProcessError, LookupError, TypeError, ValueError) as error:
            answer = {"error": f"the model cannot be asked: {error}"}
    else:
        break
    print(json.dumps(answer), flush=True)
