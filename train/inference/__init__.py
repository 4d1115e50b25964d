"""Trained policies as they play, in compiled code: nothing here imports torch, Stable-Baselines3 or matplotlib."""
