"""The work of an expansion: which cable moves when, so that nothing is cut off."""
