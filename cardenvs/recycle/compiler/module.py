"""The Python module that a description is compiled into: its rules as functions, its layout as tables.

The module is text: the functions that `Writer` writes, the tables, and the kernels of `templates`.
"""

import keyword
import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from cardenvs.recycle.compiler.actions import Actions
from cardenvs.recycle.compiler.alternatives import Key
from cardenvs.recycle.compiler.chance import count_shuffles, draws_in_play
from cardenvs.recycle.compiler.conditions import involves_chance, told_by_options
from cardenvs.recycle.compiler.encoding import MOST_RECALLED, Encoding
from cardenvs.recycle.compiler.inference import InferenceWriter, visible_actions
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.limits import check_code, check_limits
from cardenvs.recycle.compiler.lines import function_source, site_function
from cardenvs.recycle.compiler.maps import map_tables
from cardenvs.recycle.compiler.options import OptionWriter
from cardenvs.recycle.compiler.privacy import MOST_VALUES, Privacy
from cardenvs.recycle.compiler.program import build_program
from cardenvs.recycle.compiler.scripts import LearningWriter, ScriptWriter
from cardenvs.recycle.compiler.state_key import fixed_tables, state_key_tables
from cardenvs.recycle.compiler.tells import Tells
from cardenvs.recycle.compiler.templates import HEAD, LEARN, STOP, TAIL
from cardenvs.recycle.compiler.writer import SiteWriter, Writer
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.symbols import Owned
from cardenvs.recycle.running.faults import Faults
from cardenvs.recycle.running.places import MOST_TELLINGS
from cardenvs.recycle.running.remembering import CHECK_BITS, GROUP_BITS, GROUPS

MOST_STEPS = 10_000  # the most steps of the script without a choice

MOST_SHUFFLES, MOST_COUNTED = 16, 64
"""The most shuffles that a STATE can be told: where the text does not tell how many there are, and where it does."""
MOST_REDRAWN = 16  # the most actions behind which a STATE can have another random stream

_ARGUMENTS = ("n", "seed", "reward", "team_share", "recall", "encoding", "render_mode", "episode", "waiting", "game")
"""Arguments of environments, which no option can be called."""

NO_OPTION = "nobody can do anything at this choice"
PRIVATE_ERROR = f"a private number that is not only set to constants must be 0 to {MOST_VALUES - 1}"

SEEN = {"vloc": "all", "mem": "all", "iloc": "owner", "hloc": "nobody", "oloc": "others"}
"""Seats that see the cards of a place, by its kind."""


class Module:
    """The Python module that a description is compiled into.

    ``tables`` are its arrays and numbers, ``fields`` the STATE's fields, as `numpy.dtype` takes them, ``remarks`` limits
    that a game may exceed, ``recalled`` the parts of observations for recall of the order of play; ``no_recall`` says why
    there are none.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.actions = Actions(layout)
        self.program = build_program(layout.description)
        self.tables: dict[str, Any] = {}
        self.events = layout.description.max_decisions * (2 if self.actions.levels else 1)
        self.counted_shuffles = count_shuffles(layout, layout.description)
        self.shuffles = MOST_SHUFFLES if self.counted_shuffles > MOST_COUNTED else max(int(self.counted_shuffles), 1)
        choices = layout.statics.choices
        points = {id(s): p for p, s in enumerate(self.program.statements) if isinstance(s, syntax.Choice)}
        self.points = [points[id(choice)] for choice in choices]
        self.depths_of_sites = [layout.depth_of[id(choice)] for choice in choices]
        self._fill_tables()
        self.privacy = Privacy(layout)
        self.tables["VISIBLE"] = [
            visible_actions(layout, self.actions, self.privacy, k) for k in range(len(self.points))
        ] or [[1]]
        self.tells = Tells(layout, self.actions, self.tables["VISIBLE"])
        self.encoding = Encoding(layout, self.actions, self.privacy, self.tells)
        self.tables |= self.privacy.tables | {"CHECK_BITS": self._check_bits, "TELLS": len(self.tells.acts)}
        self.no_recall = self._find_no_recall()
        parts = self.encoding.recall_parts(self.events, self.shuffles, self._check_bits)
        self.recalled = [] if self.no_recall else parts
        self.tables |= self.encoding.tables
        self.tables |= state_key_tables(layout) | fixed_tables(layout)
        self.tables["PART_COUNT"] = len(self.encoding.parts)
        self.fields = self._state_fields()
        self._check_options()
        self.remarks = check_limits(layout, self.actions, self.privacy)

    def _state_fields(self) -> list[tuple[Any, ...]]:
        layout = self.layout
        cards, places = len(layout.cards), max(len(layout.places), 1)
        actions, shuffles = len(self.actions.keys), self.shuffles
        words = -(-actions // 64)
        return [
            *((one.name.lower(), np.int64) for one in layout.description.options),
            ("zero", np.int64),
            ("point", np.int64),
            ("site", np.int64),
            ("seat_turn", np.int64, (layout.seat_depth,)),
            ("seat_queue", np.int64, (layout.seat_depth,)),
            ("side_turn", np.int64, (layout.side_depth,)),
            ("side_queue", np.int64, (layout.side_depth,)),
            ("cards", _integer_type(cards), (places, cards)),
            ("known", _integer_type(1 << (layout.seats - 1)), (places, cards)),
            ("sizes", np.int16, (places,)),
            ("where", np.int16, (cards,)),
            ("barred", np.int64, (places, -(-len(layout.faces) // 63))),
            ("traces", np.int64, (layout.seats, cards) if self.tables["TRACED"] else (1, 1)),
            ("numbers", np.int64, (max(len(layout.numbers), 1),)),
            ("texts", np.int16, (max(len(layout.texts), 1),)),
            ("maps", np.int64, (max(len(layout.maps), 1), cards)),
            ("map_made", np.int64, (max(len(layout.maps), 1),)),
            ("map_values", np.int64, (max(len(layout.maps), 1), max(layout.most_changing, 1))),
            ("chance", np.uint64),
            ("source", np.uint64),
            ("stream", np.uint64),
            ("shuffled", np.int64),
            ("ordering", np.int64),
            ("imagined", np.int64),
            ("watcher", np.int64),
            ("digest", np.int64),
            ("partial", np.int64),
            ("maybe", np.int64, (max(len(self.privacy.secrets), 1),)),
            ("chosen", _integer_type(actions), (max(self.actions.levels, 1),)),
            ("decisions", np.int64),
            ("to_act", np.int64),
            ("over", np.int64),
            ("moves", np.int64),
            ("legal_words", np.int64, (words,)),
            ("counts", _integer_type(int(self.tables["MOST_COUNT"])), (actions,)),
            ("history", _integer_type(actions), (self.events,)),
            *self._told_fields(),
            # What deals with a past alone use stands behind the rest, out of the way of the others.
            ("orders", _integer_type(cards), (shuffles, cards)),
            ("redrawn", np.int64, (MOST_REDRAWN if draws_in_play(layout) else 1, 2)),
            ("labels", np.int16, (cards,)),
            ("pins", _integer_type(cards), (shuffles, cards)),
            ("holds", _integer_type(cards), (shuffles, len(layout.faces))),
            ("lies", _integer_type(places + cards), (shuffles, cards)),
            ("checks", np.uint8 if self._check_bits == CHECK_BITS else np.uint32, (self.events,)),
        ]

    def _check_options(self) -> None:
        fields = [name for name, *_ in self.fields]
        for one in self.layout.description.options:
            name = one.name.lower()
            if fields.count(name) > 1 or name in _ARGUMENTS or keyword.iskeyword(name) or hasattr(np.ndarray, name):
                raise RecycleError(f"an option cannot be called {one.name}: the word means something else", one.at)

    def _told_fields(self) -> list[tuple[Any, ...]]:
        tells, layout = len(self.tells.acts), self.layout
        seats = layout.seats if tells else 1
        of_faces = -(-len(layout.faces) // 63)
        cards, words = (len(layout.cards), of_faces) if self.tells.slotted else (1, 1)
        return [
            ("heard", np.int64, (seats,)),
            ("told", np.int8, (seats, max(tells, 1))),
            ("ruled", np.int64, (seats, cards, words)),
            ("some", np.int64, (max(len(self.tells.claims), 1), of_faces if self.tells.claims else 1)),
            ("said", np.int32, (MOST_TELLINGS if tells else 1, 5)),
            ("sayings", np.int64),
        ]

    def _find_no_recall(self) -> str:
        """Returns the reason why there is no recall of the order of play; empty if there is."""
        most, counted = self.layout.description.max_decisions, self.counted_shuffles
        if most > MOST_RECALLED:
            return f"it can have {most:,} decisions, where {MOST_RECALLED:,} can be recalled"
        if MOST_COUNTED < counted < math.inf:
            return f"it can have {counted} shuffles, where {MOST_COUNTED} can be recalled"
        return ""

    @property
    def recall_ends(self) -> str:
        """The number of shuffles behind which recall finds no worlds, in words; empty if there cannot be so many."""
        known = self.no_recall or self.counted_shuffles < math.inf
        return "" if known else f"with recall none is looked for behind more than {MOST_SHUFFLES} shuffles"

    @cached_property
    def _check_bits(self) -> int:
        """The bits of the checks of what was seen: more if a public number or an option depends on hidden cards."""
        writer = ScriptWriter(self.layout, self.privacy)
        acts = [act for statement in self.program.statements if isinstance(statement, list) for act in statement]
        told = all(writer.is_told(act) for act in acts) and not any(self.tables["HIDDEN_RULES"])
        return CHECK_BITS if told else CHECK_BITS + GROUPS * GROUP_BITS

    @staticmethod
    def _only_face(key: Key) -> int:
        faces = [value for kind, value in key if kind == "card"]
        return faces[0] if len(faces) == 1 else -1

    # --- tables ---

    def _fill_tables(self) -> None:
        layout, tables = self.layout, self.tables
        values = np.zeros((len(layout.strings), len(layout.cards)), np.int64)
        for card, face in enumerate(layout.face_of):
            for attribute in layout.attributes:
                values[layout.code[attribute], card] = layout.code[layout.face_value(face, attribute)]
        tables["VALUES"] = values
        tables["FACES"] = layout.face_of
        tables["TEAM_OF"] = layout.team_of
        widest = max(map(len, layout.teams))
        tables["TEAMS"] = [[*team, *[0] * (widest - len(team))] for team in layout.teams]
        tables["TEAM_SIZES"] = [len(team) for team in layout.teams]
        tables["OWNERS"] = [seat if one.owner == "player" else -1 for one, seat in layout.places] or [-1]
        everybody = (1 << layout.seats) - 1
        tables["SEEN_BY"] = [
            {
                "all": everybody,
                "owner": 1 << seat if one.owner == "player" else 0,
                "nobody": 0,
                "others": everybody & ~(1 << seat) if one.owner == "player" else everybody,
            }[SEEN[one.storage]]
            for one, seat in layout.places
        ] + [everybody]
        for kind, slots in (
            ("PLACES", layout.place_slots), ("NUMBERS", layout.number_slots), ("TEXTS", layout.text_slots),
            ("MAPS", layout.map_slots),
        ):  # fmt: skip
            storages = {"NUMBERS": ("sto",), "TEXTS": ("str",), "MAPS": ("points",)}.get(kind, tuple(SEEN))
            for owner in ("game", "player", "team"):
                for storage in storages:
                    firsts = [-1] * len(layout.strings)
                    for one, where in slots.items():
                        if one.owner == owner and one.storage == storage:
                            firsts[layout.code[one.name]] = where.first
                    tables[f"{kind}_{owner}_{storage}"] = firsts
        words = -(-len(self.actions.keys) // 64)
        tables |= {
            "WORDS": words, "ACTIONS": len(self.actions.keys), "SEATS": layout.seats, "HEAP": self._heap_size(),
            "SETUP_CARDS": layout.setup_cards, "SITES": len(self.points),
            "NUMERALS": [int(name) for name in layout.numerals] or [0],
            "NUMERAL_CODES": [layout.code[name] for name in layout.numerals] or [0],
            "PLACE_COUNT": len(layout.places), "NUMBER_BINS": len(layout.numbers), "TEXT_BINS": len(layout.texts),
            "MAP_BINS": len(layout.maps), "DEPTHS": [seats for seats, _ in self.depths_of_sites] or [0],
            "STUCK": [layout.fault_number(NO_OPTION, one.at) for one in layout.statics.choices] or [0],
            "UNTOLD": [layout.fault_number(PRIVATE_ERROR, one.at) for one in layout.statics.choices] or [0],
            "ENDLESS": [layout.fault_number(f"{MOST_STEPS} steps without a choice", at) for at in self.program.within],
            "HIDDEN_RULES": [
                int(any(told_by_options(layout, one.act, one.in_parts) for one in of_choice))
                for of_choice in self.actions.alternatives
            ] or [0],
            "NUMBER_GROUPS": [number % GROUPS for _, number in layout.numbers] or [0],
            "OPENING_DRAWS": int(any(isinstance(node, syntax.Random | syntax.Extreme)
                                     for act in layout.opening for node in syntax.walk(act))),
            "CHANCE_IN_PLAY": 2 if any(map(involves_chance, layout.statics.choices)) else int(draws_in_play(layout)),
            "SHUFFLES": self.shuffles, "MOST_EVENTS": self.events, "MOST_DECISIONS": layout.description.max_decisions,
            "ACTION_FACES": [self._only_face(key) for key in self.actions.keys] or [-1],
            "FIRST_CARD": [layout.face_of.index(face) for face in range(len(layout.faces))],
            "IS_DONE": [int(key[-1][0] == "done") for key in self.actions.keys] or [0],
            "LAST_POINT": self.program.statements.index(None),
            "POINTS": [*self.points, self.program.statements.index(None)],
        }  # fmt: skip
        perfect = layout.description.perfect
        tables |= {"HAS_PERFECT": int(perfect is not None), "PERFECT": 0 if perfect is None else perfect.score}
        turned = [sorted((seat + 1) % layout.seats for seat in team) for team in layout.teams]
        tables["SIDES_TURN"] = int(all(team in map(sorted, layout.teams) for team in turned))  # so they are the contract's
        tables |= map_tables(layout)
        tables["POINTS_BEHIND"] = [self.program.following[point] for point in self.points] or [0]

    def _heap_size(self) -> int:
        sets = any(
            isinstance(node, syntax.Subsets | syntax.Tuples | syntax.Runs | syntax.Partition) for node in self.layout.nodes
        )
        return 4096 + 2 * len(self.actions.keys) + 32 * len(self.layout.cards) + (1 << 17) * sets

    # --- text ---

    def source_text(self) -> str:
        """Returns the module's text; a RecycleError if it is too long to be compiled."""
        functions = [
            self._write_run(),
            self._write_options(),
            *self._write_learning(),
            self._write_note_options(),
            self._write_score(),
        ]
        functions = [*(function_source(head, lines) for head, lines in self.tells.functions.values()), *functions]
        parts = [HEAD]
        used = "\n".join([STOP, *functions, TAIL])
        for table, value in self.tables.items():
            if table in used:
                array = np.asarray(value, np.int64)
                if array.ndim == 0:
                    parts.append(f"{table} = {int(array)}")
                else:
                    parts.append(f"{table} = np.array({_array_text(array)}, np.int64).reshape({array.shape})")
        check_code(self.layout, "".join(functions))
        return "\n".join([*parts, STOP, *functions, TAIL])

    @property
    def faults(self) -> Faults:
        """The messages of errors, once the text is written; apart from it, so that names and remarks recompile nothing."""
        layout = self.layout
        places = [f"{'game' if one.owner == 'game' else number} {one.storage} {one.name}" for one, number in layout.places]
        return Faults(layout.description.name or "", list(layout.faults), places)

    def _write_run(self) -> str:
        """Writes ``run(games, i, H)``: goes on to the next choice or to the end."""
        layout, program = self.layout, self.program
        writer = ScriptWriter(layout, self.privacy)
        writer.tells = self.tells
        writer.emit_head()
        writer.emit("g.site = -1")
        sites = {point: site for site, point in enumerate(self.points)}
        with writer.block(f"for _ in range({MOST_STEPS}):"):
            writer.emit("top = np.int64(0)")
            writer.emit("point = np.int64(g.point)")
            first, start = 0, len(writer.lines)
            for point, statement in enumerate(program.statements):
                with writer.block(f"if point == {point}:"):
                    if statement is None:
                        writer.emit("g.over = 2")
                        writer.emit("return np.int64(0)")
                    elif point in sites:
                        writer.emit(f"g.site = {sites[point]}")
                        writer.emit("return np.int64(0)")
                    elif isinstance(statement, list):
                        self._write_acts(writer, statement)
                        writer.emit(f"g.point = {program.following[point]}")
                    else:
                        self._write_stage(writer, point, statement)
                after = writer.cut_out(start, f"if {first} <= point <= {point}:")
                first, start = (point + 1, after) if after != start else (first, start)
        writer.emit("halt(games, i, ENDLESS[g.point])")
        writer.emit(writer.given_up)
        return writer.function_text()

    def _write_acts(self, writer: ScriptWriter, acts: list[syntax.Act]) -> None:
        writer.seat_depth, writer.side_depth = self.layout.depth_of[id(acts[0])]
        start = len(writer.lines)
        for act in acts:
            writer.write_statement(act)
            start = writer.cut_out(start)

    def _write_stage(self, writer: ScriptWriter, point: int, stage: syntax.Stage) -> None:
        seats, sides = self.layout.depth_of[id(stage)]
        of = "seat" if stage.of == "player" else "side"
        writer.seat_depth, writer.side_depth = seats + (of == "seat"), sides + (of == "side")
        depth = writer.seat_depth if of == "seat" else writer.side_depth
        count = self.layout.owner_count(stage.of)
        if not self.program.ends[point]:
            writer.emit(f"g.{of}_turn[{depth}] = g.{of}_turn[{depth - 1}]")
            writer.emit(f"g.{of}_queue[{depth}] = -1")
        ended = writer.write_condition(stage.end)
        with writer.block(f"if {ended}:"):
            writer.emit(f"g.{of}_turn[{depth}] = 0")
            writer.emit(f"g.{of}_queue[{depth}] = -1")
            writer.emit(f"g.point = {self.program.following[point]}")
        with writer.block("else:"):
            if self.program.ends[point]:
                writer.emit(f"g.{of}_turn[{depth}] = next_turn(g.{of}_turn, g.{of}_queue, {depth}, {count})")
                writer.emit(f"g.{of}_queue[{depth}] = -1")
            writer.emit(f"g.point = {self.program.first[point]}")

    def _write_at_sites(self, head: str, otherwise: str, writers: Iterable[SiteWriter]) -> str:
        """Writes a function of the current choice; ``writers`` write its lines at each choice, in order."""
        bodies, functions = {}, []
        for site, writer in enumerate(writers):
            lines = writer.write_lines()
            if lines is not None:
                bodies[site] = lines
                functions += writer.others
                self.tables |= writer.tables
        return "".join([*functions, site_function(head, bodies, otherwise)])

    def _write_options(self) -> str:
        """Writes ``options(games, i, H, target) -> int``, see `OptionWriter`."""
        writers = [OptionWriter(self.layout, self.actions, k, depths) for k, depths in enumerate(self.depths_of_sites)]
        for writer in writers:
            writer.tells = self.tells
        return self._write_at_sites("options(games, i, H, target)", "np.int64(0)", writers)

    def _write_learning(self) -> list[str]:
        """Writes the functions for what all seats learn by an action.

        For ``infer(games, i, H, action)`` and ``may(games, i, H, action)``, before the action, see `InferenceWriter` and
        `LearningWriter`. ``learn(games, i, site, actor, open)``, behind it, notes what private bins may hold; ``open`` has
        the bits of ``may``.
        """
        layout, actions, privacy, sites = self.layout, self.actions, self.privacy, list(enumerate(self.depths_of_sites))
        inferences = (InferenceWriter(layout, actions, k, depths) for k, depths in sites)
        learnings = (LearningWriter(layout, actions, privacy, k, depths) for k, depths in sites)
        effects = [(k, one) for k, choice in enumerate(layout.statics.choices) for one in privacy.choice_effects(choice)]
        behind = ["    g = games[i]"]
        if effects:
            widest = max(len(one.rows) for _, one in effects)
            owners = [privacy.secrets[one.secret].number if one.own else -1 for _, one in effects]
            self.tables["EFFECTS"] = [[k, one.secret, owner] for (k, one), owner in zip(effects, owners, strict=True)]
            self.tables["EFFECT_ROWS"] = [[*one.rows, *[(0, 0)] * (widest - len(one.rows))] for _, one in effects]
            behind += LEARN.split("\n")
        return [
            self._write_at_sites("infer(games, i, H, action)", "np.int64(-1)", inferences),
            self._write_at_sites("may(games, i, H, action)", "np.int64(0)", learnings),
            function_source("learn(games, i, site, actor, open)", behind),
        ]

    def _write_note_options(self) -> str:
        """Writes ``note_options(views, j)``: sets the rule options of a view from its numbers."""
        lines = ["    v = views[j]"]
        for one in self.layout.description.options:
            slot = self.layout.number_slots[Owned("game", "sto", one.name)].first
            lines.append(f"    v.{one.name.lower()} = v.numbers[{slot}]")
        return function_source("note_options(views, j)", lines)

    def _write_score(self) -> str:
        """Writes ``score(games, i, seat, H)``: the scoring number with a seat as the current player."""
        writer = Writer(self.layout)
        writer.given_up = "return np.int64(0)"
        writer.emit_head()
        writer.emit("before, queued = g.seat_turn[0], g.seat_queue[0]")
        writer.emit("g.seat_turn[0] = seat")
        writer.emit("g.seat_queue[0] = -1")
        result = writer.write_number(self.layout.description.scoring.points)
        writer.emit(f"result = np.int64({result})")
        writer.emit("g.seat_turn[0], g.seat_queue[0] = before, queued")
        sign = "" if self.layout.description.scoring.best == "max" else "-"
        writer.emit(f"return {sign}result")
        return function_source("score(games, i, seat, H)", writer.lines)


def _integer_type(most: int) -> type[np.signedinteger[Any]]:
    """Returns the smallest type for numbers up to this size; small STATEs make batches fast."""
    return next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(kind).max)


def _array_text(array: np.ndarray[Any, Any]) -> str:
    flat = array.reshape(-1).tolist()
    return "[" + ", ".join(map(str, flat)) + "]"
