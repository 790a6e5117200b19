"""Files for other tools; one module per tool, registered because it is in this folder."""
