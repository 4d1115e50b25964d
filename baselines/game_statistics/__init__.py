"""Statistics of a game by letting an array of AIs play it; the command ``cardenvs recycle stats``.

Three experiments, games between random players, of one AI among random players, and of AIs alone, tell how long games are,
how many options their decisions have, who wins, and six statistics of the game's character, as CardStock takes them.
"""

from cardenvs.baselines.game_statistics.experiments import (
    EXPERIMENTS,
    STATISTICS,
    AiPlayer,
    PlayedGames,
    open_options,
    play_random,
)
from cardenvs.baselines.game_statistics.results import (
    Experiment,
    GameStatistics,
    Progress,
    experiment_of,
    play_all,
    results_of,
    statistics_of,
    take_statistics,
)
from cardenvs.baselines.game_statistics.settings import StatisticsSettings, statistics_settings

__all__ = [
    "EXPERIMENTS",
    "STATISTICS",
    "AiPlayer",
    "Experiment",
    "GameStatistics",
    "PlayedGames",
    "Progress",
    "StatisticsSettings",
    "experiment_of",
    "open_options",
    "play_all",
    "play_random",
    "results_of",
    "statistics_of",
    "statistics_settings",
    "take_statistics",
]
