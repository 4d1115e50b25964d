"""From a tree to the kernels of a game."""
