"""The kinds of what is frozen."""

from tests.figures import commands, draws, formats, names, rows
from tests.figures.keeping import FOLDER, Part

PARTS = {
    "names": Part(FOLDER / "names.json", names.name_items, names.describe_names),
    "commands": Part(FOLDER / "outputs", lambda: commands.COMMANDS, commands.figures),
    "rows": Part(FOLDER / "rows.json", rows.variant_names, rows.hash_rows),
    "draws": Part(FOLDER / "draws.json", draws.draw_names, draws.choices_of),
    "files": Part(FOLDER / "files.json", lambda: formats.READ, lambda name: formats.READ[name]()),
}
"""By name: public names, commands' figures, what games show, what policies choose, files that are read."""

DAILY = {("names", item) for item in ("entry points", "commands")}
"""Items that take a second and compile nothing: tests of every day."""
