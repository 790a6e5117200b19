"""HTML pages from templates that escape every text."""
