"""Groups of policies, such as the training seeds of one recipe: recognised by their paths, or given by name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cardenvs import policy


def seed_groups(policies: Sequence[str]) -> dict[str, list[str]]:
    """Groups the files whose paths differ in nothing but the number behind ``seed``: training seeds of one recipe.

    ``runs/a-seed-0/policy.zip`` and ``runs/a-seed-1/policy.zip`` are the group ``runs/a-seed-*/policy.zip``; a file that is
    alone is in no group.
    """
    groups: dict[str, list[str]] = {}
    for name in policies:
        if policy.path_of(name) is not None:
            groups.setdefault(re.sub(r"(?<![a-z])seed([-_=]?)\d+", r"seed\1*", name), []).append(name)
    return {key: members for key, members in groups.items() if len(members) > 1}


def parse_group(text: str, policies: Sequence[str]) -> tuple[str, list[str]]:
    """The name and the policies in a text ``NAME=POLICY,POLICY``, which may name some ``policies``.

    Raises:
        ValueError: a text of another form, a policy that is not among ``policies``, or a policy given twice.
    """
    name, equals, listed = text.partition("=")
    if not equals or not name or not listed:
        raise ValueError(f"the group {text!r} is not NAME=POLICY,POLICY")
    members, so_far = [], ""
    for word in listed.split(","):
        # A policy's parameters may have commas in them, too.
        so_far = f"{so_far},{word}" if so_far else word
        if so_far in policies:
            members.append(so_far)
            so_far = ""
    if so_far:
        raise ValueError(f"the group {name!r} has {so_far!r}, which is not among the policies {', '.join(policies)}")
    if len(set(members)) < len(members):
        raise ValueError(f"the group {name!r} has a policy twice")
    return name, members
