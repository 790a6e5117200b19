"""The base layer: errors, files and folders written whole, settings, registers, progress, random streams, compiling.

No module here knows about networks. `errors` has the one error that a user's mistake raises; `files`, `folders`, `staging`
and `locks` write all of a file or folder, or nothing; the modules of file formats (`json_files`, `toml_files`, `csv_files` ...)
report faults of a text with their line; `settings` declares what a user can set; `register` finds records by name, also in
other packages; `work` holds progress, deadline and stop; `random_streams` gives the same draws on every machine; `compiling`
compiles kernels and stores them.
"""
