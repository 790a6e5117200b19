"""Compiled loops: largest flows, and what is made of them by the thousand."""
