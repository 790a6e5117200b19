"""Virtual lanes: how paths are shared out to them so that nothing deadlocks."""
