"""The applications that come with topoloom; one file per suite, found because it is in this folder."""
