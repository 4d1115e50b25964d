"""The runtime that all compiled games share."""
