"""Hand-coded agents that decide by rules of thumb, and the card and column values behind these rules."""
