"""The table in a text terminal: prompts and printed tables, nothing that moves, so that it works over any connection.

A person sees `cardenvs.play.seatview.seat_view` of the own seat. Several people share the terminal by turns: the screen is
cleared, and the next hand is shown once its owner is there.
"""

from cardenvs.play.terminal.session import run_terminal

__all__ = ["run_terminal"]
