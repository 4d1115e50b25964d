"""How policies learn: self-play, networks, look-ahead, behaviour cloning. Needs torch and Stable-Baselines3."""

from cardenvs import extras as _extras

for _module, _package in (
    ("torch", "torch"),
    ("stable_baselines3", "stable-baselines3"),
    ("sb3_contrib", "sb3-contrib"),
    ("tensorboard", "tensorboard"),
):
    _extras.require(_module, "train", "training", package=_package)
