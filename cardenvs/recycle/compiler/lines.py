"""Functions as lines of Python: blocks, names, ends of games that cannot go on, and long functions cut into several."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext

from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.errors import RecycleError

MOST_WORK = 400_000  # the most items of ranges and the most repetitions, all together, between two choices or in an option
MOST_LOOPS, MOST_INDENT = 18, 90  # the most loops within loops, and the deepest indentation: Python has 20 and 100
MOST_LINES = 300
"""Rough number of lines before a part of a function is cut out: numba takes more than in proportion for long ones."""
MOST_SHARED = 600  # rough number of lines that choices share a function for
STATE = ("top", "work", "ran", "listed", "depth", "filled", "found")
"""The variables that acts and alternatives change for what comes behind them."""
_TARGETS = re.compile(r"\s*(?:for )?((?:\w+, )*\w+) (?:=|in) ")
_TOP = re.compile(r"\btop\b")
_CHANGED = re.compile(r"\s*(\w+) [-+|&]= ")


class Lines:
    """Writes the body of a function, line by line.

    ``given_up`` is the statement that leaves the function in an imagined game that cannot go on; ``stop`` is the function
    that is called before, which raises in a real one.
    """

    stop = "stuck"
    given_up = "return np.int64(0)"

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.head = ""  # the name and the parameters of the function that is written; of one that may be long
        self.others: list[str] = []  # the functions that it calls, into which a part of it was put
        self.lines: list[str] = []
        self.indent = 1
        self.loops = 0
        self.near: syntax.Node = layout.description  # the node that is being written, for errors
        self.names = 0

    def emit_head(self) -> None:
        self.emit("g = games[i]")
        self.emit("zero = np.int64(g.zero)")
        self.emit("top = np.int64(0)")
        self.emit("work = np.int64(0)")

    def count_work(self, count: str, node: syntax.Node) -> None:
        """Counts repetitions, so that every description ends."""
        self.emit(f"work += {count}")
        self.guard(f"work > {MOST_WORK}", f"more than {MOST_WORK} items and repetitions without a choice", node)

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Writes a line that ends in a colon; within the context, lines are indented below it."""
        self.emit(head)
        before = len(self.lines)
        is_loop = head.startswith(("for ", "while "))
        self.loops += is_loop
        self.indent += 1
        if self.loops > MOST_LOOPS or self.indent > MOST_INDENT:
            limits = f"at most {MOST_LOOPS} loops, and {MOST_INDENT} conditions and loops together"
            raise RecycleError(f"this is too deep in others: there can be {limits}", self.near.at)
        yield
        if len(self.lines) == before:
            self.emit("pass")
        self.indent -= 1
        self.loops -= is_loop

    def fresh_name(self, prefix: str = "x") -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def assign(self, text: str, prefix: str = "x") -> str:
        """Writes the assignment of a text to a fresh name; returns the name."""
        name = self.fresh_name(prefix)
        self.emit(f"{name} = {text}")
        return name

    def emit_failure(self, message: str, node: syntax.Node) -> None:
        self.emit(f"{self.stop}(games, i, np.int64({self.layout.fault_number(message, node.at)}))")
        self.emit(self.given_up)

    def guard(self, condition: str, message: str, node: syntax.Node) -> None:
        with self.block(f"if {condition}:"):
            self.emit_failure(message, node)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Frees the entries of ``H`` that are taken within the context."""
        mark, start = self.assign("top", "mark"), len(self.lines)
        yield
        if any(_TOP.search(line) for line in self.lines[start:]):
            self.emit(f"top = {mark}")
        else:
            del self.lines[start - 1]

    # --- long functions ---

    def function_text(self) -> str:
        return "".join([*self.others, function_source(self.head, self.lines)])

    def cut_out(self, start: int, only: str = "") -> int:
        """Moves the lines from ``start`` on into a function of their own, if they are many, and writes its call.

        All must be indented at least as deep as the next line. ``only`` is a condition on which the function is called.
        Returns the number of the first line that was not moved.
        """
        if len(self.lines) - start < MOST_LINES or not self.head:
            return start
        name, given = self.head[:-1].split("(")
        before, lines = self.lines[:start], self.lines[start:]
        known = {*given.split(", "), *(name for line in before for name in _variables_assigned(line))}
        changed = {name for line in lines for name in _variables_assigned(line)}
        state = [name for name in STATE if name in known & changed]
        taken = list(dict.fromkeys([*_variables_read(lines, known), *state]))
        head = f"{name}_{len(self.others)}({', '.join(taken)})"
        answer = ", ".join(["left, value", *state])
        end = f"    return {', '.join(['False, np.int64(0)', *state])}"
        inner = [_return_through(line[4 * (self.indent - 1) :], state) for line in lines]
        self.others.append(function_source(head, [*inner, end]))
        self.lines = before
        with self.block(only) if only else nullcontext():
            self.emit(f"{answer} = {head}")
            with self.block("if left:"):
                self.emit("return value")
        return len(self.lines)


def as_argument(atom: str) -> str:
    """Returns an atom as an argument: numba compiles a function anew for each literal number in a call."""
    return f"np.int64({atom})" if atom.isdigit() else atom


def function_source(head: str, lines: Iterable[str]) -> str:
    return "\n".join(["", "@kernel", f"def {head}:", *lines, ""])


def site_function(head: str, bodies: Mapping[int, list[str]], otherwise: str) -> str:
    """Returns the text of a kernel that runs the lines of the current choice, and elsewhere returns ``otherwise``.

    Choices share a function until it is long: numba compiles callees into every function anew.
    """
    groups: list[list[str]] = []
    last: list[int] = []
    for site, lines in bodies.items():
        body = [f"    if site == {site}:", *("    " + line for line in lines)]
        if not groups or len(groups[-1]) + len(body) > MOST_SHARED:
            groups.append([])
            last.append(site)
        groups[-1] += body
        last[-1] = site
    first, end = "    site = games[i].site", f"    return {otherwise}"
    if len(groups) < 2:
        return function_source(head, [first, *itertools.chain(*groups), end])
    name, given = head.split("(")
    functions, calls = [], []
    for k, (group, site) in enumerate(zip(groups, last, strict=True)):
        part = f"{name}_{k}({given}"
        functions.append(function_source(part, [first, *group, end]))
        calls += [f"    if site <= {site}:", f"        return {part}"]
    return "".join([*functions, function_source(head, [first, *calls, end])])


def _variables_assigned(line: str) -> list[str]:
    found = _TARGETS.match(line) or _CHANGED.match(line)
    return found[1].split(", ") if found else []


def _variables_read(lines: list[str], known: set[str]) -> list[str]:
    """Returns the known variables that lines read before they assign them."""
    found: dict[str, None] = {}
    given: set[str] = set()
    for line in lines:
        targets = _TARGETS.match(line)
        words = re.findall(r"\b[a-zH]\w*", line[targets.end() :] if targets else line)
        found |= dict.fromkeys(name for name in words if name in known and name not in given)
        given.update(_variables_assigned(line))
    return list(found)


def _return_through(line: str, state: list[str]) -> str:
    """Marks a ``return`` in a part that was moved into its own function as one of the caller, too."""
    before, mark, value = line.partition("return ")
    return f"{before}return {', '.join([f'True, {value}', *state])}" if mark and not before.strip() else line
