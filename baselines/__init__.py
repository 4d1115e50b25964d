"""Policies and their comparison: agents, matches, evaluation, tournaments, cross-play and review.

The names in ``__all__`` are public; each is imported when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
