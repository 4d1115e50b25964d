"""The table in a text terminal: prompts and printed tables, nothing that moves, so that it works over any connection.

What is shown to a person comes from `cardenvs.play.seatview.seat_view` of that person's seat. Several people share the
terminal by turns: the screen is cleared, and the next person's hand is shown when that person is there.
"""

from cardenvs.play.terminal.session import run_terminal

__all__ = ["run_terminal"]
