"""What a task can ask for: a file a verb, each with its arguments as data."""
