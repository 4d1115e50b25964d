"""The project's own rules: imports point one way, generated documents are fresh, rules are cited."""

import ast
import graphlib
import re
from pathlib import Path

import pytest

from cardenvs.contract import observation
from tests.helpers.command_line import run_python
from tests.helpers.imports import MODULES, imported, imports, nodes
from tests.helpers.paths import ROOT

LEVELS = {"cardenvs": 0, "cardenvs.baselines": 1, "cardenvs.train": 2}
"""The packages, each of which may import itself and those before it."""


def circle(graph):
    """Nodes that lead from one to the next and back to the first; none if there are no such ones."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def package_of(module):
    first_two = ".".join(module.split(".")[:2])
    return first_two if first_two in LEVELS else module.partition(".")[0]


@pytest.mark.parametrize("package", sorted(LEVELS))
def test_arrows_point_one_way(package):
    own = {name: path for name, path in MODULES.items() if package_of(name) == package}
    assert len(own) > 10
    for path in own.values():
        for name in imported(path):
            other = package_of(name)
            assert other not in ("baselines", "train", "tests"), f"{path.relative_to(ROOT)} imports {name}"
            assert LEVELS.get(other, 0) <= LEVELS[package], f"{path.relative_to(ROOT)} imports {name}"


def test_no_imports_in_a_circle():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()})
    assert circle(imports()) == []


def test_no_rooms_in_a_circle():
    """Folders do not import each other; front doors, faces and what lies in a package's own folder stand alone."""

    def room(name):
        path = MODULES[name]
        folder = path.parent.relative_to(ROOT / "cardenvs").as_posix()
        alone = folder in (".", "baselines", "train") or path.name == "__init__.py" or name.endswith("command")
        return name if alone else folder

    rooms = {}
    for name, others in imports().items():
        rooms.setdefault(room(name), set()).update(room(other) for other in others)
    assert circle({name: others - {name} for name, others in rooms.items()}) == []


def test_front_doors_are_no_libraries():
    """Nobody imports a command's file."""
    for name, others in imports().items():
        doors = [other for other in others if other.endswith("command") or ".commands." in other]
        assert not doors, f"{name} imports {doors}"


FRAMEWORKS = {
    "cardenvs.frameworks.rllib": {"ray.rllib"},
    "cardenvs.frameworks.sb3": {"stable_baselines3"},
    "cardenvs.frameworks.sb3_policy": {"stable_baselines3", "torch"},
    "cardenvs.frameworks.tianshou": {"tianshou", "torch"},
    "cardenvs.frameworks.torchrl": {"tensordict", "torch", "torchrl"},
}
"""The forms of games for other libraries, and the packages of theirs that each of them imports."""

LEARNING = {"torch", "stable_baselines3"}
"""What is imported where something learns, too."""


def test_libraries_of_learning_stay_in_their_rooms():
    """Torch is imported where something learns, another library in its own front door alone, and that by nobody else."""
    packages = set().union(*FRAMEWORKS.values())
    doors = 0
    for name, path in MODULES.items():
        own = list(imported(path))
        if not name.startswith("cardenvs.frameworks."):
            assert not FRAMEWORKS.keys() & set(own), name
        used = {package for package in packages for other in own if other == package or other.startswith(f"{package}.")}
        if name in FRAMEWORKS:
            assert used == FRAMEWORKS[name], name
            doors += 1
        else:
            assert used <= (LEARNING if name.startswith("cardenvs.train.") else set()), name
    assert doors == len(FRAMEWORKS)


def written_formats(path):
    """The formats by which a file writes numbers, with their lines; what is only known as the program runs is ``{}``."""
    for node in nodes(path):
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
            parts = node.format_spec.values
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((node.lineno, text) for text in re.findall(r"\{\w*:([^{}]*)\}", node.value))


def forgets_zero(text):
    """Whether a format writes numbers with a sign, none of them an integer, and a small one below zero as -0.0."""
    return re.fullmatch(r"(.?[<>=^])?(\+|\{\})[ #0-9,_.{}]*[efgEFG%]", text) is not None


def test_a_signed_number_is_never_minus_zero():
    assert all(map(forgets_zero, ("+.3f", "+8.3f", ">+.3f", "+,.1f", "{}.{}f", "+.2%")))
    assert not any(map(forgets_zero, ("+z.3f", "+d", ".3f", "{}z.{}f", "<{}", "g", ">8")))
    files = MODULES | {path.name: path for folder in ("examples", "benchmarks") for path in (ROOT / folder).rglob("*.py")}
    found = [
        f"{name}:{line}: {text}"
        for name, path in files.items()
        for line, text in written_formats(path)
        if forgets_zero(text)
    ]
    assert not found, "a number that is rounded to zero reads -0.0: write +z for +"


def test_differences_of_shares_are_percentage_points():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for path in (*pages, *MODULES.values()):
        text = " ".join(re.sub(r'[\s"]+', " ", path.read_text()).split()).lower()
        assert "points of a percent" not in text, path.relative_to(ROOT)


def calls(path, name):
    """The calls of a function in a file, by the function's last name."""
    for node in nodes(path):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
            yield node


AUDITED = "cardenvs.baselines.audit.pettingzoo"
"""The module that imports the environments that a command line names, to audit them."""


def test_own_modules_are_imported_by_import_statements():
    """What is imported by a name in text is others' code; a name that is not known here stands in the registry alone."""
    found = 0
    for name, path in MODULES.items():
        for call in calls(path, "import_module"):
            found += 1
            if isinstance(call.args[0], ast.Constant):
                assert not call.args[0].value.startswith("cardenvs"), f"{name}:{call.lineno}"
            else:
                assert name in ("cardenvs.plugins", "cardenvs.render.files", AUDITED), f"{name}:{call.lineno}"
    assert found > 3


MODULES_OF_THE_FLOOR = 13
"""How many modules lie in ``cardenvs/`` itself: doors and plain tools."""
LONGEST_FUNCTION, LONGEST_FILE = 120, 600
"""In lines; the rules of a game stand in one file, however long."""


def test_nothing_is_longer_than_can_be_read_at_once():
    assert len(list((ROOT / "cardenvs").glob("*.py"))) <= MODULES_OF_THE_FLOOR
    for name, path in MODULES.items():
        text = path.read_text()
        assert name.startswith("cardenvs.games.") or text.count("\n") <= LONGEST_FILE, name
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno - node.lineno < LONGEST_FUNCTION, f"{name}.{node.name}"


GAME_NAMES = ("euchre", "five-o", "hanabi", "whist")


def asks_for_a_name(nodes):
    """The lines of Python that compare something with the name of a game."""
    for node in nodes:
        if isinstance(node, ast.Compare):
            compared = [one for part in (node.left, *node.comparators) for one in ast.walk(part)]
            if any(isinstance(one, ast.Constant) and one.value in GAME_NAMES for one in compared):
                yield node.lineno
        elif isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant) and node.value.value in GAME_NAMES:
            yield node.lineno


def test_nothing_outside_games_asks_which_game_it_is():
    source = "if game.name in ('whist', 'bridge'):\n    x = 1 if 'euchre' != name else 2"
    assert list(asks_for_a_name(ast.walk(ast.parse(source)))) == [1, 2]
    for name, path in MODULES.items():
        if not name.startswith("cardenvs.games."):
            assert not list(asks_for_a_name(nodes(path))), f"{name}: what a game is, its kind says"


IMPORTS_A_TEST = re.compile(r"^\s*(from tests\.([\w.]+\.)?test_|(from tests[\w.]* )?import .*\btest_)", re.MULTILINE)


def test_tests_import_no_test_module():
    lines = "from tests.games.test_a import b", "    from tests.games import c, test_a", "import tests.test_a"
    assert all(map(IMPORTS_A_TEST.search, lines)) and not IMPORTS_A_TEST.search("from tests.helpers.a import b")
    for path in (ROOT / "tests").rglob("*.py"):
        assert not IMPORTS_A_TEST.search(path.read_text()), path.relative_to(ROOT)


MOST_LOADED = 7_770
"""The most lines of this project that one environment of one game loads."""
ONE_EPISODE_BEGUN = """
import sys
from cardenvs import euchre_v0

env = euchre_v0.env()
env.reset(seed=1)
env.step(int(env.last()[0]["action_mask"].argmax()))
for name, module in sys.modules.items():
    if name.partition(".")[0] == "cardenvs":
        print(module.__file__)
"""


def test_one_environment_loads_little():
    done = run_python(ONE_EPISODE_BEGUN)
    assert done.returncode == 0, done.stderr
    files = set(done.stdout.split())
    assert str(ROOT / "cardenvs" / "games" / "euchre.py") in files
    assert sum(len(Path(file).read_bytes().splitlines()) for file in files) <= MOST_LOADED, sorted(files)


def test_games_know_no_shells():
    for path in (ROOT / "cardenvs" / "games").glob("*.py"):
        for name in imported(path):
            assert not name.startswith(("cardenvs.envs", "cardenvs.policy.contract", "gymnasium", "pettingzoo")), path


def test_observation_document_is_fresh():
    assert (ROOT / "docs" / "observations.md").read_text() == observation.markdown(), "run `make docs`"


@pytest.mark.parametrize(("game", "letter"), [("euchre", "E"), ("whist", "W"), ("five-o", "F"), ("hanabi", "H")])
def test_cited_clauses_exist(game, letter):
    rules = (ROOT / "docs" / "rules" / f"{game}.md").read_text()
    clauses = set(re.findall(rf"\[({letter}\d+)\]", rules))
    assert len(clauses) > 10
    source = (ROOT / "cardenvs" / "games" / f"{game.replace('-', '_')}.py").read_text()
    cited = {clause for group in re.findall(r"\[([EWFH\d, to]+)\]", source) for clause in re.findall(r"[EWFH]\d+", group)}
    assert cited
    assert cited <= clauses


SAID_BY_ANNOTATIONS = re.compile(
    r"(the (game|game's spec|settings|policy|table)|(the game's )?name or spec|what is to be done)\."
)


def arguments_of(docstring):
    """The names and descriptions in a docstring's section Args."""
    section = re.split(r"\n(?=\S)", docstring.partition("Args:\n")[2], maxsplit=1)[0]
    for name, text in re.findall(r"^    (\w+): ((?:.*\n?)(?: {8}.*\n?)*)", section, re.MULTILINE):
        yield name, " ".join(text.split())


def test_what_annotations_say_is_not_said_again():
    assert dict(arguments_of("A.\n\nArgs:\n    a: the\n        game.\n    b: it.\n\nRaises:\n    x: no.")) == {
        "a": "the game.", "b": "it.",
    }  # fmt: skip
    for name, path in MODULES.items():
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
                called = [node] if isinstance(node, ast.FunctionDef) else methods
                listed = [one for made in called for one in (*made.args.args, *made.args.kwonlyargs)]
                annotations = {one.arg: ast.unparse(one.annotation) for one in listed if one.annotation}
                for argument, text in arguments_of(ast.get_docstring(node) or ""):
                    if SAID_BY_ANNOTATIONS.fullmatch(text):
                        assert not re.fullmatch(r"(str \| )?GameSpec|Layout|\w*Settings", annotations.get(argument, "")), (
                            f"{name}.{node.name}: {argument}"
                        )


ALLUSIONS = re.compile(r"(What|How|Who|Whose|Which|Where|When|Whatever|Whoever|Something)\b")


def docstrings(nodes):
    """The lines and texts of a module's docstrings, those behind assignments included; those of commands are left out."""
    for node in nodes:
        body = getattr(node, "body", None)
        if not isinstance(body, list) or any("command" in ast.unparse(one) for one in getattr(node, "decorator_list", ())):
            continue
        for number, one in enumerate(body):
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
                if number == 0 or isinstance(body[number - 1], ast.Assign | ast.AnnAssign):
                    yield one.lineno, one.value.value


def test_docstrings_name_the_thing():
    example = ast.walk(ast.parse('A = 1\n"""What a is."""'))
    assert [line for line, text in docstrings(example) if ALLUSIONS.match(text)] == [2]
    for name, path in MODULES.items():
        for line, text in docstrings(nodes(path)):
            assert not ALLUSIONS.match(text), f"{name}:{line}: begins with a word that names nothing"
