"""Reports on disk: the results for JSON, the Markdown and its pictures."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cardenvs.baselines.reports.document import Document
from cardenvs.baselines.reports.markdown import markdown
from cardenvs.baselines.reports.pictures import can_draw
from cardenvs.files import json_text, write_whole


def write_report(
    report: Path,
    results: Path,
    prefix: str,
    figures: Mapping[str, Any],
    text: Callable[..., str],
    pictures: Mapping[str, Callable[[], bytes]],
) -> list[Path]:
    """Writes a report, the results that it shows and its pictures, which are left out without matplotlib.

    Args:
        report: the Markdown file; the pictures lie beside it.
        results: the JSON file.
        prefix: what the names of the pictures' files begin with.
        figures: the results for JSON.
        text: makes the Markdown from the pictures' file names, one argument each; None for a picture that is left out.
        pictures: by name, ``.png`` left out, what draws the picture: it returns the content of a PNG file.

    Returns:
        The files: JSON, Markdown, pictures.

    Raises:
        OSError: a file cannot be written.
    """
    names = [f"{prefix}{name}.png" if can_draw() else None for name in pictures]
    files: list[tuple[Path, bytes | str]] = [(results, json_text(figures)), (report, text(*names))]
    files += [
        (report.parent / name, draw()) for name, draw in zip(names, pictures.values(), strict=True) if name is not None
    ]
    for path, content in files:
        write_whole(path, content)
    return [path for path, _ in files]


def write_reports(
    folder: str | os.PathLike[str],
    copy: str | os.PathLike[str] | None,
    figures: Mapping[str, Any],
    text: Callable[..., str],
    pictures: Mapping[str, Callable[[], bytes]],
) -> list[Path]:
    """Writes results.json, report.md and pictures to a folder, and a copy of them elsewhere.

    Args:
        folder: the folder to write to.
        copy: path of a second Markdown file; its JSON and pictures go beside it, under names that begin with its stem.
            None: no copy.
        figures: the results for JSON.
        text: makes the Markdown from the pictures' file names, one argument for each; None for a picture that is left out.
        pictures: functions that draw the pictures, by file name without ``.png``; each returns the content of a PNG file.
            Without matplotlib the pictures are left out.

    Returns:
        The files: the folder's JSON, Markdown and pictures, then those of the copy.

    Raises:
        OSError: a file cannot be written.
    """
    drawn = {name: functools.cache(draw) for name, draw in pictures.items()}
    written = write_report(Path(folder) / "report.md", Path(folder) / "results.json", "", figures, text, drawn)
    if copy is not None:
        path = Path(copy)
        written += write_report(path, path.with_suffix(".json"), f"{path.stem}_", figures, text, drawn)
    return written


def write_document(
    document: Document,
    figures: Mapping[str, Any] | None,
    folder: str | os.PathLike[str] | None,
    copy: str | os.PathLike[str] | None,
) -> list[Path]:
    """Writes results.json, report.md and pictures to a folder, and a copy of them elsewhere.

    Args:
        document: the report; without matplotlib its pictures are left out.
        figures: the results for JSON; None: no JSON is written.
        folder: the folder to write to; None: only the copy is written.
        copy: path of a second Markdown file; its JSON and pictures go beside it, under names that begin with its stem.
            None: no copy.

    Returns:
        The files: the folder's JSON, Markdown and pictures, then those of the copy.

    Raises:
        OSError: a file cannot be written.
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
