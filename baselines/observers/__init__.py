"""Observers of a match, which gather statistics from its finished deals: bidding, cooperation, control variates."""

from cardenvs.baselines.observers.bidding import Bidding, BiddingObserver, CallerFigures
from cardenvs.baselines.observers.control import CONTROLS, Controlled
from cardenvs.baselines.observers.cooperation import Cooperation, CooperationObserver, Metric, double_dummy_cost
from cardenvs.baselines.observers.taking import METRICS

__all__ = [
    "CONTROLS",
    "METRICS",
    "Bidding",
    "BiddingObserver",
    "CallerFigures",
    "Controlled",
    "Cooperation",
    "CooperationObserver",
    "Metric",
    "double_dummy_cost",
]
