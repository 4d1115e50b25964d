"""Search in the trick-taking games by playing out worlds."""
