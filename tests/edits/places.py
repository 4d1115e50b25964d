"""Places in product code that can be edited, and a seeded choice among them."""

import ast
import hashlib
import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("cardenvs", "baselines", "train")
"""The folders of product code."""
KINDS = ("sign", "bound", "index", "constant", "dropped line")

_SIGNS = {ast.Add: "+ -", ast.Sub: "- +", ast.Mult: "* +"}
_BOUNDS = {ast.Lt: "< <=", ast.LtE: "<= <", ast.Gt: "> >=", ast.GtE: ">= >", ast.Eq: "== !=", ast.NotEq: "!= =="}
_KEPT = (ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal, ast.Match)
_TYPES = re.compile(r"(\w+\.)?(dict|list|tuple|set|frozenset|type|[A-Z]\w*[a-z]\w*)")
"""Values of which a subscript is a type, or may be one."""


@dataclass(frozen=True)
class Edit:
    """A change of one place in a file: the bytes from ``start`` to ``stop`` are ``old`` and become ``new``.

    ``lines`` are the first and the last of the statement around it, of a compound one only of its head.
    """

    kind: str
    path: str
    lines: tuple[int, int]
    line: int
    start: int
    stop: int
    old: str
    new: str

    @property
    def name(self) -> str:
        """The place and the change, in a line."""
        return " ".join(f"{self.path}:{self.line} (byte {self.start}) {self.kind}: {self.old} -> {self.new}".split())

    def apply(self, source: bytes) -> bytes:
        """The file's content with the change."""
        return source[: self.start] + self.new.encode() + source[self.stop :]


def _walk(node: ast.AST, lines: tuple[int, int], inside: bool = False) -> Iterator[tuple[ast.AST, tuple[int, int]]]:
    """Nodes that run in functions, each with the lines of its statement.

    Not f-strings, of whose parts older Pythons do not say where they are, types, and what click is told.
    """
    if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
        first = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
        body = getattr(node, "body", None)
        lines = first, max(first, body[0].lineno - 1) if body else node.end_lineno  # type: ignore[union-attr]
    match node:
        case ast.JoinedStr() | ast.arguments() | ast.Call(func=ast.Attribute(value=ast.Name(id="click"))):
            return
        case ast.Subscript(value=value) if _TYPES.fullmatch(ast.unparse(value)):
            return
    if inside:
        yield node, lines
    inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    for field, value in ast.iter_fields(node):
        if field not in ("decorator_list", "annotation", "returns", "type_params"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _walk(child, lines, inside)


def places(path: str, source: bytes) -> Iterator[Edit]:
    """All edits of a file."""
    starts = [0, *itertools.accumulate(map(len, source.splitlines(keepends=True)))]

    def span(node: ast.AST) -> tuple[int, int]:
        at: ast.expr = node  # type: ignore[assignment]
        return starts[at.lineno - 1] + at.col_offset, starts[(at.end_lineno or 0) - 1] + (at.end_col_offset or 0)

    def edit(kind: str, start: int, stop: int, new: str) -> Edit:
        return Edit(kind, path, lines, source.count(b"\n", 0, start) + 1, start, stop, source[start:stop].decode(), new)

    def operator(kind: str, left: ast.expr, right: ast.expr, change: str) -> Edit:
        """An edit between two operands, where comments may stand, too."""
        old, new = change.split()
        start = span(left)[1]
        gap = re.sub(rb"#[^\n]*", lambda remark: b" " * len(remark[0]), source[start : span(right)[0]])
        start += gap.index(old.encode())
        return edit(kind, start, start + len(old), new)

    def one_more(kind: str, node: ast.expr) -> Edit:
        start, stop = span(node)
        return edit(kind, start, stop, f"({source[start:stop].decode()}) + 1")

    indices = set[ast.AST]()
    for node, lines in _walk(ast.parse(source), (0, 0)):  # noqa: B007
        match node:
            case ast.BinOp(left=left, op=op, right=right) | ast.AugAssign(target=left, op=op, value=right):
                if type(op) in _SIGNS:
                    yield operator("sign", left, right, _SIGNS[type(op)])
            case ast.Compare(left=left, ops=ops, comparators=rights):
                for before, op, right in zip([left, *rights], ops, rights, strict=False):
                    if type(op) in _BOUNDS:
                        yield operator("bound", before, right, _BOUNDS[type(op)])
            case ast.Call(func=ast.Name(id="range"), args=[stop] | [_, stop] | [_, stop, _]):
                yield one_more("bound", stop)
            case ast.Subscript(slice=index):
                for one in index.elts if isinstance(index, ast.Tuple) else [index]:
                    inner = one.operand if isinstance(one, ast.UnaryOp) else one
                    if isinstance(one, ast.Name) or (isinstance(inner, ast.Constant) and type(inner.value) is int):
                        indices.add(inner)
                        yield one_more("index", one)
            case ast.Constant(value=bool(value)):
                yield edit("constant", *span(node), repr(not value))
            case ast.Constant(value=int(value) | float(value)) if node not in indices and value + 1 != value:
                yield edit("constant", *span(node), repr(value + 1))
            case ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
                continue
        if isinstance(node, ast.stmt) and not isinstance(node, _KEPT) and not hasattr(node, "body"):
            yield edit("dropped line", *span(node), "pass")


def product_files(root: Path) -> dict[str, bytes]:
    """The content of the product's source files, by their paths from the repository's root."""
    found = {path.resolve() for package in PACKAGES for path in (root / package).rglob("*.py")}
    return {path.relative_to(root.resolve()).as_posix(): path.read_bytes() for path in sorted(found)}


def digest(root: Path) -> str:
    """A hash of the product's source."""
    return hashlib.sha256(repr(product_files(root)).encode()).hexdigest()


def choose(root: Path, number: int, seed: int) -> list[Edit]:
    """Chooses edits that compile, of each kind in turn; fewer edits are the first of more."""
    files = product_files(root)
    every = [edit for path, source in files.items() for edit in places(path, source)]

    def drawn(kind: str) -> Iterator[Edit]:
        candidates = [edit for edit in every if edit.kind == kind]
        random.Random(f"{seed} {kind}").shuffle(candidates)
        for edit in candidates:
            try:
                compile(edit.apply(files[edit.path]), edit.path, "exec")
            except SyntaxError:
                continue
            yield edit

    in_turn = itertools.chain.from_iterable(itertools.zip_longest(*map(drawn, KINDS)))
    return list(itertools.islice(filter(None, in_turn), number))
