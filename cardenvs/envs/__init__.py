"""The environments, each for any game: PettingZoo, the batched simulator, Gymnasium."""
