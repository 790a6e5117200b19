"""The growth of an existing machine: more hosts, on free ports, in free units and on free places of the room."""
