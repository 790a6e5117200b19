"""The network as a document: in memory (`network`), and as a folder, one table of its parts (`folder`)."""

from topoloom.network.network import Kind, Network

__all__ = ["Kind", "Network"]
