"""Machine rooms: where racks can stand, what they hold, how far a cable runs; as presets, TOML and CSV."""
