"""The command ``cardenvs experiment team-share``: a sweep with the report of `cardenvs.train.sweep.team_share`."""
