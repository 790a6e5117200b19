"""Fabrics: what a routed network looks like to the tools that run it."""
