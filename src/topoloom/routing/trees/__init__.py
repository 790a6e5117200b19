"""Trees of next hops, one a destination: what engines build tables from."""
