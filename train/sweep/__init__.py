"""Sweeps: many trainings that differ in their settings or seeds, as one resumable job, and their comparison.

The command is ``cardenvs sweep FILE``, in Python it is `run_sweep`. A sweep is trained (`train_all`) and measured, by the
machinery of the tournaments, by the workers of `cardenvs.baselines.engine`, on this machine or a Ray cluster, to the same
results.
"""

from cardenvs.train.sweep.play import Trained, run_sweep, train_all
from cardenvs.train.sweep.reading import SweepFile, parse_sweep, read_sweep, shipped_names
from cardenvs.train.sweep.results import Estimate, Figure, SweepResult, VariantResult, estimate, sweep_results
from cardenvs.train.sweep.settings import Measure, Run, Sweep, Variant, match_settings

__all__ = [
    "Estimate",
    "Figure",
    "Measure",
    "Run",
    "Sweep",
    "SweepFile",
    "SweepResult",
    "Trained",
    "Variant",
    "VariantResult",
    "estimate",
    "match_settings",
    "parse_sweep",
    "read_sweep",
    "run_sweep",
    "shipped_names",
    "sweep_results",
    "train_all",
]
