"""Installed tables: repaired with few changed entries, and changed step by step without a deadlock in between."""
