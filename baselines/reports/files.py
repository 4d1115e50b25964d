"""Reports on disk: the results for JSON, the Markdown and its pictures."""

import functools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cardenvs.baselines.reports.document import Document
from cardenvs.baselines.reports.markdown import markdown
from cardenvs.baselines.reports.pictures import can_draw
from cardenvs.files import json_text, write_whole


def write_document(
    document: Document,
    figures: Mapping[str, Any] | None,
    folder: str | os.PathLike[str] | None,
    copy: str | os.PathLike[str] | None,
) -> list[Path]:
    """Writes results.json, report.md and pictures to a folder, and a copy of them elsewhere; returns the files.

    Without ``figures`` there is no JSON, without matplotlib there are no pictures. Those of the copy, a Markdown file, go
    beside it, under names that begin with its stem.
    """
    drawn = {name: functools.cache(draw) for name, draw in document.pictures().items()} if can_draw() else {}
    places = [] if folder is None else [(Path(folder, "report.md"), Path(folder, "results.json"), "")]
    if copy is not None:
        path = Path(copy)
        places.append((path, path.with_suffix(".json"), path.stem))
    files: list[tuple[Path, bytes | str]] = []
    for report, results, copy_of in places:
        names = {name: file if name in drawn else None for name, file in document.picture_files(copy_of).items()}
        files += [] if figures is None else [(results, json_text(figures))]
        files.append((report, markdown(document, names)))
        files += [(report.parent / file, drawn[name]()) for name, file in names.items() if file is not None]
    for path, content in files:
        write_whole(path, content)
    return [path for path, _ in files]
