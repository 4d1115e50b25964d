"""The command ``cardenvs advise``: the adviser for a real deck, at a prompt."""

import signal
from pathlib import Path

import click

from cardenvs import cli
from cardenvs.cli import OutFile
from cardenvs.contract.spec import GameSpec
from cardenvs.play.advise.adviser import Adviser
from cardenvs.play.advise.adviser_cli import AdviserCli, check_told
from cardenvs.play.advise.session import read_session
from cardenvs.play.folders import new_file
from cardenvs.play.hints import DEFAULT_POLICIES
from cardenvs.printing import PlainConsole


@click.command(
    "advise",
    epilog="The policies by default: " + ", ".join(f"{game} {name}" for game, name in DEFAULT_POLICIES.items()) + ".",
)
@cli.game_argument
@click.option("--names", metavar="NAME,NAME,...", help="The players, clockwise from seat 0; in Five-O seat 0 moves first.")
@click.option("--engine", metavar="SEATS", help="The seats that the engine plays, as in 0,2; all or none.")
@click.option("--policy", "name", metavar="POLICY", help="The policy that plays the engine's seats.")
@click.option("--dealer", metavar="SEAT", help="The dealer, by number or name.")
@click.option("--card", metavar="CARD", help="The pulled card (Whist) or the turned-up one (Euchre).")
@click.option("--score", metavar="N-N", help="Points of the two sides before the deal, as in 3-7.")
@click.option("--session", type=OutFile(make=True), help="File in which the session is kept. [in the state folder]")
@click.option("--resume", metavar="FILE|LINE", help="Continue a session: its file or its line of text.")
@cli.rule_option
@cli.seed_option
@cli.json_option
def advise_command(
    game: GameSpec,
    names: str | None,
    engine: str | None,
    name: str | None,
    dealer: str | None,
    card: str | None,
    score: str | None,
    session: Path | None,
    resume: str | None,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> int:
    """Advise seats of a game with a real deck: type the hands of the engine's seats and every play as it happens.

    The command asks for missing options. For its seats the engine answers with its five best moves in
    percent. Impossible cards, cards played twice and revokes are refused. The session is saved after every entry.
    """
    given = {"names": names, "engine": engine, "dealer": dealer, "card": card}
    told = {kind: text for kind, text in given.items() if text is not None}
    earlier: list[str] = []
    if resume is not None:
        if told or name or score or options:
            raise ValueError("--resume takes everything from the session: leave the other options off")
        line, earlier = read_session(resume)
        adviser = Adviser.from_line(line)
        if adviser.game is not game:
            raise ValueError(f"that is a session of {adviser.game.name}, not of {game.name}")
        if session is None and not resume.startswith("advise "):
            session = Path(resume)
    else:
        points = (0, 0)
        if score is not None:
            parts = score.split("-")
            if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
                raise ValueError(f"--score {score}: must be two numbers with - between them, as in 3-7")
            points = (int(parts[0]), int(parts[1]))
        rules = cli.rule_options(game, options)
        adviser = Adviser(game, policy=name, score=points, seed=seed, **rules)
        check_told(Adviser(game, policy=name, score=points, seed=seed, **rules), told)
    cli_session = AdviserCli(adviser, session or new_file("advise", game.name), earlier, told, PlainConsole(stderr=as_json))
    status = 0
    try:
        cli_session.run()
    except KeyboardInterrupt:
        cli_session.print_line("")
        status = 128 + signal.SIGINT
    cli_session.print_resume_command()
    if as_json:
        cli.print_json(cli_session.adviser.as_dict() | {"session": str(cli_session.session)})
    return status
