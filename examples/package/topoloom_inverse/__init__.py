"""A topology and an adaptive routing for topoloom."""
