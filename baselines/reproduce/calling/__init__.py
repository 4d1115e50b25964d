"""What callers in Euchre are worth: ``cardenvs reproduce calling``."""
