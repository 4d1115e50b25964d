"""Checks for slips that show only in the whole description: names that occur once."""

import difflib
from dataclasses import replace

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.cursor import list_names
from cardenvs.recycle.language.errors import Position, RecycleError
from cardenvs.recycle.language.symbols import MOST_NUMERALS, Owned, Statics, Strings, owned_of, statics
from cardenvs.recycle.language.syntax import Kind

NO_NAME = "what is computed here can be no name: it is the empty string in all games"
NO_NUMBER = (
    f"this can be any number, or more than {MOST_NUMERALS}, and no number is a name elsewhere: names are digits, "
    "(range A .. B) of such, bins set to such, and what is reckoned from them"
)

MOST_COMPARED = 200  # maximum number of names that a name is compared with


def check_names(description: syntax.Description) -> syntax.Description:
    """Looks for names that are probably misspelt; returns the description with remarks on possible slips.

    Raises:
        RecycleError: a place that is never filled has almost the name of one that is; a private bin is not in the script;
            a computed name can only be empty.
    """
    known = statics(description)
    strings = Strings(description, dict(known.attributes))
    remarks: list[tuple[Position, str]] = []
    maps_set = {
        name for node in syntax.walk(description) if isinstance(node, syntax.SetMap) for name in _map_names(node.map, known)
    }
    stored = {(owned.storage, owned.name) for owned in known.bins}
    for private in description.private:
        if (private.storage, private.name) not in stored:
            bins = {name for storage, name in stored if storage == private.storage}
            meant = did_you_mean(private.name, bins)
            raise RecycleError(f"no bin is called {private.storage} {private.name} in the game{meant}", private.at)
    _check_directives(description, strings)
    for node in syntax.walk(description):
        if isinstance(node, syntax.Place | syntax.NumberBin | syntax.StringBin | syntax.PointMap):
            if not any(strings.of(node.name)):
                raise RecycleError(NO_NUMBER if isinstance(node.name, syntax.Numeral) else NO_NAME, node.name.at)
        if isinstance(node, syntax.Place) and isinstance(node.name, syntax.Name):
            _check_place(node, node.name.text, known, remarks)
        elif isinstance(node, syntax.PointMap) and isinstance(node.name, syntax.Name):
            name = node.name.text
            if name not in maps_set:
                remarks.append((node.at, f"no map {name} is ever set: all cards score 0{did_you_mean(name, maps_set)}"))
        elif isinstance(node, syntax.Key) and isinstance(node.attribute, syntax.Name):
            _check_value(node.attribute.text, node.value, known, remarks)
        elif isinstance(node, syntax.Comparison) and node.left.kind is Kind.STRING:
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(one, syntax.CardAttribute) and isinstance(one.attribute, syntax.Name):
                    _check_value(one.attribute.text, other, known, remarks)
                elif isinstance(other, syntax.Name) and other.text not in (words := strings.of(one)):
                    meant = did_you_mean(other.text, words - {""})
                    remarks.append((other.at, f"what is compared with {other.text} is never set to {other.text}{meant}"))
    return replace(description, remarks=tuple(sorted(set(remarks))))


def _check_directives(description: syntax.Description, strings: Strings) -> None:
    own = 1 if description.options else 0  # the act that puts options into their bins
    script = [*description.body[own:], description.scoring]
    nodes = [node for part in script for node in syntax.walk(part)]
    numbers = [one.name for node in nodes if isinstance(node, syntax.NumberBin) for one in owned_of(node, strings)
               if one.owner == "game"]  # fmt: skip
    written = {one: node.at for node in nodes if isinstance(node, syntax.SetNumber | syntax.Change)
               for one in owned_of(node.bin, strings)}  # fmt: skip
    for option in description.options:
        bin_of = Owned("game", "sto", option.name)
        if option.name not in numbers:
            meant = did_you_mean(option.name, numbers)
            raise RecycleError(f"nothing asks for the option {option.name}, (game sto {option.name}){meant}", option.at)
        if bin_of in written:
            raise RecycleError(f"the option {option.name} stays as it was chosen: nothing sets it", written[bin_of])
        if ("sto", option.name) in [(one.storage, one.name) for one in description.private]:
            raise RecycleError(f"the option {option.name} is known to all: it cannot be private", option.at)
    perfect = description.perfect
    if perfect is not None and len(description.teams) > 1:
        raise RecycleError("perfect is for games of one side: here one side's score is another's loss", perfect.at)
    if perfect is not None and description.scoring.best == "min":
        raise RecycleError("perfect is the most that can be scored: the most wins then, (scoring max ..)", perfect.at)
    if perfect is not None:
        for name in set(perfect.counted) - set(numbers):
            raise RecycleError(f"the game has no number {name}, (game sto {name}){did_you_mean(name, numbers)}", perfect.at)
    exclusive, choices = description.exclusive, sum(isinstance(node, syntax.Choice) for node in nodes)
    if exclusive is not None and max(exclusive.choices) > choices:
        raise RecycleError(f"the game has no choice {max(exclusive.choices)}: it has {choices}", exclusive.at)
    tricks = description.tricks
    faced = {one.name for node in nodes if isinstance(node, syntax.Place) and node.visibility == "vloc"
             for one in owned_of(node, strings)}  # fmt: skip
    if tricks is not None and tricks.name not in faced:
        raise RecycleError(f"no place is called vloc {tricks.name}{did_you_mean(tricks.name, faced)}", tricks.at)


def _map_names(node: syntax.PointMap, known: Statics) -> list[str]:
    return [node.name.text] if isinstance(node.name, syntax.Name) else [owned.name for owned in known.maps]


def _check_place(place: syntax.Place, name: str, known: Statics, remarks: list[tuple[Position, str]]) -> None:
    owner = "player" if isinstance(place.owner, syntax.Expression) else "game"
    alike = [filled.name for filled in known.filled if filled.owner == owner and filled.storage == place.visibility]
    if name in alike:
        return
    near = difflib.get_close_matches(name, alike[:MOST_COMPARED], n=1, cutoff=0.75)
    if near and len(name) >= 4:
        there = list_names(sorted(alike))
        message = f"no card is ever put in {place.visibility} {name}: cards are put in {there}. Did you mean {near[0]}?"
        raise RecycleError(message, place.at)
    others = [filled for filled in known.filled if filled.name == name]
    hint = f", though they are in the {others[0].owner}'s {others[0].storage} {name}" if others else ""
    remarks.append((place.at, f"no card is ever put in the {owner}'s {place.visibility} {name}{hint}"))


def _check_value(attribute: str, value: syntax.Expression, known: Statics, remarks: list[tuple[Position, str]]) -> None:
    values = known.attributes.get(attribute, ())
    if isinstance(value, syntax.Name) and values and value.text not in values:
        remarks.append((value.at, f"no card has the {attribute} {value.text}{did_you_mean(value.text, values)}"))
