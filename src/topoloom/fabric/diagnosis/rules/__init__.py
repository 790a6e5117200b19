"""The rules, one file per group: cables, switches and hosts, shape, tables, addresses."""
