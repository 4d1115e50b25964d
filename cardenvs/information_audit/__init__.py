"""Checks of the information on hidden cards that a game gives its seats."""
