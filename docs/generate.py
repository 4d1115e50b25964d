"""Writes the tables of the documentation from the code and from docs/results: `make docs`.

A page says where a table belongs, and everything between the two remarks is replaced:

    <!-- generated: actions euchre -->
    <!-- end -->

What stands there names a function below and its arguments. Within a line the remarks stand around a figure. The tables are
kept in the pages, so that these can be read without the site, too; ``python docs/generate.py --check`` says which pages are
out of date, as a test does.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from cardenvs import policy
from cardenvs.cli import ENTRY_POINT_GROUP as COMMANDS
from cardenvs.contract.fields import Part
from cardenvs.contract.options import show
from cardenvs.contract.registry import game_names, get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.registry import POLICIES
from cardenvs.printing import table_lines
from cardenvs.recycle.library import SUFFIX, headline, shipped, shipped_names

DOCS = Path(__file__).parent
RESULTS = DOCS / "results"
BLOCK = re.compile(r"(<!-- generated: (?P<what>[^>]+?) -->)(?P<line>\n?).*?(<!-- end -->)", re.DOTALL)

SOURCES = {
    r"Aharon": "Aharon and Mandel",
    r"J\. Diamond": "Diamond 2019",
    r"\b[Oo]ur own\b": "our own",
    r"Ginsberg": "Ginsberg 2001",
    r"Cowling": "Cowling et al. 2012",
    r"CardStock": "CardStock",
    r"Lanctot": "Lanctot et al. 2019",
    r"Raffin": "Raffin et al. 2021",
    r"Osawa": "Osawa 2015",
    r"van den Bergh": "van den Bergh et al. 2016",
    r"Lerer": "Lerer et al. 2020",
    r"Walton-Rivers": "Walton-Rivers et al. 2017",
    r"O'Dwyer": "O'Dwyer",
    r"C\. Cox": "Cox et al. 2015",
}
"""What a docstring says of its source (regular expressions), and how the catalogue names it; docs/citing.md says more."""

PAPERS = {"euchre": "Mychaskiw 2015", "whist": "Mychaskiw 2015", "five-o": "Aharon and Mandel"}
"""What "the paper" means in a docstring without another source, by game."""

CALLS = {
    "pass": "pass",
    "order-up": "order the turned card up: its suit is trump, and the dealer takes it",
    "order-up-alone": "order the turned card up and play without the partner",
    "call-SUIT": "second round: name SUIT as trump",
    "call-SUIT-alone": "second round: name SUIT as trump and play without the partner",
    "column-N": "put the drawn card into column N",
    "discard-N": "discard card N of the own hand, counted from the oldest",
    "play-N": "play card N of the own hand, counted from the oldest",
    "tell-1-R": "point out all red cards to the next player",
    "tell-1-Y": "point out all yellow cards to the next player",
    "tell-1-G": "point out all green cards to the next player",
    "tell-1-W": "point out all white cards to the next player",
    "tell-1-B": "point out all blue cards to the next player",
    "tell-1-N": "point out all cards of rank N to the next player",
}
"""What the actions that are no cards do; SUIT and N stand for the word in the action's name."""

SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}


def table(head: Sequence[str], rows: Iterable[Sequence[object]], left: int) -> str:
    """A Markdown table, with an empty line behind it.

    Args:
        head: the columns' titles.
        rows: the cells of each row, of any type that `str` writes.
        left: how many columns, from the first on, are set to the left; the rest are set to the right.
    """
    return "\n".join(table_lines(head, ([str(cell) for cell in row] for row in rows), left))


def code(text: object) -> str:
    """Text in backticks."""
    return f"`{text}`"


def _figures(name: str) -> Any:
    """What a command has written to a JSON file in docs/results."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


# --- games ----------------------------------------------------------------------------------------------------------


def games() -> str:
    """All games: environment, seats, sizes, rule options."""
    rows = []
    for name in game_names():
        game = get_game(name)
        options = "<br>".join(f"`{o.name}` {', '.join(map(show, o.choices))}" for o in game.options)
        size = f"{game.num_actions} actions, {game.observation_size} observed"
        rewards = ", ".join(map(code, game.rewards))
        rows.append([f"[{game.title}]({name}.md)", code(game.module), game.seats, size, options, rewards])
    return table(["game", "environment", "seats", "size", "options, defaults first", "`reward`"], rows, 6)


def described() -> str:
    """The games that ship as descriptions: what they are, sources of their rules, sizes, re-deals. Nothing is compiled."""
    rows = []
    for name in shipped_names():
        description = shipped(name)
        game = get_game(f"{name}{SUFFIX}")
        cards = sum(deck.copies * len(deck.create.faces) for deck in description.decks)
        source = re.search(r"^;; Source: (.*)$", description.source, re.MULTILINE)
        told = "" if source is None else source[1].rstrip(".")
        sizes = [game.seats, cards, game.num_actions, game.observation_size, impossible(game.name)]
        rows.append([code(game.name), headline(description.source), told, *sizes])
    return table(
        ["name", "what it is", "source of its rules", "seats", "cards", "actions", "observed", "re-deals"], rows, 3
    )


def _judged() -> dict[str, Any]:
    """What was measured of the re-deals of games that keep a past, by name."""
    return {one["game"]: one for one in _figures("redeals")["games"] if one["positions_without_recall"]}


def impossible(name: str) -> str:
    """The measured share of re-deals without recall that could not have led to what was seen: an upper bound."""
    judged = _judged()
    return f"{100 * judged[name]['impossible_without_recall'] / judged[name]['positions_without_recall']:.1f}%"


def facts(name: str) -> str:
    """Import line, agents and spaces of a game, as PettingZoo's documentation lists them."""
    game = get_game(name)
    title = "".join(word.capitalize() for word in name.split("-")) if name != "five-o" else "FiveO"
    agents = ", ".join(f"'player_{seat}'" for seat in range(game.seats))
    sides = "; ".join(
        f"side {k}: seat{'s' * (len(seats) > 1)} {' and '.join(map(str, seats))}" for k, seats in enumerate(game.sides)
    )
    one = f"Box(0, 1, ({game.observation_size},), int8)"
    mask = f"Box(0, 1, ({game.num_actions},), int8)"
    rows: list[list[str]] = [
        ["Import", code(f"from cardenvs import {game.module}")],
        ["PettingZoo id", f"`cardenvs/{name}-v0`, AEC and parallel"],
        ["Gymnasium id, one seat", code(f"cardenvs/{title}Seat-v0")],
        ["Agents", f"{game.seats}: `[{agents}]`"],
        ["Sides", sides],
        ["Action space", code(f"Discrete({game.num_actions})")],
        ["Observation space", f'`Dict("observation": {one}, "action_mask": {mask})`'],
        ["`state()`", code(f"Box(0, 1, ({game.state_size},), int8)")],
        ["Most actions in a deal", str(game.max_steps)],
    ]
    if name in _judged():
        rows.append(["Re-deals without recall", f"{impossible(name)} could not have led to what was seen (upper bound)"])
    return table(rows[0], rows[1:], 2)


def actions(name: str) -> str:
    """The numbers of a game's actions: cards by suit and rank, calls one by one."""
    game = get_game(name)
    cards = {text: k for k, text in enumerate(game.actions) if re.fullmatch(r"[2-9TJQKA][cdhs]", text)}
    parts = []
    if cards:
        ranks = list(dict.fromkeys(card[0] for card in cards))
        rows = [[f"{word} `{suit}`", *(cards[rank + suit] for rank in ranks)] for suit, word in SUITS.items()]
        parts.append(table(["card", *ranks], rows, 1))
    rows = [[k, code(text), _call(text)] for k, text in enumerate(game.actions) if text not in cards]
    if rows:
        parts.append(table(["number", "action", "what it does"], rows, 3))
    return "\n".join(parts)


def _call(name: str) -> str:
    for pattern, meaning in CALLS.items():
        match = re.fullmatch(re.sub("SUIT|N", r"(\\w+)", pattern), name)
        if match:
            return re.sub(r"\b(SUIT|N)\b", match[1], meaning) if match.groups() else meaning
    raise ValueError(f"docs/generate.py does not say what the action {name!r} does: add it to CALLS")


def observation(name: str) -> str:
    """The parts of a game's observation, then what only ``state()`` has; parts that differ in a number in one row."""
    game = get_game(name)
    rows = [*_parts(game.parts, game.slices, ""), *_parts(game.hidden, game.hidden_slices, "`state()` only: ")]
    return table(["part", "slice", "size", "entries", "meaning"], rows, 5)


def fields(name: str) -> str:
    """The fields of a game's records, which `GameSpec.decode` gives, as the remarks in the game's file explain them."""
    game = get_game(name)
    source = inspect.getsource(sys.modules[game.kernels.view.__module__])
    told = dict(re.findall(r'^ +\("(\w+)", np\.int\d+.*\),  # (.+)$', source, re.MULTILINE))
    rows = []
    for field in game.dtype.names or ():
        kind = game.dtype[field]
        shape = f" ({', '.join(map(str, kind.shape))})" if kind.shape else ""
        rows.append([code(field), f"{kind.base}{shape}", told[field]])
    return table(["field", "type", "meaning"], rows, 3)


def _parts(parts: Sequence[Part], slices: dict[str, slice], mark: str) -> Iterable[list[object]]:
    groups: list[list[Part]] = []
    for part in parts:
        if groups and _shape(groups[-1][-1]) == _shape(part) and re.search(r"\d", part.name):
            groups[-1].append(part)
        else:
            groups.append([part])
    for group in groups:
        first, last = group[0], group[-1]
        labels = first.labels
        entries = " ".join(labels) if len(labels) <= 8 else f"{labels[0]} {labels[1]} ... {labels[-1]}"
        names, meaning, size = code(first.name), first.meaning, str(first.size)
        if len(group) > 1:
            names += f" to {code(last.name)}"
            meaning = re.sub(r"\d+", "N", meaning, count=1)
            size = f"{len(group)} x {first.size}"
        yield [names, f"{slices[first.name].start}:{slices[last.name].stop}", size, entries, mark + meaning]


def _shape(part: Part) -> tuple[object, ...]:
    """What parts that stand in one row have in common."""
    return part.labels, re.sub(r"\d+", "N", part.name), re.sub(r"\d+", "N", part.meaning)


def options(name: str) -> str:
    """A game's rule options and rewards, as keyword arguments of every environment."""
    game = get_game(name)
    rows = [[code(o.name), code(repr(o.default)), _choices(o.choices), o.meaning] for o in game.options]
    kinds = {
        "points": "the side's points minus the other side's",
        "tricks": "the side's tricks minus the other side's",
        "win": "1 for the winners, -1 for the losers",
        "columns": "columns won minus those of the other side",
    }
    if game.num_sides == 1:
        kinds = {"points": "the team's points", "win": "1 for the highest possible score, else 0"}
    early = {kind: ", paid step by step" for kind in game.rewards if game.pays_gains(game.reward_kind(kind))}
    meaning = "; ".join(f"`{kind}`: {kinds[kind]}{early.get(kind, '')}" for kind in game.rewards)
    rows.append(["`reward`", code(repr(game.rewards[0])), _choices(game.rewards), meaning])
    if game.team:
        meaning = "1: both partners get their side's reward; 0: each gets its own part; in between a mixture"
        rows.append(["`team_share`", "`1.0`", "0 to 1", meaning])
    return table(["argument", "default", "choices", "meaning"], rows, 4)


def _choices(choices: Sequence[Any]) -> str:
    return ", ".join(code(repr(choice)) for choice in choices)


# --- policies -------------------------------------------------------------------------------------------------------


def _entry(game: GameSpec, name: str) -> Callable[..., policy.Policy]:
    """What the entry-point group ``cardenvs.policies`` has under a policy's name for a game."""
    found = (POLICIES.find(key) for key in (f"{game.family}/{name}", name, f"*/{name}"))
    return next(
        made for made in found if made is not None and game.family in (getattr(made, "games", None) or [game.family])
    )


FORMS = {"hanabi": ("hanabi:players=5",)}
"""Forms of a game with policies that its standard form does not have."""


def _factories() -> dict[tuple[str, Any], list[str]]:
    """The games of every named policy; two policies of one name are two entries."""
    factories: dict[tuple[str, Any], list[str]] = {}
    for game in game_names():
        for name in sorted({name for form in (game, *FORMS.get(game, ())) for name in policy.names(form)}):
            factories.setdefault((name, _entry(get_game(game), name)), []).append(game)
    return dict(sorted(factories.items(), key=lambda item: (-len(item[1]), item[1], item[0][0])))


def _doc(factory: Any) -> str:
    return inspect.cleandoc(factory.__doc__ or "")


def _markdown(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _first_line(factory: Any) -> str:
    """The first line of a docstring, without the policy's name before it."""
    return re.sub(r"^``[\w-]+``: ", "", _doc(factory).partition("\n\n")[0])


def _source(factory: Any, played: Sequence[str]) -> str:
    """Where a policy comes from, by its docstring or, where that names nobody, its module's."""
    module = inspect.getmodule(factory)
    for text in (_doc(factory), module.__doc__ or "" if module else ""):
        for pattern, source in SOURCES.items():
            if re.search(pattern, text):
                return source
        if "paper" in text:
            return PAPERS[played[0]]
    return ""


def _parameters(factory: Any) -> dict[str, inspect.Parameter]:
    listed = list(inspect.signature(factory).parameters.values())[1:]
    return {p.name: p for p in listed if p.kind is not p.VAR_KEYWORD}


def _default(parameter: inspect.Parameter) -> str:
    """A parameter's value by itself, as a policy's name has it; nothing if it must be given."""
    return "none" if parameter.default is None else show(parameter.default)


def policies() -> str:
    """Every named policy: games, what it does, parameters, source."""
    rows = []
    for (name, factory), played in _factories().items():
        if getattr(factory, "slip", False):
            continue
        everywhere = getattr(factory, "games", None) is None and len(played) == len(game_names())
        titles = "all" if everywhere else ", ".join(get_game(g).title.split()[0] for g in played)
        given = " ".join(code(f"{key}={_default(p)}".rstrip("=")) for key, p in _parameters(factory).items())
        rows.append([code(name), titles, _markdown(_first_line(factory)).rstrip("."), given, _source(factory, played)])
    return table(["policy", "games", "what it does", "parameters", "source"], rows, 5)


def parameters() -> str:
    """What the parameters of the searching policies mean, from their docstrings."""
    rows = []
    for (name, factory), played in _factories().items():
        where = f" ({get_game(played[0]).title.split()[0]})" if name == "monte-carlo" and len(played) == 1 else ""
        told = _arguments(_doc(factory))
        for key, parameter in _parameters(factory).items():
            if key in told:
                default = _default(parameter)
                rows.append([code(name) + where, code(key), code(default) if default else "", _markdown(told[key])])
    return table(["policy", "parameter", "default", "meaning"], rows, 4)


def _arguments(doc: str) -> dict[str, str]:
    """The section ``Args`` of a docstring."""
    section = re.search(r"^Args:\n((?:    .*\n?|\n)+)", doc, re.MULTILINE)
    told: dict[str, str] = {}
    for line in section[1].splitlines() if section else ():
        start = re.match(r"    (\w+): (.*)", line)
        if start:
            told[start[1]] = start[2]
        elif line.strip() and told:
            told[list(told)[-1]] += " " + line.strip()
    return told


def strength(name: str) -> str:
    """How strong a game's policies are and how fast they decide, from the two tournaments in docs/results."""
    ladder, everybody = (_standings(f"{kind}_{name}") for kind in ("ladder", "tournament"))
    order = [*ladder, *(who for who in everybody if who not in ladder)]
    rows = []
    for who in order:
        speed = (ladder.get(who) or everybody[who])["decisions_per_s"]
        rows.append([code(who), *_standing(ladder.get(who)), *_standing(everybody.get(who)), f"{speed:,.0f}"])
    heads = ["policy", "rating", "games won, %", "points a deal", "rating, hand-coded", "games won, %", "points a deal"]
    return table([*heads, "decisions/s"], rows, 1)


def _standings(name: str) -> dict[str, dict[str, Any]]:
    return {standing["policy"]: standing for standing in _figures(name)["standings"]}


def _standing(standing: dict[str, Any] | None) -> list[str]:
    if standing is None:
        return ["", "", ""]
    intervals = {key: standing[f"{key}_ci95"] for key in ("rating", "win_rate", "mean_points")}
    halves = {key: (high - low) / 2 for key, (low, high) in intervals.items()}
    return [
        f"{standing['rating']:+.0f} ±{halves['rating']:.0f}",
        f"{100 * standing['win_rate']:.1f} ±{100 * halves['win_rate']:.1f}",
        f"{standing['mean_points']:+.3f} ±{halves['mean_points']:.3f}",
    ]


RESPONSES = ("nothing", "learned", "learned:generation=1")
"""What trained responses begin with, in the order of the columns of `exploits`."""


def exploits(name: str, *rules: str) -> str:
    """How strong the policies of a game are, and what was won from each by those who know it.

    Args:
        name: the game.
        rules: values of options that are not as by default, as in the names of reports.
    """
    ruled = "--".join([name, *rules])
    ladder = _standings(f"ladder_{ruled}")
    rows = []
    for result in _figures(f"exploits_{ruled}")["results"]:
        won = {response["start"]: _won(response) for response in result["responses"]}
        rating, _, points = _standing(ladder.get(result["policy"]))
        searched = "" if result["searched"] is None else _won(result["searched"])
        rows.append([code(result["policy"]), rating, points, *(won.get(start, "") for start in RESPONSES), searched])
    begun = [start if start == "nothing" else code(start) for start in RESPONSES]
    return table(["policy", "rating", "points a deal", *(f"from {start}" for start in begun), "a search"], rows, 1)


def _won(figures: dict[str, Any]) -> str:
    """The points a deal of something that has them with their interval."""
    low, high = figures["points_ci95"]
    return f"{figures['points']:+.3f} ±{(high - low) / 2:.3f}"


# --- speed and time ---------------------------------------------------------------------------------------------------


SPEEDS = {
    "batch_steps_per_s": "batched step, agent-steps/s",
    "aec_raw_steps_per_s": "`raw_env()` loop, steps/s",
    "aec_steps_per_s": "`env()` loop, steps/s",
    "playouts_per_s": "random play-outs/s",
}
"""Rows of `speeds`, by their keys in the JSON of ``cardenvs bench``."""


def speeds() -> str:
    """How fast the environments of all games are on one core."""
    measured = _figures("bench")["games"]
    rows = [[told, *(f"{one[key]:,.0f}" for one in measured.values())] for key, told in SPEEDS.items()]
    return table(["", *(get_game(name).title.split()[0] for name in measured)], rows, 1)


def speed(*keys: str) -> str:
    """A figure of ``cardenvs bench``, by the keys that lead to it."""
    found = _figures("bench")
    for key in keys:
        found = found[key]
    return f"{found:,.0f}"


def took(name: str, when: str = "") -> str:
    """How long a command of ``benchmarks/first_use.py`` takes on quiet cores: wall time or, if less, processor time.

    Args:
        name: the command's name there.
        when: nothing for the first use, ``"again_"`` for the next one, as in the keys of its JSON file.
    """
    measured = _figures("first_use")["measured"]
    if name not in measured:  # the targets of the Makefile are measured by request only
        return "some minutes"
    seconds = min(measured[name][f"{when}{key}"] for key in ("seconds", "cpu_seconds"))
    return f"{seconds:.0f} s" if seconds < 100 else f"{round(seconds / 30) / 2:g} minutes"


def demo(*opponents: str) -> str:
    """The results of ``make demo`` against some opponents."""
    return table(["opponent", "games won, %", "points a deal above"], [[code(who), *_demo(who)] for who in opponents], 1)


def demo_points(opponent: str) -> str:
    """The points a deal of the demo's policy above an opponent."""
    return _demo(opponent)[1]


def _demo(opponent: str) -> list[str]:
    """Games won and points a deal above an opponent, as the report of ``make demo`` has them."""
    cells = re.search(
        rf"^\| `?{re.escape(opponent)}`? \| [\d,]+ \|(.*)$", (RESULTS / "demo.md").read_text("utf-8"), re.MULTILINE
    )
    assert cells is not None, opponent
    return [cell.strip() for cell in cells[1].split("|")[:2]]


# --- commands -------------------------------------------------------------------------------------------------------


def commands() -> str:
    """Every command with the first sentence of its help."""
    rows = []
    for entry in sorted(metadata.entry_points(group=COMMANDS), key=lambda entry: entry.name):
        command: click.Command = entry.load()
        help_text = inspect.cleandoc(command.help or "").partition("\n\n")[0]
        rows.append([code(f"cardenvs {entry.name}"), " ".join(help_text.split())])
    return table(["command", "what it does"], rows, 2)


TABLES: dict[str, Callable[..., str]] = {
    f.__name__: f
    for f in (
        games, described, facts, actions, observation, fields, options, policies, parameters, strength, exploits, commands,
        speeds, speed, took, demo, demo_points,
    )
}  # fmt: skip


def fresh(text: str) -> str:
    """A page's text with every generated table written anew.

    Raises:
        KeyError: a table that this file does not know.
    """

    def written(match: re.Match[str]) -> str:
        what, *arguments = match["what"].split()
        return f"{match[1]}{2 * match['line']}{TABLES[what](*arguments)}{match['line']}{match[4]}"

    return BLOCK.sub(written, text)


def pages() -> list[Path]:
    """All pages that are written by hand, in order, and the README."""
    return [DOCS.parent / "README.md", *sorted(path for path in DOCS.rglob("*.md") if RESULTS not in path.parents)]


def main(check: bool) -> int:
    """Writes the tables, or says which pages are not up to date; the exit status."""
    stale = 0
    for path in pages():
        text = path.read_text("utf-8")
        new = fresh(text)
        if new != text and check:
            print(f"{path.relative_to(DOCS.parent)} is not up to date: run `make docs`", file=sys.stderr)
        elif new != text:
            path.write_text(new, "utf-8")
        stale += new != text
    return int(check and stale > 0)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
