"""The commands that belong to no room of their own: ``list``, ``observation``, ``bench``."""
