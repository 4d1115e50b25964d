"""Tables in the browser: a server of pages and WebSockets, one link a seat. It needs aiohttp, of the extra ``play``.

What is listed in ``__all__`` is public; it is imported when it is first asked for.
"""

import lazy_loader as _lazy

from cardenvs import plugins as _plugins

_plugins.require("aiohttp", "play", "tables in the browser")

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
