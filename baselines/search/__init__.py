"""Agents that search: they deal the hidden cards out again and look ahead."""
