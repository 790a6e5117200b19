"""MPI programs on a network, simulated by SimGrid."""
