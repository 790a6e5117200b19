"""The applications that come with topoloom; one file per suite, each found because it is in this folder."""
