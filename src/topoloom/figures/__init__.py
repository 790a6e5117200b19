"""Pictures of results on matplotlib's axes; what a result's `plot` calls."""
