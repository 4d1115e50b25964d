"""Plain data that a seat, or a spectator (None), may see of a table: the same for a page and a terminal.

All of it comes from the seat's *view* (`cardenvs.contract.kernels.Kernels.view`), in which all that the seat cannot know is
zero, and from the public events. A spectator of a deal in which people have sat gets a view without any seat's private
knowledge. All cards are open once a deal is over, or if no person has sat in it.
"""

from cardenvs.play.seatview.board_log import trick_is_done
from cardenvs.play.seatview.replay import replay_views
from cardenvs.play.seatview.review import review_view
from cardenvs.play.seatview.sentences import action_label
from cardenvs.play.seatview.view import seat_view

__all__ = ["action_label", "replay_views", "review_view", "seat_view", "trick_is_done"]
