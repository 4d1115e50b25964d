"""An agent for Euchre and Whist without this package: `cardenvs match euchre "exec:python agent.py" random`.

It leads its highest card and follows with its lowest; of everything else it takes what comes first. One line of JSON comes
for each decision, one goes back.
"""

import json
import sys

RANKS = "23456789TJQKA"


def choose(question):
    """The name of a legal action."""
    legal = question["legal"]
    cards = [action for action in legal if len(action) == 2 and action[0] in RANKS]
    if not cards:
        return legal[0]
    follows = any(part.startswith("trick_") for part in question["observation"])
    best = min if follows else max
    return best(cards, key=lambda card: RANKS.index(card[0]))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "name": "low and high", "observation": "parts"}
    elif message["type"] == "decide":
        answer = {"action": choose(message)}
    else:
        break
    print(json.dumps(answer), flush=True)
