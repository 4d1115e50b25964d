"""Wrong arguments of public calls: an error of the right class whose one line names what was wrong and what is allowed."""

import importlib
import inspect
import pkgutil
import re

import pytest

from tests import refusals

ROOMS = [module.name for module in pkgutil.iter_modules(refusals.__path__)]
CASES = [
    pytest.param(one, id=f"{room}-{k}-{getattr(one.call, '__name__', type(one.call).__name__)}")
    for room in ROOMS
    for k, one in enumerate(importlib.import_module(f"{refusals.__name__}.{room}").REFUSALS)
]


def make_argument(value, folder):
    """A function that takes nothing, or ``tmp_path`` alone, is called for the argument."""
    if not inspect.isfunction(value):
        return value
    taken = [*inspect.signature(value).parameters]
    return value(*[folder] * len(taken)) if taken in ([], ["tmp_path"]) else value


@pytest.mark.parametrize("case", CASES)
def test_wrong_arguments_are_refused_in_words(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    args = [make_argument(one, tmp_path) for one in case.args]
    named = {name: make_argument(one, tmp_path) for name, one in case.named.items()}
    with pytest.raises(case.error) as refused:
        case.call(*args, **named)
    message = refused.value.args[0] if issubclass(case.error, KeyError) else str(refused.value)
    assert re.search(".*".join(map(re.escape, case.words.split("…"))), message)
    assert "\n" not in message.strip()
