"""Virtual virtual channels: how paths are shared out to them so that nothing deadlocks."""
