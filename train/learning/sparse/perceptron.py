"""Multilayer perceptrons over sparse rows as they learn on the processor: outputs and gradients, written out by hand.

Torch's own operations write each to fresh memory, whose pages the system has to fetch first. Here hidden layers lie in
memory that is used again. They multiply in bfloat16 where the caller's `cardenvs.train.learning.descent.reduced` says so;
the first layer's sums, all weights and what the optimizer sees stay float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from cardenvs.train.learning.sparse.first_layer import Entries, layer_gradients, layer_outputs
from cardenvs.train.learning.sparse.spaces import Spaces


class _Activation(NamedTuple):
    """An activation function."""

    apply: Callable[[Tensor], Any]
    """Writes its outputs over its inputs."""
    go_back: Callable[[Tensor, Tensor], Any]
    """Given the gradients of its outputs and these outputs, writes the gradients of its inputs over the former."""


_ACTIVATIONS: dict[type[nn.Module], _Activation] = {
    nn.ReLU: _Activation(
        torch.relu_, lambda g, x: torch.ops.aten.threshold_backward.grad_input(g, x, 0, grad_input=g)
    ),
    nn.Tanh: _Activation(torch.tanh_, lambda g, x: torch.ops.aten.tanh_backward.grad_input(g, x, grad_input=g)),
}  # fmt: skip


class _Kept(NamedTuple):
    """Tensors of the forward pass that the backward pass needs."""

    weights: list[Tensor]
    """Weights of every layer behind the first, (outputs, inputs), as they were multiplied with."""
    inputs: list[Tensor]
    """Inputs of every layer behind the first, (n, inputs), in memory that is to be given back."""


def _forward(
    activation: _Activation, kind: torch.dtype, entries: Entries, spaces: Spaces, parameters: Sequence[Tensor]
) -> tuple[Tensor, _Kept]:
    """The outputs, float32 (n, outputs), and the tensors for the backward pass.

    Args:
        activation: follows every layer but the last.
        kind: the dtype in which the layers behind the first multiply.
        entries: those of n rows.
        spaces: memory to work in.
        parameters: weights (outputs, inputs) and biases (outputs,) of all layers in turn, float32; at least two layers.
    """
    x = layer_outputs(parameters[0], parameters[1], entries, spaces)
    if kind != x.dtype:
        summed, x = x, spaces.take(*x.shape, dtype=kind).copy_(x)
        spaces.give_back(summed)
    activation.apply(x)
    weights, inputs = [each.to(kind) for each in parameters[2::2]], [x]
    biases = [each.to(kind) for each in parameters[3::2]]
    for weight, bias in zip(weights[:-1], biases, strict=False):
        x = torch.addmm(bias, x, weight.t(), out=spaces.take(len(x), len(weight), dtype=kind))
        activation.apply(x)
        inputs.append(x)
    return torch.addmm(biases[-1], x, weights[-1].t()).float(), _Kept(weights, inputs)


def _backward(
    activation: _Activation, kept: _Kept, inputs: int, entries: Entries, spaces: Spaces, gradient: Tensor
) -> list[Tensor]:
    """The gradients of all parameters in their order, float32.

    Args:
        activation: follows every layer but the last.
        kept: from `_forward`; its memory is given back.
        inputs: how many inputs the first layer has.
        entries: those of n rows.
        spaces: memory to work in.
        gradient: float32 (n, outputs), that of the outputs.
    """
    found, taken = list[Tensor](), list[Tensor]()
    gradient = gradient.to(kept.inputs[0].dtype)
    for weight, x in zip(reversed(kept.weights), reversed(kept.inputs), strict=True):
        found += gradient.sum(0).float(), (gradient.t() @ x).float()
        gradient = torch.mm(gradient, weight, out=spaces.take(*x.shape, dtype=x.dtype))
        activation.go_back(gradient, x)
        taken.append(gradient)
    found += reversed(layer_gradients(gradient, inputs, entries, spaces))
    spaces.give_back(*taken, *kept.inputs)
    return found[::-1]


class _Perceptron(torch.autograd.Function):
    """`_forward` and `_backward` as a function of torch's autograd."""

    @staticmethod
    def forward(
        ctx: Any, activation: _Activation, kind: torch.dtype, entries: Entries, spaces: Spaces, *parameters: Tensor
    ) -> Tensor:
        """The outputs, float32 (n, outputs)."""
        ctx.given = activation, parameters[0].shape[1], entries, spaces
        outputs, ctx.kept = _forward(activation, kind, entries, spaces, parameters)
        return outputs

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The gradients of the parameters, float32."""
        kept, ctx.kept = ctx.kept, None
        if kept is None:
            raise RuntimeError("these gradients were asked for before, and can be had once only")
        activation, inputs, entries, spaces = ctx.given
        return None, None, None, None, *_backward(activation, kept, inputs, entries, spaces, gradients[0])


def layers_of(modules: Sequence[nn.Module]) -> list[nn.Linear] | None:
    """The layers of a network that this file knows how to learn with, else None.

    Args:
        modules: the network's modules in turn.
    """
    layers, between = modules[::2], {type(module) for module in modules[1::2]}
    plain = [layer for layer in layers if type(layer) is nn.Linear and layer.bias is not None]
    known = len(modules) % 2 == 1 and len(between) == 1 and between <= _ACTIVATIONS.keys()
    return plain if known and len(plain) == len(layers) else None


def outputs_by_hand(layers: Sequence[nn.Linear], activation: type[nn.Module], entries: Entries, spaces: Spaces) -> Tensor:
    """A network's outputs, float32 (n, outputs), whose gradients can be had once.

    Args:
        layers: from `layers_of`.
        activation: the kind of the modules between them.
        entries: those of n rows, as the first layer takes them.
        spaces: memory to work in.
    """
    kind = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else torch.float32
    given = _ACTIVATIONS[activation], kind, entries, spaces
    parameters = [each for layer in layers for each in (layer.weight, layer.bias)]
    with torch.autocast("cpu", enabled=False):  # casts are made here, once each
        if torch.is_grad_enabled():
            outputs: Tensor = _Perceptron.apply(*given, *parameters)
        else:
            outputs, kept = _forward(*given, parameters)
            spaces.give_back(*kept.inputs)
    return outputs
