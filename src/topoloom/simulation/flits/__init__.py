"""The flit-level simulator: routers, traffic, load curves."""
