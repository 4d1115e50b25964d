"""Training of policies with torch and Stable-Baselines3: self-play, networks, look-ahead, play-outs, behaviour cloning."""

from cardenvs import plugins as _plugins

for _module, _package in (
    ("torch", "torch"),
    ("stable_baselines3", "stable-baselines3"),
    ("sb3_contrib", "sb3-contrib"),
    ("tensorboard", "tensorboard"),
):
    _plugins.require(_module, "train", "training", package=_package)
