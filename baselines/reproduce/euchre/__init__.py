"""The 45 tables of the Euchre paper played again: ``cardenvs reproduce euchre``."""
