"""What is looked at in the finished deals of a match: bidding, cooperation, control variates."""

from cardenvs.baselines.observers.bidding import (
    Bidding,
    BiddingObserver,
    CallerFigures,
)
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
    METRICS,
    Cooperation,
    CooperationObserver,
    Cost,
    Metric,
    beating,
    double_dummy_cost,
)

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
    "Cost",
    "DoubleDummyControl",
    "Metric",
    "beating",
    "check_control",
    "dealer_values",
    "dealt",
    "double_dummy_cost",
    "fit_out",
]
