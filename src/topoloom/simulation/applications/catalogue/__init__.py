"""The applications that come with topoloom; one file a suite, found because it is in this folder."""
