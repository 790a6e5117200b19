"""A network taken the whole way: bill, tables, throughput, load, collectives, failures, growth; each within a budget."""
