"""The catalogue: one file a family; `topoloom.spec` finds and imports every one that lies here (`FAMILIES`, `TRANSFORMS`)."""
