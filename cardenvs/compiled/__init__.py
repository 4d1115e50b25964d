"""How games become fast: compiled kernels, the keys under which they are kept, and what is said while they are compiled."""
