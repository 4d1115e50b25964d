"""As `tests.fuzz.grown`, of games in which something is told of hidden cards."""

import functools

from tests.fuzz import grown
from tests.helpers.growing import Teller

trial = functools.partial(grown.trial, recipe=Teller)
