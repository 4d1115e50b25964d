"""As `tests.fuzz.grown`, of games in which something is told of hidden cards."""

from __future__ import annotations

from tests.fuzz import grown
from tests.fuzz.running import main
from tests.helpers.growing import Teller

if __name__ == "__main__":
    grown.RECIPE = Teller
    main(grown.trial, "Grows descriptions of games that tell of hidden cards, plays them, and judges what is told.")
