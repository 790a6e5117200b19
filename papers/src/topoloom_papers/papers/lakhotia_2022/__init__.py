"""Claims of Lakhotia, Besta, Monroe, Isham, Iff, Hoefler and Petrini, PolarFly: a cost-effective and flexible low-diameter
topology, SC 2022."""

#: The places of claims: the abstract, and the authors' artefact (github.com/IntelLabs/PolarFly) with its figure.
PLACES = "abstract artefact-figure artefact artefact-growth"
