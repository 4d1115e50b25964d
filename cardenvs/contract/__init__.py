"""What a game is: its kernels, its words, and what all games share."""
