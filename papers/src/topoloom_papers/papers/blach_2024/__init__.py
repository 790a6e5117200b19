"""Claims of Blach, Besta, De Sensi, Domke, Harake, Li and others, A high-performance design, implementation, deployment, and
evaluation of the Slim Fly network, NSDI 2024."""

#: The places of claims: the abstract, a summary, and the README of the authors' OpenSM, github.com/spcl/opensm.
PLACES = "abstract summary artefact"
