"""Files for other tools; one file a tool, found because it is in this folder."""
