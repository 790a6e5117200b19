"""Sweeps of single verbs as studies: the study that `topoloom VERB --study` runs, and the verb's own result of its records."""
