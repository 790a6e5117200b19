"""Claims of Nakano, Takafuji, Fujita, Matsutani, Fujiwara and Koibuchi, Randomly optimized grid graph for low-latency
interconnection networks, ICPP 2016."""

#: The places of claims, in the paper's order.
PLACES = """
    abstract section-i section-iii fig-1 section-iv table-i section-v table-ii fig-4 fig-5 section-vi fig-7 table-iii
    fig-8 fig-9 section-vii table-iv section-viii-a fig-10 fig-11 section-viii-b fig-12 fig-13 section-viii-c fig-14
    conclusion
"""
