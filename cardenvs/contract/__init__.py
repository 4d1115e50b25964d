"""Game specs: fields and kernels (`spec`, `fields`, `kernels`, `loops`), words, and games by name (`registry`).

What is listed in ``__all__`` is public; it is imported when it is first asked for. A game needs nothing else.
"""

import lazy_loader as _lazy

from cardenvs.contract import registry as _registry  # noqa: F401  says how a spec is pickled, whoever has made it

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
