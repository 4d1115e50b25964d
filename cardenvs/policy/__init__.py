"""Policies: contract and calls (`contract`), explanations of choices (`explanation`), policies by name (`registry`).

Public names are listed in ``__all__`` and imported on first use.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
