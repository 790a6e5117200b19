"""What is wrong with a plan, a fabric or its tables: numbered rules, one file per group, and what they find."""
