"""The tables and figures of the Five-O paper played again: ``cardenvs reproduce five-o``."""
