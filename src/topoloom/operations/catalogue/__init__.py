"""The operations of topoloom, one file each; other packages add theirs by the entry point `topoloom.operations`."""
