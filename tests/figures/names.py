"""The public names: modules with their functions and classes, entry points, policies, commands with their options."""

import dataclasses
import importlib
import inspect
import re
import tomllib
from enum import Enum
from types import ModuleType
from typing import Any

import click

from cardenvs import cli, get_game
from cardenvs.baselines.reports.columns import Columns
from cardenvs.policy.registry import policy_makers
from tests.figures.draws import PLAYED
from tests.figures.keeping import ROOT
from tests.helpers.imports import MODULES

PACKAGES = ("cardenvs", "cardenvs.baselines", "cardenvs.train")
"""Those whose modules are described apart: the first two need no torch."""
OPTIONAL = ("torchrl", "tianshou", "rllib", "sb3", "openspiel")
"""Parts of the names of modules that need a library which is not always there: they are left out."""


def name_items() -> list[str]:
    """What is described: the modules of each package, entry points, policies by game, commands."""
    return [*PACKAGES, "entry points", "commands", *(f"policies of {game}" for game in PLAYED)]


def describe_names(item: str) -> Any:
    """One item of `name_items`, as it is now."""
    if item == "entry points":
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        return {"scripts": project["scripts"], **project["entry-points"]}
    if item == "commands":
        return describe_command(cli.app)
    if item in PACKAGES:
        return {name: described for name in public_modules(item) if (described := describe_module(name))}
    makers = policy_makers(get_game(item.removeprefix("policies of ")))
    return {name: signature_text(maker) for name, maker in sorted(makers.items())}


def documented_names() -> set[str]:
    """The names that the API reference documents."""
    pages = sorted((ROOT / "docs/api").glob("*.md"))
    return {name for page in pages for name in re.findall(r"^::: (\S+)", page.read_text("utf-8"), re.MULTILINE)}


def public_modules(package: str) -> list[str]:
    """The modules of a package that have ``__all__``, or are documented, or in which something is."""
    documented = documented_names()
    wanted = {name.rpartition(".")[0] for name in documented} | documented
    found = [name for name, path in MODULES.items() if name in wanted or "__all__" in path.read_text("utf-8")]
    apart = [name for name in found if not any(word in name for word in OPTIONAL)]
    return sorted(name for name in apart if package_of(name) == package)


def package_of(module: str) -> str:
    """The one of `PACKAGES` to which a module belongs."""
    return max((package for package in PACKAGES if f"{module}.".startswith(f"{package}.")), key=len)


def describe_module(name: str) -> dict[str, Any]:
    """The public names of a module: what is in ``__all__``, or else all that is made there."""
    module = importlib.import_module(name)
    listed = getattr(module, "__all__", None)
    names = listed if listed is not None else [key for key, value in vars(module).items() if _is_own(module, key, value)]
    return {key: describe_value(getattr(module, key)) for key in sorted(names)}


def _is_own(module: ModuleType, key: str, value: Any) -> bool:
    """Whether a name without an underscore is made in a module, and not imported there."""
    if key.startswith("_") or isinstance(value, ModuleType) or key in ("annotations", "TYPE_CHECKING"):
        return False
    if isinstance(value, type) or callable(value):
        return getattr(value, "__module__", None) == module.__name__
    return key.isupper()


def describe_value(value: Any) -> Any:
    """A function by its parameters, a class by its members, columns by their keys, an enumeration by its values."""
    if isinstance(value, ModuleType):
        return "module"
    if isinstance(value, Columns):
        made = [name for name in dir(value.row) if not name.startswith("_")]
        return {"row": " ".join(column.key for column in value), "of rows": " ".join(sorted(made))}
    if not isinstance(value, type):
        return signature_text(value) if callable(value) else type(value).__name__
    if issubclass(value, Enum):
        return {member.name: member.value for member in value}
    told: dict[str, Any] = {"class": signature_text(value)}
    if dataclasses.is_dataclass(value):
        told["fields"] = " ".join(field.name for field in dataclasses.fields(value))
    own = [base for base in value.__mro__ if base.__module__.startswith("cardenvs")]
    for name in sorted({name for base in own for name in vars(base) if not name.startswith("_")}):
        member = inspect.getattr_static(value, name)
        told[name] = signature_text(getattr(value, name)) if inspect.isroutine(member) else type(member).__name__
    return told


def signature_text(made: Any) -> str:
    """The names and defaults of a callable's parameters, such as ``(game, *, seed=0)``, without annotations."""
    try:
        signature = inspect.signature(made)
    except (TypeError, ValueError):
        return type(made).__name__
    empty = inspect.Parameter.empty
    bare = [parameter.replace(annotation=empty) for parameter in signature.parameters.values()]
    text = str(signature.replace(parameters=bare, return_annotation=empty))
    return re.sub(r" at 0x[0-9a-f]+|" + re.escape(f"{ROOT}/"), "", text)


def describe_command(command: click.Command) -> dict[str, Any]:
    """A command's parameters by their names, and the commands within it."""
    told: dict[str, Any] = {" ".join([*one.opts, *one.secondary_opts]): describe_parameter(one) for one in command.params}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            within = command.get_command(context, name)
            told[f"command {name}"] = None if within is None else describe_command(within)
    return told


def describe_parameter(parameter: click.Parameter) -> str:
    """A parameter's type, its default and what else is said of it, in a line."""
    told = [f"{parameter.name}: {type(parameter.type).__name__}"]
    kind = {key: value for key, value in parameter.type.to_info_dict().items() if key not in ("param_type", "name")}
    told += [f"{key}={value}" for key, value in kind.items() if isinstance(value, (int, float, str, list, tuple))]
    default = parameter.default
    if default is not None and "UNSET" not in repr(default) and not callable(default):
        told.append(f"default={default!r}")
    flags = ("required", "multiple", "is_flag", "hidden")
    told += [flag for flag in flags if getattr(parameter, flag, False)]
    return " ".join(told + ([f"nargs={parameter.nargs}"] if parameter.nargs != 1 else []))
