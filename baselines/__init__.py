"""Hand-coded agents, and the matches between them."""
