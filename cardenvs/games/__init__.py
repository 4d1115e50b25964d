"""The rules of games, one file each; `cardenvs.contract.registry.get_game` loads a game's file."""
