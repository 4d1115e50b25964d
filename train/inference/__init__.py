"""Trained policies as they play, in compiled code: no torch here."""
