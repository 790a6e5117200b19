"""The order of work of an expansion: when each cable moves, such that no switch is disconnected."""
