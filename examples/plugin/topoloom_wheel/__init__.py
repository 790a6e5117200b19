"""Wheels for topoloom: a hub with a rim around it."""
