"""Sweeps of single operations as studies: the study that `topoloom VERB --study` runs, and the operation's own result of its
records.
"""
