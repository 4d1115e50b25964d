from .contract import Asked, Forfeit, Policy, ScoredPolicy, SeatMemory, ask, ask_rows, explained
from .explanation import KINDS, Explanation, Scores, ranked
from .naming import split_list
from .random import RandomPolicy
from .registry import (
    check_exists,
    default_names,
    first_line,
    has,
    listed_names,
    make,
    names,
    parse_name,
    path_of,
    register,
    runs_code,
    suffixes,
)

__all__ = [
    "KINDS",
    "Asked",
    "Explanation",
    "Forfeit",
    "Policy",
    "RandomPolicy",
    "ScoredPolicy",
    "Scores",
    "SeatMemory",
    "ask",
    "ask_rows",
    "check_exists",
    "default_names",
    "explained",
    "first_line",
    "has",
    "listed_names",
    "make",
    "names",
    "parse_name",
    "path_of",
    "ranked",
    "register",
    "runs_code",
    "split_list",
    "suffixes",
]
