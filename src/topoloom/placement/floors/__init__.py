"""Machine rooms: where cabinets can stand, what they hold, how far a cable runs; as presets, TOML and CSV."""
