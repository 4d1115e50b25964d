"""Who plays, and how players are compared: agents, matches, evaluation, tournaments, cross-play and review.

What is listed in ``__all__`` is public; it is imported when it is first asked for.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
