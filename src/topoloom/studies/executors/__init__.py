"""Who runs the tasks of a study: one file per executor."""
