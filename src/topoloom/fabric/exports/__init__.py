"""Files for other tools; one file per tool, found because it is in this folder."""
