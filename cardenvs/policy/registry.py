"""Policies by name.

Names come from the entry-point group ``cardenvs.policies``, which any installed package may extend: the entry's name is the
policy's (kebab-case), its object a `Policy` subclass or any callable ``(game, **parameters) -> Policy``, whose attribute
``games`` lists its games by their families (`GameSpec.family`; absent or None: all). An entry whose name is a file
extension, such as ``.zip``, loads such files. Where games have different policies of one name, the entry's name has both:
``five-o/monte-carlo``. ``*/monte-carlo`` is for all games without one of their own.
"""

import inspect
import os
import re
from collections.abc import Callable
from typing import Any

from cardenvs import plugins
from cardenvs.checks import did_you_mean, short
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.plugins import Registry
from cardenvs.policy.contract import Policy
from cardenvs.policy.naming import check_parameters, parse_parameters, split_unquoted

POLICIES: Registry[Callable[..., Policy]] = Registry("cardenvs.policies")
"""Objects that make policies, by the names of entries."""


def runs_code(name: str) -> bool:
    """Returns whether a policy's name says what code to run; such names are not accepted from strangers."""
    base = name.partition(":")[0]
    if base in POLICIES.made:
        return False
    if plugins.split_code(name, _is_policy_name) is not None:
        return True
    return base in POLICIES.entries and bool(getattr(POLICIES.entries[base].load(), "runs_code", False))


def _is_policy_name(base: str) -> bool:
    """Returns whether a policy has a name of its own that begins so."""
    return base in POLICIES.made or any(key.rpartition("/")[2] == base for key in POLICIES.entries)


def register(name: str, factory: Callable[..., Policy]) -> None:
    """Registers a policy by a name in this process, as an installed package's entry point does everywhere.

    A script that starts worker processes registers at import, not behind ``if __name__ == "__main__":``.

    Args:
        name: lower-case letters, digits and ``-``, a letter first; an earlier registration is replaced.
        factory: a `Policy` subclass or any callable ``(game, **parameters) -> Policy``; its attribute ``games`` lists its
            games by their families (absent or None: all).

    Raises:
        ValueError: another name, or one that an installed package has; neither a Policy subclass nor callable.
    """
    if not isinstance(name, str) or not re.fullmatch("[a-z][a-z0-9-]*", name):
        raise ValueError(f"name must be lower-case letters, digits and -, a letter first, not {short(name)}")
    if name not in POLICIES.made and _is_policy_name(name):
        raise ValueError(f"there is a policy called {name!r} already: choose another name")
    _check_maker("factory", factory)
    POLICIES.register(name, factory)


def _check_maker(name: str, factory: Any) -> None:
    """Checks that an object that was given as ``name`` looks like a maker of policies."""
    allowed = "a Policy subclass or a function that makes a policy"
    if isinstance(factory, type):
        if not issubclass(factory, Policy):
            raise ValueError(f"{name} must be {allowed}, not the class {factory.__name__!r}, which is no Policy")
        if missing := sorted(getattr(factory, "__abstractmethods__", ())):
            raise ValueError(f"{name} must be {allowed}: the class {factory.__name__!r} lacks {', '.join(missing)}")
    elif not callable(factory) or inspect.isbuiltin(factory):
        raise ValueError(f"{name} must be {allowed}, not {short(factory)}")


def names(game: str | GameSpec) -> list[str]:
    """Returns the names of all policies that play this form of ``game``, with those that need extras or commands."""
    return sorted(policy_makers(get_game(game)))


def listed_names(game: str | GameSpec) -> list[str]:
    """Returns the names of the policies in lists for people: those of `names` without ``Policy.slip``."""
    return sorted(base for base, made in policy_makers(get_game(game)).items() if not getattr(made, "slip", False))


def default_names(game: str | GameSpec) -> list[str]:
    """Returns the names of the policies that commands play by default, sorted; they need no extras."""
    return sorted(base for base, made in policy_makers(get_game(game)).items() if getattr(made, "by_default", True))


def names_with(game: str | GameSpec, attribute: str) -> list[str]:
    """Returns the names of the policies whose makers have a true attribute, such as ``"can_be_foretold"``; sorted."""
    made = policy_makers(get_game(game))
    return [name for name in listed_names(game) if getattr(made[name], attribute, False)]


def policy_makers(game: GameSpec) -> dict[str, Callable[..., Policy]]:
    """Returns the objects that make the policies of this form of a game, by name; loads all entry points."""
    bases = {key.rpartition("/")[2] for key in POLICIES.entries} | set(POLICIES.made)
    found = {base: _find_factory(game, base) for base in bases}
    return {base: made for base, made in found.items() if made is not None and not _unfit_reason(game, made)}


def _find_factory(game: GameSpec, base: str) -> Callable[..., Policy] | None:
    """Returns the object that makes the policy ``base`` of a game, None if there is none; loads one entry point alone."""
    made = _maker_of(game, base)
    return None if made is None or _lacks_worlds(game, made) else made


def _lacks_worlds(game: GameSpec, factory: Callable[..., Policy]) -> bool:
    return bool(getattr(factory, "needs_worlds", False)) and game.kernels.redeal is None


def _unfit_reason(game: GameSpec, factory: Callable[..., Policy]) -> str:
    """Returns the reason why a game's policy does not play this form of it (`Policy.unfit`); empty if it does."""
    unfit = getattr(factory, "unfit", None)
    return "" if unfit is None else unfit(game)


def _maker_of(game: GameSpec, base: str) -> Callable[..., Policy] | None:
    """Returns the object that makes the policy ``base`` of a game, even if it needs worlds and the game has none."""
    if base.startswith(".") or "/" in base:
        return None
    if base in POLICIES.made:
        registered = POLICIES.made[base]
        games = getattr(registered, "games", None)
        return registered if games is None or game.family in games else None
    own = f"{game.family}/{base}"
    for name in (own if own in POLICIES.entries else base, f"*/{base}"):
        if name in POLICIES.entries:
            factory: Callable[..., Policy] = POLICIES.entries[name].load()
            games = getattr(factory, "games", None)
            if name.startswith("*/") and not _lacks_worlds(game, factory) and _unfit_reason(game, factory):
                continue  # what is for all games says of itself which it does not play
            if games is None or game.family in games:
                return factory
    return None


def has(game: str | GameSpec, name: str) -> bool:
    """Returns whether a policy of a name, without parameters, plays a game; loads that policy alone, unlike `names`."""
    spec = get_game(game)
    factory = _find_factory(spec, name) if isinstance(name, str) else None
    return factory is not None and not _unfit_reason(spec, factory)


def first_line(game: str | GameSpec, name: str) -> str:
    """Returns the first line of the docstring of a policy of `names`; raises ValueError for another name."""
    spec = get_game(game)
    factory = _find_factory(spec, name)
    if factory is None:
        raise ValueError(_unknown_message(spec, name))
    line = " ".join(inspect.cleandoc(factory.__doc__ or "").partition("\n\n")[0].replace("``", "").split())
    return line.removeprefix(f"{name}: ")


def _unknown_message(game: GameSpec, name: str) -> str:
    made = _maker_of(game, name)
    if made is not None and _lacks_worlds(game, made):
        return (
            f"{name!r} draws worlds, and {game.name} has no re-deals (the kernel redeal): the policies are "
            f"{_all_of('', names(game))}"
        )
    played = _games_of(name)
    others = f"it plays {' and '.join(played)} alone; " if played else ""
    return f"unknown policy {name!r} for {game.name}: {others}the policies are {_all_of(name, listed_names(game))}"


def _all_of(name: str, listed: list[str]) -> str:
    """Returns listed policies, and what else a name can be, for messages on a wrong one."""
    return f"{', '.join(listed)}, or the path of a {' or '.join(suffixes())}{did_you_mean(name, listed)}"


def _games_of(base: str) -> list[str]:
    """Returns the games of policies of a name, sorted; empty if one of them plays all, or none is known."""
    made = [
        entry.load()
        for key, entry in POLICIES.entries.items()
        if key.rpartition("/")[2] == base and not key.startswith(".")
    ]
    made += [POLICIES.made[base]] if base in POLICIES.made else []
    listed = [getattr(factory, "games", None) for factory in made]
    return [] if None in listed else sorted({game for games in listed for game in games or ()})


def suffixes() -> list[str]:
    """Returns the extensions of files that policies are loaded from, sorted."""
    return sorted(name for name in POLICIES.entries if name.startswith("."))


def split_called(text: str) -> tuple[str, str]:
    """Splits a trained policy's label in tables, as in ``mine=runs/a/policy.zip``, from the rest; "" without one."""
    called, equals, rest = text.partition("=")
    if equals and re.fullmatch(r"[\w.-]+", called) and not os.path.exists(text) and path_of(rest) is not None:
        return called, rest
    return "", text


def path_of(text: str) -> str | None:
    """Returns the path in a policy's name, without parameters and label; None if the name is not that of a file."""
    text = split_called(text)[1]
    known = tuple(suffixes())
    head, colon, _ = text.partition(":")
    if colon and os.sep not in head and not head.endswith(known):
        return None  # a name, whose parameters may hold a path
    ends = [text.index(f"{suffix}:") + len(suffix) for suffix in known if f"{suffix}:" in text]
    path = text[: min(ends, default=None)]
    return path if path.endswith(known) or os.sep in path else None


def split_names(text: str) -> list[str]:
    """Splits a text at ``+``, except in quotes and in the path of an existing file."""
    path = path_of(text) or ""
    return [text] if "+" in path and os.path.exists(path) else split_unquoted(text, "+")


def make(game: str | GameSpec, name: str | Policy, **parameters: Any) -> Policy:
    """Makes the policy of a name.

    Args:
        name: a name of `names` or the path of a trained policy, with parameters behind a colon if any
            (``"monte-carlo:worlds=30"``, ``"runs/a/policy.zip:sample=yes"``), and a label for tables before it
            (``"mine=runs/a/policy.zip"``); a class in a module or a file (``"my.agents:Mine"``,
            ``"mine.py:Mine,level=3"``); or a policy, which is returned as it is.
        parameters: more parameters by name, which override those in ``name``.

    Raises:
        ValueError: unknown name, parameter or value, or a policy of another game; says what is allowed.
        OSError: a file that cannot be read.
    """
    spec = get_game(game)
    if isinstance(name, Policy):
        if name.game.name != spec.name:
            raise ValueError(f"the policy {name.name!r} plays {name.game.name}, not {spec.name}")
        if name.game.digest != spec.digest:
            raise ValueError(f"the policy {name.name!r} plays another description of {spec.name}")
        return name
    if not isinstance(name, str):
        raise ValueError(f"name must be a policy or the name of one, such as 'random', not {short(name)}")
    code = plugins.split_code(name, _is_policy_name)
    if code is not None:
        made = _maker_in(code)
        given = (parse_parameters(code.attribute, code.rest, made) if code.rest else {}) | parameters
        check_parameters(code.attribute, made, given)
        return _set_name(made(spec, **given), name)
    plugins.check_names_class(name)
    path = path_of(name)
    if path is not None:
        loader = POLICIES.entries[_checked_suffix(path)].load()
        listed = split_called(name)[1][len(path) + 1 :]
        chosen = parse_parameters(path, listed, loader) if listed else {}
        return _set_name(loader(spec, path, **chosen | parameters), name)
    base, colon, listed = name.partition(":")
    factory = _find_factory(spec, base)
    if factory is None:
        raise ValueError(_unknown_message(spec, base))
    if why := _unfit_reason(spec, factory):
        raise ValueError(f"{base} {why}")
    chosen = parse_parameters(base, listed, factory) | parameters if colon else parameters
    check_parameters(base, factory, chosen)
    return _set_name(factory(spec, **chosen), name)


def _maker_in(code: plugins.Code) -> Callable[..., Policy]:
    made = plugins.load_code(code.where, code.attribute)
    _check_maker(f"{code.where}:{code.attribute}", made)
    return made


def _checked_suffix(path: str) -> str:
    """Returns the extension of the path of a trained policy; raises if it is unknown, or no file is there."""
    suffix = os.path.splitext(path)[1]
    if suffix not in POLICIES.entries:
        raise ValueError(f"no policy can be loaded from {path!r}: the file must end in {' or '.join(suffixes())}")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no policy file {path!r}")
    return suffix


def settled(game: GameSpec, name: str) -> tuple[str, dict[str, Any]]:
    """Returns a policy's base name or path and all parameters, with defaults: the same for names that mean the same."""
    path, text = path_of(name), split_called(name)[1]
    if path is None and runs_code(text):
        return text, {}
    base, _, listed = (path, "", text[len(path) + 1 :]) if path else text.partition(":")
    loader = POLICIES.entries.get(os.path.splitext(base)[1]) if path else None
    factory = loader.load() if loader else None if path else _find_factory(game, base)
    known = inspect.signature(factory).parameters.values() if factory else ()
    defaults = {each.name: each.default for each in known if each.default is not each.empty}
    return os.path.normpath(base), defaults | (parse_parameters(base, listed, factory) if listed else {})


def check_exists(name: str) -> None:
    """Checks that some game may have the policy of a name of `make`; loads no game.

    Raises:
        ValueError: no game has such a policy; says what there is.
        OSError: a file that cannot be read.
    """
    code = plugins.split_code(name, _is_policy_name)
    if code is not None:
        _maker_in(code)
        return
    plugins.check_names_class(name)
    path = path_of(name)
    if path is not None:
        _checked_suffix(path)
        return
    base = name.partition(":")[0]
    if base.startswith(".") or not _is_policy_name(base):
        listed = sorted(
            {key.rpartition("/")[2] for key in POLICIES.entries if not key.startswith(".")} | set(POLICIES.made)
        )
        raise ValueError(f"unknown policy {base!r}: the policies are {_all_of(base, listed)}")


def _set_name(policy: Any, name: str) -> Policy:
    """Sets the name by which a policy was made, and returns it."""
    if not isinstance(policy, Policy):
        raise ValueError(f"{name!r} has made {short(policy)}, which is no Policy")
    policy.name = name
    return policy


def parse_name(name: str) -> tuple[str, dict[str, Any]]:
    """Splits a policy's name, which is not that of a file, from its parameters."""
    base, colon, listed = name.partition(":")
    factory = POLICIES.entries[base].load() if colon and base in POLICIES.entries else None
    return base, parse_parameters(base, listed, factory) if colon else {}
