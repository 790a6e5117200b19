"""Flows on the channels of tables: max-min fair rates, and programs of ranks with dependencies."""
