"""Hanabi's agents with themselves and with each other, beside known figures: ``cardenvs reproduce hanabi``."""
