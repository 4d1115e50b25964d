"""The options of training that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def _parse_settings(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """The settings of ``--set``, by name."""
    from cardenvs.train.config import parse_setting

    settings = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals:
            raise click.BadParameter(f"{value!r} is not NAME=VALUE", ctx, param)
        name = name.strip().replace("-", "_")
        settings[name] = parse_setting(name, text.strip())
    return settings


def settings_option(examples: str) -> Callable[[Any], Any]:
    """The option ``--set`` of a command, whose function takes the settings by name as ``more``.

    Args:
        examples: settings that it may be used for, for the help.
    """
    what = f"Any setting of cardenvs.train.Config, such as {examples}; may be repeated."
    return click.option("--set", "more", multiple=True, metavar="NAME=VALUE", callback=_parse_settings, help=what)
