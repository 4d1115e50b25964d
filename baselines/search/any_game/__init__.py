"""Search in any game by playing out worlds from the moves at hand."""
