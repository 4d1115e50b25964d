"""Game specs: fields and kernels (`spec`, `fields`, `kernels`, `loops`), text, and games by name (`registry`).

Public names are listed in ``__all__`` and imported on first use.
"""

import lazy_loader as _lazy

from cardenvs.contract import registry as _registry  # noqa: F401  says how a spec is pickled, whoever has made it

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
