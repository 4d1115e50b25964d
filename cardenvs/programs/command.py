"""The command ``cardenvs serve-policy``."""

import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from cardenvs.cli import Seed
from cardenvs.programs.protocol import encode_line
from cardenvs.programs.serving import PolicyServer, serve


@click.command("serve-policy")
@click.argument("words", nargs=-1, required=True, metavar="[GAME] NAME")
@click.option("--seed", type=Seed(), hidden=True)
def serve_policy_command(words: tuple[str, ...], seed: int | None) -> None:
    """Let a program ask the policy NAME, a line of JSON a decision, over standard input and output.

    It uses the protocol of exec:COMMAND: "Agents in any language" in the documentation. The game is GAME, or the one that
    the match names; a game from a file must be named here. The program reports what it compiles before it is ready. A
    wrong line is answered with an error and ends nothing; the end of the input, or bye, ends the program.
    """
    del seed  # every command takes one; here each question has its own
    if len(words) > 2:
        raise click.UsageError(f"give a policy, or a game and a policy, not {len(words)} words; parameters follow a colon")
    game = words[0] if len(words) == 2 else None
    server = PolicyServer(words[-1], game)
    # Whatever else is written to standard output, by a library perhaps, must not come between the answers.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:

        def send(message: Mapping[str, Any]) -> None:
            answers.write(encode_line(message))
            answers.flush()

        server.tell = send
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(server, sys.stdin.buffer, answers)
