"""The command line: one file per command; parses, calls one operation, prints."""
