"""What is wrong with a plan, a fabric or its tables: numbered rules, a file a group, and what they find."""
