"""Tables at which people and policies play: the game, the view of each seat, a terminal, a server for browsers (`web`).

`advise` is the adviser for a real deck. What is listed in ``__all__`` is public; it is imported when it is first asked for.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
