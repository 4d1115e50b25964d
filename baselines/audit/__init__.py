"""Audits of other libraries' games, each finding with the shortest history that shows it; the command `cardenvs audit`."""

from cardenvs.baselines.audit.openspiel import CARD_GAMES, Judge, audit_game
from cardenvs.baselines.audit.pettingzoo import audit_module
from cardenvs.baselines.audit.results import Audit, Audited, audit_games

__all__ = ["CARD_GAMES", "Audit", "Audited", "Judge", "audit_game", "audit_games", "audit_module"]
