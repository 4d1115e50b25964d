"""Origins of private bins' values, by which re-dealt worlds work the values out again.

An *origin* is an act of the script, or a choice, that sets private bins from hidden cards. ``origin`` of a STATE has the
one that set each bin last, as long as all seats know that it did, and the cards it read have not moved. In a world whose
cards are drawn, the act is repeated, or the value is drawn from what could have been chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from cardenvs.recycle.compiler.conditions import is_public
from cardenvs.recycle.compiler.layout import Layout, Writing
from cardenvs.recycle.compiler.ordering import places_in
from cardenvs.recycle.compiler.privacy import Privacy
from cardenvs.recycle.compiler.scripts import ScriptWriter
from cardenvs.recycle.compiler.writer import Writer
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.symbols import Owned, owned_of

_UNCLEAR = (syntax.Random, syntax.OwnerOfCard, syntax.OtherSeats, syntax.OtherSides, syntax.CycleSide)
"""Nodes whose value may differ when it is worked out again."""


_BINDING = syntax.Let | syntax.ForEach | syntax.Filter | syntax.Quantified | syntax.Each


class _UnclearError(Exception):
    """An act cannot be repeated."""


@dataclass(frozen=True)
class Origin:
    """Acts that set private bins, and can be repeated."""

    number: int  # from 1 on, in the order of the text
    acts: tuple[syntax.Act, ...]  # those that set private bins, with the conditions and loops around them
    secrets: tuple[int, ...]  # numbers of the private bins that they can set
    chosen: bool  # whether they are a choice's alternatives
    first: bool  # whether bins that they do not set have their first values
    depths: tuple[int, int]  # numbers of stages over players and teams around them

    @property
    def writes(self) -> list[syntax.SetNumber | syntax.SetString]:
        nodes = (node for act in self.acts for node in syntax.walk(act))
        return [node for node in nodes if isinstance(node, syntax.SetNumber | syntax.SetString)]


class Origins:
    """The origins of a game's private bins (``found``), choices last.

    ``ends`` has those of the script by the ``id`` of their last acts, ``sites`` those that are choices by the choices'
    numbers.
    """

    def __init__(self, layout: Layout, privacy: Privacy) -> None:
        self.layout, self.privacy = layout, privacy
        self.found: list[Origin] = []
        self.ends: dict[int, Origin] = {}
        self.sites: dict[int, Origin] = {}
        self._covered: set[int] = set()
        body = layout.description.body
        stop = next((k for k, one in enumerate(body) if not isinstance(one, syntax.Act)), len(body))
        self._early = {id(node) for act in body[:stop] for node in syntax.walk(act)}
        """The ``id``s of the nodes of acts that are done once, before the first stage or choice."""
        if privacy.secrets:
            for acts in _act_sequences(body):
                self._find_origins(acts, layout.depth_of[id(acts[0])], frozenset())
            for site, choice in enumerate(layout.statics.choices):
                self._add_choice(site, choice)
        self.tables = {"ORIGIN_READS": self._read_table(), "ORIGIN_COUNT": len(self.found)}

    def origins_of(self, secret: int) -> list[Origin]:
        return [one for one in self.found if secret in one.secrets]

    # --- which there are ---

    def _find_origins(self, acts: tuple[syntax.Act, ...], depths: tuple[int, int], free: frozenset[int]) -> None:
        """Finds origins among acts that certainly happen for all seats; each has as many acts as possible."""
        k = 0
        while k < len(acts):
            stop, found = k + 1, None
            while stop <= len(acts) and self._is_secret(acts[k]):
                longer = self._make_origin(acts[k:stop], acts[k:stop], depths, False)
                if longer is None:
                    break
                found, stop = longer, stop + 1
            if found is None:
                self._find_within(acts[k], depths, free)
                k += 1
                continue
            k = stop - 1
            self.found.append(found)
            self.ends[id(acts[k - 1])] = found
            self._covered |= {id(write) for write in found.writes}

    def _find_within(self, act: syntax.Act, depths: tuple[int, int], free: frozenset[int]) -> None:
        match act:
            case syntax.Do(_, acts):
                self._find_origins(acts, depths, free)
            case syntax.Guarded(_, condition, inner) if is_public(self.layout, condition, free):
                self._find_origins((inner,), depths, free)
            case syntax.Let(_, value, variable, inner):
                known = is_public(self.layout, value, free)
                self._find_origins((inner,), depths, free | {variable.number} if known else free)
            case syntax.ForEach(_, _, over, variable, inner) if is_public(self.layout, over, free):
                self._find_origins((inner,), depths, free | {variable.number})

    def _add_choice(self, site: int, choice: syntax.Choice) -> None:
        """Adds a choice as an origin if it can be repeated."""
        if any(self._is_secret(act) for act in choice.alternatives):
            found = self._make_origin(choice.alternatives, choice.alternatives, self.layout.depth_of[id(choice)], True)
            if found is not None:
                self.found.append(found)
                self.sites[site] = found

    def _make_origin(
        self, acts: tuple[syntax.Act, ...], whole: Iterable[syntax.Act], depths: tuple[int, int], chosen: bool
    ) -> Origin | None:
        """Returns some acts as an origin; None if they cannot be repeated."""
        try:
            kept = tuple(part for act in acts if (part := self._reduce_act(act, chosen)) is not None)
        except _UnclearError:
            return None
        nodes = [node for act in kept for node in syntax.walk(act)]
        writes = [node for node in nodes if isinstance(node, syntax.SetNumber | syntax.SetString)]
        if not self._is_settled(nodes, writes, acts[0]) or self._owner_is_lost(nodes, writes):
            return None
        read = {one for node in nodes if isinstance(node, syntax.Place) for one in owned_of(node, self.layout.possible)}
        if read & {one for act in whole for one in self._changed_places(act)}:
            return None
        secrets = sorted({k for write in writes for k in self.privacy.written_secrets(write)})
        own = {id(write) for write in writes}
        others = (node for node in self.layout.nodes if isinstance(node, Writing) and id(node) not in own)
        alone = not {k for write in others for k in self.privacy.written_secrets(write)} & set(secrets)
        return Origin(len(self.found) + 1, kept, tuple(secrets), chosen, alone and id(acts[0]) in self._early, depths)

    def _reduce_act(self, act: syntax.Act, chosen: bool) -> syntax.Act | None:
        """Returns an act without parts that set no private bin; None if nothing is left.

        Conditions of choices may be dropped: their options are upper bounds.
        """
        if not self._is_secret(act):
            return None
        kept = self._reduce_act(act.act, chosen) if isinstance(act, syntax.Guarded | syntax.Let | syntax.ForEach) else act
        assert kept is not None
        match act:
            case syntax.Guarded(_, condition, _):
                if _is_clear(condition) and not (chosen and is_public(self.layout, condition)):
                    return replace(act, act=kept)
                if chosen:
                    return kept
            case syntax.Do(_, acts):
                parts = (self._reduce_act(inner, chosen) for inner in acts)
                return replace(act, acts=tuple(part for part in parts if part is not None))
            case syntax.Let(_, value) if _is_clear(value):
                return replace(act, act=kept)
            case syntax.ForEach(_, _, over) if _is_clear(over):
                return replace(act, act=kept)
            case syntax.SetNumber() | syntax.SetString() if _is_clear(act):
                return act
        raise _UnclearError

    def _is_secret(self, act: syntax.Act) -> bool:
        return any(self.privacy.written_secrets(node) for node in syntax.walk(act) if isinstance(node, Writing))

    def _owner_is_lost(self, nodes: list[syntax.Node], writes: list[syntax.SetNumber | syntax.SetString]) -> bool:
        """Whether acts depend on a variable or a turn that is no longer known, as it is no bin's owner."""
        known = _bound_variables(nodes) | set(self.layout.constants)
        lost: list[syntax.Node] = [
            one for one in nodes if isinstance(one, syntax.Variable) and one.binding.number not in known
        ]
        lost += [one for one in nodes if isinstance(one, syntax.CycleSeat)]
        return any(not _is_same(one, write.bin.owner) for one in lost for write in writes)

    def _is_settled(
        self, nodes: list[syntax.Node], writes: list[syntax.SetNumber | syntax.SetString], start: syntax.Act
    ) -> bool:
        """Whether the bins and maps that are read are only set before, in the opening."""
        targets = {id(write.bin) for write in writes}
        for node in nodes:
            if isinstance(node, syntax.NumberBin | syntax.StringBin) and id(node) not in targets:
                bins = owned_of(node, self.layout.possible)
                changes: list[syntax.Node] = [act for one in bins for act in self.layout.writes.get(one, ())]
            elif isinstance(node, syntax.PointMap):
                changes = [one for one in self.layout.nodes if isinstance(one, syntax.SetMap)]
            else:
                continue
            if any(id(one) not in self._early or one.at >= start.at for one in changes):
                return False
        return True

    def _changed_places(self, act: syntax.Act) -> set[Owned]:
        places: list[syntax.Place] = []
        for node in syntax.walk(act):
            if isinstance(node, syntax.Move | syntax.Remember):
                places += [node.to.place, *places_in(self.layout, node.card)]
            elif isinstance(node, syntax.Shuffle | syntax.Forget | syntax.CreateDeck):
                places += [part for part in syntax.child_nodes(node) if isinstance(part, syntax.Place)]
        return {one for place in places for one in owned_of(place, self.layout.possible)}

    # --- tables and text ---

    def _read_table(self) -> list[list[list[int]]]:
        """Returns, by origin, private bin and place, whether the origin reads the place to set the bin."""
        secrets, places = max(len(self.privacy.secrets), 1), max(len(self.layout.places), 1)
        table = [[[0] * places for _ in range(secrets)] for _ in range(len(self.found) + 1)]
        for origin in self.found:
            for node in (node for act in origin.acts for node in syntax.walk(act) if isinstance(node, syntax.Place)):
                own = all(_is_same(node.owner, write.bin.owner) for write in origin.writes)
                for one in owned_of(node, self.layout.possible):
                    slots = self.layout.place_slots[one]
                    for k in origin.secrets:
                        number = self.privacy.secrets[k].number
                        for owner in [number] if own else range(slots.count):
                            table[origin.number][k][slots.first + owner] = 1
        return table

    def write_forget(self, writer: ScriptWriter, act: syntax.Act) -> None:
        """Writes, before an act, that the bins which it sets have no origin."""
        writes = (node for node in syntax.walk(act) if isinstance(node, Writing) and id(node) not in self._covered)
        for k in sorted({k for write in writes for k in self.privacy.written_secrets(write)}):
            writer.emit(f"g.origin[{k}] = 0")

    def write_note(self, writer: ScriptWriter, act: syntax.Act) -> None:
        """Writes, behind the last act of an origin, that the bins are set by it."""
        origin = self.ends.get(id(act))
        if origin is None:
            return
        bound = _bound_variables(node for part in origin.acts for node in syntax.walk(part))
        for write in origin.writes:
            owner = write.bin.owner
            if isinstance(owner, syntax.Variable) and owner.binding.number in bound:
                for k in self.privacy.written_secrets(write):
                    writer.emit(f"g.origin[{k}] = {origin.number}")
                continue
            name = writer.private_index(write.bin)
            with writer.block(f"if {name} >= 0:"):
                writer.emit(f"g.origin[{name}] = {origin.number}")

    def repeat_lines(self, origin: Origin) -> list[str]:
        writer = _OriginWriter(self.layout, origin.depths)
        writer.emit_head()
        writer.emit("bits = np.int64(0)")
        writer.chosen = origin.chosen
        for act in origin.acts:
            for variable in (node for node in syntax.walk(act) if isinstance(node, syntax.Variable)):
                writer.alias.setdefault(variable.binding.number, "owner")
            writer.write_act(act)
        if not origin.chosen:
            with writer.block("if bits == 0:"):
                writer.emit(f"bits = {'PRIVATE_FIRST' if origin.first else 'PRIVATE_ALL'}[p]")
        writer.emit("return bits")
        return writer.lines


class _OriginWriter(Writer):
    """Writes the bits of the values that acts set a private bin ``p`` to, whose owner is ``owner``."""

    given_up = "return np.int64(-1)"
    chosen = False

    def _write_turn(self, of: str, which: str) -> str:
        return "owner"

    def write_prim(self, act: syntax.Prim) -> None:
        assert isinstance(act, syntax.SetNumber | syntax.SetString)
        value = self.write_number(act.value) if isinstance(act, syntax.SetNumber) else self.write_string(act.value)
        table = "PRIVATE_NUMBERS" if isinstance(act, syntax.SetNumber) else "PRIVATE_TEXTS"
        with self.block(f"if {table}[{self.write_bin(act.bin)}] == p:"):
            self.emit(f"bits {'|' if self.chosen else ''}= bit_of({value}, p, PRIVATE_POOL, POOL)")


def _is_clear(part: syntax.Node) -> bool:
    return not any(
        isinstance(node, _UNCLEAR) or (isinstance(node, syntax.CycleSeat) and node.which != "current")
        for node in syntax.walk(part)
    )


def _bound_variables(nodes: Iterable[syntax.Node]) -> set[int]:
    return {node.variable.number for node in nodes if isinstance(node, _BINDING)}


def _is_same(one: syntax.Node, other: syntax.Node) -> bool:
    if isinstance(one, syntax.Variable) and isinstance(other, syntax.Variable):
        return one.binding.number == other.binding.number
    return isinstance(one, syntax.CycleSeat) and isinstance(other, syntax.CycleSeat) and one.which == other.which


def _act_sequences(body: tuple[syntax.Statement, ...]) -> Iterator[tuple[syntax.Act, ...]]:
    run: list[syntax.Act] = []
    for statement in body:
        if isinstance(statement, syntax.Act):
            run.append(statement)
            continue
        if run:
            yield tuple(run)
        run = []
        if isinstance(statement, syntax.Stage):
            yield from _act_sequences(statement.body)
    if run:
        yield tuple(run)
