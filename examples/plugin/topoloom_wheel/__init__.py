"""Wheels for topoloom: a hub, and a rim around it."""
