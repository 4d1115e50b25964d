"""Learning policies by self-play, and playing learned policies; each name in ``__all__`` is imported when it is first used.

`cardenvs.train.learning` needs torch and Stable-Baselines3 (the extra ``train``); `cardenvs.train.inference` does not.
"""

import os as _os

import lazy_loader as _lazy

# Torch's threads spin while they wait for each other: beside any other busy process that costs a factor of ten. The
# OpenMP runtime reads this once, so it must be set before torch is imported.
_os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
