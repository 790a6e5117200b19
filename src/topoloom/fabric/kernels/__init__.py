"""Compiled loops over the forwarding tables of fabrics."""
