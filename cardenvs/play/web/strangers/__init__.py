"""What guards a table from strangers on a network: who may come in, how much, and what policies can reach."""
