"""Wrong arguments of statistics of a game."""

from cardenvs.baselines.game_statistics import play_all, statistics_settings
from tests.refusals import refuse


def made():
    return statistics_settings("whist", games=1, ai="random")


REFUSALS = [
    refuse("games must be an int of at least 1, not 0", statistics_settings, "whist", games=0),
    refuse("seed must be", statistics_settings, "whist", seed=-1),
    refuse("unknown policy 'nobody' for whist", statistics_settings, "whist", ai="nobody"),
    refuse("worlds must be", statistics_settings, "whist", ai="pipmc:worlds=0"),
    refuse("colour", statistics_settings, "whist", colour="red"),
    refuse("workers must be", play_all, made, workers=0),
    refuse(
        "experiments must be one of 'random', 'one_ai', 'all_ai', not 'most'",
        play_all, made, experiments=("most",),
    ),
]  # fmt: skip
