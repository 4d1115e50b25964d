"""Learning policies, and evaluating learned ones."""
