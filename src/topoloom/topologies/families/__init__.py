"""The catalogue: one file per family; `topologies.spec` imports every one that lies here (`FAMILIES`, `TRANSFORMS`)."""
