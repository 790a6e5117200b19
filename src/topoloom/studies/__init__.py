"""Studies: many tasks over axes, run by an executor into a store that loses nothing; tables and pictures of them."""
