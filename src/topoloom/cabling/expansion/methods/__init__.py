"""Methods of growth; one file per method, found because it is in this folder."""
