"""Agents for Five-O that search: chances of columns, play-outs, expectiminimax."""
