"""Plain data that a seat, or somebody who looks on, may be shown of a table: the same for a page and a terminal.

All of it comes from the seat's *view* (`cardenvs.contract.kernels.Kernels.view`), in which what the seat cannot know is
zero, and from the public events. Somebody who looks on at a deal in which people have sat gets a view without any seat's
own knowledge. Only once a deal is over, or where no person has sat in it, are all cards shown.
"""

from cardenvs.play.seatview.board_tricks import trick_is_done
from cardenvs.play.seatview.replay import replay_views
from cardenvs.play.seatview.review import review_view
from cardenvs.play.seatview.sentences import action_label
from cardenvs.play.seatview.view import seat_view

__all__ = ["action_label", "replay_views", "review_view", "seat_view", "trick_is_done"]
