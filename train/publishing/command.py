"""The command ``cardenvs export``; needs the extra ``[train]``."""

from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.reports.files import write_document
from cardenvs.baselines.reports.pictures import tell_left_out
from cardenvs.cli import OutFile
from cardenvs.printing import say
from cardenvs.train.publishing.exporting import export
from cardenvs.train.publishing.model_card import model_card


@click.command("export")
@click.argument("checkpoint", type=click.Path(path_type=Path))
@click.argument("file", type=OutFile(make=True))
@click.option(
    "--belief", type=click.IntRange(min=0), default=0, metavar="DECISIONS",
    help="Decisions to fit a belief network to (it predicts hidden cards, for learned-search). [0: none]",
)  # fmt: skip
@click.option("--critic", is_flag=True, help="Also write the critic to the file, for searches that use values.")
@click.option("--card", type=OutFile(make=True), help="Also write a model card to this Markdown file.")
@click.option(
    "--note", "notes", multiple=True, metavar="NAME=TEXT", help="Add this entry to the file's record; may be repeated."
)
@cli.json_option
def export_command(
    checkpoint: Path, file: Path, belief: int, critic: bool, card: Path | None, notes: tuple[str, ...], as_json: bool
) -> int:
    """Write the policy of a training run's CHECKPOINT (policy.zip) as a small FILE (.safetensors) to play with.

    The file holds the actor's weights and a record of how they were trained; no code runs when it is loaded.
    """
    for note in notes:
        if "=" not in note:
            raise ValueError(f"--note {note!r} is not NAME=TEXT")
    record = export(checkpoint, file, belief_decisions=belief, critic=critic, **dict(note.split("=", 1) for note in notes))
    if card is not None:
        write_document(model_card(record, file.name, file.stat().st_size), None, None, card)
        tell_left_out("the card's picture of the learning curve is left out")
    if as_json:
        cli.print_json({"path": str(file), "bytes": file.stat().st_size, **record})
    else:
        size, steps = file.stat().st_size, record["steps"]
        say(f"{file}: {size:,} bytes, {record['game']}, {steps:,} decisions, seed {record['seed']}")
    return 0
