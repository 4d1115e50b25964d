"""Memory that is reused: memory fresh from the system is slow to write to, page by page."""

from __future__ import annotations

import math

import torch
from torch import Tensor

_ROUND = 1 << 16
"""Unit of the sizes of spaces in bytes, so large that minibatches of a row more or less use the same ones."""


class Spaces:
    """Memory for tensors on the processor, which several threads may take and return at a time."""

    def __init__(self) -> None:
        self._free: dict[int, list[torch.UntypedStorage]] = {}

    def take(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """A tensor that nobody else uses until it is given back; its content is left from before.

        Args:
            shape: its shape.
            dtype: its dtype.
        """
        size = -(-math.prod(shape) * dtype.itemsize // _ROUND) * _ROUND
        try:
            room = self._free.setdefault(size, []).pop()
        except IndexError:
            room = torch.UntypedStorage(size)
        return torch.empty(0, dtype=dtype).set_(room, 0, shape)  # type: ignore[call-overload]

    def give_back(self, *tensors: Tensor) -> None:
        """Takes tensors back; nobody may use them any more.

        Args:
            tensors: from `take`.
        """
        for tensor in tensors:
            room = tensor.untyped_storage()
            self._free[room.nbytes()].append(room)
