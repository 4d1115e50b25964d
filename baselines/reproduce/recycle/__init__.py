"""The published statistics of described games again: ``cardenvs reproduce recycle``."""
