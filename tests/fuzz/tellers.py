"""As `tests.fuzz.grown`, of games in which something is told of hidden cards."""

import functools

from tests.fuzz.grown import trial
from tests.fuzz.running import main
from tests.helpers.growing import Teller

if __name__ == "__main__":
    main(
        functools.partial(trial, recipe=Teller),
        "Grows descriptions of games that tell of hidden cards, plays them, and judges what is told.",
    )
