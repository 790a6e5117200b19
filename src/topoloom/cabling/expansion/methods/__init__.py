"""Methods of growth; one file a method, found because it is in this folder."""
