"""What goes out with a model: its card, and the exported file."""
