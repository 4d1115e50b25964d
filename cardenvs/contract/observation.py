"""The parts of each game's observations, as plain data and as the document ``docs/observations.md``."""

import itertools
from typing import Any

from cardenvs.contract.registry import game_names, get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.printing import table_lines

HEAD = ("part", "slice", "entries", "meaning")
"""The column titles of `part_rows`."""


def observation_parts(game: GameSpec) -> list[dict[str, Any]]:
    """Returns every part of a game's observation, then the parts that only a ``state()`` has. Each is a dict: ``name``,
    ``start`` and ``stop`` (its slice of an observation or a ``state()``), ``labels``, ``meaning`` and ``state_only``."""
    listed = [(part, game.slices[part.name], False) for part in game.parts]
    listed += [(part, game.hidden_slices[part.name], True) for part in game.hidden]
    return [
        {
            "name": part.name,
            "start": where.start,
            "stop": where.stop,
            "labels": list(part.labels),
            "meaning": part.meaning,
            "state_only": state_only,
        }
        for part, where, state_only in listed
    ]


def part_rows(game: GameSpec) -> list[list[str]]:
    """Returns the `observation_parts` of a game's observation as rows under `HEAD`, long lists of labels shortened."""
    cells = []
    for part in observation_parts(game):
        labels = part["labels"]
        shown = " ".join(labels) if len(labels) <= 8 else f"{labels[0]} {labels[1]} ... {labels[-1]}"
        hidden = "hidden: " if part["state_only"] else ""
        cells.append([part["name"], f"{part['start']}:{part['stop']}", shown, hidden + part["meaning"]])
    return cells


def recall_rows(game: GameSpec) -> list[list[str]]:
    """Returns the recall parts of a game as rows under `HEAD`, one for each run of parts with the same labels."""
    slices = game.recalling.slices
    cells = []
    for labels, alike in itertools.groupby(game.recall_parts, key=lambda part: part.labels):
        group = list(alike)
        first, last = group[0], group[-1]
        name = first.name if first is last else f"{first.name} ... {last.name}"
        where = f"{slices[first.name].start}:{slices[last.name].stop}"
        cells.append([name, where, f"{' '.join(labels)}, {len(labels)} a part", first.meaning])
    return cells


def markdown() -> str:
    """Returns the document on the observations of all games, in Markdown."""
    lines = [
        "# Observations",
        "",
        "Written by `make docs` from the code. An observation is a row of int8 zeros and ones: the parts below, one after",
        "another. `state()` has the same parts, followed by those marked as hidden. `get_game(name).slices[part]` is the",
        "slice of a part, and `get_game(name).describe(observation)` describes an observation in words. Seats are",
        "relative: `self` is the observer, `left` plays next.",
        "",
        "## The order of play",
        "",
        "An observation does not contain the order in which earlier cards were played or placed. `recall=True` in an",
        "environment, or `get_game(name).recalling` instead of the game, appends it: a part for each action of the deal,",
        "in order, with zeros for future actions. Actions that were hidden from the seat are hidden here, too. Numbers",
        "are binary: `rank+1` and `rank+4` together are rank 5. `get_game(name).recalling.decode` returns the complete",
        "view from such a row, with its history. Without recall, rows are not longer and nothing is slower.",
    ]
    for name in game_names():
        game = get_game(name)
        lines += [
            "",
            f"## {game.title}",
            "",
            f"{game.observation_size} entries; `state()` has {game.state_size}. {game.num_actions} actions.",
            "",
            *table_lines(HEAD, [[f"`{name}`", *cells] for name, *cells in part_rows(game)], left=4)[:-1],
        ]
        if game.recall_parts:
            added = sum(part.size for part in game.recall_parts)
            listed = [[f"`{name}`", *cells] for name, *cells in recall_rows(game)]
            lines += ["", f"With recall, {added} more:", "", *table_lines(HEAD, listed, left=4)[:-1]]
    return "\n".join(lines) + "\n"
