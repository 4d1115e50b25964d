"""From text to a checked tree: reading, the nodes, and what they say before any game is played."""
