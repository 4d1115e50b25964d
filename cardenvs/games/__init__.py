"""The rules, one file a game, and nowhere else; `cardenvs.contract.registry.get_game` loads a game's file."""
