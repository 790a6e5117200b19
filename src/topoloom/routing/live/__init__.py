"""Tables in force: repaired with what they have kept, and changed step by step without a deadlock in between."""
