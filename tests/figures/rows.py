"""What environments show in random play of every game, as hashes: rows, masks, rewards, lines, states, worlds."""

import hashlib
from typing import Any

import numpy as np

from cardenvs import Batch, GameSpec
from cardenvs.compiled.streams import seed_streams
from cardenvs.envs.aec import CardEnv
from cardenvs.policy.random import RandomPolicy
from tests.figures.commands import DESCRIBED, WRITTEN

CHUNKS, GAMES, STEPS = 10, 100, 10
"""How many chunks are hashed, each of so many games side by side and so many steps of them."""

VARIANTS: dict[str, dict[str, Any]] = {
    "whist, recall": {"recall": True, "reward": "tricks", "team_share": 0.5},
    "whist, game": {"episode": "game", "target": 7, "reward": "win"},
    "euchre, recall": {"recall": True},
    "euchre, forced-spades": {"bidding": "forced-spades", "reward": "tricks", "team_share": 0.0},
    "euchre, game": {"episode": "game", "target": 5, "stick_the_dealer": True, "reward": "win", "skip_forced": True},
    "five-o, recall": {"recall": True, "hidden_rows": 2},
    "five-o, open": {"hidden_rows": 0, "reward": "columns"},
    "hanabi, recall": {"recall": True, "score": "built"},
    "hanabi:players=3, win": {"reward": "win", "max_decisions": 40},
    "hanabi:tiny, recall": {"recall": True},
    "hanabi:mini": {},
    "hearts, recall": {"recall": True, "reward": "score"},
    "kuhn-poker, recall": {"recall": True},
    "beacon-relay-mini, recall": {"recall": True, "beacons": 3, "ordered": True, "lanterns": False},
    "crazy-eights, win": {"reward": "win"},
}
"""Games with other settings of a batch than the defaults, by the game's name and, behind a comma, the variant's."""


def variant_names() -> list[str]:
    """Every game as it is by default, described ones of a written game's name by their files, and `VARIANTS`."""
    return [*WRITTEN, *(f"{name}.rcy" if name in WRITTEN else name for name in DESCRIBED), *VARIANTS]


def hash_of(*arrays: Any) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of some arrays or texts, one behind the other."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(array.encode() if isinstance(array, str) else np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def hash_rows(name: str) -> dict[str, Any]:
    """What a game shows: the parts of its observations in clear, all else hashed, kind by kind and chunk by chunk."""
    batch = Batch(name.partition(", ")[0], GAMES, seed=62, **VARIANTS.get(name, {}))
    spec, player, streams = batch.spec, RandomPolicy(batch.spec), seed_streams(63, GAMES)
    hashes: dict[str, list[str]] = {}
    for _ in range(CHUNKS):
        seen: dict[str, list[Any]] = {}
        for _ in range(STEPS):
            shown = _rows_of_all(batch, spec)
            shown |= {"masks": batch.action_masks, "states": batch.states()}
            if spec.kernels.redeal is not None:
                shown["worlds"] = _worlds_of(batch, spec)
            batch.step(player.choose(batch.observations, batch.action_masks, streams))
            shown |= {"outcomes": np.hstack([batch.rewards, batch.ended[:, None], batch.points, batch.tricks])}
            for kind, array in shown.items():
                seen.setdefault(kind, []).append(array.copy())
        seen["lines"] = [spec.text(batch.games[i]) for i in range(GAMES)]
        for kind, arrays in seen.items():
            hashes.setdefault(kind, []).append(hash_of(*arrays))
    return {
        "positions": CHUNKS * GAMES * STEPS,
        "actions": [spec.num_actions, hash_of("|".join(spec.actions))],
        "options": [[option.name, *option.choices] for option in spec.options],
        "rewards": list(spec.rewards),
        "parts": {part.name: _columns_of(spec.slices[part.name], part.labels) for part in spec.parts},
        "hidden": {part.name: _columns_of(spec.hidden_slices[part.name], part.labels) for part in spec.hidden},
        "symmetries": [symmetry.name for symmetry in spec.symmetries],
        "encodings": {encoding.name: encoding.size for encoding in spec.encodings},
        **hashes,
        "environment": _hash_of_steps(name.partition(", ")[0], VARIANTS.get(name, {})),
    }


def _columns_of(where: slice, labels: Any) -> str:
    """The columns of a part, and a hash of their labels."""
    return f"{where.start}:{where.stop} {hash_of('|'.join(map(str, labels)))}"


def _rows_of_all(batch: Batch, spec: GameSpec) -> dict[str, Any]:
    """The observations of every seat in all games, by seat."""
    views, kernels = spec.new_games(1), spec.kernels
    out = {f"rows of seat {seat}": np.zeros((batch.n, spec.observation_size), np.int8) for seat in range(spec.seats)}
    for seat, rows in enumerate(out.values()):
        for i in range(batch.n):
            kernels.view(batch.games, i, seat, views, 0)
            kernels.observe(views, 0, rows, i)
    return out


def _worlds_of(batch: Batch, spec: GameSpec) -> Any:
    """What the seat to act in each tenth game cannot see, in a world that is drawn for it."""
    views, world, streams, kernels = spec.new_games(1), spec.new_games(1), seed_streams(64, batch.n), spec.kernels
    out = np.zeros((batch.n // 10, spec.state_size), np.int8)
    for k in range(len(out)):
        i = 10 * k
        seat = int(batch.to_act[i])
        kernels.view(batch.games, i, seat, views, 0)
        kernels.redealing(views, 0, streams, i, world, 0)
        kernels.reveal(world, 0, seat, out, k, spec.observation_size)
    return out


def _hash_of_steps(game: str, settings: dict[str, Any]) -> str:
    """A hash of what the PettingZoo environment returns in 300 steps: the lowest legal action and the highest in turn."""
    env = CardEnv(game, **{name: value for name, value in settings.items() if name != "skip_forced"})
    env.reset(seed=62)
    seen: list[Any] = []
    for number in range(300):
        observation, reward, ended, cut, info = env.last()
        told = str((env.agent_selection, reward, ended, cut, info))
        seen += [observation["observation"], observation["action_mask"], told]
        if ended or cut:
            env.reset()
        else:
            env.step(int(np.flatnonzero(observation["action_mask"])[-(number % 2)]))
    return hash_of(*seen)
