"""The compiler from a syntax tree to the kernels of a game."""
