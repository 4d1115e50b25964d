"""How policies learn: self-play, networks, look-ahead, imitation. Needs torch and Stable-Baselines3."""
