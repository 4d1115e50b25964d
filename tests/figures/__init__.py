"""Commands with fixed seeds and the figures that they printed once: what the program says must not change unseen."""
