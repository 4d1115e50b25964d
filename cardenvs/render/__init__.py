"""Pictures of tables: laid out once (`scene`), painted as SVG (`svg`) or with pygame (`painter`, the extra ``render``).

Importing this package imports no pygame.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
