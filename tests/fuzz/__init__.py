"""Programs that try what nobody should do, as long as wanted; slow tests run each of them for a short while."""
