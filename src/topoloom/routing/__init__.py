"""Routing: next hops and virtual channels for any topology, free of deadlock, and a verifier that checks it."""
