"""Killing a training run: its checkpoint is always a whole one, it goes on, and learns as if it had never stopped."""

import random
import time
from pathlib import Path

import torch

from cardenvs import policy
from cardenvs.train.models.checkpoint import read_checkpoint
from tests.kill.running import killed, left_over

_WORDS = (
    *("train", "euchre", "--games", "16", "--rollout", "32", "--net", "16,24", "--threads", "1", "--eval-deals", "5"),
    *("--eval-every", "3", "--steps", "8192", "--checkpoint-minutes", "0.0001", "--quiet"),
)


def work(folder: Path, kills: int, rng: random.Random) -> int:
    """Kills a small run that writes a checkpoint after every iteration."""
    began = time.monotonic()
    killed([*_WORDS, "--out", str(folder / "whole")], 3600)
    whole = time.monotonic() - began
    expected = read_checkpoint(folder / "whole" / "policy.zip").read_weights()
    done, again, number = 0, 0, 0
    while done < kills:
        number += 1
        out, steps, text = folder / f"run-{number}", -1, None
        path = out / "policy.zip"
        while text is None:
            begun = path.exists()
            again += begun
            limit = rng.uniform(0.2, 1.1) * whole if done < kills else 3600
            text = killed(
                ["train", "euchre", "--out", str(out), "--resume"] if begun else [*_WORDS, "--out", str(out)], limit
            )
            done += text is None
            if path.exists():
                now = int(read_checkpoint(path).record["steps"])
                assert now >= steps, f"{steps} moves were kept, now {now} are"
                steps = now
                policy.make("euchre", str(path))
        weights = read_checkpoint(path).read_weights()
        for name, array in expected.items():
            assert torch.equal(torch.from_numpy(array), torch.from_numpy(weights[name])), (
                "other weights than without a kill"
            )
        assert not left_over(out), f"temporary files are left over: {left_over(out)}"
    return again
