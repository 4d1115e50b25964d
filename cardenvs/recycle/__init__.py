"""Card games described in the ReCYCLE language: text in, a checked syntax tree out."""

from cardenvs.recycle.errors import Position, RecycleError
from cardenvs.recycle.library import shipped, shipped_names
from cardenvs.recycle.parser import load, parse
from cardenvs.recycle.statics import Owned, Statics, statics
from cardenvs.recycle.syntax import Description, walk

__all__ = [
    "Description",
    "Owned",
    "Position",
    "RecycleError",
    "Statics",
    "load",
    "parse",
    "shipped",
    "shipped_names",
    "statics",
    "walk",
]
