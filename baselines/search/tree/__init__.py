"""Search in a tree of decisions."""
