"""Faults of a plan, a fabric or its tables: numbered rules, one file per group, and their findings."""
