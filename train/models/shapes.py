"""Limits of networks: their activation functions, greatest width, greatest depth and greatest weight."""

from __future__ import annotations

ACTIVATIONS = ("relu", "tanh")
"""Names of the activation functions."""
MOST_WIDTH = 16_384
"""The most values that a layer takes or gives."""
MOST_LAYERS = 32
"""The most hidden layers."""
MOST_WEIGHT = 1e6
"""The greatest weight, below which sums stay numbers."""
