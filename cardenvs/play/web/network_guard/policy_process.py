"""A process that computes policies' choices and explanations, for a server that kills it when it takes too long.

It reads a request a line from standard input and writes its answers to standard output, all in JSON. The first answer
to a request, ``{"begun": true}``, comes once the policy is made and its kernels are compiled; then the result, or an error.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cardenvs import policy
from cardenvs.policy.contract import Policy, explained

_MEMORY = 1 << 30  # maximum number of bytes for a computation besides those taken before it
_GRACE = 10  # seconds beyond its limit after which a process ends by itself if its server is gone


def main() -> None:
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a policy prints is no answer
    with contextlib.suppress(OSError, AttributeError):
        os.nice(5)

    def send_answer(answer: Mapping[str, Any]) -> None:
        out.write(json.dumps(answer) + "\n")

    warm: set[tuple[str, str]] = set()
    players: dict[tuple[str, str], Policy] = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            send_answer(_answer_request(request, warm, players, lambda: send_answer({"begun": True})))
        except Exception as error:  # a policy may fail in any way
            players.clear()
            said = "too much memory was asked for" if isinstance(error, MemoryError) else str(error)
            send_answer({"begun": True, "error": said or type(error).__name__})


def _answer_request(
    request: Mapping[str, Any],
    warm: set[tuple[str, str]],
    players: dict[tuple[str, str], Policy],
    begun: Callable[[], None],
) -> dict[str, Any]:
    game, name = request["game"], request["name"]
    observation = {
        "observation": np.array(request["observation"], np.int8),
        "action_mask": np.array(request["mask"], np.int8),
    }
    base = policy.parse_name(name)[0]
    if (game, base) not in warm:
        # With the parameters that it has by itself: what is to be bounded is not the compiler.
        with contextlib.suppress(ValueError):
            policy.make(game, base).explain(observation)
        warm.add((game, base))
    player = players.get((game, name)) or policy.make(game, name)
    players.clear()
    players[game, name] = player
    begun()
    _set_limits(request["seconds"])
    try:
        stream = np.array([request["stream"]], np.uint64)
        if not request["explain"]:
            return {"action": int(Policy.act(player, observation, rng=stream))}
        told = explained(player, observation, stream)
        return {"kind": told.kind, "pairs": list(told), "errors": told.errors, "visits": told.visits}
    finally:
        if hasattr(signal, "alarm"):
            signal.alarm(0)


def _set_limits(seconds: float) -> None:
    """Limits the memory of the process from now on, and the time until `signal.alarm` is called again."""
    if hasattr(signal, "alarm"):
        signal.alarm(int(seconds) + _GRACE)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        with open("/proc/self/statm") as file:  # Linux alone
            taken = int(file.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (taken + _MEMORY, hard))


if __name__ == "__main__":
    main()
