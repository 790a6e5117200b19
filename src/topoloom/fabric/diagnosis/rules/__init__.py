"""The rules, a file a group: cables, switches and hosts, shape, tables, addresses."""
