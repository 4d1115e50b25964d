"""Compiling ahead the kernels of the games, the policies and the comparisons; ``cardenvs warmup``."""

from cardenvs.baselines.warmup.steps import Step, steps_for, warm_up

__all__ = ["Step", "steps_for", "warm_up"]
