"""The graph type and the record: `Topology`, what every result can do, where it came from, and the schema of its record.

`topology` holds the one data type that every part shares: switches, links, host ports, rates and labels as arrays that cannot
be written to. `results` gives every result a record, a table, a file and its provenance; `schemas` makes the JSON Schema of a
record; `sources` is the door through which functions take a network of any form; `network_folders` names the folder's files.
"""
