"""Exported policies and their model cards."""
