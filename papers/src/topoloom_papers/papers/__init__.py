"""One folder per paper, in it one file for each group of its claims; all are found because they are here."""
