"""Failures and what survives them: survival curves, what failures cost, and how long a network holds."""
