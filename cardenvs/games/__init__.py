"""The rules: one file a game, the only place where rules live."""

from cardenvs.games import euchre, five_o, whist

__all__ = ["euchre", "five_o", "whist"]
