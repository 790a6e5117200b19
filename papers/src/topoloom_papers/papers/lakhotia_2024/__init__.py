"""Claims of Lakhotia, Monroe, Isham, Besta, Blach, Hoefler and Petrini, PolarStar: expanding the scalability horizon of
diameter-3 networks, SPAA 2024."""

#: The places of claims: the abstract, that of arXiv's first version, and the figure of the authors' artefact.
PLACES = "abstract abstract-v1 artefact-figure"
