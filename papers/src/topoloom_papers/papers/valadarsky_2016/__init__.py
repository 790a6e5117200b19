"""Claims of Valadarsky, Shahaf, Dinitz and Schapira, Xpander: towards optimal-performance datacenters, CoNEXT 2016."""

#: The places of claims: the project's page, husant.github.io/Xpander, and the summary at expander-dcn.github.io.
PLACES = "page summary"
