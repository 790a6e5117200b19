"""What a graph is worth: distances, bounds, cuts, spectrum, connectivity, paths, channel load and latency."""
