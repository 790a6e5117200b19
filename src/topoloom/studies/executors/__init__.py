"""Who runs the tasks of a study: a file an executor."""
