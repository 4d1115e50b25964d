"""What all compiled games share when they are played."""
