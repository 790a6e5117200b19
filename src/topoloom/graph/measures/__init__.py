"""Measures by name: functions of a topology to one number, with its unit; other packages add theirs."""
