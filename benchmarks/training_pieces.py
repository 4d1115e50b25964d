"""What each piece of training brings: ``python benchmarks/training_pieces.py [--report FILE] [--json]``.

The trainer as it is beside the same trainer with one piece that is written by hand replaced by the plain way of torch,
NumPy or Stable-Baselines3, an iteration of each in turn. At first each learns two iterations from the same start in
float32, which must end in nearly the same weights.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import click
import numpy as np
import torch
from measuring import count_option, hand_over, in_turn, machine, processor_seconds, tell, wall_seconds, written_by
from sb3_contrib import MaskablePPO
from torch import Tensor
from training_speed import iterate

from cardenvs import cli
from cardenvs.printing import table_lines
from cardenvs.train.config import Config
from cardenvs.train.learning import ppo
from cardenvs.train.learning.descent import Workers, reduced_precision
from cardenvs.train.learning.loss import Decisions, draw_actions, masked_log_softmax
from cardenvs.train.learning.network import FullCriticPolicy
from cardenvs.train.learning.ppo import SelfPlayPPO
from cardenvs.train.learning.rows import DenseRows, SparseRows
from cardenvs.train.learning.self_play import Training
from cardenvs.train.recipes import recipe

LEAST_COSINE = 0.999
"""Least cosine between what the weights have moved by, with a piece and without it: sums are rounded in another order."""


# --- the plain ways ------------------------------------------------------------------------------------------------


def dense_rows(policy: FullCriticPolicy, observations: Any, threads: Workers) -> DenseRows:
    """`FullCriticPolicy.prepare_rows` for torch's own first layers."""
    return DenseRows(torch.from_numpy(observations))


def single_entries(policy: FullCriticPolicy, observations: Any, threads: Workers) -> SparseRows:
    """`FullCriticPolicy.prepare_rows` with an entry for each seat that could hold a card."""
    return SparseRows.from_rows(observations, threads)


def torch_loss(
    logits: Tensor, values: Tensor, decisions: Decisions, n: int, clip: float, ent_coef: float, vf_coef: float
) -> tuple[Tensor, Tensor]:
    """`ppo_loss` in torch's operations."""
    log_probs = masked_log_softmax(logits, decisions.legal)
    log_ratios = log_probs.gather(1, decisions.actions[:, None])[:, 0] - decisions.log_probs
    ratios = log_ratios.exp()
    gains, clipped = decisions.advantages * ratios, decisions.advantages * ratios.clamp(1 - clip, 1 + clip)
    policy_loss = -torch.min(gains, clipped).sum() / n
    value_loss = (decisions.returns - values).square().sum() / n
    known = torch.where(decisions.legal, log_probs, 0.0)
    entropy_loss = (known.exp() * known).sum() / n
    loss = policy_loss + ent_coef * entropy_loss + vf_coef * value_loss
    with torch.no_grad():
        divergence = (ratios - 1 - log_ratios).sum() / n
        beyond = ((ratios - 1).abs() > clip).sum() / n
    return loss, torch.stack([entropy_loss, policy_loss, value_loss, divergence, beyond, loss])


def torch_player(policy: FullCriticPolicy) -> Callable[[Any], Any]:
    """`FullCriticPolicy.compiled_actor` in torch."""

    def logits(observations: Any) -> Any:
        """The actor's logits, float32 (n, num_actions)."""
        with torch.inference_mode():
            return policy.logits(DenseRows(torch.from_numpy(observations))).numpy()

    return logits


def play_by_steps(model: SelfPlayPPO, env: Any, callback: Any, buffer: Any, steps: int, use_masking: bool = True) -> bool:
    """`SelfPlayPPO.collect_rollouts` with Stable-Baselines3's loop: actor and critic in torch, step by step."""
    policy: Any = model.policy

    def forward(observations: Tensor, deterministic: bool = False, action_masks: Any = None) -> tuple[Tensor, ...]:
        """Actions, values and log-probabilities of a step, the actions drawn as the trainer draws them."""
        logits, values = policy.logits(DenseRows(observations)), policy.critic_values(DenseRows(observations))
        legal, draws = action_masks.reshape(logits.shape), model.generator.random(len(logits))
        actions, log_probs = draw_actions(logits.numpy(), legal, draws)
        return torch.from_numpy(actions), values[:, None], torch.from_numpy(log_probs)

    with patch.object(policy, "forward", forward):
        going_on = MaskablePPO.collect_rollouts(model, env, callback, buffer, steps, use_masking)
    buffer.rows = policy.prepare_rows(buffer.observations.reshape(-1, buffer.observations.shape[-1]), Workers(None, 1))
    return going_on


def learn_by_samples(model: SelfPlayPPO) -> None:
    """`SelfPlayPPO.train` with Stable-Baselines3's loop, in torch from dense rows."""
    policy: Any = model.policy

    def evaluate_actions(observations: Tensor, actions: Tensor, action_masks: Any) -> tuple[Tensor, ...]:
        """Values, log-probabilities and entropies of a minibatch."""
        rows = DenseRows(observations)
        with reduced_precision(model.device, model.bfloat16):
            logits, values = policy.logits(rows), policy.critic_values(rows)
        distribution = policy.action_dist.proba_distribution(action_logits=logits)
        distribution.apply_masking(action_masks)
        return values[:, None], distribution.log_prob(actions), distribution.entropy()

    with patch.object(policy, "evaluate_actions", evaluate_actions):
        MaskablePPO.train(model)


@contextmanager
def alone(device: torch.device) -> Iterator[Workers]:
    """`workers` that leaves torch its threads."""
    yield Workers(None, 1)


class Piece(NamedTuple):
    """A piece that is written by hand."""

    plain: str
    """The plain way."""
    replacements: list[tuple[object, str, object]]
    """The functions that are replaced for it: the owner of each, its name there, and the function in its place."""
    threads: int = 1
    """Number of threads that it is measured with."""
    in_steps: bool = False
    """Whether it is part of each step down the gradient, so that steps with and without it can take turns."""


PIECES = {
    "first layers that add up the entries that are not 0": Piece(
        "torch's", [(FullCriticPolicy, "prepare_rows", dense_rows)]
    ),
    "one entry for all seats that could hold a card": Piece(
        "one a seat", [(FullCriticPolicy, "prepare_rows", single_entries)]
    ),
    "the loss and its gradients in compiled code": Piece(
        "torch's operations", [(ppo, "ppo_loss", torch_loss)], in_steps=True
    ),
    "the actor in compiled code while it plays": Piece(
        "torch's modules", [(FullCriticPolicy, "compiled_actor", torch_player)]
    ),
    "the critic asked in pieces of 1024 rows": Piece("all rows at once", [(ppo, "_CHUNK", 1 << 40)]),
    "the loop over steps": Piece("Stable-Baselines3's", [(SelfPlayPPO, "collect_rollouts", play_by_steps)]),
    "the loop over minibatches": Piece(
        "Stable-Baselines3's", [(SelfPlayPPO, "train", learn_by_samples), (FullCriticPolicy, "prepare_rows", dense_rows)]
    ),
    "two threads that share the rows of a minibatch": Piece("torch's own", [(ppo, "use_workers", alone)], threads=2),
}
"""The pieces by their names."""


# --- measuring -----------------------------------------------------------------------------------------------------


def replaced(piece: str | None) -> ExitStack:
    """A context in which the trainer goes the plain way in a piece; None: as it is."""
    stack = ExitStack()
    for owner, name, plain in PIECES[piece].replacements if piece is not None else ():
        stack.enter_context(patch.object(owner, name, plain))
    return stack


def movement(config: Config, piece: str | None) -> Tensor:
    """What two iterations without a piece move the weights by, from the same start, float32 (k,)."""
    with tempfile.TemporaryDirectory() as folder, replaced(piece):
        training = Training(config, folder)
        weights = torch.nn.utils.parameters_to_vector
        before = weights(training.model.policy.parameters()).detach().clone()
        iterate(training, 2)
        return weights(training.model.policy.parameters()).detach() - before


def check_learning(config: Config) -> None:
    """Raises an AssertionError if a piece changes what is learned."""
    usual = movement(config, None)
    for piece in PIECES:
        cosine = float(torch.cosine_similarity(usual, movement(config, piece), dim=0))
        assert usual.any() and cosine > LEAST_COSINE, f"{piece}: {cosine}"


def cost(training: Training, piece: str) -> float:
    """The time of an iteration without a piece, in those of iterations with it."""
    torch.set_num_threads(PIECES[piece].threads)
    ratio = (cost_in_steps if PIECES[piece].in_steps else cost_in_iterations)(training, piece)
    tell(f"{piece}: {ratio:.3f}")
    return ratio


def cost_in_iterations(training: Training, piece: str) -> float:
    """As `cost`, from an iteration without the piece and those with it right before and after."""
    clock, seconds = processor_seconds if PIECES[piece].threads == 1 else wall_seconds, []
    for gone in (None, piece, None):
        with replaced(gone):
            seconds.append(training.config.iteration / iterate(training, 1, clock))
    return 2 * seconds[1] / (seconds[0] + seconds[2])


def cost_in_steps(training: Training, piece: str) -> float:
    """As `cost`, from an iteration in which steps down the gradient go with the piece and without it in turn."""
    usual, seconds, told = ppo.take_gradient_step, [list[float](), list[float]()], list[Tensor]()

    def take_gradient_step(*given: Any) -> Tensor:
        """Takes a step, by turns without the piece."""
        turn = len(seconds[0]) > len(seconds[1])
        with replaced(piece if turn else None):
            seconds[turn].append(processor_seconds(lambda: told.append(usual(*given))))
        return told[-1]

    with patch.object(ppo, "take_gradient_step", take_gradient_step):
        total = training.config.iteration / iterate(training, 1, processor_seconds)
    more = float(np.mean(seconds[1]) - np.mean(seconds[0]))
    return 1 + len(told) * more / (total - len(seconds[1]) * more)


def markdown(config: Config, rounds: int, figures: dict[str, Any]) -> str:
    """The report, in Markdown."""
    rows = []
    for piece, ratios in figures["ratios"].items():
        low, median, high = np.quantile(ratios, (0.25, 0.5, 0.75))
        rows.append([piece, PIECES[piece].plain, f"{median:.2f}", f"{low:.2f} to {high:.2f}"])
    lines = [
        "# What each piece of training brings",
        "",
        f"{written_by(__file__, game=figures['recipe'], rounds=rounds)} on",
        f"{machine()['processor']}. Recipe `{figures['recipe']}` without behaviour cloning, networks {config.net},",
        f"layers multiply in {figures['precision']}. Times of iterations that go the plain way in one piece, in those of",
        "iterations of the trainer as it is, right before and after, and for the loss step by step: processor time of one",
        "thread, wall time where there are two.",
        "",
        *table_lines(["piece", "the plain way", "median", "quartiles"], rows),
    ]
    return "\n".join(lines)


@click.command()
@click.option("--game", "name", default="euchre", show_default=True, help="A recipe.")
@count_option("--rounds", 5, "Measurements of each piece.")
@cli.report_option
@cli.json_option
def main(name: str, rounds: int, report: Path | None, as_json: bool) -> None:
    """Time of training with each piece that is written by hand, and without it."""
    config = replace(recipe(name), imitate=None, threads=1, device="cpu")
    check_learning(replace(config, games=64, precision="float32"))
    with tempfile.TemporaryDirectory() as folder:
        training = Training(config, folder)
        iterate(training, 1)
        ratios = in_turn(rounds, {piece: partial(cost, training, piece) for piece in PIECES}, warm=True)
        precision = "bfloat16" if training.model.bfloat16 else "float32"
    figures = {"recipe": name, "precision": precision, "ratios": ratios}
    hand_over(figures, markdown(config, rounds, figures), report, as_json)


if __name__ == "__main__":
    main()
