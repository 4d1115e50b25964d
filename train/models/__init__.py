"""Trained models as files."""
