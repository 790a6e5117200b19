"""Routing: next hops and lanes for any topology, free of deadlock, and a judge that proves it."""
