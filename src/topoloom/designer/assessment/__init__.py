"""A network fully assessed: bill, tables, throughput, load, collectives, failures, growth; each within a budget."""
