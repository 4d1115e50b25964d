"""Hanabi beside the engines that the field trains with: ``python benchmarks/hanabi.py [--report FILE] [--json]``.

Decisions a second of random legal play, the observation of the seat to act written at each, taken in turn in one run on one
core: `cardenvs.Batch` with its own observation and with the field's encoding, OpenSpiel from Python (a state at a time, its
information state tensor), and JaxMARL (a batch of environments within one compiled scan, which deals anew what has ended).
SmartBot's choices are beside them: in batches that go on, from observations alone, and in deals that compiled code plays
out, as searches do. Engines that are not installed are left out.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import click
import numba
import numpy as np
from measuring import count_option, hand_over, in_turn, machine, tell, written_by

from cardenvs import Batch, cli, policy
from cardenvs.baselines.heuristics.hanabi_agents import playing_kernels, start_memory
from cardenvs.baselines.heuristics.hanabi_smart import SmartBot
from cardenvs.baselines.reports.document import Document, Table, said
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import get_game
from cardenvs.plugins import installed

OURS, FIELD = "cardenvs", "cardenvs, encoding canonical"
SMARTBOT, PLAYED_OUT = "SmartBot's choices, from observations alone", "SmartBot's moves in deals played out"
OPENSPIEL, JAXMARL = "OpenSpiel, from Python", "JaxMARL"
Run = Callable[[], float]
"""Measures once: decisions a second."""


def rate(decisions: int, run: Callable[[], Any]) -> Run:
    """A measurement of a call that takes some decisions, in processor time of all threads: JAX has its own."""

    def measure() -> float:
        began = time.process_time()
        run()
        return decisions / (time.process_time() - began)

    return measure


def batched(games: int, steps: int, **options: Any) -> Run:
    """`cardenvs.Batch` with random legal actions, whose choice is timed, too."""
    batch, player, streams = (
        Batch("hanabi", games, seed=0, **options),
        policy.make("hanabi", "random"),
        seed_streams(0, games),
    )

    def run() -> None:
        for _ in range(steps):
            batch.step(player.choose(batch.observations, batch.action_masks, streams))

    return rate(games * steps, run)


def smartbot(games: int, steps: int) -> Run:
    """SmartBot's choices in positions of its own games, which go on from one to the next; steps are not timed."""
    player, streams = policy.make("hanabi", "smartbot"), seed_streams(0, games)
    batch = Batch(player.game, games, seed=0)  # with the order of play, which it goes by

    def measure() -> float:
        taken = 0.0
        for _ in range(steps):
            began = time.process_time()
            chosen = player.choose(batch.observations, batch.action_masks, streams)
            taken += time.process_time() - began
            batch.step(chosen)
        return games * steps / taken

    return measure


def played_out(games: int) -> Run:
    """Moves of deals that SmartBot plays to their ends in all seats."""
    spec, blueprint = get_game("hanabi"), SmartBot.blueprint
    play_out = playing_kernels(blueprint).play_out
    deals = np.concatenate([spec.deal(seed) for seed in range(games)])

    @numba.njit  # type: ignore[untyped-decorator]
    def play(deals: Any, memories: Any) -> int:
        moves = 0
        for j in range(len(deals)):
            start_memory(memories, 0, deals, j)
            play_out(memories, 0, deals, j)
            moves += deals[j].moves
        return moves

    memories = as_records(np.zeros(1, blueprint.memory))
    moves = play(as_records(deals.copy()), memories)

    return rate(moves, lambda: play(as_records(deals.copy()), memories))


def openspiel(decisions: int) -> Run:
    """OpenSpiel's states in a loop of Python, with the tensor of the seat to act."""
    import pyspiel

    game, generator = pyspiel.load_game("hanabi"), np.random.default_rng(0)

    def run() -> None:
        state = game.new_initial_state()
        for _ in range(decisions):
            while state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(generator.choice(actions, p=chances))
            if state.is_terminal():
                state = game.new_initial_state()
                continue
            state.observation_tensor()
            actions = state.legal_actions()
            state.apply_action(actions[generator.integers(len(actions))])

    return rate(decisions, run)


def jaxmarl(games: int, steps: int) -> Run:
    """JaxMARL's environments in one compiled scan on the processor."""
    import jax
    import jaxmarl

    env = jaxmarl.make("hanabi")

    def step(carry: Any, key: Any) -> Any:
        shown, states = carry
        legal = jax.vmap(env.get_legal_moves)(states)
        keys = jax.random.split(key, len(env.agents) + 1)
        choices = {
            agent: jax.random.categorical(keys[k], jax.numpy.where(legal[agent] > 0, 0.0, -jax.numpy.inf))
            for k, agent in enumerate(env.agents)
        }
        shown, states, rewards, _, _ = jax.vmap(env.step)(jax.random.split(keys[-1], games), states, choices)
        return (shown, states), rewards[env.agents[0]].sum()

    play = jax.jit(lambda carry, key: jax.lax.scan(step, carry, jax.random.split(key, steps)))
    carry = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.PRNGKey(0), games))
    return rate(games * steps, lambda: jax.block_until_ready(play(carry, jax.random.PRNGKey(1))))


def document(rates: dict[str, float], **command: int) -> Document:
    """The report, written by a command with some options."""
    meaning = said(
        f"""{written_by(__file__, **command)}. Decisions a second of random legal play with two players, the observation of
        the seat to act written at each, batches of {command["games"]:,} games; medians of {command["rounds"]} rounds in
        which everything is measured in turn, in processor time, on one core; choices are timed, too. OpenSpiel plays one
        game at a time."""
    )
    rows = [[name, f"{one:,.0f}", f"{rates[OURS] / one:.1f}"] for name, one in rates.items()]
    return Document(
        "Hanabi beside other engines", [meaning, Table(["engine", "decisions/s", "cardenvs is faster by"], rows)]
    )


@click.command()
@count_option("--games", 1024, "Games of a batch.")
@count_option("--rounds", 7, "Rounds.")
@cli.report_option
@cli.json_option
def main(games: int, rounds: int, report: Path | None, as_json: bool) -> None:
    """Hanabi's decisions a second, beside other engines'."""
    measured = {
        OURS: batched(games, 500),
        FIELD: batched(games, 500, encoding="canonical"),
        SMARTBOT: smartbot(games, 500),
        PLAYED_OUT: played_out(games),
    }
    if installed("pyspiel"):
        measured[OPENSPIEL] = openspiel(5000)
    if installed("jaxmarl"):
        measured[JAXMARL] = jaxmarl(games, 50)
    rates = {name: statistics.median(figures) for name, figures in in_turn(rounds, measured).items()}
    tell(rates)
    told = document(rates, games=games, rounds=rounds)
    hand_over({"decisions_per_s": rates, "machine": machine("numba", "numpy")}, told, report, as_json)


if __name__ == "__main__":
    main()
