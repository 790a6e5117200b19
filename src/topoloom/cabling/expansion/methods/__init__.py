"""Methods of growth; one module per method, registered because it is in this folder."""
