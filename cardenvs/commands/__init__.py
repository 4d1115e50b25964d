"""The commands ``list``, ``observation`` and ``bench``, which belong to no other package."""
