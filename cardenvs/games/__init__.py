"""The rules: one file a game, the only place where rules live; `cardenvs.spec.get_game` loads a game's file."""
