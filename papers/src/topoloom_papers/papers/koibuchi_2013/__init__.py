"""Claims of Koibuchi, Fujiwara, Matsutani and Casanova,
Layout-conscious random topologies for HPC off-chip interconnects, HPCA 2013.
"""

#: The places of claims, in the paper's order.
PLACES = """
    abstract section-i fig-1a fig-1b section-ii-b section-iii-a iii-a fig-2 section-iii-b fig-3 fig-4 table-1
    section-iii-c fig-5 fig-6 fig-7 fig-8 section-iii-d fig-9 fig-10 section-iv-a fig-11 section-iv-b iv-b fig-12 fig-13
    section-iv-c fig-14 section-iv-d fig-15 section-v fig-16 section-vi fig-17 section-vii
"""
