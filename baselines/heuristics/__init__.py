"""Agents that decide by rules of thumb."""
