"""What a game tells its seats of hidden cards, judged."""
