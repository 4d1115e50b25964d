"""Pictures of tables: laid out once (`scene`), painted as SVG (`svg`) or with pygame (`painter`, the extra ``render``).

Importing this package imports no pygame. What is listed in ``__all__`` is public and imported when it is first asked for.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
