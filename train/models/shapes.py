"""Limits of networks: their activation functions, greatest width, greatest depth and greatest weight."""

from __future__ import annotations

ACTIVATIONS = ("relu", "tanh")  # names of the activation functions
MOST_WIDTH = 16_384  # the most values that a layer takes or gives
MOST_LAYERS = 32  # the most hidden layers
MOST_WEIGHT = 1e6  # the greatest weight, below which sums stay numbers
