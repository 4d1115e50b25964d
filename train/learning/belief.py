"""Fits a belief network (`cardenvs.train.inference.belief`) to a policy's own games. Needs torch."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.utils import update_learning_rate
from torch import nn

from cardenvs.compiled.streams import seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Policy
from cardenvs.train.inference.belief import Belief, allowed_holders, holder_names
from cardenvs.train.inference.symmetry import SuitSymmetry

_GAMES = 512  # games played side by side, which is also the number of positions in a minibatch
_LR = 1e-3  # Adam's learning rate at the start; it falls to 0


def fit_belief(
    player: Policy,
    decisions: int,
    *,
    net: Sequence[int] = (256, 256),
    canonical_suits: bool = True,
    seed: int = 0,
    **options: Any,
) -> tuple[Belief, list[float]]:
    """Fits a belief network to games in which ``player`` holds every seat, from about ``decisions`` unforced positions. A
    policy that samples shows more kinds of positions. Returns the network, and the mean loss in each tenth of the run, in
    nats: the negative logarithm of the probability of a hidden card's true holder."""
    game = player.game
    batch = Batch(game, _GAMES, seed=seed, skip_forced=True, **options)
    streams = seed_streams((seed + 1) % 2**64, _GAMES)
    symmetry = SuitSymmetry(game) if canonical_suits else None
    names = holder_names(game)
    ends = game.observation_size + np.cumsum([part.size for part in game.hidden])
    hidden = [slice(end - part.size, end) for end, part in zip(ends, game.hidden, strict=True) if part.name in names]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        widths = [game.observation_size, *net, len(names) * len(game.parts[0].labels)]
        modules: list[nn.Module] = []
        for wide, next_wide in itertools.pairwise(widths):
            modules += [nn.Linear(wide, next_wide), nn.ReLU()]
        network = nn.Sequential(*modules[:-1])
    optimizer = torch.optim.Adam(network.parameters(), lr=_LR)
    rounds = max(1, decisions // _GAMES)
    losses = []
    for k in range(rounds):
        states = batch.states()
        shown = states if symmetry is None else symmetry.rename_positions(states, batch.action_masks)[0]
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
        truth = torch.from_numpy(np.stack([shown[:, part] for part in hidden], 1)).float()
        seen = shown[:, : game.observation_size]
        logits = network(torch.from_numpy(seen).float()).reshape(len(shown), len(hidden), -1)
        logits = logits + torch.from_numpy(allowed_holders(game, seen))
        loss = -(torch.log_softmax(logits, 1) * truth).sum() / truth.sum().clamp(min=1)
        update_learning_rate(optimizer, _LR * (1 - k / rounds))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    layers = [
        (module.weight.detach().numpy().copy(), module.bias.detach().numpy().copy())
        for module in network
        if isinstance(module, nn.Linear)
    ]
    means = [float(np.mean(part)) for part in np.array_split(np.array(losses), min(10, len(losses)))]
    return Belief(game, layers, canonical_suits), means
