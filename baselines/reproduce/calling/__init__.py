"""Matches of callers in Euchre, and the break-even of calling: ``cardenvs reproduce calling``."""
