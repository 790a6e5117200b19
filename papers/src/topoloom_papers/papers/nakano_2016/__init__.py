"""Claims of Nakano, Takafuji, Fujita, Matsutani, Fujiwara and Koibuchi, Randomly optimized grid graph for low-latency
interconnection networks, ICPP 2016."""
