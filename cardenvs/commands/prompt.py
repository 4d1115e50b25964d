"""The command ``cardenvs prompt``: the text by which a language model is asked for a decision."""

import click

from cardenvs import cli
from cardenvs.contract.spec import GameSpec
from cardenvs.printing import say


@click.command("prompt")
@cli.game_argument
@click.option("--deal", "line", help="A deal as a line of text, to ask for its next decision. [dealt by the seed]")
@click.option("--no-legal", is_flag=True, help="Leave out the list of legal actions.")
@cli.rule_option
@cli.seed_option
@cli.json_option
def prompt_command(
    game: GameSpec, line: str | None, no_legal: bool, options: tuple[tuple[str, str], ...], seed: int, as_json: bool
) -> None:
    """Print the text that asks a language model for a decision in GAME."""
    rules = cli.rule_options(game, options)
    games = game.deal(seed, **rules) if line is None else game.parse(line, **rules)
    seat = int(games[0]["to_act"])
    if seat < 0:
        raise ValueError("--deal: the deal is over, no seat is to act")
    seen = {"observation": game.observation(games, seat), "action_mask": game.mask(game.legal(games))}
    text = game.prompt(seen, legal=not no_legal)
    if as_json:
        cli.print_json({"game": game.name, "deal": game.text(games[0]), "seat": seat, "prompt": text})
    else:
        say(text, end="")
