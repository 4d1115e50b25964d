"""Wrong suites of partners: damaged files, points that no game ends with, what cannot be made."""

import functools
import json
import math

from cardenvs.baselines.suites import Suite, find_suite
from cardenvs.baselines.suites.making import suite_making
from cardenvs.baselines.suites.suite import FOLDER
from cardenvs.contract.registry import get_game
from cardenvs.files import name_in_path
from tests.refusals import refuse

TINY, FORM = "hanabi:tiny", "hanabi:colours=1,ranks=2,hand_size=2"
"""A form of Hanabi of 6 points, and a quicker one."""
FIRST = ("partners", 0)
BOUND = (*FIRST, "bound")
KIND = "no suite, something in it is of another kind"


@functools.cache
def _text(game):
    return (FOLDER / f"{name_in_path(get_game(game).name)}--1.json").read_text()


def stored(game):
    """A shipped suite as JSON values."""
    return json.loads(_text(game))


def changed(told, *path, to):
    """A copy of JSON values with one of them, at a path of keys, replaced; None: taken away."""
    told = json.loads(json.dumps(told))
    place = functools.reduce(lambda place, key: place[key], path[:-1], told)
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return told


def read_changed(game, *path, to):
    """A shipped suite with another value, which may be a function of the first partner."""
    told = stored(game)
    return Suite.of(get_game(game), changed(told, *path, to=to(told["partners"][0]) if callable(to) else to))


def _read_file(content, folder):
    (folder / "x.json").write_bytes(content)
    return find_suite(TINY, str(folder / "x.json"))


def _bound_of(mean):
    return {"policy": "piers", "deals": 10, "mean_points": mean, "mean_points_ci95": [mean, mean]}


def _partners(*names):
    return lambda first: [first | {"policy": name.format(first["policy"])} for name in names]


def _its_bound(first):
    return first["bound"]


REFUSALS = [
    *(
        refuse(words, read_changed, TINY, *path, to=to)
        for words, path, to in (
            ("it is for 'hanabi:mini', not for", ["game"], "hanabi:mini"),
            ("it is for another description of hanabi", ["description"], "0"),
            ("no suite, it has no 'deals'", ["deals"], None),
            ("deals must be an int from 2 to", ["deals"], "30"),
            ("seed must be an int", ["seed"], -1),
            ("unknown option 'x'", ["options"], {"x": 1}),
            (KIND, ["options"], 3),
            ("it has no partners", ["partners"], []),
            ("partners must be a list", ["partners"], {}),
            (KIND, [*FIRST, "policy"], 3),
            ("'my.py:Mine' says what is run", [*FIRST, "policy"], "my.py:Mine"),
            ("mean_points must lie in their interval", [*BOUND, "mean_points"], -5),
            ("mean_points must lie in their interval", [*BOUND, "mean_points_ci95"], [4, 4.5]),
            ("mean_points_ci95 must be two numbers", [*BOUND, "mean_points_ci95"], [4]),
            ("must be from 0 to 6, and -0.1 is not", [*BOUND, "mean_points_ci95"], [-0.1, 5.47]),
            ("must be from 0 to 6, and 6.1 is not", [*BOUND, "mean_points_ci95"], [5.47, 6.1]),
            ("mean_points must be a number", BOUND, _bound_of(math.nan)),
            *(("points with the partner ", BOUND, _bound_of(mean)) for mean in (60, 1e308, -1, 6.1)),
            *(("the bound of ", BOUND, _bound_of(mean)) for mean in (1e-300, 0)),
            *(("is given twice", ["partners"], _partners("{}", path + "{}")) for path in ("", "./", "mine=x/../")),
            *(
                (f"{other}' is given twice, the first time as '{one}'", ["partners"], _partners(one, other))
                for one, other in (
                    ("search", "search:rollouts=10000"),
                    ("x.safetensors", "y/../x.safetensors:sample=no"),
                    ("search:rollouts=500,blueprint=piers", "search:blueprint=piers,rollouts=500"),
                )
            ),
            ("opponents must be none in hanabi", ["opponents"], ["piers"]),
            ("must have no floor", [*FIRST, "floor"], _its_bound),
        )
    ),
    refuse("opponents must name at least one", read_changed, "whist", "opponents", to=[]),
    refuse("must have a floor", read_changed, "whist", *FIRST, "floor", to=None),
    refuse("must be above what counts as 0", read_changed, "whist", *FIRST, "floor", to=_its_bound),
    *(refuse(KIND, Suite.of, lambda: get_game(TINY), told) for told in ([], None)),
    *(
        refuse(f"x.json': {words}", _read_file, content, lambda tmp_path: tmp_path)
        for content, words in ((b"\xff", "no suite, it is no JSON"), (b"{", "no suite, it is no JSON"), (b"3", KIND))
    ),
    *(
        refuse(words, suite_making, FORM, **{"partners": ["iggi"], **wrong})
        for words, wrong in (
            ("one of the partners iggi, not for 'random'", {"responses_for": {"random": ["iggi"]}}),
            ("responses_for must be a dict with names as keys", {"responses_for": ["iggi"]}),
            ("responses_for must be a dict with names as keys", {"responses_for": 0}),
            ("responses_for must be a list of names of policies, and 3 is no name", {"responses_for": {"iggi": [3]}}),
            ("partners must be a list of names of policies, and 3 is no name", {"partners": ["iggi", 3]}),
            ("responses must be a list of names of policies, and 3 is no name", {"responses": ["iggi", 3]}),
        )
    ),
]
