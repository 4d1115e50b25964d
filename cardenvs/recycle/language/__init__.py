"""From text to a checked syntax tree: reading, the nodes, and the facts that they state before any game is played."""
