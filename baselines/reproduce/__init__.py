"""Published results played again: the command ``cardenvs reproduce`` and the figures that it compares with."""
