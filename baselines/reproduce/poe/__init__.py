"""POE's agent in Whist against the simple agents: ``cardenvs reproduce poe``."""
