"""The command line options that several training commands share."""

from collections.abc import Callable
from typing import Any

import click

from cardenvs.train.config import parse_setting


def _parse_settings(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """Parses the values of ``--set`` into settings by name."""
    settings = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals:
            raise click.BadParameter(f"{value!r} is not NAME=VALUE", ctx, param)
        settings[name.strip().replace("-", "_")] = parse_setting(name.strip().replace("-", "_"), text.strip())
    return settings


def settings_option(examples: str) -> Callable[[Any], Any]:
    """Returns the option ``--set``, which a command's function takes as ``more``; ``examples`` stands in the help."""
    what = f"Any setting of cardenvs.train.Config, such as {examples}; may be repeated."
    return click.option("--set", "more", multiple=True, metavar="NAME=VALUE", callback=_parse_settings, help=what)
