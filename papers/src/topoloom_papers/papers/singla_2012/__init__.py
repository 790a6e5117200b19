"""Claims of Singla, Hong, Popa and Godfrey, Jellyfish: networking data centers randomly, NSDI 2012."""

#: The places of claims: the paper's, where our sources name them, and those of the sources that quote it.
PLACES = "abstract section-1 fig-5 quoted"
