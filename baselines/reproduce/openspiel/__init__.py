"""Games played beside OpenSpiel's own, move by move: ``cardenvs reproduce openspiel``."""
