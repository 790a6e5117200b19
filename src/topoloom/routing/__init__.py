"""Routing: next hops and virtual channels for any topology, free of deadlock, and a judge that proves it."""
