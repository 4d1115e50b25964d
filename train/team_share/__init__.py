"""A worked experiment: what sharing the reward does to partners. The command ``cardenvs experiment team-share``."""
