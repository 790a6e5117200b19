"""The catalogue of directed networks: `topologies.spec` imports every module that lies here (`DIRECTED_FAMILIES`)."""
