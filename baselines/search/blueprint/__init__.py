"""Search on a blueprint: better moves for one seat while all others play a policy that is common knowledge."""
