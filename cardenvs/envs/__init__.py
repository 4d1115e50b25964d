"""The shells that run any game: PettingZoo, batches, Gymnasium."""
