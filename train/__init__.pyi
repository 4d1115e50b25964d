from .advantages import per_seat_gae
from .config import Config
from .exploiting.play import exploit
from .exploiting.results import ExploitResult
from .inference.learned import TrainedPolicy
from .inference.shipped import Learned
from .learning.self_play import Training, TrainingResult, TrainingStatus, train
from .publishing.exporting import export
from .recipes import RECIPES, recipe
from .sweep.play import run_sweep
from .sweep.results import SweepResult

__all__ = [
    "RECIPES",
    "Config",
    "ExploitResult",
    "Learned",
    "SweepResult",
    "TrainedPolicy",
    "Training",
    "TrainingResult",
    "TrainingStatus",
    "exploit",
    "export",
    "per_seat_gae",
    "recipe",
    "run_sweep",
    "train",
]
