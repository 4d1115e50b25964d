from .config import Config
from .export import export
from .inference.learned import TrainedPolicy
from .inference.shipped import Learned
from .learning.self_play import Training, train
from .recipes import RECIPES, recipe

__all__ = ["RECIPES", "Config", "Learned", "TrainedPolicy", "Training", "export", "recipe", "train"]
