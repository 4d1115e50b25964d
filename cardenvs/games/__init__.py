"""The rules: one file a game, the only place where rules live."""

from cardenvs.games import euchre

__all__ = ["euchre"]
