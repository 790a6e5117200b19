"""Claims of Hoefler, Bonato, De Sensi, Di Girolamo, Li, Heddes and others, HammingMesh: a network topology for large-scale
deep learning, SC 2022."""

#: The places of claims: the abstract, and the row of 1,024 accelerators in Table II.
PLACES = "abstract table-ii"
