"""Claims of Koibuchi, Fujiwara, Matsutani and Casanova,
Layout-conscious random topologies for HPC off-chip interconnects, HPCA 2013.
"""
