"""The verifier of tables: it follows every path and shares no code with the engines."""
