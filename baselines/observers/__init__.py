"""Observers of a match, which gather statistics from its finished deals: bidding, cooperation, control variates."""

from cardenvs.baselines.observers.bidding import Bidding, BiddingObserver, CallerFigures
from cardenvs.baselines.observers.control import (
    CONTROLS,
    DEALER_VALUE,
    FEWEST,
    FOLDS,
    Controlled,
    DoubleDummyControl,
    check_control,
    dealer_values,
    dealt,
    fit_out,
)
from cardenvs.baselines.observers.cooperation import (
    Cooperation,
    CooperationObserver,
    CooperationSums,
    Cost,
    Metric,
    double_dummy_cost,
)
from cardenvs.baselines.observers.taking import METRICS

__all__ = [
    "CONTROLS",
    "DEALER_VALUE",
    "FEWEST",
    "FOLDS",
    "METRICS",
    "Bidding",
    "BiddingObserver",
    "CallerFigures",
    "Controlled",
    "Cooperation",
    "CooperationObserver",
    "CooperationSums",
    "Cost",
    "DoubleDummyControl",
    "Metric",
    "check_control",
    "dealer_values",
    "dealt",
    "double_dummy_cost",
    "fit_out",
]
