"""Audits of other libraries' games; the command ``cardenvs audit``.

Re-deals, what seats are told of hidden cards, legal actions, rewards and copies of a game are compared with what its
library says of them; each finding comes with the shortest history that shows it, as lines of Python.
"""

from cardenvs.baselines.audit.judge import Judge
from cardenvs.baselines.audit.openspiel import CARD_GAMES, audit_game
from cardenvs.baselines.audit.pettingzoo import AecGame, audit_module
from cardenvs.baselines.audit.results import Audit, Audited, audit_games

__all__ = ["CARD_GAMES", "AecGame", "Audit", "Audited", "Judge", "audit_game", "audit_games", "audit_module"]
