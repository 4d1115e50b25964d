"""Agents that decide by rules of thumb, and the values that they go by."""
