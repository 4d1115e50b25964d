"""Published results played again: the command ``cardenvs reproduce`` and what it compares with."""
