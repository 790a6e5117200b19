"""Results as pages and pictures for people."""
