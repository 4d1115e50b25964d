"""The adviser for a real deck: keeps the book of a deal played at a table, and answers for some of its seats.

A person enters names, the engine's seats, the dealer, the card that is pulled or turned up, the hands of the engine's
seats, then every event. The engine's seats are advised from what each of them would observe, its own hand and the public
events. After POE, the engine for Whist (J. Diamond, 2019), used in this way.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
