"""Explaining links between switches by the passive parts on their ways: panels, cords and trunks, which no discovery shows."""
