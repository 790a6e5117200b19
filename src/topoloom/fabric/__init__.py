"""Fabrics: networks with the names, addresses and ports that the tools of their operators use."""
