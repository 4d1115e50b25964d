"""Policies: their contract and how they are asked (`contract`), explanations of choices (`explanation`), policies by name.

What is listed in ``__all__`` is public; it is imported when it is first asked for.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
