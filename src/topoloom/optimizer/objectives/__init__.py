"""Objectives that are functions of a topology; packages add others by the entry point `topoloom.objectives`."""
