"""Compiled kernels of games: compilation, the keys and the cache of kernels, and messages during compilation."""
