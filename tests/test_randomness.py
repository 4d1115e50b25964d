"""Seeds that nobody guesses, and what players draw from: nothing else follows from it."""

import numpy as np
import pytest

from cardenvs.compiled.streams import seed_streams
from cardenvs.randomness import drawn_seed, given_seed, hashed_streams, player_streams, seat_streams


def test_streams_of_players_are_the_same_on_every_machine() -> None:
    """Taken down once: whoever changes them changes all choices of a seed, and says so in the change log."""
    assert hashed_streams(7, "match", 2).tolist() == [8273715212187072233, 2643704904962192122]
    assert seat_streams(np.array([3], np.uint64), 2).tolist() == [[18438951426606724856, 18178690506362940161]]


def test_streams_depend_on_seed_purpose_and_number_only() -> None:
    whole = hashed_streams(7, "match", 50)
    assert whole.dtype == np.uint64 and whole.flags.writeable and len(set(whole.tolist())) == 50
    for first, n in ((0, 3), (5, 20), (8, 8), (49, 1), (17, 0)):
        assert (hashed_streams(7, "match", n, first) == whole[first : first + n]).all()
    others = (hashed_streams(8, "match", 50), hashed_streams(7, "seat", 50), hashed_streams(2**128 + 7, "match", 50))
    for other in (*others, seed_streams(7, 50)):
        assert not set(other.tolist()) & set(whole.tolist())
    games = player_streams(7, "match", 5, 4, first=2)
    assert games.shape == (5, 4) and games.ravel().tolist() == whole[8:28].tolist()


@pytest.mark.parametrize("seats", [1, 4, 8, 11])
def test_streams_of_seats_are_those_of_their_game(seats: int) -> None:
    games = seed_streams(1, 6)
    streams = seat_streams(games, seats)
    assert streams.shape == (6, seats) and len(set(streams.ravel().tolist()) | set(games.tolist())) == 6 * seats + 6
    assert (seat_streams(games[2:4], seats) == streams[2:4]).all()
    assert seat_streams(games[:0], seats).shape == (0, seats)


def test_a_seed_can_be_drawn() -> None:
    drawn = [given_seed("random") for _ in range(8)] + [drawn_seed()]
    assert len(set(drawn)) == 9 and max(drawn) >= 2**120 and max(drawn) < 2**128
    assert given_seed(np.int64(3)) == 3
    for wrong in ("rnadom", -1, 2**256, 0.5, None):
        with pytest.raises(ValueError, match=r"seed must be an int from 0 to 2\*\*256 - 1 or 'random', not"):
            given_seed(wrong)  # type: ignore[arg-type]
