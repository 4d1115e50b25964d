"""Files that are published with a model: its card, and the exported policy."""
