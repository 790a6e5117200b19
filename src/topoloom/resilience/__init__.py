"""Failures and what survives them: survival curves, what damage costs, and how long a network holds."""
