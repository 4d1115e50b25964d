"""Learning policies, and evaluating learned ones."""

import os

# Torch's threads spin while they wait for each other: beside any other busy process that costs a factor of ten. The
# OpenMP runtime reads this once, so it must be set before torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
