"""The topology type and the base of results: `Topology`, records with their provenance, and their JSON Schemas.

`topology` has the data type that all parts share: switches, links, host ports, rates and labels as read-only arrays. `results`
gives every result a record, a table, a file and its provenance; `schemas` makes the JSON Schema of a record; `sources` accepts
a network in any form; `network_folders` names the files of a network folder.
"""
