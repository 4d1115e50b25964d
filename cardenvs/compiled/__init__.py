"""Compiled kernels of games: compilation, the keys under which kernels are kept, and messages while they are compiled."""
