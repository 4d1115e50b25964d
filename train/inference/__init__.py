"""Trained policies as they play, in compiled code, without torch, Stable-Baselines3 or matplotlib."""
