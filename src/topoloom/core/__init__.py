"""What everything stands on: errors, files and folders written whole, settings, registers, progress, random streams, compiling.

Nothing here knows what a network is. `errors` has the one error that a user's mistake raises; `files`, `folders`, `staging`
and `locks` write whole or not at all; the modules of file formats (`json_files`, `toml_files`, `csv_files` ...) say what is
wrong with a text, and where; `settings` declares what a user can set; `register` finds things by name, also in other packages;
`work` is progress, deadline and stop; `random_streams` gives the same draws on every machine; `compiling` keeps kernels.
"""
