"""What tests share: positions, players, games in text."""
