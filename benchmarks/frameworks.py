"""What other libraries' learners are fed: ``python benchmarks/frameworks.py [--beside FILE] [--report FILE] [--json]``.

Decisions a second of each library's own PettingZoo wrapper and of the form in `cardenvs.frameworks`, in Euchre's self-play
with random legal actions, and of the simulator with the same, taken in turn in one run: the environment alone, and inside
what the library collects experience with (TorchRL's `Collector`, Tianshou's `Collector`, RLlib's `EnvRunner`). Libraries
that are not installed are left out. They need environments of their own (examples/README.md): ``--beside`` adds to a
report what was printed elsewhere with ``--json``.
"""

from __future__ import annotations

import json
import logging
import os
import statistics
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # spares a warning about GPUs

import click
import numpy as np
import numpy.typing as npt
from measuring import count_option, hand_over, in_turn, machine, processor_seconds, tell, written_by

from cardenvs import Batch, SeatEnv, cli, euchre_v0
from cardenvs.baselines.reports.document import Document, Table, said
from cardenvs.plugins import installed

OPTIONS = {"bidding": "forced-spades"}
DUMMY_GAMES = 16
"""Games in Tianshou's vector of wrappers, which is slower with more."""
RUNNER_GAMES = 256
"""Games in RLlib's runner, which does not get faster with more."""
Run = Callable[[], float]
"""Measures once: decisions a second."""


def rate(run: Callable[[], int]) -> Run:
    """A measurement of a call that returns how many decisions were made in it; processor time of this thread."""

    def measure() -> float:
        decisions: list[int] = []
        seconds = processor_seconds(lambda: decisions.append(run()))
        return decisions[0] / seconds

    return measure


def legal(masks: npt.NDArray[Any], generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """A random legal action of each mask, int64 (n,)."""
    counts = masks.cumsum(1, dtype=np.int16)
    return np.asarray((counts > (generator.random(len(masks)) * counts[:, -1])[:, None]).argmax(1))


def simulator(games: int, steps: int) -> Run:
    """`cardenvs.Batch` with random legal actions."""
    batch, generator = Batch("euchre", games, seed=0, **OPTIONS), np.random.default_rng(0)

    def run() -> int:
        for _ in range(steps):
            batch.step(legal(batch.action_masks, generator))
        return games * steps

    return rate(run)


def torchrl(games: int, steps: int, slow: int) -> dict[str, Run]:
    """TorchRL: `PettingZooWrapper` and `BatchedCardEnv`."""
    import torch
    from torchrl.collectors import Collector
    from torchrl.envs import MarlGroupMapType, PettingZooWrapper

    from cardenvs.frameworks.torchrl import BatchedCardEnv

    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested using version")

    def wrapper() -> PettingZooWrapper:
        group = MarlGroupMapType.ALL_IN_ONE_GROUP
        return PettingZooWrapper(euchre_v0.raw_env(**OPTIONS), use_mask=True, group_map=group)

    def batched() -> BatchedCardEnv:
        return BatchedCardEnv("euchre", games, seed=0, illegal="raise", **OPTIONS)

    def alone(env: Any, count: int) -> Run:
        shown = env.reset()

        def run() -> int:
            nonlocal shown
            for _ in range(count):
                _, shown = env.step_and_maybe_reset(env.rand_action(shown))
            return count * env.batch_size.numel()

        return rate(run)

    def collected(env: Any, count: int) -> Run:
        frames = count * env.batch_size.numel()
        collector = iter(Collector(env, env.rand_action, frames_per_batch=frames, total_frames=-1))
        return rate(lambda: next(collector).numel())

    return {
        "environment, wrapper": alone(wrapper(), slow),
        "environment, batched": alone(batched(), steps),
        "Collector, wrapper": collected(wrapper(), slow),
        "Collector, batched": collected(batched(), steps),
    }


def tianshou(games: int, steps: int, slow: int) -> dict[str, Run]:
    """Tianshou: `PettingZooEnv` in a `DummyVectorEnv` of 16, and `CardVectorEnv`."""
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm as RandomLegal
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv

    from cardenvs.frameworks.tianshou import CardVectorEnv

    logging.getLogger("tianshou.data.stats").setLevel(logging.ERROR)  # they warn of rewards that are vectors
    generator = np.random.default_rng(0)

    def single() -> PettingZooEnv:
        return PettingZooEnv(euchre_v0.raw_env(**OPTIONS))

    def wrapper() -> DummyVectorEnv:
        return DummyVectorEnv([single] * DUMMY_GAMES)

    def batched() -> CardVectorEnv:
        return CardVectorEnv("euchre", games, seed=0, illegal="raise", **OPTIONS)

    def masks(shown: Any) -> npt.NDArray[Any]:
        return np.asarray(shown.mask if hasattr(shown, "mask") else [one["mask"] for one in shown])

    def alone(env: Any, count: int) -> Run:
        shown, _ = env.reset()

        def run() -> int:
            nonlocal shown
            for _ in range(count):
                shown, _, terminated, truncated, _ = env.step(legal(masks(shown), generator))
                over = np.flatnonzero(terminated | truncated)
                if len(over):
                    shown[over] = env.reset(over)[0]
            return count * len(env)

        return rate(run)

    def collected(env: Any, count: int) -> Run:
        player = RandomLegal(action_space=env.action_space[0])
        collector = Collector(player, env, VectorReplayBuffer(len(env) * count, len(env)))
        collector.reset()
        return rate(lambda: collector.collect(n_step=count * len(env)).n_collected_steps)

    fewer = max(slow // DUMMY_GAMES, 1)
    return {
        "environment, wrapper": alone(wrapper(), fewer),
        "environment, batched": alone(batched(), steps),
        "Collector, wrapper": collected(wrapper(), fewer),
        "Collector, batched": collected(batched(), max(steps // 4, 1)),
    }


def rllib(games: int, steps: int, slow: int) -> dict[str, Run]:
    """RLlib: its `PettingZooEnv`, and `SelfPlayVectorEnv`; for one agent Gymnasium's vector, and `SeatVectorEnv`."""
    import gymnasium
    import ray
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.rllib.utils.torch_utils import FLOAT_MIN
    from ray.tune.registry import register_env

    from cardenvs.frameworks.rllib import SeatVectorEnv, SelfPlayEnvRunner, SelfPlayVectorEnv

    torch.set_num_threads(1)
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    generator = np.random.default_rng(0)

    class RandomLegal(TorchRLModule):
        """The same chance for every legal action."""

        def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
            illegal = torch.as_tensor(batch[Columns.OBS]["action_mask"]) == 0
            return {Columns.ACTION_DIST_INPUTS: torch.zeros(illegal.shape).masked_fill(illegal, FLOAT_MIN)}

    def choose(shown: dict[str, Any]) -> dict[str, int]:
        [(agent, seen)] = shown.items()
        return {agent: int(legal(seen["action_mask"][None], generator)[0])}

    single = PettingZooEnv(euchre_v0.raw_env(**OPTIONS))
    batched = SelfPlayVectorEnv({"game": "euchre", "num_envs": games, "illegal": "raise", **OPTIONS})
    shown: Any = {"single": single.reset()[0], "batched": batched.reset()[0]}

    def one_by_one() -> int:
        for _ in range(slow):
            shown["single"], _, terminated, _, _ = single.step(choose(shown["single"]))
            if terminated["__all__"]:
                shown["single"], _ = single.reset()
        return slow

    def together() -> int:
        decisions = 0
        for _ in range(steps):
            acting = [next(iter(one.items())) for one in shown["batched"]]
            masks = np.stack([seen["action_mask"] for _, seen in acting])
            played = [{agent: action} for (agent, _), action in zip(acting, legal(masks, generator).tolist(), strict=True)]
            shown["batched"], *_ = batched.step(played)
            decisions += int(masks.any(1).sum())  # others are dealt anew
        return decisions

    def runner(kind: type[MultiAgentEnvRunner], env: Any, n: int, count: int) -> Run:
        config = PPOConfig().environment(env, env_config={"game": "euchre", **OPTIONS}, disable_env_checking=True)
        config.debugging(log_level="ERROR").env_runners(num_env_runners=0, num_envs_per_env_runner=n, env_runner_cls=kind)
        config.multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **kwargs: "shared")
        config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": RLModuleSpec(RandomLegal)}))
        made = kind(config=config, worker_index=0)
        return rate(lambda: sum(episode.env_steps() for episode in made.sample(num_timesteps=count * n)))

    class MaskSeen(gymnasium.Wrapper[Any, Any, Any, Any]):
        """The mask in the observation, as RLlib needs it."""

        def __init__(self, config: Any) -> None:
            super().__init__(SeatEnv("euchre", **OPTIONS))
            mask = gymnasium.spaces.Box(0, 1, (self.env.action_space.n,), np.int8)
            self.observation_space = gymnasium.spaces.Dict(
                {"observations": self.env.observation_space, "action_mask": mask}
            )

        def reset(self, **kwargs: Any) -> Any:
            seen, info = self.env.reset(**kwargs)
            return {"observations": seen, "action_mask": info["action_mask"]}, {}

        def step(self, action: Any) -> Any:
            seen, *results, info = self.env.step(action)
            return {"observations": seen, "action_mask": info["action_mask"]}, *results, {}

    def one_agent(env: Any, mode: str) -> Run:
        config = PPOConfig().environment(env, env_config={"game": "euchre", **OPTIONS}, disable_env_checking=True)
        config.debugging(log_level="ERROR").rl_module(rl_module_spec=RLModuleSpec(RandomLegal))
        config.env_runners(num_env_runners=0, num_envs_per_env_runner=RUNNER_GAMES, gym_env_vectorize_mode=mode)
        made = SingleAgentEnvRunner(config=config, worker_index=0)
        return rate(lambda: sum(len(episode) for episode in made.sample(num_timesteps=8 * RUNNER_GAMES)))

    register_env("wrapped", lambda _: PettingZooEnv(euchre_v0.raw_env(**OPTIONS)))
    return {
        "environment, wrapper": rate(one_by_one),
        "environment, batched": rate(together),
        "EnvRunner, wrapper": runner(MultiAgentEnvRunner, "wrapped", RUNNER_GAMES, 8),
        "EnvRunner, batched": runner(SelfPlayEnvRunner, SelfPlayVectorEnv, RUNNER_GAMES, 8),
        "EnvRunner with one learner, wrapper": one_agent(MaskSeen, "sync"),
        "EnvRunner with one learner, batched": one_agent(SeatVectorEnv, "vector_entry_point"),
    }


LIBRARIES = {
    "TorchRL": (torchrl, "torchrl", "torchrl"),
    "Tianshou": (tianshou, "tianshou", "tianshou"),
    "RLlib": (rllib, "tree", "ray"),
}
"""By library: its measurements, the package by which it is known to be here, and the one with its version."""


def measure(rounds: int, games: int, steps: int, slow: int) -> dict[str, Any]:
    """By library that is installed, decisions a second; all in one run, the simulator between them."""
    found: dict[str, Any] = {}
    for title, (library, package, versioned) in LIBRARIES.items():
        if not installed(package):
            tell(f"{title} is not installed here")
            continue
        measured = {**library(games, steps, slow), "simulator": simulator(games, steps)}
        figures = in_turn(rounds, measured)
        medians = {name: statistics.median(rates) for name, rates in figures.items()}
        tell(f"{title}: " + ", ".join(f"{name} {median:,.0f}" for name, median in medians.items()))
        found[title] = {**machine(versioned, "numpy"), "decisions_per_s": medians, "rounds": figures}
    return found


def times_text(times: float) -> str:
    """How many times as fast, to two digits or to whole numbers."""
    return f"{times:.1f}" if times < 10 else f"{times:,.0f}"


def rows(title: str, figures: dict[str, Any]) -> list[list[str]]:
    """A library's rows of the table."""
    medians = figures["decisions_per_s"]
    places = [name.partition(",")[0] for name in medians if name.endswith(", wrapper")]
    version = figures[LIBRARIES[title][2]]
    return [
        [
            f"{title} {version}, {place}",
            f"{medians[f'{place}, wrapper']:,.0f}",
            f"{medians[f'{place}, batched']:,.0f}",
            times_text(medians[f"{place}, batched"] / medians[f"{place}, wrapper"]),
            f"{medians['simulator']:,.0f}",
        ]
        for place in places
    ]


@click.command()
@count_option("--rounds", 5, "Rounds.")
@count_option("--games", 4096, "Games side by side.")
@count_option("--steps", 40, "Steps of all games in a round.")
@count_option("--slow", 600, "Decisions of a wrapper in a round.")
@click.option(
    "--beside",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="What this command printed with --json in another environment; can be given several times.",
)
@cli.report_option
@cli.json_option
def main(
    rounds: int, games: int, steps: int, slow: int, beside: tuple[Path, ...], report: Path | None, as_json: bool
) -> None:
    """Decisions a second of other libraries, with their wrappers and with games in batches."""
    figures = measure(rounds, games, steps, slow)
    for path in beside:
        figures = {**json.loads(path.read_text()), **figures}
    if not figures:
        raise click.UsageError(f"none of {', '.join(LIBRARIES)} is installed here: examples/README.md tells how")
    words = written_by(__file__, rounds=rounds, games=games, steps=steps, slow=slow)
    processors = sorted({of_one["processor"] for of_one in figures.values()})
    parts = [
        said(
            f"""{words} on {", ".join(processors)}, once in the Python environment of each library; the others' figures
            come with `--beside FILE`. Decisions a second of processor time, one thread, medians of {rounds} rounds taken
            in turn: Euchre with forced spades in self-play, random legal actions."""
        ),
        said(
            """"Wrapper" is the library's own for PettingZoo, "batched" the form in `cardenvs.frameworks`, and the
            simulator is `cardenvs.Batch` in the same run: the environment alone, and inside what the library collects
            experience with. With one learner, "wrapper" is Gymnasium's vector of single environments, with random
            opponents."""
        ),
        said(
            """Tianshou's collector and RLlib's runners handle every game in Python. RLlib's environments for several agents
            do so by their form, lists of dicts, and there its runner takes nearly all the time, whatever it runs."""
        ),
        said(
            f"""{games} games side by side; {RUNNER_GAMES} in RLlib's runners, of the wrapper, too; Tianshou's wrapper is
            in a `DummyVectorEnv` of {DUMMY_GAMES}, which is slower with more; TorchRL's and RLlib's wrappers alone have
            one."""
        ),
    ]
    table = Table(
        ["library", "wrapper", "batched", "times", "simulator"],
        [row for title in LIBRARIES if title in figures for row in rows(title, figures[title])],
    )
    hand_over(figures, Document("Other libraries at speed", [*parts, table]), report, as_json)


if __name__ == "__main__":
    main()
